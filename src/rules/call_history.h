// Which calls libraries reject that they once took: arguments by position, missing ones, and values.
#pragma once

#include <string_view>
#include <vector>

namespace deepperf::rules {

struct ChangedCall {
  std::string_view api; // a canonical name, or a method of a kind of value
  std::string_view package;
  std::string_view since;
  unsigned positional;       // so many arguments may be given without a name
  std::string_view required; // an argument that has to be given; empty if there is none
  std::string_view instead;
};

constexpr unsigned kAnyNumber = ~0U;

// A text that an argument may not be any more.
struct ChangedValue {
  std::string_view api;
  unsigned position;
  std::string_view keyword;
  std::string_view value; // `*` at its end stands for any text
  std::string_view package;
  std::string_view since;
  std::string_view instead;
};

// Null if the API can be called as before.
const ChangedCall *find_changed_call(std::string_view api);

// The texts that the API refuses; null if there are none.
const std::vector<const ChangedValue *> *find_changed_values(std::string_view api);

} // namespace deepperf::rules
