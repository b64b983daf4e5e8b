#include "report/wrap.h"

#include "report/frame.h"
#include "report/place.h"

namespace deepperf::report {

std::string wrapped(std::string_view text, u32 width, u32 used, std::string_view indent) {
  if (width == 0) {
    return std::string(text);
  }
  std::string out;
  u32 column = used;
  bool is_first = true;
  for (const std::string_view word : split_words(text)) {
    const u32 length = count_characters(word);
    const bool is_too_long = column + (is_first ? 0 : 1) + length > width;
    if (is_too_long && column > indent.size()) {
      out += '\n';
      out += indent;
      column = static_cast<u32>(indent.size());
    } else if (!is_first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
    is_first = false;
  }
  return out;
}

} // namespace deepperf::report
