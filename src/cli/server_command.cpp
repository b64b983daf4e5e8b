#include "check/filter.h"
#include "cli/check_arguments.h"
#include "cli/commands.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "server/server.h"

#include <algorithm>
#include <memory>
#include <string>

namespace deepperf::cli {

namespace {

struct ServerArguments {
  bool stdio = false;
  u32 jobs = 0;
  bool no_cache = false;
  std::string cache_folder = check::default_cache_folder();
};

// As `check` does it with the same options and the same configuration file.
server::CheckSetup set_up(const ServerArguments &arguments, const server::EditorSettings &settings,
                          const std::vector<std::string> &paths) {
  const auto check = std::make_shared<CheckArguments>();
  check->options.paths = paths;
  check->options.jobs = arguments.jobs;
  check->options.cache.folder = arguments.no_cache ? "" : arguments.cache_folder;
  check->select = settings.select;
  check->ignore = settings.ignore;
  check->all = settings.all;
  check->min_severity = settings.min_severity;
  const config::Settings in_force = settings_in_force(*check);
  apply_settings(in_force, *check);
  server::CheckSetup setup;
  setup.filter = filter_options(in_force);
  setup.options = check->options;
  setup.options.rules = check::chosen_rules(setup.filter);
  const std::optional<check::Selection> &select = setup.filter.select;
  setup.options.with_tests =
      setup.filter.all || (select && std::ranges::any_of(select->named, [](const rules::RuleInfo *rule) {
                             return rule->tier != rules::Tier::On;
                           }));
  setup.storage = check; // the options point to what it excludes
  return setup;
}

int run_server(const ServerArguments &arguments) {
  server::ServerOptions options;
  options.session.set_up = [arguments](const server::EditorSettings &settings, const std::vector<std::string> &paths) {
    return set_up(arguments, settings, paths);
  };
  options.session.rule_pages = rule_pages_folder();
  options.session.pages_folder = arguments.cache_folder.empty() ? "" : arguments.cache_folder + "/rules";
  return server::run(options);
}

} // namespace

void add_server(CLI::App &app, int &exit_code) {
  auto arguments = std::make_shared<ServerArguments>();
  CLI::App *command = app.add_subcommand("server", "Show problems in an editor, through the Language Server Protocol");
  command->footer(
      R"(Editors start this command; docs/editors.md explains how to set them up. It speaks LSP 3.17 on standard input and
output until the editor sends 'exit' or closes its input.

Exit status: 0 if the editor sent 'shutdown' first, otherwise 1.)");
  command->add_flag("--stdio", arguments->stdio,
                    "Use standard input and output; always the case, accepted for editors that pass it");
  command->add_flag("--no-cache", arguments->no_cache, "Check everything at startup, and store no results");
  command
      ->add_option("--cache-dir", arguments->cache_folder,
                   "Where to store results of unchanged files (default: ~/.cache/deepperf)")
      ->type_name("DIR");
  command->add_option("--jobs,-j", arguments->jobs, "Threads (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->callback([arguments, &exit_code] { exit_code = run_server(*arguments); });
}

} // namespace deepperf::cli
