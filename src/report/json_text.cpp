#include "report/json_text.h"

#include "base/json.h"
#include "base/write.h"

#include <iterator>
#include <string_view>

namespace deepperf::report {

namespace {

// Of valid UTF-8: how many bytes at its start must be escaped although JSON allows them, and as which character.
std::size_t escaped_bytes(std::string_view text, unsigned &character) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (text[0] == '\x7F') {
    character = 0x7F;
    return 1;
  }
  if (text[0] == '\xC2' && text.size() > 1 && byte(1) < 0xA0) { // U+0080 to U+009F
    character = byte(1);
    return 2;
  }
  if (text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9")) { // line and paragraph separator
    character = 0x2000U + (byte(2) & 0x3FU);
    return 3;
  }
  return 0;
}

} // namespace

void write_json_text(const Json &json, int indent, std::string &out) {
  const std::string text = json_text(json, indent);
  out.reserve(out.size() + text.size() + 1);
  // Such characters can only be in strings.
  for (std::size_t at = 0; at < text.size();) {
    unsigned character = 0;
    const std::size_t length = escaped_bytes(std::string_view(text).substr(at), character);
    if (length == 0) {
      out += text[at];
      ++at;
    } else {
      write(out, "\\u{:04x}", character);
      at += length;
    }
  }
  out += '\n';
}

} // namespace deepperf::report
