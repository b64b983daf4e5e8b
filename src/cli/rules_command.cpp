#include "cli/commands.h"
#include "cli/output.h"
#include "report/rule.h"

#include <memory>
#include <string>

namespace deepperf::cli {

namespace {

int list_rules(const std::string &format) {
  std::string text;
  if (format == "json") {
    report::write_rules_json(rules::all_rules(), text);
  } else {
    report::write_rules_text(rules::all_rules(), text);
  }
  return write_output("", text, stdout) ? kClean : kTrouble;
}

} // namespace

void add_rules(CLI::App &app, int &exit_code) {
  auto format = std::make_shared<std::string>("text");
  CLI::App *command = app.add_subcommand("rules", "List all rules");
  command->add_option("--format", *format, "How to print them (default: text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("text|json");
  command->callback([format, &exit_code] { exit_code = list_rules(*format); });
}

} // namespace deepperf::cli
