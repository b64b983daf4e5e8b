#include "config/settings.h"

#include <algorithm>
#include <iterator>

namespace deepperf::config {

namespace {

Setting *find_in(std::vector<Setting> &settings, std::string_view key) {
  const auto found = std::ranges::find(settings, key, [](const Setting &setting) { return setting.key->name; });
  return found != settings.end() ? &*found : nullptr;
}

void remove(std::vector<Setting> &settings, std::string_view key) {
  std::erase_if(settings, [key](const Setting &setting) { return setting.key->name == key; });
}

} // namespace

const Setting *find_setting(const Settings &settings, std::string_view key) {
  const auto found = std::ranges::find(settings.settings, key, [](const Setting &one) { return one.key->name; });
  return found != settings.settings.end() ? &*found : nullptr;
}

std::optional<std::string> find_value(const Settings &settings, std::string_view key) {
  const Setting *const setting = find_setting(settings, key);
  return setting != nullptr && !setting->values.empty() ? std::optional(setting->values.front().text) : std::nullopt;
}

Settings merge(Settings file, const Settings &command_line) {
  for (const Setting &given : command_line.settings) {
    const std::string_view name = given.key->name;
    Setting *const here = find_in(file.settings, name);
    if (here != nullptr && name == "ignore") {
      std::ranges::copy(given.values, std::back_inserter(here->values));
    } else if (here != nullptr) {
      *here = given;
    } else {
      file.settings.push_back(given);
    }
    // Who names rules, or asks for everything, on the command line wants that and nothing else.
    if (name == "select") {
      remove(file.settings, "extend-select");
    } else if (name == "all" && find_setting(command_line, "min-severity") == nullptr) {
      remove(file.settings, "min-severity");
    }
  }
  std::ranges::sort(file.settings, {}, [](const Setting &setting) { return setting.key; });
  return file;
}

} // namespace deepperf::config
