#include "study/csv.h"

#include <gtest/gtest.h>

#include <stdexcept>

using namespace deepperf::study;

namespace {

std::vector<CsvRow> rows_of(std::string_view text, char separator = ',') {
  CsvReader reader(text, "x.csv", separator);
  std::vector<CsvRow> rows;
  for (CsvRow row; reader.next(row);) {
    rows.push_back(row);
  }
  return rows;
}

std::string csv_error(std::string_view text) {
  try {
    rows_of(text);
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(Csv, PlainRows) {
  EXPECT_EQ(rows_of(""), std::vector<CsvRow>());
  EXPECT_EQ(rows_of("a,b\n1,2\n"), (std::vector<CsvRow>{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(rows_of("a,b\r\n1,\r\n,2"), (std::vector<CsvRow>{{"a", "b"}, {"1", ""}, {"", "2"}}));
  EXPECT_EQ(rows_of("\xEF\xBB\xBF\x61\tb\n", '\t'), (std::vector<CsvRow>{{"a", "b"}}));
  EXPECT_EQ(rows_of("a\n\n\nb\n"), (std::vector<CsvRow>{{"a"}, {"b"}}));
  EXPECT_EQ(rows_of("a,"), (std::vector<CsvRow>{{"a", ""}}));
}

TEST(Csv, Quotes) {
  EXPECT_EQ(rows_of("\"a,b\",\"c \"\"d\"\"\"\n"), (std::vector<CsvRow>{{"a,b", "c \"d\""}}));
  EXPECT_EQ(rows_of("\"line\r\nend\",x\n"), (std::vector<CsvRow>{{"line\r\nend", "x"}}));
  EXPECT_EQ(rows_of("\"\"\n"), (std::vector<CsvRow>{{""}}));
  EXPECT_EQ(rows_of("a \"b\" c,d\n"), (std::vector<CsvRow>{{"a \"b\" c", "d"}}));
}

TEST(Csv, LinesOfRows) {
  CsvReader reader("a\n\n\"b\n\nc\"\nd\n");
  CsvRow row;
  std::vector<deepperf::u64> lines;
  while (reader.next(row)) {
    lines.push_back(reader.line());
  }
  EXPECT_EQ(lines, (std::vector<deepperf::u64>{1, 3, 6}));
}

TEST(Csv, ErrorsSayWhere) {
  EXPECT_EQ(csv_error("a\n\"b\n"), "x.csv:2: this quote is never closed");
  EXPECT_EQ(csv_error("a\nx,\"b\"c\n"), "x.csv:2: text after a closing quote");
  EXPECT_THROW(read_csv("/nonexistent/x.csv"), std::runtime_error);
}

TEST(Csv, WrittenRowsReadTheSame) {
  const std::vector<CsvRow> rows = {{"a", "b,c", "\"q\"", "two\nlines", ""}, {""}, {"", ""}};
  std::string text;
  for (const CsvRow &row : rows) {
    append_csv(row, text);
  }
  EXPECT_EQ(rows_of(text), rows);
}

} // namespace
