#include "check/remembered_groups.h"

#include <algorithm>
#include <utility>

namespace deepperf::check {

namespace {

constexpr std::size_t kMostGroups = 16;

bool has_known_contents(const LoadedFile &file) { return !file.is_unstable && (file.is_open || file.version); }

template <class Number> void renumber(rules::Findings &findings, Number number) {
  for (rules::Finding &finding : findings) {
    finding.file.value = number(finding.file.value);
    for (rules::Note &note : finding.notes) {
      note.file.value = number(note.file.value);
    }
  }
}

} // namespace

void RememberedGroups::add(LintedGroup &group, const LoadedFiles &loaded) {
  const auto is_member = [&](FileIndex file) { return std::ranges::binary_search(group.members, file.value); };
  const bool can_be_kept =
      group.failures.empty() &&
      std::ranges::all_of(group.members, [&](u32 member) { return has_known_contents(*loaded.files[member]); }) &&
      std::ranges::all_of(group.findings, [&](const rules::Finding &finding) {
        return is_member(finding.file) &&
               std::ranges::all_of(finding.notes, [&](const rules::Note &note) { return is_member(note.file); });
      });
  if (!can_be_kept) {
    return;
  }
  Remembered known;
  for (const u32 member : group.members) {
    known.members.push_back({loaded.files[member]->parsed.path, loaded.files[member]->hash});
  }
  known.findings = std::move(group.findings);
  renumber(known.findings, [&](u32 file) {
    return static_cast<u32>(std::ranges::lower_bound(group.members, file) - group.members.begin());
  });
  groups_.push_back(std::move(known));
  if (groups_.size() > kMostGroups) {
    groups_.pop_front();
  }
}

bool RememberedGroups::recall(const model::Group &group, const LoadedFiles &loaded, LintedGroup &linted) {
  const auto is_same = [&](const model::ParsedFile *file, const Member &member) {
    const LoadedFile &own = *loaded.files[file->index.value];
    return has_known_contents(own) && own.hash == member.hash && file->path == member.path;
  };
  const auto found = std::ranges::find_if(
      groups_, [&](const Remembered &known) { return std::ranges::equal(group, known.members, is_same); });
  if (found == groups_.end()) {
    return false;
  }
  std::rotate(found, found + 1, groups_.end());
  for (const model::ParsedFile *file : group) {
    linted.members.push_back(file->index.value);
  }
  linted.findings = groups_.back().findings;
  renumber(linted.findings, [&](u32 place) { return linted.members[place]; });
  return true;
}

} // namespace deepperf::check
