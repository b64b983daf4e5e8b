#include "report/rule.h"

#include "report/place.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace deepperf::report {

namespace {

using Json = nlohmann::ordered_json;

std::string_view tier_sentence(rules::Tier tier) {
  switch (tier) {
  case rules::Tier::On:
    return "on";
  case rules::Tier::Hint:
    return "a hint, shown with --hints";
  default:
    return "off, shown when --select names it";
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

// Stack Overflow's ids; where a post has several of the study's problems, `_1`, `_2` stand behind it.
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
  out += json.dump(2, ' ', false, Json::error_handler_t::replace);
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

void write_rule_text(const rules::RuleInfo &rule, std::string &out) {
  fmt::format_to(std::back_inserter(out), "{} {}: {}\n\n", rule.code, rule.name, rule.summary);
  fmt::format_to(std::back_inserter(out), "root cause  {}\nsymptoms    {}\nstage       {}\nframeworks  {}\n",
                 rule.root_cause, rule.symptoms, rule.stage, rule.frameworks);
  fmt::format_to(std::back_inserter(out), "by default  {}\nmended      {}\n", tier_sentence(rule.tier),
                 fix_sentence(rule.fix));
  if (!rule.posts.empty()) {
    fmt::format_to(std::back_inserter(out), "posts       {}\n", rule.posts);
  }
  write_documentation(rule.documentation, out);
}

void write_rule_markdown(const rules::RuleInfo &rule, std::string &out) {
  fmt::format_to(std::back_inserter(out), "# {} {}\n\n{}\n\n", rule.code, rule.name, rule.summary);
  fmt::format_to(std::back_inserter(out), "| | |\n|---|---|\n| root cause | {} |\n| symptoms | {} |\n", rule.root_cause,
                 rule.symptoms);
  fmt::format_to(std::back_inserter(out), "| stage | {} |\n| frameworks | {} |\n| by default | {} |\n| mended | {} |\n",
                 rule.stage, rule.frameworks, tier_sentence(rule.tier), fix_sentence(rule.fix));
  if (!rule.posts.empty()) {
    fmt::format_to(std::back_inserter(out), "| Stack Overflow posts of the study | {} |\n", rule.posts);
  }
  write_documentation(rule.documentation, out);
}

void write_rule_json(const rules::RuleInfo &rule, std::string &out) {
  Json json = rule_json(rule);
  json["documentation"] = rule.documentation;
  dump(json, out);
}

void write_rules_text(std::span<const rules::RuleInfo *const> rules, std::string &out) {
  std::size_t width = 0;
  for (const rules::RuleInfo *rule : rules) {
    width = std::max(width, rule->name.size());
  }
  for (const rules::RuleInfo *rule : rules) {
    fmt::format_to(std::back_inserter(out), "{}  {:{}}  {:4}  {}\n", rule->code, rule->name, width,
                   tier_name(rule->tier), rule->summary);
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
