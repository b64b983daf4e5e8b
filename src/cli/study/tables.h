// What the study's commands that print tables have in common.
#pragma once

#include "study/csv.h"
#include "study/grid.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace deepperf::cli {

struct TableOutput {
  std::string format = "text";
  std::string path;
};

// --format and --output.
void add_table_output(CLI::App &command, TableOutput &output);

// The command's exit code.
int print_tables(const TableOutput &output, const std::vector<study::Grid> &grids);

// Posts as CSV; how many is told if they go to a file. The command's exit code.
int print_posts(const std::string &path, const study::CsvTable &posts);

} // namespace deepperf::cli
