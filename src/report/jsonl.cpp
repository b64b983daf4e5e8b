#include "report/jsonl.h"

#include "report/finding_json.h"

namespace deepperf::report {

namespace {

void write_line(std::string_view type, Json fields, std::string &out) {
  Json line;
  line["type"] = type;
  line.update(std::move(fields));
  write_json_text(line, -1, out);
}

} // namespace

void write_jsonl(const check::Result &result, const Options &options, std::string &out) {
  if (options.statistics) {
    for (const RuleCount &rule : summarize(result).rules) {
      write_line("statistic", rule_count_json(rule), out);
    }
  } else {
    for (const rules::Finding &finding : result.findings) {
      write_line("finding", finding_json(result, finding), out);
    }
  }
  for (const FileProblem &problem : file_problems(result)) {
    write_line("error", problem_json(problem), out);
  }
  Json summary;
  summary["version"] = kJsonVersion;
  summary["files"] = result.file_count;
  summary["counts"] = counts_json(result);
  write_line("summary", std::move(summary), out);
}

} // namespace deepperf::report
