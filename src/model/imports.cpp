#include "model/imports.h"

#include <algorithm>
#include <array>

namespace deepperf::model {

namespace {

std::vector<std::string_view> split(std::string_view dotted) {
  std::vector<std::string_view> parts;
  while (!dotted.empty()) {
    const std::size_t dot = std::min(dotted.find('.'), dotted.size());
    parts.push_back(dotted.substr(0, dot));
    dotted.remove_prefix(std::min(dot + 1, dotted.size()));
  }
  return parts;
}

// How many leading parts two paths share.
std::size_t shared_parts(const std::vector<std::string> &a, const std::vector<std::string> &b) {
  std::size_t count = 0;
  while (count < a.size() && count < b.size() && a[count] == b[count]) {
    ++count;
  }
  return count;
}

} // namespace

bool is_known_package(std::string_view top) {
  static constexpr std::array<std::string_view, 16> kPackages = {"tensorflow",
                                                                 "keras",
                                                                 "torch",
                                                                 "jax",
                                                                 "numpy",
                                                                 "pandas",
                                                                 "os",
                                                                 "sys",
                                                                 "time",
                                                                 "random",
                                                                 "functools",
                                                                 "itertools",
                                                                 "tensorflow_datasets",
                                                                 "torchvision",
                                                                 "transformers",
                                                                 "scipy"};
  return std::ranges::find(kPackages, top) != kPackages.end();
}

ModuleIndex::ModuleIndex(std::deque<Module> &modules) {
  for (const Module &module : modules) {
    if (!module.parts.empty()) {
      by_last_part_[module.parts.back()].push_back(&module);
    }
  }
}

const Module *ModuleIndex::find(const Module &importer, std::string_view dotted, u32 level) const {
  const std::vector<std::string_view> wanted = split(dotted);
  if (level > 0) {
    // Relative: `from . import x` in package/module.py means package/x.py. A package's own __init__ counts as inside
    // it.
    const bool is_package = importer.parsed->path.ends_with("__init__.py");
    std::vector<std::string> path = importer.parts;
    const std::size_t up = level - (is_package ? 1 : 0);
    if (up > path.size()) {
      return nullptr;
    }
    path.resize(path.size() - up);
    for (const std::string_view part : wanted) {
      path.emplace_back(part);
    }
    if (path.empty()) {
      return nullptr;
    }
    const auto found = by_last_part_.find(path.back());
    if (found == by_last_part_.end()) {
      return nullptr;
    }
    for (const Module *module : found->second) {
      if (module->parts == path) {
        return module;
      }
    }
    return nullptr;
  }
  if (wanted.empty()) {
    return nullptr;
  }
  const auto found = by_last_part_.find(wanted.back());
  if (found == by_last_part_.end()) {
    return nullptr;
  }
  // Absolute: any file whose path ends in these parts could be meant, as the root is not known; the nearest one is.
  const Module *best = nullptr;
  std::size_t best_shared = 0;
  for (const Module *module : found->second) {
    if (module->parts.size() < wanted.size() || module == &importer) {
      continue;
    }
    if (!std::equal(wanted.rbegin(), wanted.rend(), module->parts.rbegin())) {
      continue;
    }
    // The nearest root wins: best one that also contains the importer, else one beside it (src/, lib/).
    const std::size_t root = module->parts.size() - wanted.size();
    std::size_t shared = std::min(shared_parts(module->parts, importer.parts), root);
    if (root > shared + 1 || (shared == 0 && root > 0 && importer.parts.size() > 1)) {
      continue;
    }
    shared = shared * 2 + (root == shared ? 1 : 0);
    if (best == nullptr || shared > best_shared ||
        (shared == best_shared && module->parts.size() < best->parts.size())) {
      best = module;
      best_shared = shared;
    }
  }
  return best;
}

} // namespace deepperf::model
