#include "report/clean_text.h"

#include "base/types.h"

#include <unicode/utf8.h>

namespace deepperf::report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD

bool is_forbidden(UChar32 character) {
  const bool is_control = character < 0x20 || (character >= 0x7F && character < 0xA0);
  // What XML counts as no character at all, and what other readers break lines at.
  const bool is_separator = character == 0x2028 || character == 0x2029;
  return character < 0 || is_control || is_separator || (character & 0xFFFE) == 0xFFFE;
}

} // namespace

std::string clean_text(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t start = at;
    UChar32 character = 0;
// ICU's macro narrows on purpose.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
    U8_NEXT(bytes.data(), at, bytes.size(), character);
#pragma GCC diagnostic pop
    if (character == '\r') {
      at += at < bytes.size() && bytes[at] == '\n' ? 1 : 0;
      text += '\n';
    } else if (character == '\n') {
      text += '\n';
    } else if (character == '\t') {
      text += '\t';
    } else if (is_forbidden(character)) {
      text += kReplacement;
    } else {
      text += bytes.substr(start, at - start);
    }
  }
  return text;
}

} // namespace deepperf::report
