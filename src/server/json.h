// The JSON type of all messages.
#pragma once

#include <nlohmann/json.hpp>

namespace deepperf::server {

using Json = nlohmann::json;

} // namespace deepperf::server
