// Popularity and difficulty of posts, by groups.
#pragma once

#include "base/types.h"
#include "study/grid.h"
#include "study/table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

// What is known of each row. Columns that the table does not have stay empty.
struct PostFacts {
  std::optional<double> views;
  std::optional<double> score;
  std::optional<double> answers;
  std::optional<double> days; // until the accepted answer
  bool accepted = false;
};

struct Facts {
  std::vector<PostFacts> posts;
  bool has_acceptance = false; // the table says which posts have an accepted answer
  u64 unreadable = 0;          // numbers or times that were none
};
Facts read_facts(const Table &table);

// The values of a column to group by. "year" and "framework" are found out from `created` and `tags` if there is no
// such column. With `separator`, a cell may hold several values. Throws std::runtime_error.
std::vector<std::vector<std::string>> groups_of(const Table &table, std::string_view column, char separator);

// Per group: posts, share, accepted answers, days, views, score.
Grid group_grid(const Facts &facts, const std::vector<std::vector<std::string>> &groups, std::string title);

// Every pair of views, score, answers and days: Pearson and Spearman with p-values.
Grid correlation_grid(const Facts &facts);

struct CrossTable {
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<std::vector<u64>> counts;
  double chi_square = 0;
  double p = 0;
  double cramers_v = 0;
  double few_expected = 0; // the share of cells where chance alone would give fewer than five
};
CrossTable cross(const std::vector<std::vector<std::string>> &rows,
                 const std::vector<std::vector<std::string>> &columns);
Grid cross_grid(const CrossTable &table, std::string title);

// The deep-learning framework that tags mention first in a fixed order; "other" if none.
std::string_view framework_of(std::string_view tags);

} // namespace deepperf::study
