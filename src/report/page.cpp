#include "report/page.h"

#include "base/embedded_text.h"

namespace deepperf {

std::span<const EmbeddedText> report_pages(); // generated from web/, see cmake/ReportPage.cmake

namespace report {

namespace {

// Where the data goes; web/build.mjs sees to it that it is there once.
constexpr std::string_view kDataMark = "@DATA@";

std::string page(std::string_view name) {
  std::string text;
  for (const EmbeddedText &one : report_pages()) {
    if (one.file != name) {
      continue;
    }
    for (const std::string_view chunk : one.chunks) {
      text += chunk;
    }
  }
  return text;
}

} // namespace

std::string missing_page(std::string_view name) {
  const std::string text = page(name);
  if (text.find(kDataMark) != std::string::npos) {
    return {};
  }
  // What could not be made has left the reason in its place.
  return text.substr(0, text.find('\n'));
}

void write_page(std::string_view name, std::string_view data, std::string &out) {
  const std::string whole = page(name);
  const std::size_t mark = whole.find(kDataMark);
  if (mark == std::string::npos) {
    return;
  }
  out.append(whole, 0, mark);
  out += data;
  out.append(whole, mark + kDataMark.size());
}

} // namespace report

} // namespace deepperf
