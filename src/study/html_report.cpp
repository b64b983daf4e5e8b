#include "study/html_report.h"

#include "study/charts.h"
#include "study/statistics.h"
#include "study/summary.h"
#include "study/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

namespace deepperf::study {

namespace {

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--page:#fbfbfa;--card:#fff;--ink:#1d2329;--soft:#5b6570;--grid:#e3e6ea;--line:#d8dce1;--on:#fff;
--c0:#2f6db5;--c1:#d9822b;--c2:#2e9563;--c3:#b0509b;--c4:#c9a227;--c5:#4aa3b5;--c6:#c4504f;--c7:#7d8590}
@media (prefers-color-scheme:dark){:root{--page:#14171a;--card:#1c2024;--ink:#e6e9ec;--soft:#9aa4ae;--grid:#2b3137;
--line:#333a41;--on:#0f1214;--c0:#6ea8ea;--c1:#eba45c;--c2:#5cc294;--c3:#d684c4;--c4:#e0c25a;--c5:#78c8d8;--c6:#e88583;--c7:#a5adb6}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:60rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.15rem;margin:0 0 .75rem}
p{margin:.25rem 0 .75rem;color:var(--soft)}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1.25rem;margin:1.25rem 0}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.75rem;margin:1.25rem 0 0}
.facts div{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.75rem 1rem}
.facts b{display:block;font-size:1.35rem;font-variant-numeric:tabular-nums}
.facts span{color:var(--soft);font-size:.85rem}
svg{display:block;width:100%;min-width:33rem;height:auto}
svg text{font-size:12px;font-variant-numeric:tabular-nums}
.ink{fill:var(--ink)}.soft{fill:var(--soft)}.on{fill:var(--on)}.grid{stroke:var(--grid)}.empty{fill:var(--grid);fill-opacity:.45}
.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}.c6{fill:var(--c6)}.c7{fill:var(--c7)}
.pale{fill-opacity:.35}.dot{fill-opacity:.35}
details{margin-top:1rem}summary{cursor:pointer;color:var(--soft)}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin-top:.75rem;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:left;white-space:nowrap}
td.n,th.n{text-align:right}
@media print{section{break-inside:avoid}details{display:none}}
)";

class Page {
public:
  explicit Page(std::string_view title) {
    html_ = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n",
        escape_html(title), kStyle);
  }

  void paragraph(std::string_view text) { html_ += fmt::format("<p>{}</p>\n", escape_html(text)); }

  void facts(const std::vector<std::pair<std::string, std::string>> &list) {
    html_ += "<div class=\"facts\">";
    for (const auto &[value, name] : list) {
      html_ += fmt::format("<div><b>{}</b><span>{}</span></div>", escape_html(value), escape_html(name));
    }
    html_ += "</div>\n";
  }

  // A chart with what it shows as a table that can be opened. Either may be absent.
  void section(std::string_view title, std::string_view says, const std::string &chart, const Grid *grid) {
    html_ += fmt::format("<section>\n<h2>{}</h2>\n", escape_html(title));
    if (!says.empty()) {
      paragraph(says);
    }
    if (!chart.empty()) {
      html_ += "<div class=\"wide\">" + chart + "</div>";
    }
    if (grid != nullptr) {
      html_ += fmt::format("<details{}><summary>Numbers</summary>", chart.empty() ? " open" : "");
      table(*grid);
      html_ += "</details>";
    }
    html_ += "</section>\n";
  }

  std::string done() {
    return std::move(html_) + "<p>Created by deepperf " DEEPPERF_VERSION
                              ". Point at a bar or a cell for its number.</p>\n"
                              "</main>\n</body>\n</html>\n";
  }

private:
  void table(const Grid &grid) {
    html_ += "<div class=\"wide\"><table><thead><tr>";
    const auto numeric = [&](std::size_t column) {
      return column > 0 && std::all_of(grid.rows.begin(), grid.rows.end(), [&](const auto &row) {
               return column >= row.size() || row[column] == "-" || row[column].empty() || is_number(row[column]);
             });
    };
    std::vector<std::string_view> styles;
    for (std::size_t i = 0; i < grid.columns.size(); ++i) {
      styles.emplace_back(numeric(i) ? " class=\"n\"" : "");
      html_ += fmt::format("<th{}>{}</th>", styles[i], escape_html(grid.columns[i]));
    }
    html_ += "</tr></thead><tbody>";
    for (const auto &row : grid.rows) {
      html_ += "<tr>";
      for (std::size_t i = 0; i < grid.columns.size(); ++i) {
        html_ += fmt::format("<td{}>{}</td>", styles[i], i < row.size() ? escape_html(row[i]) : "");
      }
      html_ += "</tr>";
    }
    html_ += "</tbody></table></div>";
    for (const std::string &note : grid.notes) {
      paragraph(note);
    }
  }

  std::string html_;
};

constexpr std::string_view kQuartiles =
    "From the lower to the upper quartile; the mark and the number on the right are the median.";

using Groups = std::vector<std::vector<std::string>>;

struct Group {
  std::string name;
  std::vector<u32> members;
};

// Most frequent first; numbers in their order.
std::vector<Group> sorted_groups(const Groups &groups, std::size_t most) {
  std::map<std::string, std::vector<u32>> members;
  bool numbers = true;
  for (u32 row = 0; row < groups.size(); ++row) {
    for (const std::string &name : groups[row]) {
      members[name].push_back(row);
      numbers = numbers && is_number(name);
    }
  }
  std::vector<Group> sorted;
  sorted.reserve(members.size());
  for (auto &[name, rows] : members) {
    sorted.push_back({name, std::move(rows)});
  }
  if (!numbers) {
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Group &a, const Group &b) { return a.members.size() > b.members.size(); });
  }
  if (sorted.size() > most) {
    sorted.resize(most);
  }
  return sorted;
}

std::vector<Range> ranges_of(const Facts &facts, const std::vector<Group> &groups,
                             std::optional<double> PostFacts::*member) {
  std::vector<Range> ranges;
  for (const Group &group : groups) {
    std::vector<double> values;
    for (const u32 row : group.members) {
      if (const std::optional<double> value = facts.posts[row].*member; value && *value >= 0) {
        values.push_back(*value);
      }
    }
    if (!values.empty()) {
      ranges.push_back({group.name, quantile(values, 0.25), median(values), quantile(values, 0.75)});
    }
  }
  return ranges;
}

// introducing_stage → introducing stage
std::string readable(std::string_view column) {
  std::string name(column);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name == "phase name" ? "phase" : name;
}

void find_columns(const Table &table, ReportOptions &options) {
  if (options.by.empty()) {
    for (const char *name : {table.has("phase_name") ? "phase_name" : "phase", "object", "category", "symptom",
                             "root_cause", "introducing_stage", "exposing_stage"}) {
      if (table.has(name)) {
        options.by.emplace_back(name);
      }
    }
  }
  if (options.crossed.empty()) {
    for (const auto &[rows, columns] :
         {std::pair{"symptom", "root_cause"}, std::pair{"introducing_stage", "exposing_stage"},
          std::pair{"phase_name", "framework"}}) {
      if (table.has(rows) && table.has(columns)) {
        options.crossed.emplace_back(rows, columns);
      }
    }
  }
}

void add_years(const Table &table, const Facts &facts, Page &page, Report &report) {
  if (!table.has("year") && !table.has("created")) {
    return;
  }
  const Groups years = groups_of(table, "year", '\0');
  const bool frameworks = table.has("framework") || table.has("tags");
  const Groups kinds = frameworks ? groups_of(table, "framework", '\0') : Groups(table.size(), {"posts"});
  std::vector<std::string> categories;
  for (const Group &year : sorted_groups(years, 60)) {
    categories.push_back(year.name);
  }
  std::vector<Series> series;
  for (const Group &kind : sorted_groups(kinds, 8)) {
    Series &one = series.emplace_back();
    one.name = kind.name;
    one.values.resize(categories.size());
    for (const u32 row : kind.members) {
      const auto place = std::find(categories.begin(), categories.end(), years[row][0]);
      if (place != categories.end()) {
        ++one.values[static_cast<std::size_t>(place - categories.begin())];
      }
    }
  }
  report.tables.push_back(group_grid(facts, years, "Posts per year"));
  page.section(frameworks ? "Posts per year and framework" : "Posts per year", "",
               stacked_chart("Posts per year", categories, series), &report.tables.back());
  if (frameworks) {
    report.tables.push_back(group_grid(facts, kinds, "By framework"));
    const std::vector<Range> days = ranges_of(facts, sorted_groups(kinds, 20), &PostFacts::days);
    page.section("Days to the accepted answer, by framework", days.empty() ? "" : kQuartiles,
                 days.empty() ? "" : range_chart("Days to the accepted answer by framework", days, "days"),
                 &report.tables.back());
  }
}

void add_groups(const Table &table, const Facts &facts, const std::string &column, char separator, Page &page,
                Report &report) {
  const std::string name = readable(column);
  const Groups groups = groups_of(table, column, separator);
  const std::vector<Group> sorted = sorted_groups(groups, 40);
  std::vector<Bar> bars;
  bars.reserve(sorted.size());
  for (const Group &group : sorted) {
    bars.push_back({group.name, static_cast<double>(group.members.size())});
  }
  report.tables.push_back(group_grid(facts, groups, "By " + name));
  page.section("Posts by " + name, "", bar_chart("Posts by " + name, bars), &report.tables.back());
  if (sorted.size() > 20) {
    return; // the table has it; two more tall charts would only be scrolled over
  }
  if (const std::vector<Range> days = ranges_of(facts, sorted, &PostFacts::days); !days.empty()) {
    page.section(fmt::format("Days to the accepted answer, by {}", name), kQuartiles,
                 range_chart("Days to the accepted answer by " + name, days, "days"), nullptr);
  }
  if (const std::vector<Range> views = ranges_of(facts, sorted, &PostFacts::views); !views.empty()) {
    page.section(fmt::format("Views, by {}", name), kQuartiles, range_chart("Views by " + name, views, "views"),
                 nullptr);
  }
}

void add_popularity(const Facts &facts, Page &page, Report &report) {
  std::vector<Point> points;
  for (const PostFacts &post : facts.posts) {
    if (post.views && post.score) {
      points.push_back({*post.views, *post.score});
    }
  }
  Grid grid = correlation_grid(facts);
  if (grid.rows.empty()) {
    return;
  }
  report.tables.push_back(std::move(grid));
  page.section("Views and score", points.empty() ? "" : "Each point is a post. Both axes are logarithmic.",
               points.empty() ? "" : scatter_chart("Views and score of each post", points, "views", "score"),
               &report.tables.back());
}

} // namespace

Report make_report(const Table &table, ReportOptions options) {
  find_columns(table, options);
  const Facts facts = read_facts(table);
  const std::string name = std::filesystem::path(table.source).filename().string();
  Report report;
  report.tables.reserve(64); // sections keep pointers while they are written
  Page page(options.title.empty() ? "Questions in " + name : options.title);
  page.paragraph(fmt::format("{} posts from {}.", table.size(), name));
  std::vector<std::pair<std::string, std::string>> figures = {{std::to_string(table.size()), "posts"}};
  if (facts.has_acceptance) {
    const auto accepted =
        std::count_if(facts.posts.begin(), facts.posts.end(), [](const PostFacts &post) { return post.accepted; });
    figures.emplace_back(
        fmt::format("{:.1f}%", 100.0 * static_cast<double>(accepted) / static_cast<double>(table.size())),
        "have an accepted answer");
  }
  const auto add_median = [&](std::optional<double> PostFacts::*member, const char *format_name, int digits) {
    std::vector<double> values;
    for (const PostFacts &post : facts.posts) {
      if (post.*member) {
        values.push_back(*(post.*member));
      }
    }
    if (!values.empty()) {
      figures.emplace_back(fmt::format("{:.{}f}", median(values), digits), format_name);
    }
  };
  add_median(&PostFacts::days, "days to the accepted answer, median", 2);
  add_median(&PostFacts::views, "views, median", 0);
  add_median(&PostFacts::score, "score, median", 1);
  page.facts(figures);
  add_years(table, facts, page, report);
  for (const std::string &column : options.by) {
    add_groups(table, facts, column, options.separator, page, report);
  }
  add_popularity(facts, page, report);
  for (const auto &[rows, columns] : options.crossed) {
    const CrossTable crossed =
        cross(groups_of(table, rows, options.separator), groups_of(table, columns, options.separator));
    const std::string title = fmt::format("{} by {}", readable(rows), readable(columns));
    report.tables.push_back(cross_grid(crossed, title));
    page.section(title.empty() ? title
                               : std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])))) +
                                     title.substr(1),
                 "", heat_chart(title, crossed.rows, crossed.columns, crossed.counts), &report.tables.back());
  }
  report.html = page.done();
  return report;
}

} // namespace deepperf::study
