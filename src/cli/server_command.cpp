#include "check/cache_folder.h"
#include "check/filter.h"
#include "cli/commands.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "report/place.h"
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

check::Selection parse_selection(const std::vector<std::string> &lists) {
  std::vector<std::string> unknown;
  check::Selection selection = check::select(lists, unknown);
  if (!unknown.empty()) {
    throw std::runtime_error(unknown_rule(unknown[0]));
  }
  return selection;
}

// As `check` with the same options.
server::CheckSetup set_up(const ServerArguments &arguments, const server::EditorSettings &settings,
                          const std::vector<std::string> &paths) {
  server::CheckSetup setup;
  check::FilterOptions &filter = setup.filter;
  if (!settings.select.empty()) {
    filter.select = parse_selection(settings.select);
  }
  filter.ignore = parse_selection(settings.ignore);
  filter.all = settings.all;
  for (const rules::Severity severity :
       {rules::Severity::Note, rules::Severity::Advice, rules::Severity::Warning, rules::Severity::Error}) {
    if (report::severity_name(severity) == settings.min_severity) {
      filter.min_severity = severity;
    }
  }
  check::Options &options = setup.options;
  options.paths = paths;
  options.jobs = arguments.jobs;
  options.rules = check::chosen_rules(filter);
  options.with_tests =
      filter.all || (filter.select && std::ranges::any_of(filter.select->named, [](const rules::RuleInfo *rule) {
                       return rule->tier != rules::Tier::On;
                     }));
  options.cache.folder = arguments.no_cache ? "" : arguments.cache_folder;
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
      R"(Editors start this command; docs/editors.md says how to set them up. It speaks LSP 3.17 on standard input and
output, until the editor says 'exit' or closes its input.

Exit status: 0 if the editor has said 'shutdown' before, else 1.)");
  command->add_flag("--stdio", arguments->stdio, "Use standard input and output, which is always so");
  command->add_flag("--no-cache", arguments->no_cache, "Check everything at the start, and keep no results");
  command
      ->add_option("--cache-dir", arguments->cache_folder,
                   "Where to keep results of unchanged files (default: ~/.cache/deepperf)")
      ->type_name("DIR");
  command->add_option("--jobs,-j", arguments->jobs, "Threads (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->callback([arguments, &exit_code] { exit_code = run_server(*arguments); });
}

} // namespace deepperf::cli
