// What was found in groups of files as they were a few checks ago: who undoes an edit, or goes back to another branch,
// gets the old findings at once.
#pragma once

#include "check/lint_files.h"

#include <deque>
#include <string>
#include <vector>

namespace deepperf::check {

class RememberedGroups {
public:
  // A group that is about to change; its findings are taken. Not kept if something went wrong with it.
  void add(LintedGroup &group, const LoadedFiles &loaded);

  // Fills in the findings if a group of the same files with the same contents is known.
  bool recall(const model::Group &group, const LoadedFiles &loaded, LintedGroup &linted);

  void forget() { groups_.clear(); }

private:
  struct Member {
    std::string path;
    u64 hash = 0; // of its contents
    friend bool operator==(const Member &, const Member &) = default;
  };
  struct Remembered {
    std::vector<Member> members;
    rules::Findings findings; // their files are places in `members`
  };

  std::deque<Remembered> groups_; // the last one was used last
};

} // namespace deepperf::check
