// The subcommands of `deepperf bench`, each in a file of its own. A new one needs a line here and one in
// bench_command.cpp.
#pragma once

#include <CLI/CLI.hpp>

namespace deepperf::cli {

void add_bench_assess(CLI::App &bench, int &exit_code);
void add_bench_new(CLI::App &bench, int &exit_code);
void add_bench_run(CLI::App &bench, int &exit_code);
void add_bench_list(CLI::App &bench, int &exit_code);

} // namespace deepperf::cli
