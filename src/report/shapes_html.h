// The picture of `deepperf shapes --format html`: one page that needs nothing else. The page itself is in
// web/src/shapes.
#pragma once

#include <string>
#include <string_view>

namespace deepperf::report {

// Why there is no page in this program, if the build could not make it; else empty.
std::string missing_shapes_page();

// `json` is what `deepperf shapes --format json` prints.
void write_shapes_html(std::string_view json, std::string &out);

} // namespace deepperf::report
