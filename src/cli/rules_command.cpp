#include "cli/commands.h"
#include "cli/output.h"
#include "report/coverage.h"
#include "report/place.h"
#include "report/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace deepperf::cli {

namespace {

struct Arguments {
  std::string format = "text";
  std::string framework;
  std::string cause;
  std::string tier;
  bool coverage = false;
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

// `pytorch` and `torch`, `tensorflow` and `tf` mean the same.
bool names_framework(std::string_view wanted, std::string_view framework) {
  const std::string name = lower(framework);
  const std::string given = lower(wanted);
  return given == name || (given == "torch" && name == "pytorch") || (given == "tf" && name == "tensorflow");
}

bool is_wanted(const Arguments &arguments, const rules::RuleInfo &rule) {
  const std::vector<std::string_view> frameworks = report::split_list(rule.frameworks);
  return (arguments.framework.empty() || std::ranges::any_of(frameworks,
                                                             [&](std::string_view framework) {
                                                               return names_framework(arguments.framework, framework);
                                                             })) &&
         (arguments.cause.empty() || lower(rule.root_cause).find(lower(arguments.cause)) != std::string::npos) &&
         (arguments.tier.empty() || report::tier_name(rule.tier) == arguments.tier);
}

int list_rules(const Arguments &arguments) {
  std::vector<const rules::RuleInfo *> wanted;
  std::ranges::copy_if(rules::all_rules(), std::back_inserter(wanted),
                       [&](const rules::RuleInfo *rule) { return is_wanted(arguments, *rule); });
  const bool json = arguments.format == "json";
  std::string text;
  if (arguments.coverage) {
    (json ? report::write_coverage_json : report::write_coverage_text)(wanted, text);
  } else {
    (json ? report::write_rules_json : report::write_rules_text)(wanted, text);
  }
  if (wanted.empty() && !json) {
    fmt::print(stderr, "deepperf: no rule is like that\n");
  }
  return write_output("", text, stdout) ? kClean : kTrouble;
}

} // namespace

void add_rules(CLI::App &app, int &exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = app.add_subcommand("rules", "List all rules");
  command
      ->add_option("--framework", arguments->framework, "Only those for a framework: TensorFlow, Keras, PyTorch, JAX")
      ->type_name("NAME");
  command
      ->add_option("--cause", arguments->cause, "Only those with a root cause that has this in its name: API, Data, …")
      ->type_name("TEXT");
  command->add_option("--tier", arguments->tier, "Only those that are on, hints, or off")
      ->check(CLI::IsMember({"on", "hint", "off"}))
      ->type_name("on|hint|off");
  command->add_flag("--coverage", arguments->coverage,
                    "Count the DLPerf study's problems that the rules cover, per root cause");
  command->add_option("--format", arguments->format, "How to print them (default: text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("text|json");
  command->callback([arguments, &exit_code] { exit_code = list_rules(*arguments); });
}

} // namespace deepperf::cli
