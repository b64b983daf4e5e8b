#include "report/sarif_rules.h"

#include "report/levels.h"
#include "report/measured.h"
#include "report/place.h"
#include "report/rule.h"
#include "report/rule_link.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace deepperf::report {

namespace {

// The first paragraph under the first heading, on one line.
std::string first_paragraph(std::string_view documentation) {
  std::string paragraph;
  while (!documentation.empty()) {
    const std::size_t end = std::min(documentation.find('\n'), documentation.size());
    const std::string_view line = documentation.substr(0, end);
    documentation.remove_prefix(std::min(end + 1, documentation.size()));
    const bool is_text = !line.empty() && !line.starts_with('#');
    if (!is_text && !paragraph.empty()) {
      break;
    }
    if (is_text) {
      paragraph += paragraph.empty() ? "" : " ";
      paragraph += line;
    }
  }
  return paragraph;
}

// The words by which code scanning sorts rules.
std::string_view problem_severity(rules::Severity severity) {
  switch (severity) {
  case rules::Severity::Error:
    return "error";
  case rules::Severity::Warning:
    return "warning";
  default:
    return "recommendation";
  }
}

Json tags_of(const rules::RuleInfo &rule) {
  Json tags = Json::array({"deep-learning"});
  tags.push_back(rule.root_cause);
  for (const std::string_view symptom : split_list(rule.symptoms)) {
    tags.push_back(symptom);
  }
  tags.push_back(rule.stage);
  return tags;
}

} // namespace

std::vector<const rules::RuleInfo *> reported_rules(const check::Result &result) {
  std::vector<const rules::RuleInfo *> rules;
  for (const rules::Finding &finding : result.findings) {
    rules.push_back(finding.rule);
  }
  std::ranges::sort(rules, {}, &rules::RuleInfo::code);
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

Json sarif_rule(const rules::RuleInfo &rule) {
  std::string text;
  std::string markdown;
  write_rule_text(rule, 0, kPlain, text);
  write_rule_markdown(rule, markdown);
  const std::string full = first_paragraph(rule.documentation);
  Json json;
  json["id"] = rule.code;
  json["name"] = rule.name;
  json["shortDescription"]["text"] = rule.summary;
  json["fullDescription"]["text"] = full.empty() ? std::string(rule.summary) : full;
  json["help"]["text"] = text;
  json["help"]["markdown"] = markdown;
  if (std::string url = rule_url(rule); !url.empty()) {
    json["helpUri"] = std::move(url);
  }
  json["defaultConfiguration"]["enabled"] = rule.tier == rules::Tier::On;
  json["defaultConfiguration"]["level"] = levels_of(rule.severity).sarif;
  Json &properties = json["properties"];
  properties["tags"] = tags_of(rule);
  properties["precision"] = rule.tier == rules::Tier::On ? "high" : "medium";
  properties["problem.severity"] = problem_severity(rule.severity);
  properties["severity"] = severity_name(rule.severity);
  properties["rootCause"] = rule.root_cause;
  properties["symptoms"] = split_list(rule.symptoms);
  properties["stage"] = rule.stage;
  properties["frameworks"] = split_list(rule.frameworks);
  if (const std::string &cost = measured(rule); !cost.empty()) {
    properties["measured"] = cost;
  }
  properties["documentation"] = rule_link(rule);
  return json;
}

} // namespace deepperf::report
