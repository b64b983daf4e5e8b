#include "rules/grouping.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

namespace deepperf::rules {

namespace {

// Rules about names, arguments, methods and calls that libraries removed or changed: who changes one place has to
// change the others. Other rules say themselves what belongs together.
constexpr auto kGrouped = std::to_array<std::string_view>({"DP301", "DP303", "DP304", "DP308"});

enum class FixState : u8 { None, Unsafe, Safe };

FixState fix_state(const Finding &finding) {
  if (!finding.fix.has_value()) {
    return FixState::None;
  }
  return finding.fix->safe ? FixState::Safe : FixState::Unsafe;
}

// What findings have in common that are one: the same is to be done about them.
using Key = std::tuple<u32, std::string_view, u32, Tier, Severity, FixState, std::string_view>;

Key key_of(const Finding &finding) {
  return {finding.file.value,
          finding.rule->code,
          finding.group,
          finding.tier,
          finding.severity,
          fix_state(finding),
          std::string_view(finding.advice)};
}

void take_over(Finding &first, Finding &other) {
  first.notes.push_back({other.file, other.span, other.message == first.message ? "also here" : other.message});
  if (first.fix.has_value()) {
    std::ranges::copy(other.fix->edits, std::back_inserter(first.fix->edits));
  }
}

} // namespace

void group_findings(Findings &findings) {
  std::map<Key, std::size_t> first_of; // of findings that stay where they are
  std::vector<bool> is_taken(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].group == 0 && std::ranges::find(kGrouped, findings[i].rule->code) == kGrouped.end()) {
      continue;
    }
    const auto [place, is_new] = first_of.try_emplace(key_of(findings[i]), i);
    if (!is_new) {
      take_over(findings[place->second], findings[i]);
      is_taken[i] = true;
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!is_taken[i]) {
      if (kept != i) {
        findings[kept] = std::move(findings[i]);
      }
      ++kept;
    }
  }
  findings.resize(kept);
}

} // namespace deepperf::rules
