// What the engine knows of the value at a place in a file, for people who point at it: hover and inlay hints.
#pragma once

#include "model/project.h"
#include "python/syntax_error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::model {

struct KnownValue {
  python::Span span;       // of the expression
  std::string_view kind;   // in words: "PyTorch tensor"
  std::string made_by;     // the API or method whose call made it
  std::string calls;       // of a call: the API, or the function of the project
  std::string_view gives;  // of what is called: the kind of the result
  std::string constant;    // as Python writes it
  bool is_default = false; // the constant can be chosen by the user
  std::string_view gradient;
  std::string_view device;

  // There is something that the reader does not see anyway.
  [[nodiscard]] bool says_something() const {
    return !kind.empty() || !gives.empty() || !calls.empty() || !constant.empty() || !made_by.empty();
  }
};

// Of the innermost expression or parameter around the offset, with what is known of it, which may be nothing.
std::optional<KnownValue> value_at(const Project &project, const Module &module, u32 offset);

// What is assigned to names and bound by loops within the range, in the order of the text.
std::vector<KnownValue> bound_values(const Module &module, python::Span range);

} // namespace deepperf::model
