#include "model/imports.h"

#include "python/children.h"

#include <algorithm>
#include <array>
#include <numeric>

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

std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t slash = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, slash - start);
    if (!part.empty() && part != ".") {
      parts.emplace_back(part);
    }
    start = slash + 1;
  }
  if (!parts.empty()) {
    std::string &last = parts.back();
    last = last.substr(0, last.rfind('.'));
    if (last == "__init__") {
      parts.pop_back();
    }
  }
  return parts;
}

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

// ---- Which files belong together ------------------------------------------------------------------------------------

namespace {

// The framework that a package is part of, or is written for.
u8 framework_of(std::string_view package) {
  static constexpr std::array<std::pair<std::string_view, u8>, 34> kPackages = {{
      {"tensorflow", kTensorFlow},
      {"keras", kTensorFlow},
      {"tensorflow_datasets", kTensorFlow},
      {"tf_keras", kTensorFlow},
      {"tfds", kTensorFlow},
      {"tensorflow_addons", kTensorFlow},
      {"tensorflow_hub", kTensorFlow},
      {"tensorflow_probability", kTensorFlow},
      {"torch", kTorch},
      {"torchvision", kTorch},
      {"torchaudio", kTorch},
      {"torchtext", kTorch},
      {"torchmetrics", kTorch},
      {"torch_geometric", kTorch},
      {"pytorch_lightning", kTorch},
      {"lightning", kTorch},
      {"lightning_fabric", kTorch},
      {"accelerate", kTorch},
      {"transformers", kTorch},
      {"datasets", kTorch},
      {"diffusers", kTorch},
      {"peft", kTorch},
      {"trl", kTorch},
      {"timm", kTorch},
      {"functorch", kTorch},
      {"apex", kTorch},
      {"deepspeed", kTorch},
      {"ignite", kTorch},
      {"sentence_transformers", kTorch},
      {"jax", kJax},
      {"flax", kJax},
      {"haiku", kJax},
      {"optax", kJax},
      {"equinox", kJax},
  }};
  const auto found = std::ranges::find(kPackages, package, &std::pair<std::string_view, u8>::first);
  return found != kPackages.end() ? found->second : u8{0};
}

void find_imports_in(const python::Node *node, ParsedFile &file) {
  const auto note = [&file](std::string_view dotted) {
    file.frameworks |= framework_of(dotted.substr(0, dotted.find('.')));
  };
  if (const auto *import = python::as<python::Import>(node)) {
    for (const python::Alias *alias : import->names) {
      note(alias->name.text());
      file.imports.push_back({alias->name, {}, 0});
    }
  } else if (const auto *from = python::as<python::ImportFrom>(node)) {
    if (from->level == 0 && from->module) {
      note(from->module.text());
    }
    for (const python::Alias *alias : from->names) {
      file.imports.push_back({from->module, alias->name, from->level});
    }
  } else {
    python::for_each_child(node, [&file](const python::Node *child) {
      if (child->kind >= python::NodeKind::FunctionDef) { // statements only
        find_imports_in(child, file);
      }
    });
  }
}

} // namespace

void find_imports(ParsedFile &file) {
  for (const python::Stmt *statement : file.tree.body) {
    find_imports_in(statement, file);
  }
}

std::vector<Group> group_files(const std::vector<ParsedFile *> &files, bool with_tests) {
  std::deque<Module> modules;
  for (const ParsedFile *file : files) {
    Module &module = modules.emplace_back();
    module.parsed = file;
    module.parts = path_parts(file->path);
    module.file = {static_cast<u32>(modules.size() - 1)};
  }
  const ModuleIndex index(modules);
  std::vector<u32> leader(modules.size());
  std::iota(leader.begin(), leader.end(), 0U);
  const auto find_leader = [&leader](u32 at) {
    while (leader[at] != at) {
      at = leader[at] = leader[leader[at]];
    }
    return at;
  };
  // From what uses a framework to what that imports, and so on.
  std::vector<bool> reached(modules.size(), false);
  std::vector<u32> queue;
  for (u32 i = 0; i < modules.size(); ++i) {
    if (modules[i].parsed->frameworks != 0 && (with_tests || !modules[i].parsed->is_test)) {
      reached[i] = true;
      queue.push_back(i);
    }
  }
  std::string dotted;
  while (!queue.empty()) {
    const u32 at = queue.back();
    queue.pop_back();
    const auto connect = [&](const Module *found) {
      if (found == nullptr) {
        return;
      }
      const u32 other = found->file.value;
      leader[find_leader(other)] = find_leader(at);
      if (!reached[other]) {
        reached[other] = true;
        queue.push_back(other);
      }
    };
    for (const ImportRef &import : modules[at].parsed->imports) {
      dotted = import.module ? import.module.text() : std::string_view{};
      if (import.level == 0 && is_known_package(std::string_view(dotted).substr(0, dotted.find('.')))) {
        continue;
      }
      connect(index.find(modules[at], dotted, import.level));
      if (import.name) {
        dotted += dotted.empty() ? "" : ".";
        dotted += import.name.text();
        connect(index.find(modules[at], dotted, import.level));
      }
    }
  }
  std::unordered_map<u32, std::size_t> number;
  std::vector<Group> groups;
  for (u32 i = 0; i < modules.size(); ++i) {
    if (reached[i]) {
      const auto [place, is_new] = number.emplace(find_leader(i), groups.size());
      if (is_new) {
        groups.emplace_back();
      }
      groups[place->second].push_back(files[i]);
    }
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &Group::size);
  return groups;
}

} // namespace deepperf::model
