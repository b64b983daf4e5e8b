// Where projects write down which versions of their libraries they need: `requirements.txt` and its many relatives
// (`requirements-gpu.txt`, `requirements/train.txt`, `conda-extras.yaml`, `environment_cpu.yml`, `Dockerfile.dev`),
// `setup.py`, `pyproject.toml` and the like.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::project {

struct RequirementFile {
  std::string path; // from the folder
  // Not one of the names that everybody uses: what it says counts only for packages that no such file mentions, since
  // it may be about another environment (`requirements-oldest.txt`).
  bool is_secondary = false;
};

// The files of a folder, and of the folders in it that are made for them (`requirements/`, `docker/`), in an order that
// depends on their names alone. `folder` ends in a slash, or is empty. Files of `open` (by absolute path) count whether
// or not they are on disk.
std::vector<RequirementFile> requirement_files_in(const std::string &folder,
                                                  const std::map<std::string, std::string> &open = {});

// Whether a file of that path can be one of them.
bool is_requirements_name(std::string_view path);

// Patterns for an editor that match all of them.
std::span<const std::string_view> requirement_globs();

} // namespace deepperf::project
