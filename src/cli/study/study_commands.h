// The subcommands of `deepperf study`, each in a file of its own. A new one needs a line here and one in
// study_command.cpp.
#pragma once

#include <CLI/CLI.hpp>

namespace deepperf::cli {

void add_study_select(CLI::App &study, int &exit_code);
void add_study_keywords(CLI::App &study, int &exit_code);
void add_study_reproduce(CLI::App &study, int &exit_code);
void add_study_evaluate(CLI::App &study, int &exit_code);
void add_study_import(CLI::App &study, int &exit_code);
void add_study_train(CLI::App &study, int &exit_code);
void add_study_classify(CLI::App &study, int &exit_code);
void add_study_agree(CLI::App &study, int &exit_code);
void add_study_stats(CLI::App &study, int &exit_code);
void add_study_label(CLI::App &study, int &exit_code);
void add_study_report(CLI::App &study, int &exit_code);

} // namespace deepperf::cli
