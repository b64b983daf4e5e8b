// What the user can set in the editor: the same as on the command line of `check`.
#pragma once

#include "server/json.h"

#include <string>
#include <vector>

namespace deepperf::server {

struct EditorSettings {
  bool all = false;
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  bool inlay_hints = false;
  std::string min_severity; // empty: not given
  friend bool operator==(const EditorSettings &, const EditorSettings &) = default;
};

// From initializationOptions or a change of the configuration: the object itself, or its member `deepperf` or
// `settings`. What is wrong goes to `problems`, and what it would have set keeps its default.
EditorSettings read_settings(const Json &json, std::vector<std::string> &problems);

} // namespace deepperf::server
