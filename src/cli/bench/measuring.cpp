#include "cli/bench/measuring.h"

#include "base/json.h"
#include "base/printable.h"
#include "bench/files.h"
#include "bench/interrupts.h"
#include "cli/bench/progress.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "project/commit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>

namespace deepperf::cli {

namespace {

bench::Colors colors_for(const MeasuringArguments &arguments) {
  return arguments.output.empty() && wants_color(arguments.color, stdout) ? bench::kColors : bench::kNoColors;
}

// BATCH=128, with anything that is not a number, true or false as a string.
bench::Knob override_of(const std::string &text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw CLI::ValidationError(fmt::format("--set takes NAME=VALUE, not '{}'", text));
  }
  const std::string value = text.substr(equals + 1);
  const nlohmann::json json = parse_json<nlohmann::json>(value);
  const bool is_plain = json.is_number() || json.is_boolean();
  return {text.substr(0, equals), is_plain ? value : json_text(nlohmann::json(value))};
}

// A name that no pair has is a mistake.
void check_overrides(const std::vector<bench::Pair> &pairs, const std::vector<bench::Knob> &overrides) {
  std::set<std::string> names;
  for (const bench::Pair &pair : pairs) {
    for (const bench::Knob &knob : pair.knobs) {
      names.insert(knob.name);
    }
  }
  for (const bench::Knob &knob : overrides) {
    if (!names.contains(knob.name)) {
      throw CLI::ValidationError(fmt::format("none of the pairs has the knob {}; they have {}", knob.name,
                                             names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
  }
}

// What pairs and their programs say may hold control characters; only our own colors stay as they are.
std::string shown(std::string_view text) {
  const bench::Colors &own = bench::kColors;
  const std::initializer_list<std::string_view> colors = {own.bold, own.dim, own.red, own.green, own.yellow, own.reset};
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find('\x1b'); at != std::string_view::npos; at = text.find('\x1b', at + 1)) {
    const auto color =
        std::ranges::find_if(colors, [&](std::string_view one) { return text.substr(at).starts_with(one); });
    if (color != colors.end()) {
      out += printable_lines(text.substr(done, at - done));
      out += *color;
      done = at + color->size();
    }
  }
  return out + printable_lines(text.substr(done));
}

// Which Python, and what it has, once for each.
void report_interpreter(const bench::Outcome &outcome, std::set<std::string> &reported) {
  if (outcome.interpreter.path.empty()) {
    return;
  }
  std::string line = fmt::format("using {} (Python {}", outcome.interpreter.path, outcome.interpreter.version);
  for (const auto &[library, version] : outcome.interpreter.versions) {
    line += fmt::format(", {} {}", library, version);
  }
  if (reported.insert(line).second) {
    complain(line + ")");
  }
}

} // namespace

void add_measuring_options(CLI::App &command, MeasuringArguments &arguments) {
  command
      .add_option("--rounds", arguments.settings.rounds,
                  fmt::format("Runs of each program, after one to warm up (default: {})", bench::kUsualRounds))
      ->check(CLI::Range(bench::kUsualRounds, 1000U))
      ->type_name("N");
  command.add_option("--set", arguments.overrides, "Another size, such as BATCH=128; repeatable")
      ->type_name("NAME=VALUE");
  command
      .add_option("--python", arguments.python,
                  "The interpreter (default: the first of python3 on PATH and /usr/bin/python3 that has the library)")
      ->type_name("PROGRAM");
  command.add_option("--time-limit", arguments.time_limit, "Time limit for each run of a program (default: 120)")
      ->check(CLI::Range(0.1, 1e6))
      ->type_name("SECONDS");
  command.add_option("--memory-limit", arguments.memory_limit, "Memory limit for each run of a program (default: 4)")
      ->check(CLI::Range(0.05, 1e5))
      ->type_name("GB");
  command.add_option("--format", arguments.format, "Output format (default: text)")
      ->check(CLI::IsMember({"text", "json", "html"}))
      ->type_name("text|json|html");
  command.add_option("--output,-o", arguments.output, "Write the report to a file")->type_name("FILE");
  command.add_option("--color", arguments.color, "Use color (default: auto)")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

bench::Report measure_pairs(const std::vector<bench::Pair> &pairs, const MeasuringArguments &arguments, int &signal,
                            const Keep &keep) {
  bench::Report report;
  report.settings = arguments.settings;
  for (const std::string &text : arguments.overrides) {
    report.settings.overrides.push_back(override_of(text));
  }
  check_overrides(pairs, report.settings.overrides);
  report.machine = bench::this_machine();
  report.date = bench::today();
  report.commit = project::head_commit(pairs.empty() ? "." : pairs[0].folder);

  bench::Interrupts interrupts;
  const bench::TemporaryFolder folder;
  constexpr double kGigabyte = 1 << 30;
  const bench::Limits limits{arguments.time_limit, static_cast<u64>(arguments.memory_limit * kGigabyte)};
  bench::Workplace workplace(folder.path(), limits, interrupts);
  bench::Interpreters interpreters(arguments.python, limits, interrupts);
  if (const std::string problem = arguments.python.empty() ? "" : interpreters.with({}).problem; !problem.empty()) {
    throw CLI::ValidationError(fmt::format("--python: {}", problem));
  }

  std::vector<u32> runs;
  for (const bench::Pair &pair : pairs) {
    runs.push_back(bench::count_runs(pair, report.settings));
  }
  fmt::print(stderr, "deepperf: running the programs of {} pair{}, each up to {} times\n", pairs.size(),
             pairs.size() == 1 ? "" : "s",
             report.settings.quick ? std::string("1") : fmt::format("{}", 1 + report.settings.rounds));
  BenchProgress progress(runs);
  std::set<std::string> reported;
  for (std::size_t i = 0; i < pairs.size() && interrupts.received() == 0; ++i) {
    {
      progress.begin(i, pairs[i].id);
      const ProgressBar bar([&] { return progress.line(); });
      report.outcomes.push_back(bench::measure(pairs[i], report.settings, interpreters, workplace,
                                               [&](const bench::Step &step) { progress.step(step); }));
    }
    const bench::Outcome &outcome = report.outcomes.back();
    report_interpreter(outcome, reported);
    if (keep && bench::is_measured(outcome)) {
      keep(report);
    }
    if (arguments.format == "text" && arguments.output.empty()) {
      std::string text;
      bench::write_outcome_text(outcome, colors_for(arguments), text);
      write_output("", shown(text), stdout);
    }
  }
  signal = interrupts.received();
  return report;
}

int finish_report(const bench::Report &report, const MeasuringArguments &arguments, int signal) {
  std::string text;
  if (arguments.format == "json") {
    bench::write_report_json(report, text);
  } else if (arguments.format == "html") {
    bench::write_report_html(report, text);
  } else {
    if (!arguments.output.empty()) { // else they have been shown
      for (const bench::Outcome &outcome : report.outcomes) {
        bench::write_outcome_text(outcome, bench::kNoColors, text);
      }
    }
    text += '\n';
    bench::write_summary_text(report.outcomes, colors_for(arguments), text);
  }
  const bool is_written = arguments.format == "text" ? write_output(arguments.output, shown(text), stdout)
                                                     : write_data(arguments.output, text, stdout);
  if (signal != 0) {
    complain("interrupted; only what was measured so far is reported");
    constexpr int kAfterSignal = 128;
    return kAfterSignal + signal;
  }
  const bool is_bad = std::ranges::any_of(report.outcomes, [](const bench::Outcome &outcome) {
    return outcome.status == bench::Status::Failed || outcome.status == bench::Status::Differs;
  });
  return !is_written ? kTrouble : is_bad ? kFindings : kClean;
}

} // namespace deepperf::cli
