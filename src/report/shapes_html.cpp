#include "report/shapes_html.h"

#include "report/page.h"

namespace deepperf::report {

namespace {

constexpr std::string_view kShapesPage = "shapes_page.html";

} // namespace

std::string missing_shapes_page() {
  const std::string reason = missing_page(kShapesPage);
  return reason.empty() ? std::string() : "this build has no page for shapes: " + reason;
}

void write_shapes_html(std::string_view json, std::string &out) {
  // A `<` in a string could end the script element that holds the data; outside of strings JSON has none.
  std::string data;
  data.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      data += "\\u003c";
    } else {
      data += c;
    }
  }
  write_page(kShapesPage, data, out);
}

} // namespace deepperf::report
