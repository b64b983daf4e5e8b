#include "python/unicode.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace deepperf::python {

namespace {

// The character at `at`, which moves past it; negative where the bytes are not valid UTF-8.
UChar32 next_character(std::string_view text, i32 &at) {
  UChar32 c = 0;
// ICU's macro narrows on purpose.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
  U8_NEXT(text.data(), at, static_cast<i32>(text.size()), c);
#pragma GCC diagnostic pop
  return c;
}

// The identifier properties after normalisation: a character counts if what NFKC makes of it does.
bool starts_identifier(UChar32 c) { return c == '_' || u_hasBinaryProperty(c, UCHAR_XID_START) != 0; }
bool continues_identifier(UChar32 c) { return u_hasBinaryProperty(c, UCHAR_XID_CONTINUE) != 0; }

} // namespace

u32 identifier_length(std::string_view text) {
  const auto size = static_cast<i32>(text.size());
  i32 at = 0;
  while (at < size) {
    i32 next = at;
    const UChar32 c = next_character(text, next);
    if (c < 0 || !(at == 0 ? starts_identifier(c) : continues_identifier(c))) {
      break;
    }
    at = next;
  }
  return static_cast<u32>(at);
}

u32 character_length(std::string_view text) {
  i32 next = 0;
  return next_character(text, next) < 0 ? 1 : static_cast<u32>(next);
}

void normalize_identifier(std::string_view text, std::string &out) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2 *nfkc = icu::Normalizer2::getNFKCInstance(status);
  out.clear();
  if (U_SUCCESS(status)) {
    icu::StringByteSink<std::string> sink(&out);
    nfkc->normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<i32>(text.size())), sink, nullptr, status);
  }
  if (U_FAILURE(status)) {
    out = text;
  }
}

} // namespace deepperf::python
