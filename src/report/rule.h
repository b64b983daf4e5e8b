// The rules themselves, for `deepperf explain` and `deepperf rules`.
#pragma once

#include "report/style.h"
#include "rules/rule.h"

#include <span>
#include <string>

namespace deepperf::report {

std::string_view tier_name(rules::Tier tier);

// For a terminal of this width (0: as wide as it gets), with colors or without.
void write_rule_text(const rules::RuleInfo &rule, u32 width, const Style &style, std::string &out);
void write_rule_markdown(const rules::RuleInfo &rule, std::string &out);
void write_rule_json(const rules::RuleInfo &rule, std::string &out);

// `width` cuts long lines; 0 cuts none.
void write_rules_text(std::span<const rules::RuleInfo *const> rules, u32 width, const Style &style, std::string &out);
void write_rules_json(std::span<const rules::RuleInfo *const> rules, std::string &out);

} // namespace deepperf::report
