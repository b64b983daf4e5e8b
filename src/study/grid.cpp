#include "study/grid.h"

#include "study/csv.h"
#include "study/text.h"

#include <algorithm>

namespace deepperf::study {

namespace {

// Where a column holds numbers only, it is set to the right. "-" and "" stand for what is absent.
std::vector<bool> numeric_columns(const Grid &grid) {
  std::vector<bool> numeric(grid.columns.size(), true);
  for (std::size_t column = 0; column < numeric.size(); ++column) {
    bool any = false;
    for (const auto &row : grid.rows) {
      const std::string_view cell = column < row.size() ? std::string_view(row[column]) : std::string_view();
      if (!cell.empty() && cell != "-") {
        any = true;
        numeric[column] = numeric[column] && is_number(cell);
      }
    }
    numeric[column] = numeric[column] && any;
  }
  return numeric;
}

void write_cell(std::string_view text, std::size_t width, bool right, std::string &out) {
  const std::size_t own = display_width(text);
  const std::string gap(width > own ? width - own : 0, ' ');
  if (right) {
    out += gap;
    out += text;
  } else {
    out += text;
    out += gap;
  }
}

// Two blanks in front of every line, broken between words.
void write_wrapped(std::string_view text, std::string &out) {
  constexpr std::size_t kLineWidth = 110;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::size_t width = display_width(text.substr(0, end));
    if (column > 0 && column + 1 + width > kLineWidth) {
      out += '\n';
      column = 0;
    }
    out += column == 0 ? "  " : " ";
    out += text.substr(0, end);
    column += (column == 0 ? 2 : 1) + width;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

void write_text(const Grid &grid, std::string &out) {
  if (!grid.title.empty()) {
    out += grid.title + '\n';
  }
  std::vector<std::size_t> widths(grid.columns.size());
  const std::vector<bool> numeric = numeric_columns(grid);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    widths[i] = display_width(grid.columns[i]);
    for (const auto &row : grid.rows) {
      widths[i] = std::max(widths[i], i < row.size() ? display_width(row[i]) : 0);
    }
  }
  const auto write_row = [&](const std::vector<std::string> &row) {
    std::string line = " ";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      line += ' ';
      write_cell(i < row.size() ? std::string_view(row[i]) : std::string_view(), widths[i], numeric[i], line);
      line += ' ';
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  if (std::any_of(grid.columns.begin(), grid.columns.end(), [](const std::string &name) { return !name.empty(); })) {
    write_row(grid.columns);
  }
  for (const auto &row : grid.rows) {
    write_row(row);
  }
  for (const std::string &note : grid.notes) {
    write_wrapped(note, out);
  }
}

std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') {
      cell += "\\|";
    } else {
      cell += c == '\n' || c == '\r' ? ' ' : c;
    }
  }
  return cell;
}

void write_markdown(const Grid &grid, std::string &out) {
  if (!grid.title.empty()) {
    out += "### " + grid.title + "\n\n";
  }
  const std::vector<bool> numeric = numeric_columns(grid);
  const auto write_row = [&](const std::vector<std::string> &row) {
    out += '|';
    for (std::size_t i = 0; i < grid.columns.size(); ++i) {
      out += ' ' + (i < row.size() ? markdown_cell(row[i]) : "") + " |";
    }
    out += '\n';
  };
  write_row(grid.columns);
  out += '|';
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    out += numeric[i] ? "---:|" : "---|";
  }
  out += '\n';
  for (const auto &row : grid.rows) {
    write_row(row);
  }
  for (const std::string &note : grid.notes) {
    out += '\n' + note + '\n';
  }
}

} // namespace

bool is_number(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    text.remove_prefix(1);
  }
  if (!text.empty() && text.back() == '%') {
    text.remove_suffix(1);
  }
  bool digit = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    digit = digit || (c >= '0' && c <= '9');
    const bool exponent = c == 'e' && i > 0 && i + 1 < text.size();
    if (!(c >= '0' && c <= '9') && c != '.' && c != ',' && !exponent && !(c == '-' && text[i - 1] == 'e')) {
      return false;
    }
  }
  return digit;
}

void write_grid(const Grid &grid, GridFormat format, std::string &out) {
  switch (format) {
  case GridFormat::Text:
    write_text(grid, out);
    break;
  case GridFormat::Markdown:
    write_markdown(grid, out);
    break;
  case GridFormat::Csv:
    append_csv(grid.columns, out);
    for (const auto &row : grid.rows) {
      append_csv(row, out);
    }
    break;
  }
}

void write_grids(const std::vector<Grid> &grids, GridFormat format, std::string &out) {
  for (std::size_t i = 0; i < grids.size(); ++i) {
    if (i > 0) {
      out += '\n';
    }
    if (format == GridFormat::Csv && grids.size() > 1) {
      append_csv({"# " + grids[i].title}, out);
    }
    write_grid(grids[i], format, out);
  }
}

} // namespace deepperf::study
