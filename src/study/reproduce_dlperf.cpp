#include "study/agreement.h"
#include "study/dlperf.h"
#include "study/keywords.h"
#include "study/liu.h"
#include "study/reproduce_parts.h"
#include "study/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

namespace deepperf::study {

namespace {

using Problems = std::vector<PerformanceProblem>;
using CountsByName = std::map<std::string, u64>;

CountsByName count(const Problems &problems,
                   const std::function<std::set<std::string>(const PerformanceProblem &)> &labels) {
  CountsByName counts;
  for (const PerformanceProblem &problem : problems) {
    for (const std::string &label : labels(problem)) {
      ++counts[label];
    }
  }
  counts.erase("");
  return counts;
}

ReproducedTable reference_table(std::string title) {
  ReproducedTable table;
  table.title = std::move(title);
  table.against = "reference";
  return table;
}

// CountsByName next to {"label": {"n": 1, "pct": 2.3}}. With `of`, the percentages too.
void compare_counts(ReproducedTable &table, const std::string &column, const CountsByName &counts,
                    const Json &reference, std::size_t of) {
  CountsByName all = counts;
  for (const auto &[label, value] : reference.items()) {
    all[label]; // what only the reference has is a difference too
  }
  for (const auto &[label, n] : all) {
    const Json &entry = part(reference, label);
    compare_count(table, label, column, static_cast<double>(n), entry.is_number() ? entry : part(entry, "n"));
    if (of > 0) {
      compare_count(table, label, column + ", %", 100.0 * static_cast<double>(n) / static_cast<double>(of),
                    part(entry, "pct"), 1);
    }
  }
}

std::set<std::string> both_symptoms(const PerformanceProblem &problem) {
  return {problem.symptom, problem.second_symptom};
}

std::set<std::string> symptom_categories(const PerformanceProblem &problem) {
  return {std::string(category(problem.symptom)), std::string(category(problem.second_symptom))};
}

ReproducedTable symptoms(const Problems &problems, const Json &file) {
  ReproducedTable table = reference_table("DLPerf RQ1: symptoms of the 224");
  const Json &reference = part(file, "value computed from data");
  std::set<std::string_view> posts;
  u64 mentions = 0;
  for (const PerformanceProblem &problem : problems) {
    posts.insert(problem.post());
    mentions += static_cast<u64>(!problem.symptom.empty()) + static_cast<u64>(!problem.second_symptom.empty());
  }
  compare_count(table, "problems", "all", static_cast<double>(problems.size()), part(reference, "PPs"));
  compare_count(table, "posts", "all", static_cast<double>(posts.size()), part(reference, "posts"));
  compare_count(table, "symptoms named", "all", static_cast<double>(mentions), part(reference, "symptom mentions"));
  const std::size_t all = problems.size();
  using Problem = PerformanceProblem;
  compare_counts(table, "first symptom", count(problems, [](const Problem &p) { return std::set{p.symptom}; }),
                 part(reference, "symptom1 only"), all);
  compare_counts(table, "second symptom", count(problems, [](const Problem &p) { return std::set{p.second_symptom}; }),
                 part(reference, "symptom2 only"), all);
  compare_counts(table, "either", count(problems, both_symptoms),
                 part(reference, "PPs having the symptom (symptom1 or symptom2)"), all);
  compare_counts(table, "first, by category",
                 count(problems, [](const Problem &p) { return std::set{std::string(category(p.symptom))}; }),
                 part(reference, "category, symptom1"), all);
  compare_counts(table, "either, by category", count(problems, symptom_categories),
                 part(reference, "category, PPs having it in symptom1 or 2"), all);
  return table;
}

ReproducedTable root_causes(const Problems &problems, const Json &file) {
  ReproducedTable table = reference_table("DLPerf RQ2: root causes of the 224");
  const Json &reference = part(file, "value computed from data");
  using Problem = PerformanceProblem;
  compare_counts(table, "root cause", count(problems, [](const Problem &p) { return std::set{p.root_cause}; }),
                 part(reference, "root cause"), problems.size());
  compare_counts(table, "category",
                 count(problems, [](const Problem &p) { return std::set{std::string(category(p.root_cause))}; }),
                 part(reference, "category"), problems.size());
  return table;
}

// Rows and columns of a cross table next to {"row": [1, 2, …]}.
void compare_cross(ReproducedTable &table, const Problems &problems,
                   const std::function<std::set<std::string>(const PerformanceProblem &)> &row_of,
                   const std::function<std::string(const PerformanceProblem &)> &column_of,
                   const std::vector<std::string> &columns, const Json &reference) {
  std::map<std::string, CountsByName> cross;
  for (const PerformanceProblem &problem : problems) {
    for (const std::string &row : row_of(problem)) {
      if (!row.empty()) {
        ++cross[row][column_of(problem)];
      }
    }
  }
  for (const auto &[row, value] : reference.items()) {
    cross[row];
  }
  for (auto &[row, counts] : cross) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      compare_count(table, row, columns[i], static_cast<double>(counts[columns[i]]), part(part(reference, row), i));
    }
  }
}

std::vector<std::string> strings(const Json &list) {
  std::vector<std::string> result;
  for (const Json &item : list) {
    if (item.is_string()) {
      result.push_back(item.get<std::string>());
    }
  }
  return result;
}

std::vector<std::string> names(const CountsByName &counts) {
  std::vector<std::string> result;
  for (const auto &[name, n] : counts) {
    result.push_back(name);
  }
  return result;
}

ReproducedTable stage_table(const Problems &problems, const Json &file) {
  ReproducedTable table = reference_table("DLPerf RQ3: stages that introduce and expose the 224");
  const Json &reference = part(file, "value computed from data");
  using Problem = PerformanceProblem;
  compare_counts(table, "introducing", count(problems, [](const Problem &p) { return std::set{p.introducing}; }),
                 part(reference, "introducing"), problems.size());
  compare_counts(table, "exposing", count(problems, [](const Problem &p) { return std::set{p.exposing}; }),
                 part(reference, "exposing"), problems.size());
  compare_cross(
      table, problems, [](const Problem &p) { return std::set{p.introducing}; },
      [](const Problem &p) { return p.exposing; }, stages(),
      part(reference, "introducing (rows) x exposing (columns)"));
  u64 same = 0;
  u64 same_known = 0;
  u64 known = 0;
  for (const Problem &problem : problems) {
    const bool both = problem.introducing != "Unknown" && problem.exposing != "Unknown";
    same += static_cast<u64>(problem.introducing == problem.exposing);
    same_known += static_cast<u64>(both && problem.introducing == problem.exposing);
    known += static_cast<u64>(both);
  }
  compare_count(table, "same stage", "all", static_cast<double>(same), part(reference, "same stage"));
  compare_count(table, "same stage", "both known", static_cast<double>(same_known),
                part(reference, "same stage, both known"));
  compare_count(table, "both known", "all", static_cast<double>(known), part(reference, "known both"));
  return table;
}

ReproducedTable symptom_by_cause(const Problems &problems, const Json &file) {
  ReproducedTable table = reference_table("DLPerf: symptom by root cause, root cause by stage");
  const Json &reference = part(file, "value computed from data");
  using Problem = PerformanceProblem;
  std::vector<std::string> causes = strings(part(reference, "columns (root causes)"));
  if (causes.empty()) {
    causes = names(count(problems, [](const Problem &p) { return std::set{p.root_cause}; }));
  }
  const auto cause = [](const Problem &p) { return p.root_cause; };
  const auto cause_category = [](const Problem &p) { return std::string(category(p.root_cause)); };
  const std::vector<std::string> categories =
      names(count(problems, [&](const Problem &p) { return std::set{cause_category(p)}; }));
  compare_cross(
      table, problems, [](const Problem &p) { return std::set{p.symptom}; }, cause, causes,
      part(reference, "symptom1 only"));
  compare_cross(table, problems, both_symptoms, cause, causes, part(reference, "symptom1 or symptom2"));
  compare_cross(table, problems, symptom_categories, cause_category, categories,
                part(reference, "categories, symptom1 or 2"));
  compare_cross(
      table, problems, [&](const Problem &p) { return std::set{cause_category(p)}; },
      [](const Problem &p) { return p.introducing; }, stages(),
      part(reference, "root cause category x introducing stage"));
  return table;
}

ReproducedTable benchmark(const Problems &problems, const Json &file) {
  ReproducedTable table = reference_table("DLPerf RQ4: the benchmark of 58, profiler and XLA");
  const Json &reference = part(file, "value computed from data");
  using Problem = PerformanceProblem;
  compare_count(table, "problems", "all", static_cast<double>(problems.size()), part(reference, "PPs"));
  const auto statuses = [&](const char *key, const std::function<int(const Problem &)> &status) {
    CountsByName counts = count(problems, [&](const Problem &p) { return std::set{std::to_string(status(p))}; });
    if (counts["-1"] > 0) {
      counts["applied"] = counts["0"] + counts["1"];
    } else {
      counts.erase("-1");
    }
    compare_counts(table, key, counts, part(reference, key), 0);
  };
  statuses("profiler_status", [](const Problem &p) { return p.profiler; });
  statuses("xla_status", [](const Problem &p) { return p.xla; });
  statuses("performance_modified", [](const Problem &p) { return p.modified; });
  compare_counts(
      table, "library",
      count(problems,
            [](const Problem &p) { return std::set<std::string>{p.library.empty() ? "(empty)" : p.library}; }),
      part(reference, "library"), 0);
  compare_counts(table, "symptom", count(problems, [](const Problem &p) { return std::set{p.symptom}; }),
                 part(reference, "symptom1"), problems.size());
  compare_counts(table, "root cause category",
                 count(problems, [](const Problem &p) { return std::set{std::string(category(p.root_cause))}; }),
                 part(reference, "root cause category"), problems.size());
  compare_counts(table, "root cause", count(problems, [](const Problem &p) { return std::set{p.root_cause}; }),
                 part(reference, "root cause"), 0);
  return table;
}

std::vector<std::string_view> column(const Table &table, std::string_view name) {
  const std::size_t index = table.need(name);
  std::vector<std::string_view> cells;
  for (std::size_t row = 0; row < table.size(); ++row) {
    cells.push_back(trim(table.cell(row, index)));
  }
  return cells;
}

void kappas(const std::string &folder, const Json &file, Reproduction &out) {
  ReproducedTable table = reference_table("DLPerf: agreement of the two raters");
  const std::string identification = folder + "/dlperf_identification_740.csv";
  if (std::filesystem::exists(identification)) {
    const Table raters = read_table(identification);
    const Agreement agreed = agreement(column(raters, "rater1"), column(raters, "rater2"));
    const Json &reference = part(part(file, "value computed from data"), "later upload @822a12a (anonymised)");
    compare_count(table, "is it a performance problem", "posts", static_cast<double>(agreed.items),
                  part(file, "posts"));
    compare_count(table, "is it a performance problem", "kappa", agreed.kappa, part(reference, "cohen kappa"));
    compare_count(table, "is it a performance problem", "agreement", agreed.share, part(reference, "agreement"));
  }
  const std::string labels = folder + "/dlperf_label_two_raters.csv";
  if (std::filesystem::exists(labels)) {
    const Table raters = read_table(labels);
    const std::vector<std::pair<std::string, std::string>> pairs = {{"symptom1", "symptom2"},
                                                                    {"root casue", "root casue 2"},
                                                                    {"root stage", "root stage 2"},
                                                                    {"expose stage", "expose stage 2"}};
    for (const auto &[first, second] : pairs) {
      const Agreement agreed = agreement(column(raters, first), column(raters, second));
      const Json &reference = part(part(file, "labels"), first);
      compare_count(table, first, "rows", static_cast<double>(agreed.items), part(reference, "n both"));
      compare_count(table, first, "kappa", agreed.kappa, part(part(reference, "kappa, agreement"), 0));
      compare_count(table, first, "agreement", agreed.share, part(part(reference, "kappa, agreement"), 1));
    }
  }
  if (!table.cells.empty()) {
    out.tables.push_back(std::move(table));
  } else {
    out.skipped.emplace_back("agreement of DLPerf's raters: the files with their labels are not there");
  }
}

ReproducedTable keyword_hits(const Problems &problems, const std::string &folder, const Json &file) {
  ReproducedTable table = reference_table("DLPerf: the keyword filter on titles");
  const KeywordFilter filter(published_keywords());
  std::map<std::string_view, std::set<std::size_t>> posts; // and what each holds
  u64 rows = 0;
  for (const PerformanceProblem &problem : problems) {
    const std::vector<std::size_t> found = filter.matches(problem.title);
    rows += static_cast<u64>(!found.empty());
    if (!found.empty()) {
      posts[problem.post()].insert(found.begin(), found.end());
    }
  }
  const Json &reference =
      part(part(file, "value computed from data"), "regex [A-Za-z0-9_]+ (\\w+) | nltk default (NLTK_EXTENSIONS)");
  compare_count(table, "any keyword", "posts of 210", static_cast<double>(posts.size()),
                part(reference, "posts (of 210)"));
  compare_count(table, "any keyword", "problems of 224", static_cast<double>(rows),
                part(reference, "PP rows (of 224)"));
  const Json &hits = part(file, "hits per keyword (nltk default, \\w+), 210 PP posts");
  for (std::size_t i = 0; i < filter.keywords().size(); ++i) {
    const auto n = std::count_if(posts.begin(), posts.end(), [&](const auto &post) { return post.second.contains(i); });
    compare_count(table, filter.keywords()[i], "posts of 210", static_cast<double>(n),
                  part(hits, filter.keywords()[i]));
  }
  const std::string liu = folder + "/../liu/rawdata.csv";
  if (std::filesystem::exists(liu)) {
    const std::vector<LiuPost> titles = read_liu(liu);
    const auto n = std::count_if(titles.begin(), titles.end(),
                                 [&](const LiuPost &post) { return !filter.matches(post.title).empty(); });
    compare_count(table, "any keyword", "Liu's 2401", static_cast<double>(n), part(reference, "Liu titles (of 2401)"));
  }
  return table;
}

} // namespace

void reproduce_dlperf(const std::string &folder, const std::string &expected, Reproduction &out) {
  const Problems problems = read_performance_problems(folder + "/empirical_study.csv");
  const auto file = [&](std::string_view name) { return read_expected(expected, name); };
  out.tables.push_back(symptoms(problems, file("dlperf_symptoms")));
  out.tables.push_back(root_causes(problems, file("dlperf_root_causes")));
  out.tables.push_back(stage_table(problems, file("dlperf_stages")));
  out.tables.push_back(symptom_by_cause(problems, file("dlperf_symptom_x_rootcause")));
  if (std::filesystem::exists(folder + "/benchmark.csv")) {
    out.tables.push_back(benchmark(read_performance_benchmark(folder + "/benchmark.csv"), file("dlperf_benchmark")));
  } else {
    out.skipped.push_back("DLPerf's benchmark: there is no benchmark.csv in " + folder);
  }
  kappas(folder, file("dlperf_kappa"), out);
  out.tables.push_back(keyword_hits(problems, folder, file("dlperf_keyword_filter")));
}

} // namespace deepperf::study
