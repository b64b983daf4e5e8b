// What is in force, and which file and line, command line or default it comes from.
#pragma once

#include "config/settings.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace deepperf::config {

// As TOML that could be a configuration file; where a value comes from is in comments.
std::string show_text(const Settings &settings);

nlohmann::ordered_json show_json(const Settings &settings);

} // namespace deepperf::config
