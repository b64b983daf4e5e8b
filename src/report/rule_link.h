// Where the page of a rule is.
#pragma once

#include "rules/rule.h"

#include <string>
#include <string_view>

namespace deepperf::report {

// The name of its file: "DP101-sequential-map.md".
std::string rule_page_name(const rules::RuleInfo &rule);

// In the project's repository: "docs/rules/DP101-sequential-map.md".
std::string rule_page(const rules::RuleInfo &rule);

// Where the repository's files are published; empty if this build does not know. Who publishes them names the place
// when building: cmake -DDEEPPERF_DOCUMENTATION_URL=https://example.org/deepperf/
std::string_view documentation_url();

// The page's address there, for links; empty if there is none.
std::string rule_url(const rules::RuleInfo &rule);

// The address, or the page if there is none.
std::string rule_link(const rules::RuleInfo &rule);

} // namespace deepperf::report
