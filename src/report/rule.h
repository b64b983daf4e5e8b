// The rules themselves, for `deepperf explain` and `deepperf rules`.
#pragma once

#include "rules/rule.h"

#include <span>
#include <string>

namespace deepperf::report {

std::string_view tier_name(rules::Tier tier);

void write_rule_text(const rules::RuleInfo &rule, std::string &out);
void write_rule_markdown(const rules::RuleInfo &rule, std::string &out);
void write_rule_json(const rules::RuleInfo &rule, std::string &out);

void write_rules_text(std::span<const rules::RuleInfo *const> rules, std::string &out);
void write_rules_json(std::span<const rules::RuleInfo *const> rules, std::string &out);

} // namespace deepperf::report
