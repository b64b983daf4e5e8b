#include "base/printable.h"
#include "check/check.h"
#include "check/filter.h"
#include "check/workspace.h"
#include "cli/check_arguments.h"
#include "cli/known_findings.h"
#include "cli/output.h"
#include "cli/report_location.h"
#include "cli/settings.h"
#include "cli/suppressions.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"
#include "cli/watch.h"
#include "fix/diff.h"
#include "fix/fix.h"
#include "fix/suppress.h"
#include "project/walk.h"
#include "python/source.h"
#include "report/format.h"
#include "report/place.h"
#include "report/summary.h"
#include "report/timings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace deepperf::cli {

namespace {

// Each round fixes what the round before was in the way of; code that needs more is not worth waiting for.
constexpr int kMostRounds = 10;

// What fixing has come to, over all rounds.
struct Fixed {
  u64 findings = 0;
  std::set<std::string> paths;
  std::vector<fix::FixProblem> problems; // of the last round: what was solved by then is none
};

// Some formats have no place for counts.
void require_statistics(const CheckArguments &arguments) {
  if (arguments.statistics && !report::find_format(arguments.format)->has_statistics) {
    std::vector<std::string_view> names;
    for (const report::Format &format : report::formats()) {
      if (format.has_statistics) {
        names.push_back(format.name);
      }
    }
    throw CLI::ValidationError(fmt::format("--format {} lists findings and cannot show --statistics; use one of: {}",
                                           arguments.format, fmt::join(names, ", ")));
  }
}

void take_stdin(CheckArguments &arguments) {
  std::vector<std::string> &paths = arguments.options.paths;
  if (std::ranges::find(paths, "-") == paths.end()) {
    if (!arguments.stdin_filename.empty()) {
      throw CLI::ValidationError("--stdin-filename names standard input and needs the argument '-'");
    }
    return;
  }
  if (paths.size() != 1) {
    throw CLI::ValidationError("'-' cannot be checked together with other files");
  }
  paths.clear();
  arguments.options.stdin_name = arguments.stdin_filename.empty() ? "<stdin>" : arguments.stdin_filename;
  arguments.options.stdin_text = read_all(stdin, python::Source::kMaxSize);
}

using Check = std::function<check::Result(check::Progress &)>;

check::Result check_with_progress(const CheckArguments &arguments, const Check &check) {
  check::Progress progress;
  std::optional<ProgressBar> bar;
  if (!arguments.quiet) {
    bar.emplace(progress.done, progress.found);
  }
  return check(progress);
}

// Leaves out what was not asked for.
check::Result check_filtered(const CheckArguments &arguments, const check::FilterOptions &filter, KnownFindings &known,
                             const Check &check) {
  check::Result result = check_with_progress(arguments, check);
  known.filter(result, filter);
  return result;
}

check::Result check_once(const CheckArguments &arguments, const check::FilterOptions &filter, KnownFindings &known) {
  check::Options options = arguments.options;
  options.filter = known.needs_everything() ? nullptr : &filter;
  return check_filtered(arguments, filter, known,
                        [&](check::Progress &progress) { return check::run(options, progress); });
}

fix::FixResult apply_fixes(const CheckArguments &arguments, const check::Result &result) {
  fix::FixOptions options;
  options.unsafe_fixes = arguments.unsafe_fixes;
  options.write = !arguments.diff;
  options.stdin_bytes = arguments.options.stdin_text;
  return arguments.add_suppressions ? fix::add_suppressions(result, arguments.reason, options)
                                    : fix::apply_fixes(result, options);
}

// Checks, fixes and checks again until there is nothing more to fix: what is left is reported as it is now.
check::Result check_and_fix(CheckArguments &arguments, const check::FilterOptions &filter, KnownFindings &known,
                            Fixed &fixed) {
  check::Result result = check_once(arguments, filter, known);
  for (int round = 0; round < kMostRounds; ++round) {
    fix::FixResult changed = apply_fixes(arguments, result);
    fixed.problems = std::move(changed.problems);
    if (changed.files.empty()) {
      break;
    }
    for (fix::FixedFile &file : changed.files) {
      fixed.findings += file.findings;
      fixed.paths.insert(result.files[file.file.value].path);
      if (arguments.options.stdin_text) {
        arguments.options.stdin_text = std::move(file.after);
      }
    }
    result = check::Result(); // two at once would be twice the memory
    result = check_once(arguments, filter, known);
  }
  return result;
}

bool fails(const CheckArguments &arguments, const check::Result &result) {
  if (arguments.fail_on == "never") {
    return false;
  }
  const rules::Severity least =
      arguments.fail_on.empty() ? rules::Severity::Warning : severity_called(arguments.fail_on);
  return std::ranges::any_of(result.findings,
                             [&](const rules::Finding &finding) { return rules::severity_of(finding) >= least; });
}

bool has(const check::Result &result, check::FileError::Level level) {
  return std::ranges::count(result.errors, level, &check::FileError::level) != 0;
}

// kTrouble if something could not be checked, or a comment names a rule that does not exist; else kClean.
int trouble_of(const check::Result &result) {
  return has(result, check::FileError::Level::Unreadable) || !result.unknown_rules.empty() ? kTrouble : kClean;
}

int exit_code_of(const CheckArguments &arguments, const check::Result &result) {
  if (trouble_of(result) != kClean) {
    return kTrouble;
  }
  const bool is_bad = has(result, check::FileError::Level::SyntaxError) || fails(arguments, result);
  return is_bad && !arguments.exit_zero ? kFindings : kClean;
}

u64 count_all_files(const std::vector<std::string> &paths) {
  u64 files = 0;
  project::WalkOptions options;
  options.respect_ignore = false;
  project::walk(
      paths, options, [&](const std::string &) { ++files; }, [](const std::string &, const std::string &) {});
  return files;
}

// Nothing to check is hardly what was meant: a folder was misspelled, or everything in it is left out.
bool complain_of_no_files(const CheckArguments &arguments, const check::Result &result) {
  if (result.file_count != 0 || !result.errors.empty()) {
    return false;
  }
  const u64 ignored = arguments.no_ignore ? 0 : count_all_files(arguments.options.paths);
  const std::string where = fmt::format("{}", fmt::join(arguments.options.paths, ", "));
  const std::string reason =
      ignored == 0 ? fmt::format("there are no .py, .pyw or .ipynb files in {}", where)
                   : fmt::format("{} in {} {} skipped by .gitignore{}the default exclusions; --no-ignore checks {}",
                                 report::counted(ignored, "file", "files"), where, ignored == 1 ? "is" : "are",
                                 arguments.options.exclude != nullptr ? ", the configuration or " : " or ",
                                 ignored == 1 ? "it" : "them");
  complain(fmt::format("nothing was checked: {}", reason));
  return true;
}

std::string fixed_line(std::string_view verb, u64 findings, std::size_t files) {
  return fmt::format("{} {} in {}\n", verb, report::counted(findings, "finding", "findings"),
                     report::counted(files, "file", "files"));
}

// False if a file could not be written.
bool report_problems(const std::vector<fix::FixProblem> &problems) {
  for (const fix::FixProblem &problem : problems) {
    complain(fmt::format("{}: {}", problem.path, problem.message));
  }
  return std::ranges::none_of(problems, &fix::FixProblem::is_failure);
}

// Only a report that goes to a terminal has colour and the time it took; all others can be compared.
std::string report(const CheckArguments &arguments, const check::Result &result, std::FILE *stream) {
  const bool to_file = !arguments.output.empty();
  const bool on_terminal = !to_file && isatty(fileno(stream)) != 0;
  report::Options options;
  options.color = to_file ? arguments.color == "always" : wants_color(arguments.color, stream);
  options.on_terminal = on_terminal;
  options.width = on_terminal ? terminal_width(stream) : 0;
  options.rule_pages = on_terminal ? rule_pages_folder() : "";
  options.expand = arguments.expand;
  options.quiet = arguments.quiet;
  options.verbose = arguments.verbose;
  options.statistics = arguments.statistics;
  options.offer_safe_fixes = !arguments.fix;
  options.offer_unsafe_fixes = !arguments.fix || !arguments.unsafe_fixes;
  options.location = report_location();
  std::string text;
  report::find_format(arguments.format)->write(result, options, text);
  // These two are made for terminals, with colours of their own. The others keep what files hold, for programs to read.
  const bool is_made_for_terminals = arguments.format == "text" || arguments.format == "concise";
  return on_terminal && !is_made_for_terminals ? printable_lines(text) : text;
}

int run_diff(const CheckArguments &arguments, const check::FilterOptions &filter, KnownFindings &known) {
  const check::Result result = check_once(arguments, filter, known);
  report_unknown_rules(result);
  const fix::FixResult changes = apply_fixes(arguments, result);
  std::string text;
  u64 findings = 0;
  const bool color = arguments.output.empty() ? wants_color(arguments.color, stdout) : arguments.color == "always";
  for (const fix::FixedFile &file : changes.files) {
    fix::write_diff(result.files[file.file.value].path, file.before, file.edits, text, color);
    findings += file.findings;
  }
  const bool written =
      color ? write_output(arguments.output, text, stdout) : write_data(arguments.output, text, stdout);
  const bool fixable = report_problems(changes.problems);
  std::fputs(
      fixed_line(arguments.add_suppressions ? "would suppress" : "would fix", findings, changes.files.size()).c_str(),
      stderr);
  return written && fixable ? exit_code_of(arguments, result) : kTrouble;
}

// What stands under a report on a terminal while nothing happens.
std::string waiting_line(const check::Result &result) {
  return fmt::format("\n{}: {} ({:.2f} s). Waiting for changes; press Ctrl-C to stop.\n", time_of_day(),
                     report::shown_sentence(report::summarize(result), result.file_count), result.seconds);
}

int run_watch(CheckArguments &arguments, const check::FilterOptions &filter, KnownFindings &known) {
  arguments.options.filter = known.needs_everything() ? nullptr : &filter;
  check::Workspace workspace(arguments.options);
  const bool on_terminal = arguments.output.empty() && isatty(STDOUT_FILENO) != 0;
  bool is_first = true;
  project::WatchOptions watched;
  watched.respect_ignore = arguments.options.respect_ignore;
  watched.exclude = arguments.options.exclude;
  watch(arguments.options.paths, watched, [&](const std::vector<std::string> &changed) {
    if (changed.empty()) {
      workspace.refresh();
    } else {
      workspace.touched(changed);
    }
    const check::Result result =
        check_filtered(arguments, filter, known, [&](check::Progress &progress) { return workspace.check(progress); });
    std::string text;
    if (on_terminal) {
      text = "\x1b[H\x1b[2J\x1b[3J" + report(arguments, result, stdout) + waiting_line(result);
    } else {
      const bool is_separated =
          !is_first && arguments.output.empty() && !report::find_format(arguments.format)->is_json;
      text = (is_separated ? fmt::format("--- {} ---\n", time_of_day()) : "") + report(arguments, result, stdout);
    }
    is_first = false;
    report_unknown_rules(result);
    return write_output(arguments.output, text, stdout);
  });
  return kTrouble; // the output could not be written; an interrupt does not return
}

// A comment may be there for a hint, or in test code: whatever was asked for, all rules look at everything.
int run_unused_suppressions(CheckArguments &arguments) {
  arguments.options.rules.reset();
  arguments.options.with_tests = true;
  const check::Result result = check_with_progress(
      arguments, [&](check::Progress &progress) { return check::run(arguments.options, progress); });
  if (complain_of_no_files(arguments, result)) {
    return kTrouble;
  }
  report_unknown_rules(result);
  return std::max(report_unused_suppressions(arguments, result), trouble_of(result));
}

int run_check(CheckArguments &arguments) {
  const report::Format &format = *report::find_format(arguments.format);
  if (const std::string missing = format.missing != nullptr ? format.missing() : ""; !missing.empty()) {
    throw CLI::ValidationError(missing);
  }
  validate_check_options(arguments);
  require_statistics(arguments);
  const config::Settings settings = settings_in_force(arguments);
  const check::FilterOptions filter = filter_options(settings);
  apply_settings(settings, arguments);
  // All that is said about test code are hints.
  arguments.options.rules = check::chosen_rules(filter);
  arguments.options.with_tests =
      filter.all || (filter.select && std::ranges::any_of(filter.select->named, [](const rules::RuleInfo *rule) {
                       return rule->tier != rules::Tier::On;
                     }));
  take_stdin(arguments);
  arguments.options.respect_ignore = !arguments.no_ignore;
  arguments.options.cache.folder = arguments.no_cache ? "" : arguments.cache_folder;
  if (arguments.options.paths.empty() && !arguments.options.stdin_text) {
    arguments.options.paths.emplace_back(".");
  }
  if (arguments.report_unused_suppressions) {
    return run_unused_suppressions(arguments);
  }
  KnownFindings known(arguments);
  arguments.options.with_tests |= known.needs_tests();
  if (arguments.diff) {
    return run_diff(arguments, filter, known);
  }
  if (arguments.watch) {
    return run_watch(arguments, filter, known);
  }
  Fixed fixed;
  const bool changes_files = arguments.fix || arguments.add_suppressions;
  const check::Result result =
      changes_files ? check_and_fix(arguments, filter, known, fixed) : check_once(arguments, filter, known);
  if (complain_of_no_files(arguments, result)) {
    return kTrouble;
  }
  report_unknown_rules(result);
  if (!arguments.write_baseline.empty()) {
    return std::max(write_baseline(arguments, result), trouble_of(result));
  }
  if (arguments.report_stale_baseline) {
    return std::max(report_stale_baseline(arguments, known), trouble_of(result));
  }
  // Of standard input the fixed text is what the next program in the pipe waits for.
  const bool gives_text = changes_files && arguments.options.stdin_text;
  bool written = !gives_text || write_data("", *arguments.options.stdin_text, stdout);
  std::FILE *const stream = gives_text ? stderr : stdout;
  std::string text = report(arguments, result, stream);
  if (fixed.findings != 0) {
    const std::string line =
        fixed_line(arguments.add_suppressions ? "suppressed" : "fixed", fixed.findings, fixed.paths.size());
    if (arguments.format == "text") {
      text += line;
    } else {
      std::fputs(line.c_str(), stderr);
    }
  }
  written = write_output(arguments.output, text, stream) && written;
  written = report_problems(fixed.problems) && written;
  written = finish_baseline(arguments, known) && written;
  if (arguments.options.timings) {
    std::string timings;
    if (report::find_format(arguments.format)->is_json) {
      report::write_timings_json(result.timings, timings);
    } else {
      report::write_timings(result.timings, timings);
    }
    std::fputs(timings.c_str(), stderr);
  }
  return written ? exit_code_of(arguments, result) : kTrouble;
}

} // namespace

void add_check(CLI::App &app, int &exit_code) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App *command = app.add_subcommand("check", "Check Python files, notebooks and folders of them");
  add_check_options(*command, *arguments);
  command->callback([arguments, &exit_code] {
    try {
      exit_code = run_check(*arguments);
    } catch (const UsageError &error) {
      complain(error.what());
      exit_code = kTrouble;
    }
  });
}

} // namespace deepperf::cli
