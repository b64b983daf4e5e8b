// What a program computed, as driver.py reports it, and whether two programs computed the same.
#pragma once

#include "base/types.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deepperf::bench {

// A number is an array without dimensions. Of a large array every `step`-th value is known.
struct Computed {
  enum class Kind : u8 { Array, Text, List, Dict };
  Kind kind = Kind::Text;
  std::vector<u64> shape = {};
  u64 step = 1;
  std::vector<double> values = {};
  std::string text = {};
  std::vector<std::pair<std::string, Computed>> items = {}; // of lists and dicts; the key of a list's is its index
};

// Throws std::runtime_error for what driver.py does not write.
Computed read_computed(const nlohmann::json &json);

// The first difference, in words; nothing if there is none. Numbers differ by more than `tolerance`, absolute plus
// relative, as numpy.allclose has it; not-a-number equals itself.
std::optional<std::string> first_difference(const Computed &buggy, const Computed &fixed, double tolerance,
                                            std::string_view buggy_name = "buggy.py",
                                            std::string_view fixed_name = "fixed.py");

} // namespace deepperf::bench
