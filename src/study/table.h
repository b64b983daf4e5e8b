// The rows that a command works on: from a CSV or TSV file, or from a store of posts.
#pragma once

#include "base/types.h"
#include "study/csv.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

struct Table {
  std::string source; // the file
  CsvTable csv;
  bool is_store = false;

  std::size_t size() const { return csv.rows.size(); }

  // Throws std::runtime_error that names the columns there are.
  std::size_t need(std::string_view column) const;
  bool has(std::string_view column) const { return csv.column(column).has_value(); }

  // Empty where the row is too short.
  std::string_view cell(std::size_t row, std::size_t column) const;
};

// A store becomes a table with id, title, body, tags (|a|b|), created, score, views, answers, accepted_id, accepted,
// closed, and one column for each name of labels, several values of a post with a ; between them. Throws
// std::runtime_error; also if there is no header.
Table read_table(const std::string &path);

// The parts between separators, without blanks around them and without empty ones.
std::vector<std::string_view> split_list(std::string_view text, char separator);

std::string_view trim(std::string_view text);

// The text of a row: these columns, with a line end between them. HTML is not taken apart.
std::vector<std::size_t> need_columns(const Table &table, std::string_view comma_separated);

} // namespace deepperf::study
