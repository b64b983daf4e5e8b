#include "study/table.h"

#include "study/files.h"
#include "study/store.h"
#include "study/text.h"
#include "study/text_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace deepperf::study {

namespace {

constexpr std::string_view kSqliteStart = "SQLite format 3";

std::string optional_number(const std::optional<i64> &number) { return number ? std::to_string(*number) : ""; }

Table read_store(const std::string &path) {
  const Store store(path, Store::Mode::Read);
  Table table;
  table.is_store = true;
  table.csv.header = {"id",    "title",   "body",        "tags",     "created", "score",
                      "views", "answers", "accepted_id", "accepted", "closed"};
  const std::size_t plain = table.csv.header.size();
  const std::vector<std::string> names = store.label_names();
  table.csv.header.insert(table.csv.header.end(), names.begin(), names.end());
  store.for_each([&](const Post &post) {
    CsvRow row = {std::to_string(post.id),
                  post.title,
                  post.body,
                  join_tags(post.tags),
                  post.created,
                  std::to_string(post.score),
                  optional_number(post.views),
                  optional_number(post.answers),
                  optional_number(post.accepted_id),
                  post.accepted,
                  post.closed};
    row.resize(table.csv.header.size());
    for (const Label &label : post.labels) {
      const auto name = std::find(names.begin(), names.end(), label.name);
      std::string &cell = row[plain + static_cast<std::size_t>(name - names.begin())];
      cell += (cell.empty() ? "" : "; ") + label.value;
    }
    table.csv.rows.push_back(std::move(row));
  });
  return table;
}

Table read_csv_table(std::string_view bytes, const std::string &path) {
  check_text(bytes, path);
  Table table;
  CsvReader reader(bytes, path, path.ends_with(".tsv") ? '\t' : ',');
  if (!reader.next(table.csv.header)) {
    throw std::runtime_error(fmt::format("{} is empty; it should start with a line of column names", path));
  }
  const std::size_t width = table.csv.header.size();
  for (CsvRow row; reader.next(row);) {
    while (row.size() > width && row.back().empty()) {
      row.pop_back();
    }
    if (row.size() > width) { // which of them belongs to which column cannot be known
      throw std::runtime_error(
          fmt::format("{}:{}: {} cells, where there are {} columns", path, reader.line(), row.size(), width));
    }
    table.csv.rows.push_back(std::move(row));
    row.clear();
  }
  return table;
}

} // namespace

std::size_t Table::need(std::string_view column) const {
  if (const auto found = csv.column(column)) {
    return *found;
  }
  std::vector<std::string> names;
  for (const std::string &name : csv.header) {
    if (!name.empty()) {
      names.push_back(shorten(name, 40));
    }
  }
  if (names.size() > 20) {
    names.resize(20);
    names.emplace_back("…");
  }
  throw std::runtime_error(fmt::format("{} has no column '{}'; it has: {}", source, column, fmt::join(names, ", ")));
}

std::string_view Table::cell(std::size_t row, std::size_t column) const {
  const CsvRow &cells = csv.rows[row];
  return column < cells.size() ? std::string_view(cells[column]) : std::string_view();
}

Table read_table(const std::string &path) {
  Table table;
  if (path.ends_with(".sqlite") || path.ends_with(".db")) {
    table = read_store(path);
  } else {
    const std::string bytes = read_file(path);
    table = std::string_view(bytes).starts_with(kSqliteStart) ? read_store(path) : read_csv_table(bytes, path);
  }
  table.source = path;
  if (table.csv.rows.empty()) {
    throw std::runtime_error(fmt::format("{} has no rows", path));
  }
  return table;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string_view> split_list(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    if (const std::string_view part = trim(text.substr(0, end)); !part.empty()) {
      parts.push_back(part);
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

std::vector<std::size_t> need_columns(const Table &table, std::string_view comma_separated) {
  std::vector<std::size_t> columns;
  for (const std::string_view name : split_list(comma_separated, ',')) {
    columns.push_back(table.need(name));
  }
  if (columns.empty()) {
    throw std::runtime_error("no column was named");
  }
  return columns;
}

} // namespace deepperf::study
