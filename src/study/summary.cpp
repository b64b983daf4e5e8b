#include "study/summary.h"

#include "study/post.h"
#include "study/statistics.h"
#include "study/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>

namespace deepperf::study {

namespace {

constexpr std::size_t kMostGroups = 200;

std::optional<double> number(const Table &table, std::size_t row, std::optional<std::size_t> column, u64 &unreadable) {
  if (!column) {
    return std::nullopt;
  }
  const std::string text(trim(table.cell(row, *column)));
  if (text.empty()) {
    return std::nullopt;
  }
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(value)) {
    ++unreadable;
    return std::nullopt;
  }
  return value;
}

std::string decimal(double value, int digits) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, digits);
}

// Most frequent first, but years in their order.
std::vector<std::string> ordered_names(const std::map<std::string, u64> &counts) {
  std::vector<std::string> names;
  bool numbers = true;
  for (const auto &[name, count] : counts) {
    names.push_back(name);
    numbers = numbers && is_number(name);
  }
  if (!numbers) {
    std::stable_sort(names.begin(), names.end(),
                     [&](const std::string &a, const std::string &b) { return counts.at(a) > counts.at(b); });
  }
  return names;
}

std::vector<double> collect(const Facts &facts, const std::vector<u32> &members,
                            const std::function<std::optional<double>(const PostFacts &)> &value) {
  std::vector<double> values;
  for (const u32 member : members) {
    if (const std::optional<double> found = value(facts.posts[member])) {
      values.push_back(*found);
    }
  }
  return values;
}

std::string p_text(double p) { return std::isnan(p) ? "-" : p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", p); }

} // namespace

std::string_view framework_of(std::string_view tags) {
  struct Framework {
    std::string_view tag; // or its beginning
    std::string_view name;
  };
  constexpr std::array kFrameworks = std::to_array<Framework>({{"tensorflow", "TensorFlow"},
                                                               {"pytorch", "PyTorch"},
                                                               {"torch", "PyTorch"},
                                                               {"keras", "Keras"},
                                                               {"theano", "Theano"},
                                                               {"jax", "JAX"},
                                                               {"mxnet", "MXNet"},
                                                               {"caffe", "Caffe"},
                                                               {"deeplearning4j", "Deeplearning4j"},
                                                               {"cntk", "CNTK"}});
  const std::vector<std::string> list = parse_tags(tags);
  for (const Framework &framework : kFrameworks) {
    for (const std::string &tag : list) {
      if (lower_ascii(tag).starts_with(framework.tag)) {
        return framework.name;
      }
    }
  }
  return "other";
}

Facts read_facts(const Table &table) {
  Facts facts;
  const auto views = table.csv.column("views");
  const auto score = table.csv.column("score");
  const auto answers = table.csv.column("answers");
  const auto created = table.csv.column("created");
  const auto accepted = table.csv.column("accepted");
  const auto accepted_id = table.csv.column("accepted_id");
  facts.has_acceptance = accepted || accepted_id;
  for (std::size_t row = 0; row < table.size(); ++row) {
    PostFacts &post = facts.posts.emplace_back();
    post.views = number(table, row, views, facts.unreadable);
    post.score = number(table, row, score, facts.unreadable);
    post.answers = number(table, row, answers, facts.unreadable);
    const std::string_view when = accepted ? trim(table.cell(row, *accepted)) : std::string_view();
    post.accepted = !when.empty() || (accepted_id && !trim(table.cell(row, *accepted_id)).empty());
    if (!when.empty() && created) {
      const auto from = parse_time(trim(table.cell(row, *created)));
      const auto to = parse_time(when);
      if (from && to) {
        post.days = static_cast<double>(*to - *from) / 86'400'000.0;
      } else {
        ++facts.unreadable;
      }
    }
  }
  return facts;
}

std::vector<std::vector<std::string>> groups_of(const Table &table, std::string_view column, char separator) {
  std::vector<std::vector<std::string>> groups;
  const bool year = column == "year" && !table.has("year");
  const bool framework = column == "framework" && !table.has("framework");
  const std::size_t index = table.need(year ? "created" : framework ? "tags" : column);
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::vector<std::string> &names = groups.emplace_back();
    const std::string_view cell = trim(table.cell(row, index));
    if (year) {
      names.emplace_back(parse_time(cell) ? cell.substr(0, 4) : "unknown");
    } else if (framework) {
      names.emplace_back(framework_of(cell));
    } else if (separator != '\0') {
      for (const std::string_view part : split_list(cell, separator)) {
        names.emplace_back(part);
      }
    } else if (!cell.empty()) {
      names.emplace_back(cell);
    }
    if (names.empty()) {
      names.emplace_back("(none)");
    }
  }
  std::map<std::string_view, u64> different;
  for (const auto &names : groups) {
    for (const std::string &name : names) {
      ++different[name];
    }
  }
  if (different.size() > kMostGroups) {
    throw std::runtime_error(fmt::format("{}: column '{}' has {} different values; that is too many to group by",
                                         table.source, column, different.size()));
  }
  return groups;
}

Grid group_grid(const Facts &facts, const std::vector<std::vector<std::string>> &groups, std::string title) {
  Grid grid;
  grid.title = std::move(title);
  grid.columns = {"group", "posts", "share"};
  std::map<std::string, std::vector<u32>> members;
  std::map<std::string, u64> counts;
  std::vector<u32> all;
  for (u32 row = 0; row < groups.size(); ++row) {
    all.push_back(row);
    for (const std::string &name : groups[row]) {
      members[name].push_back(row);
      ++counts[name];
    }
  }
  const auto days = [](const PostFacts &post) { return post.days; };
  const auto views = [](const PostFacts &post) { return post.views; };
  const auto score = [](const PostFacts &post) { return post.score; };
  const bool with_days = !collect(facts, all, days).empty();
  const bool with_views = !collect(facts, all, views).empty();
  const bool with_score = !collect(facts, all, score).empty();
  if (facts.has_acceptance) {
    grid.columns.emplace_back("accepted");
  }
  const auto add_columns = [&](bool wanted, const std::vector<std::string> &names) {
    if (wanted) {
      grid.columns.insert(grid.columns.end(), names.begin(), names.end());
    }
  };
  add_columns(with_days, {"days 25%", "median", "75%"});
  add_columns(with_views, {"views 25%", "median", "75%"});
  add_columns(with_score, {"score 25%", "median", "75%"});
  const auto add_row = [&](const std::string &name, const std::vector<u32> &of) {
    std::vector<std::string> row = {
        shorten(name, 60), std::to_string(of.size()),
        fmt::format("{:.1f}%", 100.0 * static_cast<double>(of.size()) / static_cast<double>(groups.size()))};
    if (facts.has_acceptance) {
      const auto yes = std::count_if(of.begin(), of.end(), [&](u32 post) { return facts.posts[post].accepted; });
      row.push_back(fmt::format("{:.1f}%", 100.0 * static_cast<double>(yes) / static_cast<double>(of.size())));
    }
    const auto add_quartiles = [&](bool wanted, const auto &value, int digits) {
      if (wanted) {
        const std::vector<double> values = collect(facts, of, value);
        for (const double share : {0.25, 0.5, 0.75}) {
          row.push_back(decimal(quantile(values, share), digits));
        }
      }
    };
    add_quartiles(with_days, days, 2);
    add_quartiles(with_views, views, 0);
    add_quartiles(with_score, score, 1);
    grid.add(std::move(row));
  };
  for (const std::string &name : ordered_names(counts)) {
    add_row(name, members[name]);
  }
  add_row("all", all);
  return grid;
}

Grid correlation_grid(const Facts &facts) {
  Grid grid;
  grid.title = "Correlations";
  grid.columns = {"", "posts", "Pearson r", "p", "Spearman rho", "p"};
  struct Column {
    std::string_view name;
    std::optional<double> PostFacts::*member;
  };
  constexpr std::array kFields = std::to_array<Column>({{"views", &PostFacts::views},
                                                        {"score", &PostFacts::score},
                                                        {"answers", &PostFacts::answers},
                                                        {"days", &PostFacts::days}});
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    for (std::size_t j = i + 1; j < kFields.size(); ++j) {
      std::vector<double> x;
      std::vector<double> y;
      for (const PostFacts &post : facts.posts) {
        if (post.*kFields[i].member && post.*kFields[j].member) {
          x.push_back(*(post.*kFields[i].member));
          y.push_back(*(post.*kFields[j].member));
        }
      }
      if (x.size() > 1) {
        const Correlation linear = pearson(x, y);
        const Correlation ranks = spearman(x, y);
        grid.add({fmt::format("{} and {}", kFields[i].name, kFields[j].name), std::to_string(x.size()),
                  decimal(linear.r, 3), p_text(linear.p), decimal(ranks.r, 3), p_text(ranks.p)});
      }
    }
  }
  return grid;
}

CrossTable cross(const std::vector<std::vector<std::string>> &rows,
                 const std::vector<std::vector<std::string>> &columns) {
  std::map<std::string, u64> row_counts;
  std::map<std::string, u64> column_counts;
  std::map<std::pair<std::string, std::string>, u64> pairs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::string &row : rows[i]) {
      for (const std::string &column : columns[i]) {
        ++row_counts[row];
        ++column_counts[column];
        ++pairs[{row, column}];
      }
    }
  }
  CrossTable table;
  table.rows = ordered_names(row_counts);
  table.columns = ordered_names(column_counts);
  double all = 0;
  for (const auto &[pair, count] : pairs) {
    all += static_cast<double>(count);
  }
  for (const std::string &row : table.rows) {
    std::vector<u64> &counts = table.counts.emplace_back();
    for (const std::string &column : table.columns) {
      const auto found = pairs.find({row, column});
      counts.push_back(found == pairs.end() ? 0 : found->second);
      const double expected = static_cast<double>(row_counts[row]) * static_cast<double>(column_counts[column]) / all;
      const double difference = static_cast<double>(counts.back()) - expected;
      table.chi_square += difference * difference / expected;
      table.few_expected += static_cast<double>(expected < 5);
    }
  }
  table.few_expected /= static_cast<double>(std::max<std::size_t>(1, table.rows.size() * table.columns.size()));
  const double smaller = static_cast<double>(std::min(table.rows.size(), table.columns.size())) - 1;
  table.p =
      chi_square_tail(table.chi_square, static_cast<double>((table.rows.size() - 1) * (table.columns.size() - 1)));
  table.cramers_v = smaller <= 0 ? std::nan("") : std::sqrt(table.chi_square / (all * smaller));
  return table;
}

Grid cross_grid(const CrossTable &table, std::string title) {
  Grid grid;
  grid.title = std::move(title);
  grid.columns = {""};
  for (const std::string &name : table.columns) {
    grid.columns.push_back(shorten(name, 24));
  }
  grid.columns.emplace_back("all");
  std::vector<u64> sums(table.columns.size());
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::vector<std::string> cells = {shorten(table.rows[row], 50)};
    u64 sum = 0;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const u64 count = table.counts[row][column];
      cells.push_back(count == 0 ? "-" : std::to_string(count));
      sum += count;
      sums[column] += count;
    }
    cells.push_back(std::to_string(sum));
    grid.add(std::move(cells));
  }
  std::vector<std::string> last = {"all"};
  u64 all = 0;
  for (const u64 sum : sums) {
    last.push_back(std::to_string(sum));
    all += sum;
  }
  last.push_back(std::to_string(all));
  grid.add(std::move(last));
  if (!std::isnan(table.cramers_v)) {
    grid.notes.push_back(
        fmt::format("chi-square {:.1f}, p {}, Cramér's V {:.2f}", table.chi_square, p_text(table.p), table.cramers_v));
  }
  return grid;
}

} // namespace deepperf::study
