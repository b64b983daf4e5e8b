// A damaged file below .git/objects, cut or with a flipped bit, makes libgit2 (1.5) wait for the rest of it forever. A
// repository is other people's data: such files are found here, and are an error.
#pragma once

#include <optional>
#include <string>

struct git_repository;

namespace deepperf::project {

// From now on no damaged file of an object is read in this repository. False if that cannot be set up.
bool refuse_damaged_objects(git_repository *repository);

// A damaged file of an object in a submodule, which libgit2 opens by itself when it compares; nothing if there is none.
std::optional<std::string> damaged_object_of_submodules(git_repository *repository);

} // namespace deepperf::project
