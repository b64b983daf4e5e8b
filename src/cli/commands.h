// The program's commands. Each adds itself to the command line; what it returns runs if the user named it.
#pragma once

#include <CLI/CLI.hpp>

namespace deepperf::cli {

// How the program ends. Findings are not failures of ours, so they have a code of their own.
enum ExitCode : int { kClean = 0, kFindings = 1, kTrouble = 2 };

void add_bench(CLI::App &app, int &exit_code);
void add_check(CLI::App &app, int &exit_code);
void add_completion(CLI::App &app, int &exit_code);
void add_config(CLI::App &app, int &exit_code);
void add_explain(CLI::App &app, int &exit_code);
void add_rules(CLI::App &app, int &exit_code);
void add_debug(CLI::App &app, int &exit_code);
void add_manual(CLI::App &app, int &exit_code);
void add_server(CLI::App &app, int &exit_code);
void add_shapes(CLI::App &app, int &exit_code);
// Without its own commands it is only there to be listed.
void add_study(CLI::App &app, int &exit_code, bool with_commands);

} // namespace deepperf::cli
