// Which other files take a name from a file that is fixed: those that were checked are looked at, and those of its
// folder.
#pragma once

#include "check/result.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace deepperf::fix {

// Every file is read once, and noted under the words of its import lines. So asking for many files takes no longer than
// reading all of them.
class Importers {
public:
  explicit Importers(const check::Result &result) : result_(result) {}

  // In doubt yes.
  bool take_from(const std::string &path, std::string_view name);

private:
  void note_checked_files();
  bool note_folder(const std::string &folder); // false: it cannot be read
  void note(const std::string &path, std::string_view text);
  std::string text_of(const std::string &path) const;

  const check::Result &result_;
  bool are_checked_noted_ = false;
  std::unordered_map<std::string, bool> folders_; // noted; could they be read?
  std::unordered_set<std::string> noted_;
  std::unordered_map<std::string, std::vector<std::string>> files_; // by a word of an import line
};

} // namespace deepperf::fix
