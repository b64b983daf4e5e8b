#include "study/charts.h"

#include "study/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace deepperf::study {

namespace {

constexpr double kWidth = 720;
constexpr double kCharacter = 7.2; // about the width of one, at the size that the page sets

double text_width(std::string_view text) { return static_cast<double>(display_width(text)) * kCharacter; }

// One digit after the point where it matters.
std::string short_number(double value) {
  const double size = std::abs(value);
  if (size >= 1e6) {
    return fmt::format("{:.3g}M", value / 1e6);
  }
  if (size >= 1e4) {
    return fmt::format("{:.3g}k", value / 1e3);
  }
  return value == std::floor(value) ? fmt::format("{:.0f}", value)
         : size >= 10               ? fmt::format("{:.1f}", value)
                                    : fmt::format("{:.2g}", value);
}

class Svg {
public:
  Svg(std::string_view title, double width, double height) {
    out_ = fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">", width, height,
                       escape_html(title));
  }

  void rect(double x, double y, double width, double height, std::string_view style, std::string_view tip = "",
            std::string_view extra = "") {
    out_ += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\"{}>",
                        style, x, y, std::max(width, 0.0), std::max(height, 0.0), extra);
    if (!tip.empty()) {
      out_ += fmt::format("<title>{}</title>", escape_html(tip));
    }
    out_ += "</rect>";
  }

  void line(double x1, double y1, double x2, double y2, std::string_view style) {
    out_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", style, x1, y1,
                        x2, y2);
  }

  void circle(double x, double y, std::string_view style) {
    out_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", style, x, y);
  }

  // `anchor` is start, middle or end.
  void text(double x, double y, std::string_view anchor, std::string_view words, std::string_view style = "ink") {
    out_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", style, x, y,
                        anchor, escape_html(words));
  }

  void slanted(double x, double y, std::string_view words) {
    out_ += fmt::format(
        "<text class=\"ink\" transform=\"translate({:.1f} {:.1f}) rotate(-55)\" text-anchor=\"start\">{}</text>", x, y,
        escape_html(words));
  }

  std::string done() { return std::move(out_) + "</svg>"; }

private:
  std::string out_;
};

// A round step, so that there are about `wanted` of them up to `top`.
double nice_step(double top, int wanted) {
  const double rough = std::max(top, 1e-9) / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (rough <= factor * power) {
      return factor * power;
    }
  }
  return 10 * power;
}

template <class Item> double label_room(const std::vector<Item> &items, double most) {
  double room = 40;
  for (const Item &item : items) {
    room = std::max(room, text_width(item.label) + 14);
  }
  return std::min(room, most);
}

std::string fitted(std::string_view label, double room) {
  return shorten(label, static_cast<std::size_t>(std::max(4.0, (room - 14) / kCharacter)));
}

// A logarithm to both sides of zero that is straight near it.
double symmetric_log(double value) { return std::copysign(std::log10(1 + std::abs(value)), value); }

} // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') {
        out += c;
      }
    }
  }
  return out;
}

std::string bar_chart(std::string_view title, const std::vector<Bar> &bars) {
  constexpr double kRow = 26;
  const double room = label_room(bars, 300);
  double top = 0;
  double all = 0;
  for (const Bar &bar : bars) {
    top = std::max(top, bar.value);
    all += bar.value;
  }
  const double space = kWidth - room - 110;
  Svg svg(title, kWidth, kRow * static_cast<double>(bars.size()) + 8);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = 4 + kRow * static_cast<double>(i);
    const double width = top > 0 ? space * bars[i].value / top : 0;
    const std::string share = all > 0 ? fmt::format("{:.1f}%", 100 * bars[i].value / all) : "";
    svg.text(room - 8, y + 16, "end", fitted(bars[i].label, room));
    svg.rect(room, y + 4, std::max(width, 1.0), kRow - 8, "c0",
             fmt::format("{}: {} ({})", bars[i].label, short_number(bars[i].value), share));
    svg.text(room + width + 8, y + 16, "start", fmt::format("{} · {}", short_number(bars[i].value), share), "soft");
  }
  return svg.done();
}

std::string stacked_chart(std::string_view title, const std::vector<std::string> &categories,
                          const std::vector<Series> &series) {
  constexpr double kHeight = 300;
  constexpr double kTop = 34;
  constexpr double kLeft = 52;
  constexpr double kBottom = 30;
  double top = 1;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    double sum = 0;
    for (const Series &one : series) {
      sum += one.values[i];
    }
    top = std::max(top, sum);
  }
  const double step = std::max(1.0, nice_step(top, 5));
  const double limit = std::ceil(top / step) * step;
  const double space = kHeight - kTop - kBottom;
  Svg svg(title, kWidth, kHeight);
  double at = kLeft;
  for (std::size_t i = 0; i < series.size() && series.size() > 1; ++i) { // the legend
    const std::string name = shorten(series[i].name, 20);
    svg.rect(at, 6, 12, 12, fmt::format("c{}", i % 8));
    svg.text(at + 17, 16, "start", name);
    at += 34 + text_width(name);
  }
  for (int line = 0; line <= std::lround(limit / step); ++line) {
    const double value = step * line;
    const double y = kHeight - kBottom - space * value / limit;
    svg.line(kLeft, y, kWidth - 8, y, "grid");
    svg.text(kLeft - 8, y + 4, "end", short_number(value), "soft");
  }
  const double slot = (kWidth - kLeft - 8) / static_cast<double>(std::max<std::size_t>(1, categories.size()));
  const double width = std::min(64.0, slot * 0.7);
  for (std::size_t i = 0; i < categories.size(); ++i) {
    const double x = kLeft + slot * (static_cast<double>(i) + 0.5) - width / 2;
    double y = kHeight - kBottom;
    for (std::size_t j = 0; j < series.size(); ++j) {
      const double height = space * series[j].values[i] / limit;
      if (height > 0) {
        svg.rect(x, y - height, width, height, fmt::format("c{}", j % 8),
                 fmt::format("{}, {}: {}", categories[i], series[j].name, short_number(series[j].values[i])));
      }
      y -= height;
    }
    svg.text(x + width / 2, kHeight - 10, "middle", fitted(categories[i], slot + 14), "soft");
  }
  return svg.done();
}

std::string range_chart(std::string_view title, const std::vector<Range> &ranges, std::string_view unit) {
  constexpr double kRow = 28;
  constexpr double kFoot = 40;
  const double room = label_room(ranges, 300);
  double least = 1e300;
  double most = 0;
  for (const Range &range : ranges) {
    least = range.low > 0 ? std::min(least, range.low) : least;
    least = range.middle > 0 ? std::min(least, range.middle) : least;
    most = std::max(most, range.high);
  }
  if (!(least < most)) {
    least = std::max(most / 10, 1e-6);
    most = std::max(most, 2 * least);
  }
  const double from = std::floor(std::log10(least));
  const double to = std::max(from + 1, std::ceil(std::log10(most)));
  const double space = kWidth - room - 90;
  const auto place = [&](double value) {
    return room + space * std::clamp((std::log10(std::max(value, 1e-12)) - from) / (to - from), 0.0, 1.0);
  };
  const double height = kRow * static_cast<double>(ranges.size());
  Svg svg(title, kWidth, height + kFoot);
  for (long power = std::lround(from); power <= std::lround(to); ++power) {
    const double x = place(std::pow(10, power));
    svg.line(x, 0, x, height + 4, "grid");
    svg.text(x, height + 18, "middle", short_number(std::pow(10, power)), "soft");
  }
  svg.text(room + space / 2, height + 35, "middle", unit, "soft");
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Range &range = ranges[i];
    const double y = kRow * static_cast<double>(i);
    svg.text(room - 8, y + 18, "end", fitted(range.label, room));
    svg.rect(place(range.low), y + 8, place(range.high) - place(range.low), kRow - 14, "c0 pale",
             fmt::format("{}: {} to {}, median {}", range.label, short_number(range.low), short_number(range.high),
                         short_number(range.middle)));
    svg.rect(place(range.middle) - 2, y + 4, 4, kRow - 6, "c0");
    svg.text(kWidth - 80, y + 18, "start", short_number(range.middle), "soft");
  }
  return svg.done();
}

std::string scatter_chart(std::string_view title, const std::vector<Point> &points, std::string_view x_name,
                          std::string_view y_name) {
  constexpr double kHeight = 380;
  constexpr double kLeft = 60;
  constexpr double kBottom = 48;
  constexpr std::size_t kMostPoints = 3000; // beyond, nobody sees more, and pages get large
  double x_low = 0;
  double x_high = 1;
  double y_low = 0;
  double y_high = 1;
  for (const Point &point : points) {
    x_low = std::min(x_low, symmetric_log(point.x));
    x_high = std::max(x_high, symmetric_log(point.x));
    y_low = std::min(y_low, symmetric_log(point.y));
    y_high = std::max(y_high, symmetric_log(point.y));
  }
  const auto place_x = [&](double value) {
    return kLeft + (kWidth - kLeft - 16) * (symmetric_log(value) - x_low) / (x_high - x_low);
  };
  const auto place_y = [&](double value) {
    return 10 + (kHeight - kBottom - 10) * (1 - (symmetric_log(value) - y_low) / (y_high - y_low));
  };
  Svg svg(title, kWidth, kHeight);
  const auto grid = [&](double value) {
    if (symmetric_log(value) >= x_low && symmetric_log(value) <= x_high) {
      svg.line(place_x(value), 10, place_x(value), kHeight - kBottom, "grid");
      svg.text(place_x(value), kHeight - kBottom + 16, "middle", short_number(value), "soft");
    }
    if (symmetric_log(value) >= y_low && symmetric_log(value) <= y_high) {
      svg.line(kLeft, place_y(value), kWidth - 16, place_y(value), "grid");
      svg.text(kLeft - 8, place_y(value) + 4, "end", short_number(value), "soft");
    }
  };
  grid(0);
  for (int power = 0; power < 12; ++power) {
    grid(-std::pow(10, power));
    grid(std::pow(10, power));
  }
  const std::size_t every = points.size() / kMostPoints + 1;
  for (std::size_t i = 0; i < points.size(); i += every) {
    svg.circle(place_x(points[i].x), place_y(points[i].y), "c0 dot");
  }
  svg.text(kLeft + (kWidth - kLeft) / 2, kHeight - 8, "middle", x_name, "soft");
  svg.text(kLeft + 6, 22, "start", y_name, "soft");
  return svg.done();
}

std::string heat_chart(std::string_view title, const std::vector<std::string> &rows,
                       const std::vector<std::string> &columns, const std::vector<std::vector<u64>> &counts) {
  constexpr double kRow = 26;
  double room = 60;
  for (const std::string &row : rows) {
    room = std::max(room, std::min(300.0, text_width(row) + 14));
  }
  // Column names are slanted by 55 degrees: they need height, and the last ones reach beyond the table.
  constexpr std::size_t kLongestName = 36;
  double longest = 4;
  for (const std::string &column : columns) {
    longest = std::max(longest, std::min(text_width(column), kCharacter * kLongestName));
  }
  const double head = longest * 0.82 + 18;
  const double slot =
      std::min(64.0, (kWidth - room - longest * 0.58) / static_cast<double>(std::max<std::size_t>(1, columns.size())));
  u64 top = 1;
  for (const auto &row : counts) {
    for (const u64 count : row) {
      top = std::max(top, count);
    }
  }
  Svg svg(title, kWidth, head + kRow * static_cast<double>(rows.size()) + 6);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    svg.slanted(room + slot * (static_cast<double>(j) + 0.5), head - 6, shorten(columns[j], kLongestName));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = head + kRow * static_cast<double>(i);
    svg.text(room - 8, y + 17, "end", fitted(rows[i], room));
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double x = room + slot * static_cast<double>(j);
      const double share = static_cast<double>(counts[i][j]) / static_cast<double>(top);
      svg.rect(x + 1, y + 1, slot - 2, kRow - 2, counts[i][j] == 0 ? "empty" : "c0",
               fmt::format("{}, {}: {}", rows[i], columns[j], counts[i][j]),
               counts[i][j] == 0 ? "" : fmt::format(" fill-opacity=\"{:.2f}\"", 0.12 + 0.88 * std::sqrt(share)));
      if (counts[i][j] > 0) {
        svg.text(x + slot / 2, y + 17, "middle", std::to_string(counts[i][j]), share > 0.35 ? "on" : "ink");
      }
    }
  }
  return svg.done();
}

} // namespace deepperf::study
