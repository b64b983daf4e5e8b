// Where the page of a rule is.
#pragma once

#include "rules/rule.h"

#include <string>

namespace deepperf::report {

// The name of its file: "DP101-sequential-map.md".
std::string rule_page_name(const rules::RuleInfo &rule);

// In the project's repository: "docs/rules/DP101-sequential-map.md".
std::string rule_page(const rules::RuleInfo &rule);

// Its address on the web, for links; empty if this build does not know one. Who publishes the documentation names the
// place when building: DEEPPERF_DOCUMENTATION_URL=https://example.org/deepperf/ gives ….org/deepperf/docs/rules/….md.
std::string rule_url(const rules::RuleInfo &rule);

// The address, or the page if there is none.
std::string rule_link(const rules::RuleInfo &rule);

} // namespace deepperf::report
