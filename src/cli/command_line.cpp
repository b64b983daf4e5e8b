#include "cli/command_line.h"

#include "rules/rule.h"

#include <algorithm>
#include <array>

namespace deepperf::cli {

namespace {

// `{text,json}`, as CLI11 describes what a value is checked against; also "TYPE:{…}".
std::vector<std::string> choices_in(const std::string &type) {
  const std::size_t open = type.find('{');
  if (open == std::string::npos || !type.ends_with('}')) {
    return {};
  }
  std::vector<std::string> choices;
  std::size_t at = open + 1;
  while (at < type.size()) {
    const std::size_t end = std::min(type.find(',', at), type.size() - 1);
    choices.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return choices;
}

DescribedOption describe(const CLI::Option &option) {
  DescribedOption described;
  for (const std::string &name : option.get_snames()) {
    described.names.push_back("-" + name);
  }
  for (const std::string &name : option.get_lnames()) {
    described.names.push_back("--" + name);
  }
  described.description = option.get_description();
  if (option.get_type_size_max() == 0) { // a flag
    return described;
  }
  const std::string type = option.get_type_name();
  described.choices = choices_in(type);
  described.value = type.substr(0, type.find_first_of(":{"));
  constexpr std::string_view kMore = "...";
  if (described.value.ends_with(kMore)) {
    described.value.resize(described.value.size() - kMore.size());
    described.is_list = true;
  }
  if (described.value.empty()) {
    described.value = "VALUE";
  }
  if (described.value == "RULE" || described.value == "RULES") {
    for (const rules::RuleInfo *rule : rules::all_rules()) {
      described.choices.emplace_back(rule->code);
    }
  }
  return described;
}

} // namespace

DescribedCommand describe(const CLI::App &app) {
  DescribedCommand command;
  command.name = app.get_name();
  command.description = app.get_description();
  command.notes = app.get_footer();
  for (const CLI::Option *option : app.get_options()) {
    if (!option->get_group().empty()) { // else it is hidden
      command.options.push_back(describe(*option));
    }
  }
  for (const CLI::App *inner : app.get_subcommands([](const CLI::App *) { return true; })) {
    if (!inner->get_group().empty()) {
      command.commands.push_back(describe(*inner));
    }
  }
  return command;
}

bool takes_path(const DescribedOption &option) {
  constexpr std::array<std::string_view, 6> kPaths = {"PATH", "FILE", "DIR", "FOLDER", "DUMP", "MODEL"};
  return std::ranges::any_of(kPaths,
                             [&](std::string_view word) { return option.value.find(word) != std::string::npos; });
}

} // namespace deepperf::cli
