// A page that shows posts in charts and tables. It stands alone: no script, no font, nothing is fetched.
#pragma once

#include "study/grid.h"
#include "study/table.h"

#include <string>
#include <utility>
#include <vector>

namespace deepperf::study {

struct ReportOptions {
  std::string title;
  std::vector<std::string> by;                              // columns to group by
  std::vector<std::pair<std::string, std::string>> crossed; // pairs of columns
  char separator = '\0';                                    // where a cell may hold several labels
};

struct Report {
  std::string html;
  std::vector<Grid> tables; // what the charts show, as numbers
};

// Columns that are not named in the options are found: labels that the studies use, the year, the framework. Throws
// std::runtime_error.
Report make_report(const Table &table, ReportOptions options);

} // namespace deepperf::study
