#include "study/html_report.h"

#include "study/charts.h"

#include <gtest/gtest.h>

using namespace deepperf::study;

namespace {

std::size_t count(const std::string &text, const std::string &part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(HtmlReport, AnyTableMakesAPage) {
  Table table;
  table.source = "x/y.csv";
  table.csv.header = {"a"};
  table.csv.rows = {{"1"}, {"2"}};
  const Report report = make_report(table, {});
  EXPECT_TRUE(report.html.starts_with("<!doctype html>"));
  EXPECT_NE(report.html.find("Questions in y.csv"), std::string::npos);
  EXPECT_EQ(count(report.html, "<svg"), 0U);
}

TEST(HtmlReport, LabelsAreText) {
  Table table;
  table.source = "y.csv";
  table.csv.header = {"symptom", "root_cause", "created"};
  table.csv.rows = {{"<b onclick=\"x\">&", "c", "2020-01-01"}, {"\x01z", "c", "never"}};
  ReportOptions options;
  options.title = "<i>";
  const Report report = make_report(table, options);
  EXPECT_EQ(report.html.find("<b onclick"), std::string::npos);
  EXPECT_EQ(report.html.find("<i>"), std::string::npos);
  EXPECT_EQ(count(report.html, "<svg"), count(report.html, "</svg>"));
  EXPECT_EQ(count(report.html, "<section"), count(report.html, "</section>"));
  EXPECT_GE(report.tables.size(), 3U);
}

TEST(HtmlReport, ChartsOfLittle) {
  for (const std::string &chart :
       {bar_chart("t", {}), bar_chart("t", {{"a", 0}}), stacked_chart("t", {}, {}),
        stacked_chart("t", {"x"}, {{"s", {0}}}), range_chart("t", {}, "days"),
        range_chart("t", {{"a", 0, 0, 0}}, "days"), range_chart("t", {{"a", 5, 5, 5}}, "days"),
        scatter_chart("t", {}, "x", "y"), scatter_chart("t", {{-5, -5}, {1e9, 1e9}}, "x", "y"),
        heat_chart("t", {}, {}, {}), heat_chart("t", {"r"}, {"c"}, {{0}})}) {
    EXPECT_EQ(chart.find("nan"), std::string::npos) << chart;
    EXPECT_EQ(chart.find("inf"), std::string::npos) << chart;
    EXPECT_TRUE(chart.starts_with("<svg") && chart.ends_with("</svg>"));
  }
}

} // namespace
