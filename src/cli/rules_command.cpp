#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "report/coverage.h"
#include "report/place.h"
#include "report/rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace deepperf::cli {

namespace {

struct RulesArguments {
  std::string format = "text";
  std::string framework;
  std::string cause;
  std::string severity;
  std::string tier;
  bool coverage = false;
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

// Every framework that a rule names, each once.
std::vector<std::string> known_frameworks() {
  std::vector<std::string> names{"torch", "tf"};
  for (const rules::RuleInfo *rule : rules::all_rules()) {
    for (const std::string_view framework : report::split_list(rule->frameworks)) {
      names.emplace_back(framework);
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void require_known_framework(const std::string &name) {
  const std::vector<std::string> known = known_frameworks();
  if (name.empty() || std::ranges::any_of(known, [&](const std::string &k) { return lower(k) == lower(name); })) {
    return;
  }
  const std::string near = nearest(name, known);
  throw CLI::ValidationError(
      near.empty() ? fmt::format("there is no framework '{}'; known frameworks are {}", name, fmt::join(known, ", "))
                   : fmt::format("there is no framework '{}'; did you mean '{}'?", name, near));
}

// `pytorch` and `torch`, `tensorflow` and `tf` mean the same.
bool names_framework(std::string_view wanted, std::string_view framework) {
  const std::string name = lower(framework);
  const std::string given = lower(wanted);
  return given == name || (given == "torch" && name == "pytorch") || (given == "tf" && name == "tensorflow");
}

bool is_wanted(const RulesArguments &arguments, const rules::RuleInfo &rule) {
  const std::vector<std::string_view> frameworks = report::split_list(rule.frameworks);
  return (arguments.framework.empty() || std::ranges::any_of(frameworks,
                                                             [&](std::string_view framework) {
                                                               return names_framework(arguments.framework, framework);
                                                             })) &&
         (arguments.cause.empty() || lower(rule.root_cause).find(lower(arguments.cause)) != std::string::npos) &&
         (arguments.severity.empty() || report::severity_name(rule.severity) == arguments.severity) &&
         (arguments.tier.empty() || report::tier_name(rule.tier) == arguments.tier);
}

int list_rules(const RulesArguments &arguments) {
  require_known_framework(arguments.framework);
  std::vector<const rules::RuleInfo *> wanted;
  std::ranges::copy_if(rules::all_rules(), std::back_inserter(wanted),
                       [&](const rules::RuleInfo *rule) { return is_wanted(arguments, *rule); });
  const bool json = arguments.format == "json";
  std::string text;
  if (arguments.coverage) {
    (json ? report::write_coverage_json : report::write_coverage_text)(wanted, text);
  } else if (json) {
    report::write_rules_json(wanted, text);
  } else {
    const bool color = wants_color("auto", stdout);
    const u32 width = isatty(STDOUT_FILENO) != 0 ? terminal_width(stdout) : 0;
    report::write_rules_text(wanted, width, color ? report::kColored : report::kPlain, text);
  }
  if (wanted.empty() && !json) {
    fmt::print(stderr, "deepperf: no rule matches\n");
  }
  return (json ? write_output("", text, stdout) : page(text)) ? kClean : kTrouble;
}

} // namespace

void add_rules(CLI::App &app, int &exit_code) {
  auto arguments = std::make_shared<RulesArguments>();
  CLI::App *command = app.add_subcommand("rules", "List all rules");
  command
      ->add_option("--framework", arguments->framework, "Only rules for a framework: TensorFlow, Keras, PyTorch, JAX")
      ->type_name("NAME");
  command->add_option("--cause", arguments->cause, "Only rules whose root cause contains this word: API, Data, …")
      ->type_name("TEXT");
  command->add_option("--severity", arguments->severity, "Only rules of one severity")
      ->check(CLI::IsMember({"error", "warning", "advice", "note"}))
      ->type_name("SEVERITY");
  command->add_option("--tier", arguments->tier, "Only rules that are on, hints (not proven), or off")
      ->check(CLI::IsMember({"on", "hint", "off"}))
      ->type_name("on|hint|off");
  command->add_flag("--coverage", arguments->coverage,
                    "Count the problems of the DLPerf study that the rules cover, per root cause");
  command->add_option("--format", arguments->format, "Output format (default: text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("text|json");
  command->callback([arguments, &exit_code] { exit_code = list_rules(*arguments); });
}

} // namespace deepperf::cli
