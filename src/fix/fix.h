// Phase 8, for those who want it done: applies the fixes of findings to their files.
#pragma once

#include "check/result.h"

#include <optional>
#include <string>
#include <vector>

namespace deepperf::fix {

struct FixOptions {
  bool unsafe_fixes = false; // also those that may change what the program computes
  bool write = true;         // false: only say what would change
  bool same_tree = false;    // edits that change anything but comments are left out
  // The only file is not on disk: these are its bytes. It is never written.
  std::optional<std::string> stdin_bytes = std::nullopt;
};

struct FixedFile {
  FileIndex file;
  u64 findings = 0;   // how many it fixes
  std::string before; // what `edits` count in: the text, or a notebook's JSON
  std::vector<rules::Edit> edits;
  std::string after; // the bytes of the file from now on
};

struct FixProblem {
  std::string path; // not an index: after a new check, the files have other ones
  std::string message;
  bool is_failure = false; // the file could not be read or written, as opposed to a fix that we would not make
};

struct FixResult {
  std::vector<FixedFile> files; // sorted by path
  std::vector<FixProblem> problems;
  std::vector<bool> is_fixed; // of each finding
};

// Of fixes that are in each other's way the first is applied; a later run finds the others again. A fix after which the
// file has more syntax errors than before is left out.
FixResult apply_fixes(const check::Result &result, const FixOptions &options);

} // namespace deepperf::fix
