#include "report/finding_json.h"

#include "report/measured.h"
#include "report/place.h"
#include "report/rule_link.h"

namespace deepperf::report {

namespace {

Json number_or_null(u32 number) { return number == 0 ? Json(nullptr) : Json(number); }

// Lines of a notebook are counted by cell, so there a place is none without it.
void add_cell(u32 cell, Json &object) {
  if (cell != 0) {
    object["cell"] = cell;
  }
}

Json note_json(const check::Result &result, const rules::Note &note) {
  const Place place = place_of(result, note.file, note.span);
  Json json;
  json["path"] = place.path;
  json["line"] = place.start.line;
  json["column"] = place.start.column;
  json["message"] = note.message;
  add_cell(place.start.cell, json);
  return json;
}

Json fix_json(const check::Result &result, const rules::Finding &finding) {
  if (!finding.fix) {
    return nullptr;
  }
  Json edits = Json::array();
  for (const rules::Edit &edit : finding.fix->edits) {
    const Place place = place_of(result, finding.file, {edit.start, edit.end});
    Json json;
    json["start_line"] = place.start.line;
    json["start_column"] = place.start.column;
    json["end_line"] = place.end.line;
    json["end_column"] = place.end.column;
    json["replacement"] = edit.replacement;
    add_cell(place.start.cell, json);
    edits.push_back(std::move(json));
  }
  Json json;
  json["safe"] = finding.fix->safe;
  json["edits"] = std::move(edits);
  return json;
}

Json hidden_json(const check::Hidden &hidden) {
  static_assert(sizeof(check::Hidden) == 6 * sizeof(u64), "list the new field here");
  Json json;
  json["advice"] = hidden.advice;
  json["notes"] = hidden.notes;
  json["others"] = hidden.others;
  json["suppressed"] = hidden.suppressed;
  json["baselined"] = hidden.baselined;
  json["unchanged"] = hidden.unchanged;
  return json;
}

} // namespace

Json finding_json(const check::Result &result, const rules::Finding &finding) {
  const Place place = place_of(result, finding.file, finding.span);
  Json json;
  json["path"] = place.path;
  json["line"] = place.start.line;
  json["column"] = place.start.column;
  json["end_line"] = place.end.line;
  json["end_column"] = place.end.column;
  json["cell"] = number_or_null(place.start.cell);
  json["code"] = finding.rule->code;
  json["name"] = finding.rule->name;
  json["message"] = finding.message;
  json["severity"] = severity_name(rules::severity_of(finding));
  json["confidence"] = rules::is_hint(finding) ? "medium" : "high";
  json["root_cause"] = finding.rule->root_cause;
  json["symptoms"] = split_list(finding.rule->symptoms);
  json["stage"] = finding.rule->stage;
  json["help"] = finding.advice;
  json["measured"] = measured_json(*finding.rule);
  json["documentation"] = rule_link(*finding.rule);
  Json &notes = json["notes"] = Json::array();
  for (const rules::Note &note : finding.notes) {
    notes.push_back(note_json(result, note));
  }
  json["fix"] = fix_json(result, finding);
  return json;
}

Json problem_json(const FileProblem &problem) {
  Json json;
  json["path"] = problem.path;
  json["line"] = number_or_null(problem.line);
  json["message"] = problem.message;
  add_cell(problem.cell, json);
  return json;
}

Json rule_count_json(const RuleCount &rule) {
  Json json;
  json["code"] = rule.rule->code;
  json["name"] = rule.rule->name;
  json["root_cause"] = rule.rule->root_cause;
  json["count"] = rule.count;
  return json;
}

Json counts_json(const check::Result &result) {
  const Summary counts = summarize(result);
  Json json;
  json["errors"] = counts.errors;
  json["warnings"] = counts.warnings;
  json["advice"] = counts.advice;
  json["notes"] = counts.notes;
  json["hidden"] = hidden_json(result.hidden);
  return json;
}

} // namespace deepperf::report
