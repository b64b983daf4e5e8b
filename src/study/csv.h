// Comma-separated values as RFC 4180 has them: quotes around what holds commas, quotes or line ends.
#pragma once

#include "base/types.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

using CsvRow = std::vector<std::string>;

struct CsvTable {
  CsvRow header;
  std::vector<CsvRow> rows; // each as wide as it is in the file

  // The column of that name, exactly as it is written; nothing if there is none.
  std::optional<std::size_t> column(std::string_view name) const;
};

// Reads row after row. Takes both line ends, and skips a byte-order mark and empty lines. `separator` may also be a
// tab.
class CsvReader {
public:
  // The text must outlive the reader. `name` is what errors call it.
  explicit CsvReader(std::string_view text, std::string name = "the CSV text", char separator = ',');

  // False at the end. Throws std::runtime_error, with name and line, at a quote that is not closed or stands wrong.
  bool next(CsvRow &row);

  // Of the row that was read last, from 1.
  u64 line() const { return row_line_; }

private:
  void read_field(std::string &field);
  void read_quoted(std::string &field);
  [[noreturn]] void fail(u64 line, std::string_view what) const;

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  u64 line_ = 1;
  u64 row_line_ = 0;
  char separator_;
};

// The first row is the header. Throws std::runtime_error if the file cannot be read or is no CSV.
CsvTable read_csv(const std::string &path, char separator = ',');

// Appends the row and a line end, with quotes where they are needed.
void append_csv(const CsvRow &row, std::string &out);

// For sheets that people open in a spreadsheet program: what that would take for a formula gets an apostrophe in front,
// which makes it text. Tables that are data keep what they hold.
std::string without_formula(std::string_view cell);

} // namespace deepperf::study
