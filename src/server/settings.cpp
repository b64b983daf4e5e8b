#include "server/settings.h"

#include "server/message.h"

#include <fmt/format.h>

namespace deepperf::server {

namespace {

std::vector<std::string> read_rules(const Json &json, std::string_view name, std::vector<std::string> &problems) {
  std::vector<std::string> rules;
  if (json.is_string()) {
    rules.push_back(json.get<std::string>());
  } else if (json.is_array()) {
    for (const Json &rule : json) {
      if (rule.is_string()) {
        rules.push_back(rule.get<std::string>());
      } else {
        problems.push_back(fmt::format("the setting `{}` must be a list of rules such as \"DP101\"", name));
      }
    }
  } else if (!json.is_null()) {
    problems.push_back(fmt::format("the setting `{}` must be a list of rules such as \"DP101\"", name));
  }
  std::erase(rules, "");
  return rules;
}

bool read_flag(const Json &json, std::string_view name, std::vector<std::string> &problems) {
  if (!json.is_null() && !json.is_boolean()) {
    problems.push_back(fmt::format("the setting `{}` must be true or false", name));
  }
  return is_true(json);
}

} // namespace

EditorSettings read_settings(const Json &json, std::vector<std::string> &problems) {
  const Json *object = &json;
  for (const char *const wrapper : {"deepperf", "settings", "deepperf"}) {
    if (const Json &inner = member(*object, wrapper); inner.is_object()) {
      object = &inner;
    }
  }
  EditorSettings settings;
  settings.all = read_flag(member(*object, "all"), "all", problems);
  settings.inlay_hints = read_flag(member(*object, "inlayHints"), "inlayHints", problems);
  settings.select = read_rules(member(*object, "select"), "select", problems);
  settings.ignore = read_rules(member(*object, "ignore"), "ignore", problems);
  const Json &severity = member(*object, "minSeverity");
  if (severity == "error" || severity == "warning" || severity == "advice" || severity == "note") {
    settings.min_severity = severity.get<std::string>();
  } else if (!severity.is_null() && severity != "") {
    problems.emplace_back("the setting `minSeverity` must be \"error\", \"warning\", \"advice\" or \"note\"");
  }
  return settings;
}

} // namespace deepperf::server
