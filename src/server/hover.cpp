#include "server/hover.h"

#include "base/write.h"
#include "report/place.h"
#include "report/rule.h"
#include "server/findings_in.h"

#include <algorithm>
#include <set>

namespace deepperf::server {

namespace {

constexpr u32 kPlainWidth = 80;

// The page begins with a heading of its own, which would be the largest text on the screen.
std::string page_of(const rules::RuleInfo &rule, bool is_markdown) {
  std::string page;
  if (!is_markdown) {
    report::write_rule_text(rule, kPlainWidth, report::kPlain, page);
    return page;
  }
  report::write_rule_markdown(rule, page);
  return page.substr(std::min(page.find('\n') + 1, page.size()));
}

} // namespace

Json hover_at(const check::Result &result, const Places &places, FileIndex file, std::string_view uri,
              Position position, const std::optional<KnownText> &known, bool is_markdown) {
  std::string text = known ? known->text + "\n\n" : "";
  std::string pages;
  std::set<const rules::RuleInfo *> explained;
  Json range = known ? to_json(known->range) : Json();
  for (const PlacedFinding &placed : findings_in(result, places, file, uri)) {
    if (!touch(placed.location.range, {position, position})) {
      continue;
    }
    const rules::Finding &finding = *placed.finding;
    const std::string_view bold = is_markdown ? "**" : "";
    write(text, "{}{} {}{} ({}): {}\n\n", bold, finding.rule->code, finding.rule->name, bold,
          report::severity_name(rules::severity_of(finding)), finding.message);
    if (!finding.advice.empty()) {
      write(text, "{}help:{} {}\n\n", bold, bold, finding.advice);
    }
    if (explained.insert(finding.rule).second) {
      pages += (is_markdown ? "---\n\n" : "\n") + page_of(*finding.rule, is_markdown) + "\n";
    }
    if (range.is_null()) {
      range = to_json(placed.location.range);
    }
  }
  if (text.empty()) {
    return nullptr;
  }
  return {{"contents", {{"kind", is_markdown ? "markdown" : "plaintext"}, {"value", text + pages}}}, {"range", range}};
}

} // namespace deepperf::server
