#include "base/json.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "config/schema.h"
#include "config/show.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace deepperf::cli {

namespace {

struct ConfigArguments {
  CheckArguments check; // what a check of these paths would be given
  std::string format = "text";
  bool schema = false;
};

std::string dump(const nlohmann::ordered_json &json) { return json_text(json, 2) + "\n"; }

int show_config(const ConfigArguments &arguments) {
  if (arguments.schema) {
    return write_output("", dump(config::schema()), stdout) ? kClean : kTrouble;
  }
  const config::Settings settings = settings_in_force(arguments.check);
  const std::string text = arguments.format == "json" ? dump(config::show_json(settings)) : config::show_text(settings);
  return write_text(text) ? kClean : kTrouble;
}

} // namespace

void add_config(CLI::App &app, int &exit_code) {
  auto arguments = std::make_shared<ConfigArguments>();
  CLI::App *command = app.add_subcommand("config", "Show the effective settings and where they come from");
  command->footer(
      R"(Settings come from the nearest deepperf.toml, or pyproject.toml with a table [tool.deepperf], going up from
PATH. Options on the command line take precedence.)");
  command->add_option("path", arguments->check.options.paths, "What would be checked (default: the current folder)")
      ->type_name("PATH")
      ->expected(0, 1);
  add_setting_options(*command, arguments->check);
  command->add_flag("--schema", arguments->schema, "Print the JSON schema of configuration files, for editors");
  command->add_option("--format", arguments->format, "Output format (default: text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("text|json");
  command->callback([arguments, &exit_code] { exit_code = show_config(*arguments); });
}

} // namespace deepperf::cli
