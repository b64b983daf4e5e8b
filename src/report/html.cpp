#include "report/html.h"

#include "base/embedded_text.h"
#include "report/html_data.h"

#include <string_view>

namespace deepperf {

std::span<const EmbeddedText> report_pages(); // generated from web/, see cmake/ReportPage.cmake

namespace report {

namespace {

// Where the findings go; web/build.mjs writes it once.
constexpr std::string_view kDataMark = "@FINDINGS@";

std::string page() {
  std::string text;
  for (const EmbeddedText &file : report_pages()) {
    for (const std::string_view chunk : file.chunks) {
      text += chunk;
    }
  }
  return text;
}

} // namespace

std::string missing_html_page() {
  std::string text = page();
  if (text.find(kDataMark) != std::string::npos) {
    return {};
  }
  // What could not be made has left the reason in its place.
  return "this build has no HTML report: " + text.substr(0, text.find('\n'));
}

void write_html(const check::Result &result, const Options & /*options*/, std::string &out) {
  const std::string whole = page();
  const std::size_t mark = whole.find(kDataMark);
  if (mark == std::string::npos) {
    return;
  }
  out.append(whole, 0, mark);
  out += html_data(result);
  out.append(whole, mark + kDataMark.size());
}

} // namespace report

} // namespace deepperf
