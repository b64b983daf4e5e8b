#include "report/json.h"

#include "report/finding_json.h"

namespace deepperf::report {

void write_json(const check::Result &result, const Options &options, std::string &out) {
  Json json;
  json["version"] = kJsonVersion;
  Json list = Json::array();
  if (options.statistics) {
    for (const RuleCount &rule : summarize(result).rules) {
      list.push_back(rule_count_json(rule));
    }
  } else {
    for (const rules::Finding &finding : result.findings) {
      list.push_back(finding_json(result, finding));
    }
  }
  json[options.statistics ? "statistics" : "findings"] = std::move(list);
  Json &errors = json["errors"] = Json::array();
  for (const FileProblem &problem : file_problems(result)) {
    errors.push_back(problem_json(problem));
  }
  json["files"] = result.file_count;
  json["counts"] = counts_json(result);
  write_json_text(json, 2, out);
}

} // namespace deepperf::report
