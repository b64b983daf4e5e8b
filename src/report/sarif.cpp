#include "report/sarif.h"

#include "report/clean_text.h"
#include "report/file_problem.h"
#include "report/finding_json.h"
#include "report/fingerprint.h"
#include "report/levels.h"
#include "report/measured.h"
#include "report/place.h"
#include "report/rule_link.h"
#include "report/sarif_rules.h"

#include <algorithm>

namespace deepperf::report {

namespace {

constexpr std::string_view kSchema = "https://json.schemastore.org/sarif-2.1.0.json";
constexpr std::string_view kRoot = "SRCROOT";
constexpr std::string_view kFingerprint = "deepperfCode/v1";

// In SARIF `[text](1)` is a link, so brackets that would make one are escaped.
std::string escape_links(std::string text) {
  if (text.find("](") == std::string::npos) {
    return text;
  }
  std::string escaped;
  for (const char character : text) {
    if (character == '[' || character == ']' || character == '\\') {
      escaped += '\\';
    }
    escaped += character;
  }
  return escaped;
}

Json message_json(std::string_view text) {
  Json json;
  json["text"] = escape_links(clean_text(text));
  return json;
}

class Writer {
public:
  Writer(const check::Result &result, const Options &options)
      : result_(result), options_(options), rules_(reported_rules(result)), problems_(file_problems(result)) {}

  [[nodiscard]] Json log() const {
    Json json;
    json["$schema"] = kSchema;
    json["version"] = "2.1.0";
    json["runs"] = Json::array({run()});
    return json;
  }

private:
  [[nodiscard]] Json artifact(std::string_view path) const {
    const std::string found = path_in_repository(path, options_.location);
    Json json;
    json["uri"] = path_uri(found);
    if (!found.starts_with('/')) {
      json["uriBaseId"] = kRoot;
    }
    return json;
  }

  static Json region(const python::Position &start, const python::Position &end) {
    Json json;
    json["startLine"] = start.line;
    json["startColumn"] = start.column;
    json["endLine"] = end.line;
    json["endColumn"] = end.column;
    return json;
  }

  // The region counts lines within a notebook's cell, so the number of the cell is added.
  static void add_cell(u32 cell, Json &location) {
    if (cell != 0) {
      location["properties"]["cell"] = cell;
    }
  }

  [[nodiscard]] Json location(FileIndex file, python::Span span) const {
    const Place place = place_of(result_, file, span);
    Json json;
    Json &physical = json["physicalLocation"];
    physical["artifactLocation"] = artifact(place.path);
    if (place.source != nullptr) {
      physical["region"] = region(place.start, place.end);
      physical["region"]["snippet"]["text"] = clean_text(place.source->part(span.start, span.end));
    }
    add_cell(place.start.cell, json);
    return json;
  }

  // The steps of the reasoning, and last the finding itself.
  [[nodiscard]] Json code_flows(const rules::Finding &finding) const {
    Json steps = Json::array();
    const auto add = [&](FileIndex file, python::Span span, std::string_view message) {
      Json step;
      step["location"] = location(file, span);
      step["location"]["message"] = message_json(message);
      steps.push_back(std::move(step));
    };
    for (const rules::Note &note : finding.notes) {
      add(note.file, note.span, note.message);
    }
    add(finding.file, finding.span, finding.message);
    Json flow;
    flow["threadFlows"][0]["locations"] = std::move(steps);
    return Json::array({std::move(flow)});
  }

  // A replacement applies to the text of a file. Of a notebook that is JSON, where our places mean nothing.
  [[nodiscard]] bool has_fix(const rules::Finding &finding) const {
    const python::Source *source = result_.files[finding.file.value].source;
    return finding.fix && !finding.fix->edits.empty() && source != nullptr && !source->is_notebook;
  }

  [[nodiscard]] Json fixes(const rules::Finding &finding) const {
    Json replacements = Json::array();
    for (const rules::Edit &edit : finding.fix->edits) {
      const Place place = place_of(result_, finding.file, {edit.start, edit.end});
      Json replacement;
      replacement["deletedRegion"] = region(place.start, place.end);
      if (!edit.replacement.empty()) {
        replacement["insertedContent"]["text"] = edit.replacement;
      }
      replacements.push_back(std::move(replacement));
    }
    Json change;
    change["artifactLocation"] = artifact(result_.files[finding.file.value].path);
    change["replacements"] = std::move(replacements);
    Json fix;
    fix["description"] = message_json(finding.advice.empty() ? finding.message : finding.advice);
    fix["artifactChanges"] = Json::array({std::move(change)});
    fix["properties"]["safe"] = finding.fix->safe;
    return Json::array({std::move(fix)});
  }

  static std::string text_of(const rules::Finding &finding) {
    std::string text = finding.message;
    text += finding.advice.empty() ? "" : "\nHelp: " + finding.advice;
    const std::string &cost = measured(*finding.rule);
    text += cost.empty() ? "" : "\nMeasured: " + cost;
    return text;
  }

  [[nodiscard]] Json result(const rules::Finding &finding, std::string_view fingerprint) const {
    const rules::Severity severity = rules::severity_of(finding);
    Json json;
    json["ruleId"] = finding.rule->code;
    json["ruleIndex"] = std::ranges::find(rules_, finding.rule) - rules_.begin();
    json["level"] = levels_of(severity).sarif;
    json["message"] = message_json(text_of(finding));
    json["locations"] = Json::array({location(finding.file, finding.span)});
    json["partialFingerprints"][std::string(kFingerprint)] = fingerprint;
    if (!finding.notes.empty()) {
      json["codeFlows"] = code_flows(finding);
    }
    if (has_fix(finding)) {
      json["fixes"] = fixes(finding);
    }
    json["properties"]["severity"] = severity_name(severity);
    json["properties"]["confidence"] = rules::is_hint(finding) ? "medium" : "high";
    return json;
  }

  [[nodiscard]] Json notification(const FileProblem &problem) const {
    Json json;
    json["descriptor"]["id"] = problem_id(problem);
    json["level"] = "error";
    json["message"] = message_json(problem.message);
    Json location;
    Json &physical = location["physicalLocation"];
    physical["artifactLocation"] = artifact(problem.path);
    if (problem.line != 0) {
      physical["region"]["startLine"] = problem.line;
      if (problem.column != 0) {
        physical["region"]["startColumn"] = problem.column;
        physical["region"]["endColumn"] = std::max(problem.column, problem.end_column);
      }
    }
    add_cell(problem.cell, location);
    json["locations"] = Json::array({std::move(location)});
    return json;
  }

  [[nodiscard]] Json invocation() const {
    Json json;
    json["executionSuccessful"] = std::ranges::none_of(problems_, is_unreadable);
    if (!problems_.empty()) {
      Json &notifications = json["toolExecutionNotifications"] = Json::array();
      for (const FileProblem &problem : problems_) {
        notifications.push_back(notification(problem));
      }
    }
    return json;
  }

  static Json notification_kind(std::string_view id, std::string_view title, std::string_view text) {
    Json json;
    json["id"] = id;
    json["shortDescription"]["text"] = title;
    json["fullDescription"]["text"] = text;
    json["help"]["text"] = text;
    return json;
  }

  [[nodiscard]] Json driver() const {
    Json json;
    json["name"] = "deepperf";
    json["version"] = DEEPPERF_VERSION;
    json["semanticVersion"] = DEEPPERF_VERSION;
    if (const std::string_view url = documentation_url(); !url.empty()) {
      json["informationUri"] = url;
    }
    Json &rules = json["rules"] = Json::array();
    for (const rules::RuleInfo *rule : rules_) {
      rules.push_back(sarif_rule(*rule));
    }
    json["notifications"] = Json::array(
        {notification_kind("syntax-error", "The file is not valid Python",
                           "Parts of the file are not valid Python. What could be parsed was checked."),
         notification_kind("unreadable-file", "The file could not be checked",
                           "The file could not be read or decoded, or is not a notebook. Nothing in it was checked.")});
    return json;
  }

  [[nodiscard]] Json base_ids() const {
    Json json;
    Json &root = json[std::string(kRoot)];
    if (!options_.location.root.empty()) {
      root["uri"] = path_uri(options_.location.root) + (options_.location.root.ends_with('/') ? "" : "/");
    }
    root["description"]["text"] = "The folder that paths are relative to";
    return json;
  }

  [[nodiscard]] Json run() const {
    Json json;
    json["tool"]["driver"] = driver();
    json["invocations"] = Json::array({invocation()});
    json["originalUriBaseIds"] = base_ids();
    json["columnKind"] = "unicodeCodePoints";
    json["newlineSequences"] = Json::array({"\r\n", "\n", "\r"});
    Json &results = json["results"] = Json::array();
    const std::vector<std::string> prints = fingerprints(result_);
    for (std::size_t i = 0; i < result_.findings.size(); ++i) {
      results.push_back(result(result_.findings[i], prints[i]));
    }
    json["properties"]["files"] = result_.file_count;
    json["properties"]["counts"] = counts_json(result_);
    return json;
  }

  const check::Result &result_;
  const Options &options_;
  std::vector<const rules::RuleInfo *> rules_;
  std::vector<FileProblem> problems_;
};

} // namespace

void write_sarif(const check::Result &result, const Options &options, std::string &out) {
  write_json_text(Writer(result, options).log(), 2, out);
}

} // namespace deepperf::report
