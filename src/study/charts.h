// Charts as SVG text, to stand in an HTML page. Colours come from the page's style sheet (classes c0 to c7, ink, grid),
// so that one chart fits a light and a dark page. Numbers are also in tooltips.
#pragma once

#include "base/types.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

std::string escape_html(std::string_view text);

struct Bar {
  std::string label;
  double value = 0;
};

// Horizontal, one below the other, in the given order.
std::string bar_chart(std::string_view title, const std::vector<Bar> &bars);

struct Series {
  std::string name;
  std::vector<double> values; // one per category
};

// Columns, the series of one category on top of each other, with a legend.
std::string stacked_chart(std::string_view title, const std::vector<std::string> &categories,
                          const std::vector<Series> &series);

struct Range {
  std::string label;
  double low = 0; // quartiles
  double middle = 0;
  double high = 0;
};

// From the lower to the upper quartile, with a mark at the median, on a logarithmic axis. Values must not be negative.
std::string range_chart(std::string_view title, const std::vector<Range> &ranges, std::string_view unit);

struct Point {
  double x = 0;
  double y = 0;
};

// Both axes logarithmic; with negative values, to both sides of zero.
std::string scatter_chart(std::string_view title, const std::vector<Point> &points, std::string_view x_name,
                          std::string_view y_name);

// Counts as shades, with the numbers in the cells.
std::string heat_chart(std::string_view title, const std::vector<std::string> &rows,
                       const std::vector<std::string> &columns, const std::vector<std::vector<u64>> &counts);

} // namespace deepperf::study
