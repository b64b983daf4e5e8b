// A small table of results, and the forms it can be printed in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

struct Grid {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes; // sentences below it

  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
};

enum class GridFormat { Text, Markdown, Csv };

// Numbers to the right, words to the left. A grid without a title has none in front.
void write_grid(const Grid &grid, GridFormat format, std::string &out);
void write_grids(const std::vector<Grid> &grids, GridFormat format, std::string &out);

// Whether it reads as a number, perhaps with a sign, a percent sign or thousands between commas.
bool is_number(std::string_view text);

} // namespace deepperf::study
