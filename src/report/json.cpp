#include "report/json.h"

#include "report/place.h"
#include "report/summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace deepperf::report {

namespace {

using Json = nlohmann::ordered_json;

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
  Json &notes = json["notes"] = Json::array();
  for (const rules::Note &note : finding.notes) {
    notes.push_back(note_json(result, note));
  }
  json["fix"] = fix_json(result, finding);
  return json;
}

Json errors_json(const check::Result &result) {
  Json errors = Json::array();
  const auto add = [&](std::string_view path, u32 line, u32 cell, std::string_view message) {
    Json json;
    json["path"] = path;
    json["line"] = number_or_null(line);
    json["message"] = message;
    add_cell(cell, json);
    errors.push_back(std::move(json));
  };
  auto error = result.errors.begin();
  for (u32 index = 0; index < result.files.size(); ++index) {
    const check::CheckedFile &file = result.files[index];
    for (; error != result.errors.end() && error->file.value == index; ++error) {
      if (error->level != check::FileError::Level::Note) {
        add(file.path, error->line, error->cell, fmt::format("{}: {}", level_name(error->level), error->message));
      }
    }
    if (file.suppressed_errors != 0) {
      add(file.path, 0, 0, fmt::format("{} more syntax errors", file.suppressed_errors));
    }
  }
  return errors;
}

} // namespace

void write_json(const check::Result &result, const Options &options, std::string &out) {
  Json json;
  json["version"] = 2;
  Json list = Json::array();
  if (options.statistics) {
    for (const RuleCount &rule : summarize(result).rules) {
      Json count;
      count["code"] = rule.rule->code;
      count["name"] = rule.rule->name;
      count["root_cause"] = rule.rule->root_cause;
      count["count"] = rule.count;
      list.push_back(std::move(count));
    }
  } else {
    for (const rules::Finding &finding : result.findings) {
      list.push_back(finding_json(result, finding));
    }
  }
  json[options.statistics ? "statistics" : "findings"] = std::move(list);
  json["errors"] = errors_json(result);
  json["files"] = result.file_count;
  // Paths and code may hold bytes that are no UTF-8: a replacement character stands for those.
  out += json.dump(2, ' ', false, Json::error_handler_t::replace);
  out += '\n';
}

} // namespace deepperf::report
