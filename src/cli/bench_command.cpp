#include "cli/bench/bench_commands.h"
#include "cli/commands.h"

namespace deepperf::cli {

void add_bench(CLI::App &app, int &exit_code) {
  CLI::App *bench = app.add_subcommand("bench", "Measure performance problems: pairs of a slow and a fixed program");
  bench->require_subcommand(1);
  add_bench_run(*bench, exit_code);
  add_bench_assess(*bench, exit_code);
  add_bench_new(*bench, exit_code);
  add_bench_list(*bench, exit_code);
}

} // namespace deepperf::cli
