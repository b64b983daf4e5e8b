// Reading and writing JSON, for nlohmann::json and nlohmann::ordered_json. The library's own parse() and dump() would
// be compiled again wherever they are called; here they are compiled once.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace deepperf {

// Discarded if it is not JSON. `wrong_at` then tells with which byte it ended to be, counted from 1.
template <class Json> Json parse_json(std::string_view text, std::size_t *wrong_at = nullptr);

// On one line, unless `indent` says by how many spaces what is inside something is indented. Bytes that are not UTF-8
// become U+FFFD.
template <class Json> std::string json_text(const Json &json, int indent = -1, bool only_ascii = false);

} // namespace deepperf
