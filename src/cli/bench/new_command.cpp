#include "bench/assess.h"
#include "bench/files.h"
#include "bench/split.h"
#include "cli/bench/bench_commands.h"
#include "cli/bench/measuring.h"
#include "cli/commands.h"
#include "cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

namespace deepperf::cli {

namespace {

namespace fs = std::filesystem;

struct BenchNewArguments {
  std::string file;
  bench::SplitOptions split;
  std::string measure = "time";
  std::string growth_knob;
  std::string keep;
  bool no_run = false;
  MeasuringArguments measuring;
};

bench::Measure measure_called(const std::string &name) {
  for (const bench::Measure measure : {bench::Measure::Memory, bench::Measure::Growth}) {
    if (name == bench::name_of(measure)) {
      return measure;
    }
  }
  return bench::Measure::Time;
}

// Writes the pair; nothing that is there already is overwritten.
bench::Pair write_pair(const BenchNewArguments &arguments, const bench::Split &split, const std::string &folder) {
  const std::string id = fs::path(folder).filename().string();
  bench::write_file(folder + "/buggy.py", split.buggy);
  bench::write_file(folder + "/fixed.py", split.fixed);
  const bench::Measure measure = measure_called(arguments.measure);
  const std::string description = folder + "/pp.toml";
  bench::write_file(description, bench::describe_split(split, id, measure, arguments.growth_knob, {}));
  std::vector<bench::PairProblem> problems;
  bench::Pair pair = bench::read_pair(folder, problems);
  if (!problems.empty()) {
    throw std::runtime_error(problems[0].message);
  }
  // Rules that report what was there before and not what came after.
  const std::vector<std::string> rules = bench::assess_check({pair})[0].others;
  bench::write_file(description, bench::describe_split(split, id, measure, arguments.growth_knob, rules));
  return bench::read_pair(folder, problems);
}

// The constant must be one that both programs have.
void require_growth_knob(const BenchNewArguments &arguments, const bench::Split &split) {
  if (arguments.measure != "growth" ||
      std::ranges::find(split.knobs, arguments.growth_knob, &bench::Knob::name) != split.knobs.end()) {
    return;
  }
  std::vector<std::string> names;
  for (const bench::Knob &knob : split.knobs) {
    names.push_back(knob.name);
  }
  throw std::runtime_error(fmt::format("{} has no constant {} that is set to a number at its top level{}",
                                       arguments.file, arguments.growth_knob,
                                       names.empty() ? "" : fmt::format("; it has {}", fmt::join(names, ", "))));
}

int measure_own(const BenchNewArguments &arguments) {
  if (arguments.measure == "growth" && arguments.growth_knob.empty()) {
    throw CLI::ValidationError("--measure growth needs --growth-knob, the constant that counts the steps");
  }
  if (arguments.no_run && arguments.keep.empty()) {
    throw CLI::ValidationError("--no-run needs --keep, the folder that the pair is written to");
  }
  const bench::Split split = bench::split_program(arguments.file, arguments.split);
  require_growth_knob(arguments, split);
  std::optional<bench::TemporaryFolder> temporary;
  std::string folder = arguments.keep;
  while (folder.size() > 1 && folder.ends_with('/')) {
    folder.pop_back();
  }
  if (folder.empty()) {
    temporary.emplace();
    folder = temporary->path() + "/" + fs::path(arguments.file).stem().string();
  } else if (fs::exists(folder) && !fs::is_empty(folder)) {
    throw std::runtime_error(fmt::format("{} is not empty; choose another folder for the pair", folder));
  }
  fs::create_directories(folder);
  bench::Pair pair = write_pair(arguments, split, folder);
  pair.buggy_name = {split.has_functions ? arguments.split.before + "()" : "the section '# before'", "before",
                     split.buggy_lines};
  pair.fixed_name = {split.has_functions ? arguments.split.after + "()" : "the section '# after'", "after",
                     split.fixed_lines};
  if (!arguments.keep.empty()) {
    complain(fmt::format("wrote {0}/buggy.py, {0}/fixed.py and {0}/pp.toml", folder));
  }
  if (!split.has_result) {
    complain("the results are not compared, as the sections set no variable `result`");
  }
  if (!pair.rules.empty()) {
    complain(
        fmt::format("`check` reports {} in the code before, and not in the code after", fmt::join(pair.rules, ", ")));
  }
  if (arguments.no_run) {
    return kClean;
  }
  int signal = 0;
  const bench::Report report = measure_pairs({pair}, arguments.measuring, signal);
  const int code = finish_report(report, arguments.measuring, signal);
  // Nothing was measured, which is not what was asked for.
  const bool is_unfit = !report.outcomes.empty() && report.outcomes[0].status == bench::Status::NotRunnable;
  return code == kClean && is_unfit ? kTrouble : code;
}

} // namespace

void add_bench_new(CLI::App &bench, int &exit_code) {
  auto arguments = std::make_shared<BenchNewArguments>();
  CLI::App *command = bench.add_subcommand(
      "new", "Measure your own optimization: a file with functions before() and after(), or with sections\nthat begin "
             "with the lines '# before' and '# after'. This executes the file.");
  command->add_option("file", arguments->file, "The file")->required()->check(CLI::ExistingFile)->type_name("FILE.py");
  command->add_option("--before", arguments->split.before, "The name of the slow function (default: before)")
      ->type_name("NAME");
  command->add_option("--after", arguments->split.after, "The name of the fixed function (default: after)")
      ->type_name("NAME");
  command->add_option("--measure", arguments->measure, "What the fix reduces (default: time)")
      ->check(CLI::IsMember({"time", "memory", "growth"}))
      ->type_name("time|memory|growth");
  command->add_option("--growth-knob", arguments->growth_knob, "The constant that counts steps, for --measure growth")
      ->type_name("NAME");
  command->add_option("--keep", arguments->keep, "Write the pair into this folder, in the benchmark's format")
      ->type_name("FOLDER");
  command->add_flag("--no-run", arguments->no_run, "With --keep: only write the pair, and run nothing");
  add_measuring_options(*command, arguments->measuring);
  command->callback([arguments, &exit_code] { exit_code = measure_own(*arguments); });
}

} // namespace deepperf::cli
