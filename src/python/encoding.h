// From bytes to UTF-8: which encoding a file declares (PEP 263), and how to convert from it.
#pragma once

#include "base/types.h"
#include "python/source.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace deepperf::python {

inline constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF"; // the byte order mark

// How many bytes the character at `at` has, 0 if no well-formed UTF-8 starts there. `at` must be before `end`.
u32 utf8_size(const char *at, const char *end);

// Line and column of an offset in UTF-8 text, both from 1 and the column in characters. Walks the whole text: for error
// messages, not for findings.
struct Place {
  u32 line = 1;
  u32 column = 1;
};
Place place_of(std::string_view text, std::size_t offset);

// How many characters of `line` end at or before `offset`. A byte that is not part of well-formed UTF-8 counts as one.
u32 count_characters(std::string_view line, std::size_t offset);

// A declaration such as `# -*- coding: gbk -*-`, and where its name stands.
struct EncodingCookie {
  std::string_view name;
  Place place;
};

// Looks where CPython looks: in the first line, and in the second if the first is blank or a comment. `bytes` comes
// without a byte order mark.
std::optional<EncodingCookie> find_encoding_cookie(std::string_view bytes);

// True for every way to write UTF-8: `utf8`, `UTF_8`, `utf-8-sig`, Emacs' `utf-8-unix`.
bool means_utf8(std::string_view encoding);

// "UTF-16" or "UTF-32" if the bytes start with the mark of one, else empty.
std::string_view wide_byte_order_mark(std::string_view bytes);

// Converts from the declared encoding into `text`, or says what is wrong and where.
std::optional<SourceError> convert_to_utf8(std::string_view bytes, const EncodingCookie &cookie, std::string &text);

// The way back. Nothing if the encoding is unknown or has no way to write a character of the text.
std::optional<std::string> convert_from_utf8(std::string_view text, std::string_view encoding);

} // namespace deepperf::python
