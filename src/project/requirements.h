// Which versions of its libraries a project says it works with: in requirements.txt, setup.py, setup.cfg,
// pyproject.toml, environment.yml or Pipfile, of the file's folder or one above it.
#pragma once

#include "base/types.h"

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace deepperf::project {

struct Version {
  u32 major = 0;
  u32 minor = 0;
  u32 patch = 0;
  friend auto operator<=>(const Version &, const Version &) = default;
};

// `1.13`, `2.0.1+cu118`, `0.4`; nothing if it does not start with a number.
std::optional<Version> parse_version(std::string_view text);

// What the project's files allow. Nothing known: any version.
struct VersionRange {
  std::optional<Version> at_least;
  std::optional<Version> below; // that version and later ones are not allowed
};

using Requirements = std::map<std::string, VersionRange, std::less<>>; // by package, as pip names it, in lower case

// Reads one file's text. `pytorch` counts as torch, `tensorflow-gpu` as tensorflow.
void add_requirements(std::string_view text, Requirements &requirements);

// Of the nearest folder that says anything, from the file's own upwards, up to the project's root (where .git is). Each
// folder is read once per run; safe to call from all workers.
const Requirements &requirements_of(const std::string &file);

} // namespace deepperf::project
