#include "study/csv.h"

#include "study/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace deepperf::study {

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto found = std::ranges::find(header, name);
  return found == header.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - header.begin()));
}

CsvReader::CsvReader(std::string_view text, std::string name, char separator)
    : text_(text), name_(std::move(name)), separator_(separator) {
  if (text_.starts_with("\xEF\xBB\xBF")) {
    at_ = 3;
  }
}

void CsvReader::fail(u64 line, std::string_view what) const {
  throw std::runtime_error(fmt::format("{}:{}: {}", name_, line, what));
}

bool CsvReader::next(CsvRow &row) {
  while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) {
    line_ += text_[at_] == '\n' ? 1 : 0;
    ++at_;
  }
  row.clear();
  if (at_ >= text_.size()) {
    return false;
  }
  row_line_ = line_;
  for (;;) {
    read_field(row.emplace_back());
    if (at_ >= text_.size()) {
      return true;
    }
    const char end = text_[at_++];
    if (end == separator_) {
      continue;
    }
    if (end == '\r' && at_ < text_.size() && text_[at_] == '\n') {
      ++at_;
    }
    ++line_;
    return true;
  }
}

void CsvReader::read_field(std::string &field) {
  if (at_ < text_.size() && text_[at_] == '"') {
    read_quoted(field);
    if (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r') {
      fail(line_, "text after a closing quote");
    }
    return;
  }
  const std::size_t start = at_;
  while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r') {
    ++at_;
  }
  field = text_.substr(start, at_ - start);
}

void CsvReader::read_quoted(std::string &field) {
  const u64 start_line = line_;
  ++at_;
  for (;;) {
    const std::size_t quote = text_.find('"', at_);
    if (quote == std::string_view::npos) {
      fail(start_line, "this quote is never closed");
    }
    const std::string_view part = text_.substr(at_, quote - at_);
    line_ += static_cast<u64>(std::ranges::count(part, '\n'));
    field += part;
    at_ = quote + 1;
    if (at_ >= text_.size() || text_[at_] != '"') {
      return;
    }
    field += '"'; // doubled: one that is meant
    ++at_;
  }
}

CsvTable read_csv(const std::string &path, char separator) {
  const std::string text = read_file(path);
  CsvReader reader(text, path, separator);
  CsvTable table;
  CsvRow row;
  if (reader.next(row)) {
    table.header = row;
  }
  while (reader.next(row)) {
    table.rows.push_back(row);
  }
  return table;
}

void append_csv(const CsvRow &row, std::string &out) {
  bool first = true;
  for (const std::string &field : row) {
    if (!std::exchange(first, false)) {
      out += ',';
    }
    // A lone empty field would be an empty line, which is no row.
    const bool quoted = field.find_first_of(",\"\r\n") != std::string::npos || (row.size() == 1 && field.empty());
    if (!quoted) {
      out += field;
      continue;
    }
    out += '"';
    for (const char c : field) {
      out += c;
      if (c == '"') {
        out += '"';
      }
    }
    out += '"';
  }
  out += "\r\n";
}

std::string without_formula(std::string_view cell) {
  const bool is_formula = !cell.empty() && std::string_view("=+-@\t\r").find(cell[0]) != std::string_view::npos;
  return (is_formula ? "'" : "") + std::string(cell);
}

} // namespace deepperf::study
