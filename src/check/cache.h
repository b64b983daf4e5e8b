// Results of the check before this one, for files that have not changed since.
//
// A file is the same if its stamp is, and where that proves nothing, if its contents are. The results of a group of
// files depend on nothing but its members, the requirements of their folders, and what is part of the key. Which files
// make a group depends on what every file imports, so the imports of all files are kept, too.
#pragma once

#include "check/cache_format.h"
#include "check/check.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace deepperf::check {

struct LoadedFile;
struct LoadedFiles;

struct Cache {
  std::string name; // of its file
  std::string key;
  std::string bytes; // that `known` points into
  CacheContents known;
  std::unordered_map<std::string_view, u32> by_path; // into known.files
  i64 started = 0;                                   // of this check, by the system's clock
};

// Null if the options ask for none, or nothing can be kept.
std::unique_ptr<Cache> open_cache(const Options &options);
// As if nothing were known.
void forget_known(Cache &cache);

const KnownFile *find_known(const Cache &cache, const std::string &path);

// Notes down all that is known now.
void write_cache(const Options &options, const Cache &cache, const CacheContents &contents);

} // namespace deepperf::check
