#include "check/selection.h"

#include <algorithm>

namespace deepperf::check {

namespace {

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::ranges::equal(text.substr(0, prefix.size()), prefix, {}, to_lower, to_lower);
}

bool names(std::string_view selector, const rules::RuleInfo &rule) {
  return starts_with_ignoring_case(rule.name, selector) && selector.size() == rule.name.size();
}

bool is_code(std::string_view selector, const rules::RuleInfo &rule) {
  return starts_with_ignoring_case(rule.code, selector) && selector.size() == rule.code.size();
}

void add(const rules::RuleInfo *rule, std::vector<const rules::RuleInfo *> &rules) {
  if (std::ranges::find(rules, rule) == rules.end()) {
    rules.push_back(rule);
  }
}

bool add_selector(std::string_view selector, Selection &selection) {
  bool known = false;
  for (const rules::RuleInfo *rule : rules::all_rules()) {
    if (!selects(selector, *rule)) {
      continue;
    }
    known = true;
    add(rule, selection.rules);
    if (is_code(selector, *rule) || names(selector, *rule)) {
      add(rule, selection.named);
    }
  }
  return known;
}

} // namespace

bool selects(std::string_view selector, const rules::RuleInfo &rule) {
  // "D" is a prefix of every code too, but nobody means that.
  return (selector.size() >= 2 && starts_with_ignoring_case(rule.code, selector)) || names(selector, rule);
}

const rules::RuleInfo *find_rule(std::string_view code_or_name) {
  for (const rules::RuleInfo *rule : rules::all_rules()) {
    if (is_code(code_or_name, *rule) || names(code_or_name, *rule)) {
      return rule;
    }
  }
  return nullptr;
}

std::vector<std::string_view> split_selectors(std::span<const std::string> lists) {
  std::vector<std::string_view> selectors;
  for (const std::string_view list : lists) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t comma = std::min(list.find(',', at), list.size());
      std::string_view selector = list.substr(at, comma - at);
      at = comma + 1;
      selector.remove_prefix(std::min(selector.find_first_not_of(' '), selector.size()));
      selector.remove_suffix(selector.size() - (selector.find_last_not_of(' ') + 1));
      if (!selector.empty()) {
        selectors.push_back(selector);
      }
    }
  }
  return selectors;
}

Selection select(std::span<const std::string> lists, std::vector<std::string> &unknown) {
  Selection selection;
  for (const std::string_view selector : split_selectors(lists)) {
    if (!add_selector(selector, selection)) {
      unknown.emplace_back(selector);
    }
  }
  return selection;
}

std::vector<std::string> known_selectors() {
  std::vector<std::string> selectors;
  for (const rules::RuleInfo *rule : rules::all_rules()) {
    selectors.emplace_back(rule->code);
    selectors.emplace_back(rule->name);
  }
  return selectors;
}

} // namespace deepperf::check
