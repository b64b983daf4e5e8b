#include "check/selection.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "report/rule.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>

namespace deepperf::cli {

namespace {

constexpr u32 kWidestPage = 100; // longer lines of prose are hard to read

struct ExplainArguments {
  std::string rule;
  std::string format = "text";
};

int explain_rule(const ExplainArguments &arguments) {
  const rules::RuleInfo *rule = check::find_rule(arguments.rule);
  if (rule == nullptr) {
    throw CLI::ValidationError(unknown_rule(arguments.rule));
  }
  std::string text;
  if (arguments.format == "json") {
    report::write_rule_json(*rule, text);
  } else if (arguments.format == "markdown") {
    report::write_rule_markdown(*rule, text);
  } else {
    const bool color = wants_color("auto", stdout);
    const u32 width = isatty(STDOUT_FILENO) != 0 ? std::min(terminal_width(stdout), kWidestPage) : kWidestPage;
    report::write_rule_text(*rule, width, color ? report::kColored : report::kPlain, text);
    return page(text) ? kClean : kTrouble;
  }
  return write_output("", text, stdout) ? kClean : kTrouble;
}

} // namespace

void add_explain(CLI::App &app, int &exit_code) {
  auto arguments = std::make_shared<ExplainArguments>();
  CLI::App *command =
      app.add_subcommand("explain", "Explain a rule: what it finds, why it matters, and what to write instead");
  command->add_option("rule", arguments->rule, "Code or name, such as DP101 or sequential-map")
      ->required()
      ->type_name("RULE");
  command->add_option("--format", arguments->format, "Output format (default: text)")
      ->check(CLI::IsMember({"text", "markdown", "json"}))
      ->type_name("text|markdown|json");
  command->callback([arguments, &exit_code] { exit_code = explain_rule(*arguments); });
}

} // namespace deepperf::cli
