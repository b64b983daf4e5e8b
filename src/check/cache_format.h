// What a cache holds, and how that is written as bytes.
//
// A cache is read by the very build of the program that wrote it, and by no other, so its form may change freely.
#pragma once

#include "base/file_version.h"
#include "check/result.h"
#include "model/project.h"
#include "project/requirements.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::check {

// What an earlier check found out about a file, apart from findings.
struct KnownFile {
  std::string_view path;
  FileVersion version;
  bool is_recent = false;     // it may have changed right after it was read: only its contents can tell
  bool is_test = false;       // as ParsedFile has it
  bool is_unreadable = false; // it has no text, for a reason that lies in its contents
  u64 text_size = 0;
  u32 suppressed_errors = 0;
  std::vector<FileError> errors;      // their `file` means nothing
  std::vector<python::Span> comments; // that may silence a finding, if there is one
};

// Files that were analyzed together, as indexes into the list of all, and all that the rules said about them.
struct KnownGroup {
  std::vector<u32> members; // in ascending order
  rules::Findings findings; // their files are such indexes too
};

struct CacheContents {
  i64 started = 0; // when the check began, by the system's clock
  std::vector<KnownFile> files;
  std::vector<KnownGroup> groups;
  bool has_all_groups = false;               // false: some could not be kept
  std::vector<project::AskedFolder> folders; // whose requirements the findings depend on
  std::string_view imports;                  // of all files, as encode_imports() writes them
};

// `key` says what the results depend on, apart from the files.
std::string encode_cache(const CacheContents &contents, std::string_view key);
// False: the bytes are damaged, or were written with another key. The contents point into the bytes.
bool decode_cache(std::string_view bytes, std::string_view key, CacheContents &contents);

// Puts a head with a checksum, of kHeadSize bytes, before what a cache holds.
std::string seal_cache(std::string_view body);
inline constexpr std::size_t kHeadSize = 24;

// What the files import, which alone decides how they are grouped.
std::string encode_imports(const std::vector<const model::ParsedFile *> &files);
// Fills imports and frameworks of the files; a null is skipped. False: the bytes are damaged.
bool decode_imports(std::string_view bytes, const std::vector<model::ParsedFile *> &files);

} // namespace deepperf::check
