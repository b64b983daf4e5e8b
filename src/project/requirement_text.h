// What the files of requirements say, read one by one; requirements.h puts them together.
#pragma once

#include "project/requirements.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace deepperf::project {

// The project that a folder is, if it is one of the packages: `setup(name="transformers", version="4.4.2")`.
struct OwnPackage {
  std::string name; // empty if it is none
  VersionRange range;
};
OwnPackage own_package(std::string_view text, std::string_view file);

// Some call a module so that sets up something else; its imports are no requirements.
bool packages_something(std::string_view setup);

// Can pip install the folder that has this file?
bool packages_folder(std::string_view text, std::string_view file);

// What the lines of a requirements.txt begin with, as modules are called: `colossalai` of `colossalai >= 0.1.12`.
void add_names(std::string_view text, std::set<std::string> &names);

// The lower one of the two counts.
void lower(std::optional<Version> &bound, const Version &version);

} // namespace deepperf::project
