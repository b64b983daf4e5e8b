#include "report/rule.h"

#include "base/json.h"
#include "base/write.h"
#include "report/json_text.h"
#include "report/markdown.h"
#include "report/measured.h"
#include "report/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace deepperf::report {

namespace {

std::string_view default_sentence(const rules::RuleInfo &rule) {
  switch (rule.tier) {
  case rules::Tier::On:
    return rule.severity == rules::Severity::Note ? "not shown, because it costs nothing yet: use --all" : "shown";
  case rules::Tier::Hint:
    return "not shown, because it is not proven: use --all";
  default:
    return "off: enable it with --select";
  }
}

std::string_view fix_name(rules::FixKind fix) {
  switch (fix) {
  case rules::FixKind::Safe:
    return "safe";
  case rules::FixKind::Unsafe:
    return "unsafe";
  default:
    return "none";
  }
}

std::string_view fix_sentence(rules::FixKind fix) {
  switch (fix) {
  case rules::FixKind::Safe:
    return "with --fix";
  case rules::FixKind::Unsafe:
    return "with --fix --unsafe-fixes";
  default:
    return "by hand";
  }
}

// Stack Overflow's ids; where a post has several of the study's problems, `_1`, `_2` stand after it.
Json post_ids(std::string_view posts) {
  Json ids = Json::array();
  for (const std::string_view post : split_words(posts)) {
    u64 id = 0;
    std::from_chars(post.data(), post.data() + post.size(), id);
    if (id != 0 && std::find(ids.begin(), ids.end(), id) == ids.end()) {
      ids.push_back(id);
    }
  }
  return ids;
}

void write_documentation(std::string_view documentation, std::string &out) {
  const std::size_t first = std::min(documentation.find_first_not_of('\n'), documentation.size());
  documentation.remove_prefix(first);
  documentation.remove_suffix(documentation.size() - (documentation.find_last_not_of('\n') + 1));
  if (!documentation.empty()) {
    out += '\n';
    out += documentation;
    out += '\n';
  }
}

Json rule_json(const rules::RuleInfo &rule) {
  Json json;
  json["code"] = rule.code;
  json["name"] = rule.name;
  json["summary"] = rule.summary;
  json["root_cause"] = rule.root_cause;
  json["symptoms"] = split_list(rule.symptoms);
  json["stage"] = rule.stage;
  json["frameworks"] = split_list(rule.frameworks);
  json["severity"] = severity_name(rule.severity);
  json["tier"] = tier_name(rule.tier);
  json["fix"] = fix_name(rule.fix);
  json["posts"] = post_ids(rule.posts);
  return json;
}

void dump(const Json &json, std::string &out) {
  out += json_text(json, 2);
  out += '\n';
}

} // namespace

std::string_view tier_name(rules::Tier tier) {
  switch (tier) {
  case rules::Tier::On:
    return "on";
  case rules::Tier::Hint:
    return "hint";
  default:
    return "off";
  }
}

void write_rule_text(const rules::RuleInfo &rule, u32 width, const Style &style, std::string &out) {
  const auto row = [&](std::string_view name, std::string_view value) {
    write(out, "{}{:<12}{}{}\n", style.bold, name, style.reset, value);
  };
  write(out, "{}{} {}{}: {}\n\n", style.bold, rule.code, rule.name, style.reset, rule.summary);
  row("severity", severity_name(rule.severity));
  row("root cause", rule.root_cause);
  row("symptoms", rule.symptoms);
  row("stage", rule.stage);
  row("frameworks", rule.frameworks);
  row("by default", default_sentence(rule));
  row("fixed", fix_sentence(rule.fix));
  if (!rule.posts.empty()) {
    row("posts", rule.posts);
  }
  for (const MeasuredRow &measurement : measured_rows(rule)) {
    row("measured", fmt::format("{} [{}]", measurement.text, measurement.pair));
  }
  std::string documentation;
  write_documentation(rule.documentation, documentation);
  out += documentation.empty() ? "" : "\n";
  write_markdown(documentation, width, style, out);
}

void write_rule_markdown(const rules::RuleInfo &rule, std::string &out) {
  write(out, "# {} {}\n\n{}\n\n", rule.code, rule.name, rule.summary);
  write(out, "| | |\n|---|---|\n| severity | {} |\n| root cause | {} |\n| symptoms | {} |\n",
        severity_name(rule.severity), rule.root_cause, rule.symptoms);
  write(out, "| stage | {} |\n| frameworks | {} |\n| by default | {} |\n| fixed | {} |\n", rule.stage, rule.frameworks,
        default_sentence(rule), fix_sentence(rule.fix));
  if (!rule.posts.empty()) {
    write(out, "| Stack Overflow posts of the study | {} |\n", rule.posts);
  }
  for (const MeasuredRow &measurement : measured_rows(rule)) {
    write(out, "| measured | {} (pair `{}`) |\n", measurement.text, measurement.pair);
  }
  write_documentation(rule.documentation, out);
}

void write_rule_json(const rules::RuleInfo &rule, std::string &out) {
  Json json = rule_json(rule);
  json["measured"] = measured_json(rule);
  json["documentation"] = rule.documentation;
  dump(json, out);
}

void write_rules_text(std::span<const rules::RuleInfo *const> rules, u32 width, const Style &style, std::string &out) {
  std::size_t name_width = 0;
  for (const rules::RuleInfo *rule : rules) {
    name_width = std::max(name_width, rule->name.size());
  }
  constexpr std::size_t kBeforeSummary = 24; // code, severity, tier and the blanks between
  const std::size_t used = name_width + kBeforeSummary;
  for (const rules::RuleInfo *rule : rules) {
    std::string_view summary = rule->summary;
    const bool is_cut = width != 0 && width > used + 10 && summary.size() > width - used;
    summary = is_cut ? summary.substr(0, width - used - 1) : summary;
    write(out, "{}{}{}  {:{}}  {:7}  {:4}  {}{}\n", style.bold, rule->code, style.reset, rule->name, name_width,
          severity_name(rule->severity), tier_name(rule->tier), summary, is_cut ? "…" : "");
  }
}

void write_rules_json(std::span<const rules::RuleInfo *const> rules, std::string &out) {
  Json json;
  json["version"] = 1;
  Json &list = json["rules"] = Json::array();
  for (const rules::RuleInfo *rule : rules) {
    list.push_back(rule_json(*rule));
  }
  dump(json, out);
}

} // namespace deepperf::report
