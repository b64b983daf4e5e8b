// Which versions of its libraries a project says it works with: in requirements.txt, setup.py, pyproject.toml, a
// Dockerfile and the like (requirement_files.h), of the file's folder or one above it.
#pragma once

#include "base/types.h"

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::project {

struct Version {
  u32 major = 0;
  u32 minor = 0;
  u32 patch = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the comparison with 0 that this stands for
  friend auto operator<=>(const Version &, const Version &) = default;
};

// `1.13`, `2.0.1+cu118`, `0.4`; nothing if it does not start with a number.
std::optional<Version> parse_version(std::string_view text);

// What the project's files allow. Nothing known: any version.
struct VersionRange {
  std::optional<Version> at_least;
  std::optional<Version> below; // that version and later ones are not allowed
  std::string where = {};       // the file and line that says `at_least`
};

// `>=2.4`, `>=1.13,<3`, `==2.1.*`, `~=2.0`; nothing if it is something else, or if no version is in it.
std::optional<VersionRange> parse_range(std::string_view text);

// The packages whose versions matter, as pip names them.
std::vector<std::string> known_packages();

using Requirements = std::map<std::string, VersionRange, std::less<>>; // by package, as pip names it, in lower case

// Reads one file's text. `pytorch` counts as torch, `tensorflow-gpu` as tensorflow. `name` is what people call the
// file.
void add_requirements(std::string_view text, Requirements &requirements, std::string_view name = {});

// Of each package what the nearest folder that limits it says, from the file's own upwards, up to the project's root
// (where .git is). Where a folder requires the package that one around it is, what that one requires counts as well. A
// package that a folder on this way is itself counts in the version that its setup.py or pyproject.toml names. Each
// folder is read once, until forget_requirements(); safe to call from all workers.
const Requirements &requirements_of(const std::string &file);

// The folder around a file whose setup.py or the like packages the module of that name, as the file's path begins: with
// a slash at its end, empty for the current one. Nothing where no folder does. Remembered until forget_requirements().
std::optional<std::string> folder_that_packages(const std::string &file, std::string_view module);

// Adds what others require: of a package that both limit, what they allow together.
void add_all(Requirements &requirements, const Requirements &others);

// Does the project bring its own copy of a package: is there a folder or file of that name beside the file, or in a
// folder above it up to the project's root? Remembered until forget_requirements().
bool brings_package(const std::string &file, std::string_view package);

// A folder that somebody asked about, by the path of a file in it, and a hash of all answers: what it requires, which
// of `packages` the project brings, and which folders package one of `modules`, and what those require.
struct AskedFolder {
  std::string folder; // as the file's path begins, with a slash at its end; empty for the current one
  std::set<std::string> packages = {};
  std::set<std::string> modules = {};
  u64 fingerprint = 0;
};
// Sorted by folder. Who keeps results that depend on requirements keeps this with them.
std::vector<AskedFolder> asked_folders();
// What the fingerprint is now, of the same questions; this asks them too.
u64 requirements_fingerprint(const AskedFolder &asked);

// Reads everything again from now on. Only while nobody holds what requirements_of() gave.
void forget_requirements();

// Texts that count instead of what is on disk, by path, whether or not there is such a file: what somebody has open.
// Files that requirements are not read from may be among them. Counts for what is read from now on, and until it is
// called again.
void set_open_requirements(const std::map<std::string, std::string, std::less<>> &texts);

// For these packages the user has said which versions count, whatever the project's files say. Stays in force until it
// is called again. Only while nobody holds what requirements_of() gave.
void set_target_versions(Requirements targets);

} // namespace deepperf::project
