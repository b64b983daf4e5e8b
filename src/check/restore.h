// What of the cache still holds: which groups of files need no analysis, and what was found in them.
#pragma once

#include "check/cache.h"
#include "check/find_files.h"
#include "check/lint_files.h"
#include "model/imports.h"

#include <optional>
#include <string>
#include <vector>

namespace deepperf::check {

struct Groups {
  std::vector<model::Group> to_lint;
  std::vector<const KnownGroup *> known; // nothing that they depend on has changed
  bool is_same_tree = false;             // the same files with the same contents as in the cache, and no others
  bool is_same_cache = false;            // and nothing else that the cache holds has changed
  std::string imports; // of all files with a version, for the next cache; empty if it is the same tree
};

// The cache may be null. Nothing if it turns out to be no good: then it has to be done without.
std::optional<Groups> find_groups(const Options &options, const Cache *cache, LoadedFiles &loaded);

// Adds the findings of known groups, with the texts that they point into. False if a text is not the known one any
// more.
bool restore_findings(const Options &options, const Cache &cache, const Groups &groups, LoadedFiles &loaded,
                      std::vector<LintedGroup> &linted);

// What untouched files import is in the cache only; find_groups() asks if it has to. False: it is damaged.
bool restore_imports(const Cache &cache, LoadedFiles &loaded);

} // namespace deepperf::check
