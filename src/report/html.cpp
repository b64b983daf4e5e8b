#include "report/html.h"

#include "report/html_data.h"
#include "report/page.h"

namespace deepperf::report {

namespace {

constexpr std::string_view kReportPage = "report_page.html";

} // namespace

std::string missing_html_page() {
  const std::string reason = missing_page(kReportPage);
  return reason.empty() ? std::string() : "this build has no HTML report: " + reason;
}

void write_html(const check::Result &result, const Options & /*options*/, std::string &out) {
  write_page(kReportPage, html_data(result), out);
}

} // namespace deepperf::report
