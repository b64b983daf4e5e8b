#include "report/rule_link.h"

#include <fmt/format.h>

namespace deepperf::report {

namespace {

// Set by CMake; the only place that knows where the documentation is published.
constexpr std::string_view kDocumentation = DEEPPERF_DOCUMENTATION_URL;

} // namespace

std::string rule_page_name(const rules::RuleInfo &rule) { return fmt::format("{}-{}.md", rule.code, rule.name); }

std::string rule_page(const rules::RuleInfo &rule) { return "docs/rules/" + rule_page_name(rule); }

std::string_view documentation_url() { return kDocumentation; }

std::string rule_url(const rules::RuleInfo &rule) {
  if (kDocumentation.empty()) {
    return "";
  }
  return fmt::format("{}{}{}", kDocumentation, kDocumentation.ends_with('/') ? "" : "/", rule_page(rule));
}

std::string rule_link(const rules::RuleInfo &rule) {
  std::string url = rule_url(rule);
  return url.empty() ? rule_page(rule) : url;
}

} // namespace deepperf::report
