#include "model/imports.h"

#include "base/known_names.h"
#include "python/children.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <unordered_set>

namespace deepperf::model {

namespace {

// How many leading parts two paths share.
std::size_t shared_parts(const std::vector<Symbol> &a, const std::vector<Symbol> &b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

bool ends_in(std::span<const Symbol> path, std::span<const Symbol> end) {
  return path.size() >= end.size() && std::ranges::equal(path.last(end.size()), end);
}

} // namespace

Module make_module(const ParsedFile &file) {
  Module module;
  module.parsed = &file;
  for_each_path_part(file.path, [&module](std::string_view part) { module.parts.push_back(intern(part)); });
  if (!module.parts.empty() && module.parts.back() == known::sym_init) {
    module.parts.pop_back();
    module.is_package = true;
  }
  module.is_test = file.is_test;
  module.tensorflow = (file.frameworks & kTensorFlow) != 0;
  module.near_tensorflow = module.tensorflow || (file.near & kTensorFlow) != 0;
  // A file without a framework of its own that uses what was made with PyTorch: its backward() is PyTorch's.
  module.torch = (file.frameworks & kTorch) != 0 || (file.frameworks == 0 && file.near == kTorch);
  module.jax = (file.frameworks & kJax) != 0;
  module.is_linted = uses_framework(file);
  return module;
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

ModuleIndex::ModuleIndex(const std::deque<Module> &modules) {
  for (const Module &module : modules) {
    if (!module.parts.empty()) {
      by_last_part_[module.parts.back().id].push_back(&module);
    }
  }
}

const std::vector<Symbol> &ModuleIndex::split(Symbol dotted) const {
  static const std::vector<Symbol> kNothing;
  if (!dotted) { // as threads ask that walk functions: for them nothing must change here
    return kNothing;
  }
  const auto [place, is_new] = split_.try_emplace(dotted.id);
  if (is_new) {
    std::string_view text = dotted.text();
    while (!text.empty()) {
      const std::size_t dot = std::min(text.find('.'), text.size());
      place->second.push_back(intern(text.substr(0, dot)));
      text.remove_prefix(std::min(dot + 1, text.size()));
    }
  }
  return place->second;
}

namespace {

// A folder that projects put their packages into.
bool holds_sources(Symbol folder) {
  const std::string_view name = folder.text();
  return name == "src" || name == "lib" || name == "source" || name == "python";
}

} // namespace

const Module *ModuleIndex::find(const Module &importer, Symbol dotted, Symbol name, u32 level) const {
  // Most names that are imported are those of functions and classes, and no file is called so.
  if (name && !by_last_part_.contains(name.id)) {
    return nullptr;
  }
  std::vector<Symbol> both;
  if (name) {
    both = split(dotted);
    both.push_back(name);
  }
  const std::span<const Symbol> wanted = name ? both : split(dotted);
  if (level > 0) {
    // Relative: `from . import x` in package/module.py means package/x.py. A package's own __init__ counts as inside
    // it.
    const std::span<const Symbol> own = importer.parts;
    const std::size_t up = level - (importer.is_package ? 1 : 0);
    if (up > own.size()) {
      return nullptr;
    }
    const std::span<const Symbol> package = own.first(own.size() - up);
    if (package.empty() && wanted.empty()) {
      return nullptr;
    }
    const auto found = by_last_part_.find((wanted.empty() ? package : wanted).back().id);
    if (found == by_last_part_.end()) {
      return nullptr;
    }
    const auto is_meant = [&](const Module *module) {
      const std::span<const Symbol> parts = module->parts;
      return parts.size() == package.size() + wanted.size() && ends_in(parts, wanted) &&
             std::ranges::equal(parts.first(package.size()), package);
    };
    const auto module = std::ranges::find_if(found->second, is_meant);
    return module != found->second.end() ? *module : nullptr;
  }
  if (wanted.empty()) {
    return nullptr;
  }
  const auto found = by_last_part_.find(wanted.back().id);
  if (found == by_last_part_.end()) {
    return nullptr;
  }
  // Absolute: any file whose path ends in these parts could be meant, as the root is not known; the nearest one is.
  const Module *best = nullptr;
  std::size_t best_shared = 0;
  for (const Module *module : found->second) {
    if (module == &importer || !ends_in(module->parts, wanted)) {
      continue;
    }
    // The nearest root wins: best one that also contains the importer, else one beside it (src/, lib/).
    const std::size_t root = module->parts.size() - wanted.size();
    std::size_t shared = std::min(shared_parts(module->parts, importer.parts), root);
    // Below the folder where the check was started, folders side by side may be projects that know nothing of each
    // other; one that only holds sources is not.
    const bool is_elsewhere = shared == 0 && root > 0 && importer.parts.size() > 1 && !holds_sources(module->parts[0]);
    if (root > shared + 1 || is_elsewhere) {
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
  if (const auto *import = python::as<python::Import>(node)) {
    for (const python::Alias *alias : import->names) {
      note_import({alias->name, {}, 0}, file);
    }
  } else if (const auto *from = python::as<python::ImportFrom>(node)) {
    for (const python::Alias *alias : from->names) {
      note_import({from->module, alias->name, from->level}, file);
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

void note_import(const ImportRef &import, ParsedFile &file) {
  if (import.level == 0 && import.module) {
    const std::string_view dotted = import.module.text();
    file.frameworks |= framework_of(dotted.substr(0, dotted.find('.')));
  }
  file.imports.push_back(import);
}

void find_imports(ParsedFile &file) {
  file.frameworks = 0;
  file.near = 0;
  file.reaches_framework = false;
  file.imports.clear();
  for (const python::Stmt *statement : file.tree.body) {
    find_imports_in(statement, file);
  }
}

namespace {

// Which files each file imports, as far as they are among those given.
class ImportGraph {
public:
  // Packages that the tables know are files of the project only `with_known`.
  explicit ImportGraph(const std::deque<Module> &modules, bool with_known = false)
      : modules_(modules), index_(modules), with_known_(with_known) {}

  // Calls `visit` with the number of each file that file `at` imports, and with the import.
  template <class Visit> void each(u32 at, Visit visit) const {
    const auto add_finding = [&](const ImportRef &import, const Module *found) {
      if (found != nullptr) {
        visit(found->file.value, import);
      }
    };
    ImportRef last; // `from a import b, c` comes as two
    bool known = false;
    const Module *package = nullptr;
    for (const ImportRef &import : modules_[at].parsed->imports) {
      if (import.module != last.module || import.level != last.level) {
        last = import;
        const std::string_view text = import.module ? import.module.text() : std::string_view{};
        known = !with_known_ && import.level == 0 && is_known_package(text.substr(0, text.find('.')));
        package = known ? nullptr : index_.find(modules_[at], import.module, {}, import.level);
      }
      add_finding(import, package);
      if (import.name && !known) {
        add_finding(import, index_.find(modules_[at], import.module, import.name, import.level));
      }
    }
  }

private:
  const std::deque<Module> &modules_;
  ModuleIndex index_;
  bool with_known_;
};

std::deque<Module> modules_of(const std::vector<ParsedFile *> &files) {
  std::deque<Module> modules;
  for (const ParsedFile *file : files) {
    modules.push_back(make_module(*file));
    modules.back().file = {static_cast<u32>(modules.size() - 1)};
  }
  return modules;
}

bool is_star(const ImportRef &import) { return import.name && import.name.text() == "*"; }

// What a file has for other files: the frameworks that it stands for, as `from tensorflow import *` makes it.
u8 stands_for(const ParsedFile &file) {
  u8 result = 0;
  for (const ImportRef &import : file.imports) {
    if (is_star(import) && import.level == 0 && import.module) {
      const std::string_view module = import.module.text();
      const std::string_view package = module.substr(0, module.find('.'));
      result |= package == "tensorflow" || package == "torch" || package == "jax" ? framework_of(package) : u8{0};
    }
  }
  return result;
}

// The framework that a name usually means in code that uses it.
u8 framework_named(std::string_view name) {
  if (name == "tf" || name == "tensorflow") {
    return kTensorFlow;
  }
  if (name == "torch") {
    return kTorch;
  }
  return name == "jax" || name == "jnp" ? u8{kJax} : u8{0};
}

// Files that reach a framework through others only: they take a module of the project for it, or use what such a file
// makes.
class Reach {
public:
  Reach(const std::deque<Module> &modules, const ImportGraph &graph, const std::vector<ParsedFile *> &files)
      : modules_(modules), files_(files), importers_(files.size()), star_importers_(files.size()) {
    if (std::ranges::none_of(files, [](const ParsedFile *file) { return file->frameworks != 0; })) {
      return;
    }
    std::vector<u8> stands(files.size());
    for (u32 i = 0; i < files.size(); ++i) {
      stands[i] = files[i]->frameworks != 0 ? stands_for(*files[i]) : u8{0};
    }
    std::vector<std::pair<u32, u8>> taken; // only of what the imports say, not of what is found here
    for (u32 i = 0; i < files.size(); ++i) {
      graph.each(i, [&](u32 other, const ImportRef &import) {
        const u8 named = import.name ? framework_named(import.name.text()) : u8{0};
        taken.emplace_back(i, stands[other] | (named & files[other]->frameworks));
        importers_[other].push_back(i);
        if (is_star(import)) {
          star_importers_[other].push_back(i);
        }
      });
    }
    for (const auto &[file, frameworks] : taken) {
      files[file]->frameworks |= frameworks;
    }
    follow_stars();
    follow_packages();
    follow_all();
  }

private:
  // Calls `step` with each file for which `start` is true, then with each one that it puts into the queue.
  template <class Start, class Step> void spread(Start start, Step step) const {
    std::vector<u32> queue;
    for (u32 i = 0; i < files_.size(); ++i) {
      if (start(*files_[i])) {
        queue.push_back(i);
      }
    }
    while (!queue.empty()) {
      const u32 at = queue.back();
      queue.pop_back();
      step(at, queue);
    }
  }

  // `from common import *` has all that is bound there, `tf` too.
  void follow_stars() const {
    spread([](const ParsedFile &file) { return file.frameworks != 0; },
           [this](u32 at, std::vector<u32> &queue) {
             for (const u32 importer : star_importers_[at]) {
               if ((files_[at]->frameworks & ~files_[importer]->frameworks) != 0) {
                 files_[importer]->frameworks |= files_[at]->frameworks;
                 queue.push_back(importer);
               }
             }
           });
  }

  // Who uses what such a file makes. `from package import Model` reaches what the package's __init__ imports.
  void follow_packages() const {
    spread([](const ParsedFile &file) { return file.frameworks != 0; },
           [this](u32 at, std::vector<u32> &queue) {
             const u8 given = files_[at]->frameworks | (modules_[at].is_package ? files_[at]->near : u8{0});
             for (const u32 importer : importers_[at]) {
               if ((given & ~(files_[importer]->near | files_[importer]->frameworks)) != 0) {
                 files_[importer]->near |= given;
                 if (modules_[importer].is_package) {
                   queue.push_back(importer);
                 }
               }
             }
           });
  }

  // And all others that reach one, however far away it is.
  void follow_all() const {
    spread([](const ParsedFile &file) { return file.frameworks != 0 || file.near != 0; },
           [this](u32 at, std::vector<u32> &queue) {
             for (const u32 importer : importers_[at]) {
               ParsedFile &file = *files_[importer];
               if (file.frameworks == 0 && file.near == 0 && !file.reaches_framework) {
                 file.reaches_framework = true;
                 queue.push_back(importer);
               }
             }
           });
  }

  const std::deque<Module> &modules_;
  const std::vector<ParsedFile *> &files_;
  std::vector<std::vector<u32>> importers_;
  std::vector<std::vector<u32>> star_importers_;
};

} // namespace

u64 bytes_in(const Group &group) {
  return std::accumulate(group.begin(), group.end(), u64{0},
                         [](u64 sum, const ParsedFile *file) { return sum + file->size; });
}

std::vector<Group> group_files(const std::vector<ParsedFile *> &files, bool with_tests) {
  const std::deque<Module> modules = modules_of(files);
  const ImportGraph graph(modules);
  const Reach reach(modules, graph, files);
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
    if (uses_framework(*files[i]) && (with_tests || !modules[i].parsed->is_test)) {
      reached[i] = true;
      queue.push_back(i);
    }
  }
  while (!queue.empty()) {
    const u32 at = queue.back();
    queue.pop_back();
    graph.each(at, [&](u32 other, const ImportRef &) {
      leader[find_leader(other)] = find_leader(at);
      if (!reached[other]) {
        reached[other] = true;
        queue.push_back(other);
      }
    });
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
  std::ranges::stable_sort(groups, std::ranges::greater{}, bytes_in);
  return groups;
}

Group with_imports(const Group &start, const std::vector<ParsedFile *> &files) {
  const std::deque<Module> modules = modules_of(files);
  const ImportGraph graph(modules, true);
  const std::unordered_set<const ParsedFile *> first(start.begin(), start.end());
  std::vector<bool> reached(files.size(), false);
  std::vector<u32> queue;
  for (u32 i = 0; i < files.size(); ++i) {
    if (first.contains(files[i])) {
      reached[i] = true;
      queue.push_back(i);
    }
  }
  while (!queue.empty()) {
    const u32 at = queue.back();
    queue.pop_back();
    graph.each(at, [&](u32 other, const ImportRef &) {
      if (!reached[other]) {
        reached[other] = true;
        queue.push_back(other);
      }
    });
  }
  Group group;
  for (u32 i = 0; i < files.size(); ++i) {
    if (reached[i]) {
      group.push_back(files[i]);
    }
  }
  return group;
}

} // namespace deepperf::model
