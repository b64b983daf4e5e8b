// Which lines of which files differ from a git revision: committed since, staged, unstaged or untracked.
#pragma once

#include "base/types.h"

#include <memory>
#include <optional>
#include <string>

namespace deepperf::project {

class ChangedLines {
public:
  ChangedLines();
  ~ChangedLines();
  ChangedLines(ChangedLines &&) noexcept;
  ChangedLines &operator=(ChangedLines &&) noexcept;

  // Compares the working directory of the repository that holds the path with the revision. Gives back why that is not
  // possible, or nothing. A repository that was added before is not compared again.
  std::optional<std::string> add_repository(const std::string &path, const std::string &revision);

  // True if one of the lines, counted from 1, is new or differs, or is next to lines that were deleted. A file that the
  // revision does not have is new as a whole, unless it was moved. So is one that is in none of the repositories.
  [[nodiscard]] bool touch(const std::string &path, u32 first, u32 last);

private:
  struct Repository;
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace deepperf::project
