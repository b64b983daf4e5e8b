#include "report/group.h"

#include "base/printable.h"
#include "base/write.h"
#include "report/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace deepperf::report {

namespace {

// Fewer than these are easier to read one by one.
constexpr std::size_t kFewestInGroup = 4;

using Key = std::tuple<const rules::RuleInfo *, rules::Severity, bool, std::string_view>;

bool is_compact(rules::Severity severity) { return severity <= rules::Severity::Advice; }

Key key_of(const rules::Finding &finding) {
  const rules::Severity severity = rules::severity_of(finding);
  const bool by_message = severity != rules::Severity::Advice;
  return {finding.rule, severity, rules::is_hint(finding), by_message ? std::string_view(finding.message) : ""};
}

Group group_of(const rules::Finding &finding) {
  return {rules::severity_of(finding), rules::is_hint(finding), {&finding}};
}

} // namespace

std::vector<Group> group_findings(const check::Result &result, bool expand) {
  std::vector<Group> groups;
  std::map<Key, std::size_t> group_by_key;
  for (const rules::Finding &finding : result.findings) {
    const auto [known, is_new] = group_by_key.try_emplace(key_of(finding), groups.size());
    if (expand || is_new) {
      groups.push_back(group_of(finding));
    } else {
      groups[known->second].findings.push_back(&finding);
    }
  }
  std::vector<Group> result_groups;
  for (Group &group : groups) {
    if (is_compact(group.severity) || group.findings.size() >= kFewestInGroup || group.findings.size() == 1) {
      result_groups.push_back(std::move(group));
      continue;
    }
    for (const rules::Finding *finding : group.findings) {
      result_groups.push_back(group_of(*finding));
    }
  }
  // Addresses grow with places: all findings are in one vector, which is sorted.
  std::ranges::sort(result_groups, {}, [](const Group &group) {
    return std::tuple(-static_cast<int>(group.severity), group.is_hint, &group.first());
  });
  return result_groups;
}

u64 count_files(std::span<const rules::Finding *const> findings) {
  u64 files = 0;
  const rules::Finding *before = nullptr;
  for (const rules::Finding *finding : findings) { // sorted by file
    files += before == nullptr || before->file != finding->file ? 1 : 0;
    before = finding;
  }
  return files;
}

std::string places_of(const check::Result &result, std::span<const rules::Finding *const> findings,
                      std::size_t most_places) {
  std::string text;
  const std::size_t shown = std::min(findings.size(), most_places);
  std::string_view path;
  for (const rules::Finding *finding : findings.first(shown)) {
    const Place place = place_of(result, finding->file, finding->span);
    const std::string cell = place.start.cell == 0 ? "" : fmt::format("cell {}:", place.start.cell);
    if (place.path != path) {
      write(text, "{}{}:{}{}", text.empty() ? "" : "; ", printable(place.path), cell, place.start.line);
      path = place.path;
    } else {
      write(text, ", {}{}", cell, place.start.line);
    }
  }
  if (const std::size_t more = findings.size() - shown; more != 0) {
    write(text, " and {} more place{}", more, more == 1 ? "" : "s");
  }
  return text;
}

} // namespace deepperf::report
