#include "study/dlperf.h"

#include "study/table.h"
#include "study/text.h"

#include <fmt/format.h>

#include <stdexcept>

namespace deepperf::study {

namespace {

int status(const Table &table, std::size_t row, std::size_t column) {
  const std::string_view text = trim(table.cell(row, column));
  if (text != "-1" && text != "0" && text != "1") {
    throw std::runtime_error(fmt::format("{}: '{}' in column {} of row {} should be -1, 0 or 1", table.source,
                                         shorten(text, 30), table.csv.header[column], row + 1));
  }
  return text == "-1" ? -1 : text == "1" ? 1 : 0;
}

std::vector<PerformanceProblem> read_problems(const Table &table, std::string_view id_column,
                                              std::string_view cause_column) {
  const std::size_t id = table.need(id_column);
  const std::size_t created = table.need("creation_date");
  const std::size_t introducing = table.need("introducing stage");
  const std::size_t exposing = table.need("exposing stage");
  const std::size_t symptom = table.need("symptom1");
  const std::size_t second = table.need("symptom2");
  const std::size_t cause = table.need(cause_column);
  std::vector<PerformanceProblem> problems;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (trim(table.cell(row, id)).empty()) {
      continue; // a line of commas, as spreadsheets leave them
    }
    PerformanceProblem problem;
    problem.id = trim(table.cell(row, id));
    problem.created = trim(table.cell(row, created));
    problem.introducing = canonical_stage(table.cell(row, introducing));
    problem.exposing = canonical_stage(table.cell(row, exposing));
    problem.symptom = canonical_symptom(table.cell(row, symptom));
    problem.second_symptom = canonical_symptom(table.cell(row, second));
    problem.root_cause = canonical_root_cause(table.cell(row, cause));
    problems.push_back(std::move(problem));
  }
  return problems;
}

} // namespace

const std::vector<std::string> &stages() {
  static const std::vector<std::string> all = {"environment setting",    "initialization", "data preparation",
                                               "model building",         "training",       "evaluation",
                                               "hyper parameter tuning", "prediction",     "Unknown"};
  return all;
}

std::string canonical_stage(std::string_view written) {
  const std::string stage = lower_ascii(trim(written));
  return stage == "env" || stage == "environment"  ? "environment setting"
         : stage == "build model"                  ? "model building"
         : stage == "unknown" || stage == "unkown" ? "Unknown"
                                                   : stage;
}

std::string canonical_symptom(std::string_view written) {
  const std::string_view symptom = trim(written);
  return symptom == "Unkown" || symptom == "unknown" ? "Unknown" : std::string(symptom);
}

std::string canonical_root_cause(std::string_view written) {
  const std::string_view cause = trim(written);
  const std::string lower = lower_ascii(cause);
  return lower == "library: buggy library version"            ? "Library: buggy library version"
         : lower == "model: confusion with computation model" ? "Model: confusion with computation graph"
                                                              : std::string(cause);
}

std::string_view category(std::string_view label) { return label.substr(0, label.find(':')); }

std::vector<PerformanceProblem> read_performance_problems(const std::string &path) {
  const Table table = read_table(path);
  std::vector<PerformanceProblem> problems = read_problems(table, "id", "root cause");
  const std::size_t title = table.need("title");
  std::size_t next = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!trim(table.cell(row, table.need("id"))).empty()) {
      problems[next++].title = decode_entities(table.cell(row, title));
    }
  }
  return problems;
}

std::vector<PerformanceProblem> read_performance_benchmark(const std::string &path) {
  const Table table = read_table(path);
  std::vector<PerformanceProblem> problems = read_problems(table, "_id", "root cause1");
  const std::size_t id = table.need("_id");
  const std::size_t library = table.need("library");
  const std::size_t profiler = table.need("profiler_status");
  const std::size_t xla = table.need("xla_status");
  const std::size_t modified = table.need("performance_modified");
  std::size_t next = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (trim(table.cell(row, id)).empty()) {
      continue;
    }
    PerformanceProblem &problem = problems[next++];
    problem.library = trim(table.cell(row, library));
    problem.profiler = status(table, row, profiler);
    problem.xla = status(table, row, xla);
    problem.modified = status(table, row, modified);
  }
  return problems;
}

} // namespace deepperf::study
