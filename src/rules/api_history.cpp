#include "rules/api_history.h"

#include "model/definitions.h"
#include "model/lookup.h"

#include "base/name_table.h"
#include "python/children.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace deepperf::rules {

using namespace python;

namespace {

const std::vector<const ApiHistory *> &all_history() {
  static const std::vector<const ApiHistory *> kAll = [] {
    std::vector<const ApiHistory *> all;
    for (const auto &table : {array_history(), torch_history(), jax_history(), language_history(), service_history(),
                              keras_history(), python_history(), tensorflow_history()}) {
      for (const ApiHistory &history : table) {
        all.push_back(&history);
      }
    }
    return all;
  }();
  return kAll;
}

// By the name under which people write it.
struct WrittenNames {
  std::unordered_map<std::string_view, const ApiHistory *> all;
  std::unordered_map<std::string_view, const ApiHistory *> modules; // that are gone with all that was in them
};

const WrittenNames &written_names() {
  static const WrittenNames kWritten = [] {
    WrittenNames written;
    for (const ApiHistory *history : all_history()) {
      written.all.emplace(history->api, history);
      if (history->is_module) {
        written.modules.emplace(history->api, history);
      }
    }
    return written;
  }();
  return kWritten;
}

// The innermost module around the name, or that it is, which is gone; null if there is none.
const ApiHistory *module_around(std::string_view name) {
  const auto &modules = written_names().modules;
  for (;;) {
    if (const auto found = modules.find(name); found != modules.end()) {
      return found->second;
    }
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) {
      return nullptr;
    }
    name = name.substr(0, dot);
  }
}

// Is that row about one of several places of a class? The engine takes `transformers.pytorch_utils.Conv1D` and
// `transformers.modeling_utils.Conv1D` for one class, `transformers.Conv1D`, of which only the second place is gone.
bool is_of_one_place(const ApiHistory &history, std::string_view canonical) {
  return canonical.size() < history.api.size() &&
         canonical.substr(0, canonical.find('.')) == history.api.substr(0, history.api.find('.')) &&
         canonical.substr(canonical.rfind('.') + 1) == history.api.substr(history.api.rfind('.') + 1);
}

const NameTable &names() {
  static const NameTable kNames = [] {
    NameTable table;
    for (std::size_t i = 0; i < all_history().size(); ++i) {
      const ApiHistory &history = *all_history()[i];
      const Symbol name = canonical_name(history.api);
      // The engine takes a loader of PyTorch Geometric for one of PyTorch, whose history is another one.
      const bool is_of_another = !history.api.starts_with("torch.") && name.text().starts_with("torch.");
      if (!history.api.starts_with("keras.") && !is_of_another && !is_of_one_place(history, name.text()) &&
          !table.has(name)) {
        table.add(name.text(), i + 1);
      }
    }
    return table;
  }();
  return kNames;
}

// The engine takes what Keras has under several names for one thing.
bool counts_as_written(const ApiHistory &history) {
  return history.api.starts_with("tensorflow.") || history.api.starts_with("keras.");
}

// The last parts of the names that count only as they are written, because other places of them are still there.
const std::unordered_set<std::string_view> &names_of_one_place() {
  static const std::unordered_set<std::string_view> kNames = [] {
    std::unordered_set<std::string_view> last_parts;
    for (const ApiHistory *history : all_history()) {
      if (is_of_one_place(*history, canonical_name(history->api).text())) {
        last_parts.insert(history->api.substr(history->api.rfind('.') + 1));
      }
    }
    return last_parts;
  }();
  return kNames;
}

// What the imports at the top of a file bind, with the names that are written there; empty where there are several.
struct WrittenImports {
  std::unordered_map<u32, std::string> module_of_name;

  void add(Symbol name, std::string module) {
    const auto [place, is_new] = module_of_name.try_emplace(name.id, std::move(module));
    if (!is_new && place->second != module) {
      place->second.clear();
    }
  }
};

WrittenImports imports_of(const model::Module &module) {
  WrittenImports imports;
  for (const Stmt *statement : module.parsed->tree.body) {
    if (const auto *import = as<Import>(statement)) {
      for (const Alias *alias : import->names) {
        const std::string_view whole = alias->name.text();
        const bool is_renamed = static_cast<bool>(alias->asname);
        const std::string_view bound = is_renamed ? whole : whole.substr(0, whole.find('.'));
        imports.add(is_renamed ? alias->asname : intern(bound), std::string(bound));
      }
    } else if (const auto *from = as<ImportFrom>(statement); from != nullptr && from->level == 0 && from->module) {
      for (const Alias *alias : from->names) {
        imports.add(alias->asname ? alias->asname : alias->name,
                    std::string(from->module.text()) + "." + std::string(alias->name.text()));
      }
    }
  }
  return imports;
}

// The name that an expression spells, through the file's imports: `tf.log` is `tensorflow.log`.
std::string written_name(const Site &site, const Node &node) {
  if (const auto *attribute = as<Attribute>(&node)) {
    const std::string before = written_name(site, *attribute->value);
    return before.empty() ? before : before + "." + std::string(attribute->attr.text());
  }
  const auto *name = as<Name>(&node);
  if (name == nullptr) {
    return {};
  }
  const auto &imports =
      site.memory.recall<WrittenImports>(site.module, [&site] { return imports_of(*site.module); }).module_of_name;
  const auto found = imports.find(name->id.id);
  return found != imports.end() ? found->second : std::string{};
}

bool mentions_version(const Node *node) {
  Symbol name;
  if (const auto *plain = as<Name>(node)) {
    name = plain->id;
  } else if (const auto *attribute = as<Attribute>(node)) {
    name = attribute->attr;
  }
  if (name) {
    const std::string_view text = name.text();
    if (text == "hasattr" || text.find("version") != std::string_view::npos ||
        text.find("VERSION") != std::string_view::npos || text.starts_with("is_torch_") || text.starts_with("TORCH_")) {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&found](const Node *child) { found = found || mentions_version(child); });
  return found;
}

} // namespace

const ApiHistory *find_history(Symbol api) {
  if (const u64 place = names()[api]; place != 0) {
    return all_history()[place - 1];
  }
  // What was in a module that is gone.
  const ApiHistory *const module = module_around(api.text());
  return module != nullptr && !counts_as_written(*module) ? module : nullptr;
}

namespace {

// The engine takes `trl.experimental.ppo.PPOTrainer` for `trl.PPOTrainer`, which became that.
bool is_moved(std::string_view written) { return written.find(".experimental.") != std::string_view::npos; }

} // namespace

const ApiHistory *history_of(const Site &site, const Node &node) {
  const model::Value value =
      node.context == Context::Load ? value_of(site, static_cast<const Expr *>(&node)) : model::Value{};
  if (!value.is(model::Value::Tag::Api) || value.v1) {
    return nullptr;
  }
  const ApiHistory *history = find_history(value.name());
  if (node.kind == NodeKind::Attribute && (history == nullptr || counts_as_written(*history)) &&
      value.name().text().starts_with("tensorflow.")) {
    const std::string written = written_name(site, node);
    const auto found = written_names().all.find(written);
    history = found != written_names().all.end() ? found->second : nullptr;
  }
  if (const auto *attribute = as<Attribute>(&node);
      history == nullptr && attribute != nullptr && names_of_one_place().contains(attribute->attr.text())) {
    const auto found = written_names().all.find(written_name(site, node));
    history = found != written_names().all.end() ? found->second : nullptr;
  }
  if (history != nullptr && history->package == "trl" && is_moved(written_name(site, node))) {
    return nullptr;
  }
  return history == nullptr || !counts_as_written(*history) || node.kind == NodeKind::Attribute ? history : nullptr;
}

const ApiHistory *history_of_import(std::string_view module, std::string_view name) {
  std::string whole(module);
  if (!name.empty()) {
    whole += '.';
    whole += name;
    if (const auto found = written_names().all.find(whole); found != written_names().all.end()) {
      return found->second;
    }
  }
  if (const ApiHistory *const around = module_around(whole)) {
    return around;
  }
  // Lightning and others go by several names.
  const Symbol canonical = canonical_name(whole);
  const ApiHistory *const history = canonical.text() != whole && !is_moved(whole) ? find_history(canonical) : nullptr;
  return history != nullptr && !counts_as_written(*history) ? history : nullptr;
}

std::vector<std::string_view> historic_names() {
  std::vector<std::string_view> parts;
  for (const ApiHistory *history : all_history()) {
    parts.push_back(history->api.substr(history->api.rfind('.') + 1));
  }
  return parts;
}

namespace {

using project::Version;

// What a project's version of one library says of another: with `other` below `other_below`, `package` is below
// `package_below`.
struct Implied {
  std::string_view other;
  Version other_below;
  std::string_view package;
  Version package_below;
};

// Sources: the compatibility tables of torchvision, torchaudio and torchtext; the Requires-Python and Requires-Dist of
// the packages on PyPI. TensorFlow 1 needs a NumPy below 1.22, and before 2.16 one below 2.
constexpr auto kImplied = std::to_array<Implied>({
    {"tensorflow", {2, 0, 0}, "numpy", {1, 22, 0}},
    {"tensorflow", {2, 16, 0}, "numpy", {2, 0, 0}},
    {"tensorflow", {2, 16, 0}, "keras", {3, 0, 0}},
    {"torch", {1, 8, 0}, "torchvision", {0, 9, 0}},
    {"torch", {1, 8, 0}, "torchtext", {0, 9, 0}},
    {"torch", {1, 8, 0}, "torchaudio", {0, 8, 0}},
    {"torch", {1, 11, 0}, "torchvision", {0, 12, 0}},
    {"torch", {1, 11, 0}, "torchtext", {0, 12, 0}},
    {"torch", {1, 11, 0}, "torchaudio", {0, 11, 0}},
    {"torch", {1, 13, 0}, "torchvision", {0, 14, 0}},
    {"torch", {2, 0, 0}, "torchvision", {0, 15, 0}},
    {"torch", {2, 0, 0}, "torchtext", {0, 15, 0}},
    {"torch", {2, 0, 0}, "torchaudio", {2, 0, 0}},
    {"torch", {2, 2, 0}, "torchvision", {0, 17, 0}},
    {"torch", {2, 2, 0}, "torchaudio", {2, 2, 0}},
    {"torch", {2, 9, 0}, "torchaudio", {2, 9, 0}},
    {"transformers", {5, 0, 0}, "huggingface-hub", {1, 0, 0}},
    {"python", {3, 8, 0}, "numpy", {1, 22, 0}},
    {"python", {3, 8, 0}, "scipy", {1, 8, 0}},
    {"python", {3, 8, 0}, "pandas", {1, 4, 0}},
    {"python", {3, 8, 0}, "scikit-learn", {1, 1, 0}},
    {"python", {3, 8, 0}, "scikit-image", {0, 20, 0}},
    {"python", {3, 8, 0}, "matplotlib", {3, 6, 0}},
    {"python", {3, 8, 0}, "networkx", {2, 7, 0}},
    {"python", {3, 8, 0}, "pillow", {9, 6, 0}},
    {"python", {3, 8, 0}, "torch", {2, 0, 0}},
    {"python", {3, 8, 0}, "torchvision", {0, 15, 0}},
    {"python", {3, 8, 0}, "torchaudio", {2, 0, 0}},
    {"python", {3, 8, 0}, "torchtext", {0, 15, 0}},
    {"python", {3, 8, 0}, "pytorch-lightning", {2, 0, 0}},
    {"python", {3, 8, 0}, "tensorflow", {2, 12, 0}},
    {"python", {3, 8, 0}, "keras", {2, 12, 0}},
    {"python", {3, 8, 0}, "jax", {0, 4, 0}},
    {"python", {3, 8, 0}, "transformers", {4, 31, 0}},
    {"python", {3, 9, 0}, "numpy", {1, 25, 0}},
    {"python", {3, 9, 0}, "scipy", {1, 11, 0}},
    {"python", {3, 9, 0}, "pandas", {2, 1, 0}},
    {"python", {3, 9, 0}, "scikit-learn", {1, 4, 0}},
    {"python", {3, 9, 0}, "scikit-image", {0, 22, 0}},
    {"python", {3, 9, 0}, "matplotlib", {3, 8, 0}},
    {"python", {3, 9, 0}, "networkx", {3, 2, 0}},
    {"python", {3, 9, 0}, "pillow", {10, 5, 0}},
    {"python", {3, 9, 0}, "torch", {2, 5, 0}},
    {"python", {3, 9, 0}, "torchaudio", {2, 5, 0}},
    {"python", {3, 9, 0}, "tensorflow", {2, 14, 0}},
    {"python", {3, 9, 0}, "keras", {3, 0, 0}},
    {"python", {3, 9, 0}, "jax", {0, 4, 14}},
    {"python", {3, 9, 0}, "transformers", {4, 47, 0}},
});

// Do the versions of other libraries keep the package below that version?
bool is_kept_below(const project::Requirements &requirements, std::string_view package, const Version &wanted) {
  return std::ranges::any_of(kImplied, [&](const Implied &implied) {
    if (implied.package != package || implied.package_below > wanted) {
      return false;
    }
    const auto other = requirements.find(implied.other);
    return other != requirements.end() && other->second.below.has_value() &&
           *other->second.below <= implied.other_below;
  });
}

// `!pip install "transformers==4.37.2"`, also `%pip` and with `\` at line ends: what a notebook installs for itself.
std::string lines_that_install(std::string_view text) {
  std::string found;
  bool goes_on = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(std::string_view("\n\0", 2)), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool is_command = line.starts_with('!') || line.starts_with('%');
    if (goes_on ||
        (is_command && line.find("pip") != std::string_view::npos && line.find(" install") != std::string_view::npos)) {
      goes_on = line.ends_with('\\');
      found.append(line).push_back('\n');
    }
  }
  return found;
}

struct Installed {
  project::Requirements packages;
};

// What the project requires, with what its own packages do that the file imports, if there are any around it: an
// example of a library may have requirements of its own.
struct WithImported {
  std::optional<project::Requirements> packages; // nothing where the folder of the file says everything
};

WithImported requirements_with_imported(const model::Module &module) {
  std::vector<std::string_view> imported;
  for (const Stmt *statement : module.parsed->tree.body) {
    if (const auto *import = as<Import>(statement)) {
      for (const Alias *alias : import->names) {
        imported.push_back(alias->name.text());
      }
    } else if (const auto *from = as<ImportFrom>(statement); from != nullptr && from->level == 0 && from->module) {
      imported.push_back(from->module.text());
    }
  }
  for (std::string_view &name : imported) {
    name = name.substr(0, name.find('.'));
  }
  std::ranges::sort(imported);
  imported.erase(std::ranges::unique(imported).begin(), imported.end());
  WithImported found;
  for (const std::string_view name : imported) {
    if (const auto folder = project::folder_that_packages(module.parsed->path, name)) {
      if (!found.packages.has_value()) {
        found.packages = project::requirements_of(module.parsed->path);
      }
      project::add_all(*found.packages, project::requirements_of(*folder + "setup.py"));
    }
  }
  // examples/run.py imports pack.gym, which is in library/pack: what library/requirements.txt says counts as well.
  std::vector<std::pair<u32, const model::Module *>> targets; // in the order of the file
  for (const auto &[node, target] : module.import_targets) {
    const auto *from = as<ImportFrom>(node);
    if (target != nullptr && (from == nullptr || from->level == 0)) {
      targets.emplace_back(node->start, target);
    }
  }
  std::ranges::sort(targets, {}, [](const auto &one) { return one.first; });
  std::vector<std::string> asked;
  for (const auto &[start, target] : targets) {
    const std::string &path = target->parsed->path;
    std::string folder = path.substr(0, path.rfind('/') + 1);
    if (std::ranges::find(asked, folder) != asked.end() || module.parsed->path.starts_with(folder)) {
      continue;
    }
    if (!found.packages.has_value()) {
      found.packages = project::requirements_of(module.parsed->path);
    }
    project::add_all(*found.packages, project::requirements_of(path));
    asked.push_back(std::move(folder));
  }
  return found;
}

// What holds for the file: what it installs itself, if it is a notebook, and else what the project requires.
const project::Requirements &requirements_for(const Site &site, std::string_view package) {
  const Source &source = site.module->parsed->source;
  if (source.is_notebook) {
    const auto find = [&source] {
      Installed found;
      project::add_requirements(lines_that_install(source.text()), found.packages);
      return found;
    };
    const project::Requirements &own = site.memory.recall<Installed>(site.module, find).packages;
    const auto known = own.find(package);
    if (known != own.end() && (known->second.at_least.has_value() || known->second.below.has_value())) {
      return own;
    }
  }
  const auto &imported =
      site.memory.recall<WithImported>(site.module, [&site] { return requirements_with_imported(*site.module); })
          .packages;
  return imported.has_value() ? *imported : project::requirements_of(site.module->parsed->path);
}

} // namespace

Status status_in(const Site &site, std::string_view package, std::string_view since) {
  const std::optional<project::Version> wanted = project::parse_version(since);
  const project::Requirements &requirements = requirements_for(site, package);
  const auto range = requirements.find(package);
  if (wanted.has_value() && is_kept_below(requirements, package, *wanted)) {
    return Status::Fine;
  }
  if (package == "python" && site.module->parsed->tree.is_python2) {
    return Status::Fine;
  }
  if (!wanted.has_value() || range == requirements.end() ||
      (!range->second.at_least.has_value() && !range->second.below.has_value())) {
    return Status::Unknown;
  }
  if (range->second.below.has_value() && *range->second.below <= *wanted) {
    return Status::Fine;
  }
  return range->second.at_least.has_value() && *range->second.at_least >= *wanted ? Status::Gone : Status::Unknown;
}

bool may_be_older(const Site &site, std::string_view package, std::string_view since) {
  const Status status = status_in(site, package, since);
  const project::Requirements &requirements = requirements_for(site, package);
  const auto range = requirements.find(package);
  return status == Status::Fine || (status == Status::Unknown && range != requirements.end() &&
                                    range->second.at_least.has_value()); // which is older, or it were Gone
}

bool does_the_same(const Site &site, const ApiHistory &history) {
  if (history.api == "numpy.bool") {
    // NumPy 2 has the name again, for its own type, and isinstance() tells the two apart.
    return status_in(site, "numpy", history.back) == Status::Fine;
  }
  if (history.api == "numpy.in1d") {
    return false; // isin() keeps the shape, which in1d() flattened
  }
  if (history.renamed_to.starts_with("jax.tree.")) {
    return status_in(site, "jax", "0.4.25") == Status::Gone; // which brought jax.tree
  }
  return history.package != "peft"; // the new function casts other parameters than the old one
}

namespace {

// Names that a class or comprehension binds, with all that is inside.
const std::unordered_set<u32> &names_stored_in(const Site &site, const Node &around) {
  struct StoredNames {
    std::unordered_set<u32> all;
  };
  return site.memory
      .recall<StoredNames>(&around,
                           [&] {
                             StoredNames found;
                             any_node_inside(&around, [&found](const Node *node) {
                               const auto *plain = as<Name>(node);
                               const auto *definition = as<FunctionDef>(node);
                               if (plain != nullptr && plain->context != Context::Load) {
                                 found.all.insert(plain->id.id);
                               } else if (definition != nullptr) {
                                 found.all.insert(definition->name.id);
                               }
                               return false;
                             });
                             return found;
                           })
      .all;
}

bool has_star_import(const Site &site) {
  struct HasStarImport {
    bool value = false;
  };
  const auto opens_module = [](const Node *node) {
    const auto *import = as<ImportFrom>(node);
    return import != nullptr && import->names.size() == 1 && import->names[0]->name.text() == "*";
  };
  return site.memory
      .recall<HasStarImport>(
          site.module, [&] { return HasStarImport{std::ranges::any_of(site.module->parsed->tree.body, opens_module)}; })
      .value;
}

} // namespace

bool is_rebound(const Site &site, std::string_view builtin) {
  const Symbol name = intern(builtin);
  const auto is_bound_by = [name](const model::FunctionInfo *scope) {
    return scope != nullptr && std::ranges::binary_search(scope->names, name.id);
  };
  for (const model::FunctionInfo *scope = site.function; scope != nullptr; scope = scope->parent) {
    if (is_bound_by(scope)) {
      return true;
    }
  }
  if (is_bound_by(site.module->body)) {
    return true;
  }
  // Names of a class body and of comprehensions are nobody's slots.
  const bool is_stored_around = std::ranges::any_of(site.ancestors, [&](const Node *node) {
    const bool binds = node->kind == NodeKind::ClassDef || node->kind == NodeKind::ListComp ||
                       node->kind == NodeKind::SetComp || node->kind == NodeKind::DictComp ||
                       node->kind == NodeKind::GeneratorExp;
    return binds && names_stored_in(site, *node).contains(name.id);
  });
  return is_stored_around || has_star_import(site);
}

std::string required_version(const Site &site, std::string_view package, std::string_view since) {
  const project::Requirements &requirements = requirements_for(site, package);
  const auto range = requirements.find(package);
  if (status_in(site, package, since) != Status::Gone || range == requirements.end() || range->second.where.empty()) {
    return {};
  }
  const project::Version version = *range->second.at_least;
  return fmt::format(", and this project requires {}.{}{} or newer ({})", version.major, version.minor,
                     version.patch != 0 ? fmt::format(".{}", version.patch) : std::string{}, range->second.where);
}

bool concerns_upgrade(Status status, std::string_view package) {
  return status == Status::Fine && package != "tensorflow" && package != "keras" && package != "numpy" &&
         package != "python";
}

void report_for_upgrade(Finding &finding, const Site &site, std::string_view package) {
  const project::Requirements &requirements = requirements_for(site, package);
  const auto range = requirements.find(package);
  finding.message += range != requirements.end() && !range->second.where.empty()
                         ? fmt::format("; this project requires an older version ({})", range->second.where)
                         : "; this project requires an older version";
  finding.tier = Tier::Hint;
  finding.severity = Severity::Note;
  finding.fix.reset();
}

namespace {

// Do the statements give the name something that a version decides: `OLD = int(torch.__version__[0]) < 2`,
// `major, minor = parse_version()`, or another such name?
bool is_made_of_version(const Block &body, Symbol name, u32 depth) {
  constexpr u32 kMostNames = 3;
  return depth < kMostNames && any_node(body, [&](const Node *node) {
           const auto *assignment = as<Assign>(node);
           if (assignment == nullptr || !any_node(assignment->targets[0], [name](const Node *part) {
                 const auto *target = as<Name>(part);
                 return target != nullptr && target->id == name && target->context == Context::Store;
               })) {
             return false;
           }
           const auto *other = as<Name>(assignment->value);
           return mentions_version(assignment->value) ||
                  (other != nullptr && other->id != name && is_made_of_version(body, other->id, depth + 1));
         });
}

// `OLD_LIGHTNING = int(pytorch_lightning.__version__[0]) < 2` at the top of the file, or in the function
bool is_version_flag(const Site &site, const Node *test) {
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  return any_node(test, [&](const Node *part) {
    const auto *name = as<Name>(part);
    return name != nullptr && (is_made_of_version(site.module->parsed->tree.body, name->id, 0) ||
                               (definition != nullptr && is_made_of_version(definition->body, name->id, 0)));
  });
}

} // namespace

namespace {

// `np.float = np.float_` somewhere in the project: it puts the name back itself.
bool is_put_back(const Site &site, std::string_view api) {
  const std::size_t dot = api.rfind('.');
  if (dot == std::string_view::npos) {
    return false;
  }
  const auto &stores = model::definitions_of(site.project).attribute_stores;
  const auto known = stores.find(intern(api.substr(dot + 1)).id);
  return known != stores.end() && std::ranges::any_of(known->second, [&](const model::AttributeStore &store) {
           const model::Value owner = model::value_of(model::scope_of(site.project, *store.function), store.object);
           return owner.is(model::Value::Tag::Api) && owner.name().text() == api.substr(0, dot);
         });
}

} // namespace

namespace {

// `except KeyboardInterrupt:` around a whole program says nothing of versions.
bool catches_missing_names(const ExceptHandler *handler) {
  constexpr std::string_view kOthers[] = {"KeyboardInterrupt", "StopIteration", "EOFError",  "FileNotFoundError",
                                          "IOError",           "OSError",       "SystemExit"};
  const auto is_other = [&](const Expr *type) {
    const auto *name = as<Name>(type);
    return name != nullptr && std::ranges::find(kOthers, name->id.text()) != std::end(kOthers);
  };
  if (const auto *several = as<Tuple>(handler->type)) {
    return !std::ranges::all_of(several->elts, is_other);
  }
  return handler->type == nullptr || !is_other(handler->type);
}

} // namespace

bool is_version_guarded(const Site &site, std::string_view api) {
  if (is_put_back(site, api)) {
    return true;
  }
  // `if hasattr(nn.utils.parametrizations, "weight_norm")` stands somewhere in the file: it knows of both.
  const std::string_view last = api.substr(api.rfind('.') + 1);
  if (!last.empty()) {
    const std::string quoted = "\"" + std::string(last) + "\")";
    const std::string singly = "'" + std::string(last) + "')";
    if (file_has_word(site, {"hasattr("}) && file_has_word(site, {quoted, singly})) {
      return true;
    }
  }
  return std::ranges::any_of(site.ancestors, [&site](const Node *node) {
    if (node->kind == NodeKind::Try) {
      return std::ranges::any_of(static_cast<const Try *>(node)->handlers, catches_missing_names);
    }
    const Node *test = node->kind == NodeKind::If      ? static_cast<const If *>(node)->test
                       : node->kind == NodeKind::IfExp ? static_cast<const IfExp *>(node)->test
                                                       : nullptr;
    return test != nullptr && (mentions_version(test) || is_version_flag(site, test));
  });
}

} // namespace deepperf::rules
