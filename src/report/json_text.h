// JSON as all reports write it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace deepperf::report {

using Json = nlohmann::ordered_json;

// Adds the value and a line end; on one line unless `indent` says otherwise. Bytes that are not UTF-8 become U+FFFD,
// and characters that a terminal obeys or that some readers break lines at are escaped.
void write_json_text(const Json &json, int indent, std::string &out);

} // namespace deepperf::report
