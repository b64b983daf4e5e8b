// The JSON schema of a configuration file, with which editors complete and check it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace deepperf::config {

// Of deepperf.toml, and of the table [tool.deepperf] of pyproject.toml.
nlohmann::ordered_json schema();

} // namespace deepperf::config
