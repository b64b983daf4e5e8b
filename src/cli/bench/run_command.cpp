#include "bench/record.h"
#include "cli/bench/bench_commands.h"
#include "cli/bench/measuring.h"
#include "cli/bench/pairs.h"
#include "cli/commands.h"
#include "cli/output.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace deepperf::cli {

namespace {

struct BenchRunArguments {
  PairArguments pairs;
  MeasuringArguments measuring;
  bool record = false;
};

// Returns where.
std::string record(const BenchRunArguments &arguments, const bench::Report &report, u32 &count) {
  const std::string folder = benchmark_folder(arguments.pairs);
  std::vector<std::string> known;
  for (const std::string &pair : bench::pair_folders(folder)) {
    known.push_back(std::filesystem::path(pair).filename().string());
  }
  const std::string path = folder + "/evidence.json";
  count = bench::record(path, report, known);
  return path;
}

int run_pairs(BenchRunArguments &arguments) {
  if (arguments.record && (arguments.measuring.settings.quick || !arguments.measuring.overrides.empty())) {
    throw CLI::ValidationError("--record measures the pairs unchanged: it cannot be used with --quick or --set");
  }
  const ChosenPairs chosen = chosen_pairs(arguments.pairs);
  const std::vector<bench::Pair> &pairs = chosen.pairs;
  int signal = 0;
  if (!arguments.record) {
    const bench::Report report = measure_pairs(pairs, arguments.measuring, signal);
    return chosen.exit_code(finish_report(report, arguments.measuring, signal));
  }
  u32 count = 0;
  const bench::Report report = measure_pairs(pairs, arguments.measuring, signal,
                                             [&](const bench::Report &so_far) { record(arguments, so_far, count); });
  const std::string path = record(arguments, report, count);
  complain(fmt::format("recorded {} measurement{} in {}", count, count == 1 ? "" : "s", path));
  return chosen.exit_code(finish_report(report, arguments.measuring, signal));
}

} // namespace

void add_bench_run(CLI::App &bench, int &exit_code) {
  auto arguments = std::make_shared<BenchRunArguments>();
  CLI::App *command =
      bench.add_subcommand("run", "Run both programs of each pair, compare their results, and measure how much slower "
                                  "or larger one is.\nThis executes the programs: read unfamiliar ones first.");
  add_pair_options(*command, arguments->pairs);
  command->add_flag("--quick", arguments->measuring.settings.quick,
                    "Run each program once with small sizes, only to check that both work and agree");
  command->add_flag("--record", arguments->record, "Write the measurements to evidence.json, next to the pairs");
  add_measuring_options(*command, arguments->measuring);
  command->callback([arguments, &exit_code] { exit_code = run_pairs(*arguments); });
}

} // namespace deepperf::cli
