#include "cli/check_arguments.h"

#include "report/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace deepperf::cli {

namespace {

void add_rule_options(CLI::App &command, CheckArguments &arguments) {
  // One value a time: `--select DP101 src` checks src.
  command.add_option("--select", arguments.select, "Only these rules: codes (DP101), prefixes (DP1) or names")
      ->allow_extra_args(false)
      ->type_name("RULES");
  command.add_option("--ignore", arguments.ignore, "Skip these rules; takes precedence over --select")
      ->allow_extra_args(false)
      ->type_name("RULES");
  command.add_flag("--all,--hints", arguments.all, "Show everything, including notes, unproven problems and test code");
  command.add_option("--min-severity", arguments.min_severity, "Show only findings of at least this severity")
      ->check(CLI::IsMember({"error", "warning", "advice", "note"}))
      ->type_name("SEVERITY");
  command
      .add_option("--fail-on", arguments.fail_on,
                  "Exit with status 1 for findings of at least this severity (default: warning)")
      ->check(CLI::IsMember({"error", "warning", "advice", "note", "never"}))
      ->type_name("SEVERITY");
  command.add_flag("--exit-zero", arguments.exit_zero,
                   "Exit with status 0 even if problems were found, unless something could not be checked");
}

void add_output_options(CLI::App &command, CheckArguments &arguments) {
  command
      .add_option("--format", arguments.format,
                  fmt::format("Output format: {} (default: text)", fmt::join(report::format_names(), ", ")))
      ->check(CLI::IsMember(report::format_names()))
      ->type_name("FORMAT");
  command.add_flag("--expand", arguments.expand, "List every place separately instead of grouping equal findings");
  command.add_flag("--quiet,-q", arguments.quiet, "Print errors and warnings only, without a summary");
  command.add_flag("--verbose,-v", arguments.verbose, "Also print the root cause, symptoms and stage of each problem");
  command.add_flag("--statistics", arguments.statistics, "Show how often each rule fired instead of the findings");
  command.add_flag("--timings", arguments.options.timings,
                   "Report on standard error the time of each phase and rule, and its work in steps");
  command.add_option("--output,-o", arguments.output, "Write to this file instead of standard output")
      ->type_name("FILE");
  command.add_option("--color", arguments.color, "When to use color (default: auto)")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

void add_fix_options(CLI::App &command, CheckArguments &arguments) {
  command.add_flag("--fix", arguments.fix, "Apply fixes that do not change what the program computes");
  command.add_flag("--diff", arguments.diff, "Show what --fix would change, and change nothing");
}

void add_known_options(CLI::App &command, CheckArguments &arguments) {
  command.add_option("--baseline", arguments.baseline, "Show only findings that are not listed in this file")
      ->type_name("FILE");
  command.add_option("--write-baseline", arguments.write_baseline, "Write all current findings to a baseline")
      ->type_name("FILE");
  command.add_flag("--prune-baseline", arguments.prune_baseline,
                   "With --baseline: remove entries that no longer match anything, and follow moved files");
  command.add_flag("--report-stale-baseline", arguments.report_stale_baseline,
                   "With --baseline: only list the entries that no longer match anything");
  command
      .add_option("--since", arguments.since,
                  "Show only findings on lines changed since this git revision; everything is analyzed")
      ->type_name("REV");
  command.add_flag("--add-suppressions", arguments.add_suppressions,
                   "Add comments to the files that suppress all shown findings; with --diff, only show them");
  command.add_option("--reason", arguments.reason, "With --add-suppressions: the reason to write in the comments")
      ->type_name("TEXT");
  command.add_flag("--report-unused-suppressions", arguments.report_unused_suppressions,
                   "Only list the comments that suppress nothing");
}

// Options that are given and belong to a group, for messages.
std::vector<std::string_view> given(std::initializer_list<std::pair<std::string_view, bool>> options) {
  std::vector<std::string_view> names;
  for (const auto &[name, is_given] : options) {
    if (is_given) {
      names.push_back(name);
    }
  }
  return names;
}

void validate_known_options(const CheckArguments &arguments) {
  const auto fail = [](std::string message) { throw CLI::ValidationError(std::move(message)); };
  // Each of these is what the command does, in place of a report or before it.
  const std::vector<std::string_view> actions =
      given({{"--write-baseline", !arguments.write_baseline.empty()},
             {"--report-stale-baseline", arguments.report_stale_baseline},
             {"--report-unused-suppressions", arguments.report_unused_suppressions},
             {"--add-suppressions", arguments.add_suppressions},
             {"--fix", arguments.fix},
             {"--watch", arguments.watch}});
  if (actions.size() > 1) {
    fail(fmt::format("{} and {} cannot be used together", actions[0], actions[1]));
  }
  const bool reports_only_one_thing =
      !arguments.write_baseline.empty() || arguments.report_stale_baseline || arguments.report_unused_suppressions;
  if (reports_only_one_thing && arguments.diff) {
    fail(fmt::format("{} and --diff cannot be used together", actions[0]));
  }
  if (arguments.baseline.empty() && (arguments.prune_baseline || arguments.report_stale_baseline)) {
    fail(fmt::format("{} needs --baseline", arguments.prune_baseline ? "--prune-baseline" : "--report-stale-baseline"));
  }
  if (arguments.prune_baseline && (arguments.diff || arguments.watch || !arguments.write_baseline.empty())) {
    fail("--prune-baseline cannot be used with --diff, --watch or --write-baseline");
  }
  if (!arguments.write_baseline.empty() && !arguments.since.empty()) {
    fail("--write-baseline records all findings: it cannot be used with --since");
  }
  if (!arguments.write_baseline.empty() && !arguments.baseline.empty()) {
    fail("--write-baseline records all findings: it cannot be used with --baseline");
  }
  if (!arguments.reason.empty() && !arguments.add_suppressions) {
    fail("--reason needs --add-suppressions");
  }
  if (std::ranges::any_of(arguments.reason, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '#'; })) {
    fail("--reason must be one line without '#', as it becomes part of a comment");
  }
  if (!arguments.since.empty() && std::ranges::count(arguments.options.paths, "-") != 0) {
    fail("--since cannot be used with '-': git does not track standard input");
  }
  if (arguments.report_unused_suppressions && arguments.format != "text" && arguments.format != "concise" &&
      arguments.format != "json") {
    fail("--report-unused-suppressions prints text, concise or json");
  }
}

} // namespace

void add_setting_options(CLI::App &command, CheckArguments &arguments) {
  add_rule_options(command, arguments);
  command.add_flag("--unsafe-fixes", arguments.unsafe_fixes,
                   "With --fix or --diff: also make changes that need review");
  CLI::Option *const file =
      command
          .add_option("--config", arguments.config_file,
                      "Read settings from this file instead of the nearest deepperf.toml or pyproject.toml")
          ->type_name("FILE");
  command.add_flag("--isolated", arguments.isolated, "Read no configuration file")->excludes(file);
}

void validate_check_options(const CheckArguments &arguments) {
  if (arguments.unsafe_fixes && !arguments.fix && !arguments.diff) {
    throw CLI::ValidationError("--unsafe-fixes needs --fix or --diff");
  }
  if (arguments.watch && (arguments.fix || arguments.diff || arguments.options.timings)) {
    throw CLI::ValidationError("--watch only reports: it cannot be used with --fix, --diff or --timings");
  }
  if (arguments.watch && std::ranges::count(arguments.options.paths, "-") != 0) {
    throw CLI::ValidationError("--watch cannot be used with '-': standard input is read only once");
  }
  validate_known_options(arguments);
}

void add_check_options(CLI::App &command, CheckArguments &arguments) {
  command.footer(
      R"(Folders are searched for .py, .pyw and .ipynb files. Files that .gitignore excludes are skipped, and so
are virtual environments, build folders and caches; a file or folder that you name is always checked.

A comment '# deepperf: ignore[DP101] -- reason' or '# noqa: DP101' suppresses findings on its line, and
'# deepperf: ignore-file' near the top suppresses those of the whole file; without a code, all rules are suppressed.

Exit status: 0 no errors or warnings (advice and notes do not count unless --fail-on includes them), 1 errors, warnings
or syntax errors, 2 wrong usage or a file that could not be checked.)");
  command
      .add_option("paths", arguments.options.paths,
                  "Files and folders (default: the current folder), or - for standard input")
      ->type_name("PATH...");
  add_setting_options(command, arguments);
  add_fix_options(command, arguments);
  add_known_options(command, arguments);
  add_output_options(command, arguments);
  command.add_flag("--no-ignore", arguments.no_ignore,
                   "Also check files that .gitignore, the configuration and the default exclusions skip");
  command.add_flag("--watch", arguments.watch, "Check again whenever a file changes, until you press Ctrl-C");
  command.add_flag("--no-cache", arguments.no_cache, "Check everything again, and store no results");
  command
      .add_option("--cache-dir", arguments.cache_folder,
                  "Where to store results of unchanged files (default: ~/.cache/deepperf)")
      ->type_name("DIR");
  command.add_option("--stdin-filename", arguments.stdin_filename, "File name to use for standard input")
      ->type_name("NAME");
  command.add_option("--jobs,-j", arguments.options.jobs, "Threads (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
}

} // namespace deepperf::cli
