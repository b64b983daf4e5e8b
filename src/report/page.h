// The HTML pages that the build made of web/ (cmake/ReportPage.cmake).
#pragma once

#include <string>
#include <string_view>

namespace deepperf::report {

// Why there is no page of this name in this program, if the build could not make it; else empty.
std::string missing_page(std::string_view name);

// Adds the page with the data in its place. The data is JSON without `<`; without a page nothing is added.
void write_page(std::string_view name, std::string_view data, std::string &out);

} // namespace deepperf::report
