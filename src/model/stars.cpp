#include "model/stars.h"

#include "model/bind.h"
#include "model/declare.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>
#include <iterator>

namespace deepperf::model {

using namespace python;

// `__all__ = ["a", "b"]` at a module's top, perhaps with more added.
void read_exports(Module &module) {
  const auto add = [&module](const Expr *list) {
    for_each_child(list, [&module](const Node *item) {
      if (const StringConstant *text = as_string(item)) {
        module.exports.push_back(intern(string_value(module.parsed->source, *text)));
      }
    });
  };
  for (const Stmt *statement : module.parsed->tree.body) {
    const auto *assignment = as<Assign>(statement);
    const auto *more = as<AugAssign>(statement);
    const Expr *target = assignment != nullptr ? assignment->targets[0] : more != nullptr ? more->target : nullptr;
    const Expr *value = assignment != nullptr ? assignment->value : more != nullptr ? more->value : nullptr;
    const auto *name = target != nullptr ? as<Name>(target) : nullptr;
    if (name == nullptr || name->id.text() != "__all__") {
      continue;
    }
    if (value->kind != NodeKind::List && value->kind != NodeKind::Tuple) {
      module.exports.clear(); // made in a way that cannot be read: as if there were none
      return;
    }
    add(value);
  }
  std::ranges::sort(module.exports, {}, &Symbol::id);
}

// `from x import *` binds the names that x exports. Packages hand them on, so it takes a few rounds.
void collect_stars(Project &project, const ModuleIndex &index) {
  constexpr u32 kRounds = 4;
  constexpr std::size_t kMostNames = 5000; // of a module
  // Of all modules together: a chain of files that each hand on all names before them would have the square.
  std::size_t most_added = 10'000;
  std::size_t most_compared = 1'000'000; // many files that each take all names of a large one
  struct Star {
    Module *into = nullptr;
    const Module *from = nullptr;
  };
  std::vector<Star> stars;
  for (Module &module : project.modules) {
    for (const ImportRef &import : module.parsed->imports) {
      if (!import.name || import.name.text() != "*") {
        continue;
      }
      const Module *from = index.find(module, import.module, {}, import.level);
      if (from != nullptr && from != &module) {
        stars.push_back({&module, from});
      }
    }
  }
  if (stars.empty()) {
    return;
  }
  for (Module &module : project.modules) {
    read_exports(module);
    most_added += 16 * module.body->names.size();
    most_compared += 256 * module.body->names.size();
  }
  for (u32 round = 0; round < kRounds; ++round) {
    bool changed = false;
    for (const Star &star : stars) {
      FunctionInfo &body = *star.into->body;
      if (star.from->body->names.size() > most_compared) {
        return;
      }
      most_compared -= star.from->body->names.size();
      std::vector<u32> added;
      for (const u32 name : star.from->body->names) {
        if (is_exported(*star.from, Symbol{name}) && body.slot_of(Symbol{name}) == FunctionInfo::kNoSlot) {
          added.push_back(name);
        }
      }
      if (added.empty() || body.names.size() + added.size() > kMostNames || added.size() > most_added) {
        continue;
      }
      most_added -= added.size();
      std::vector<u32> names;
      std::ranges::merge(body.names, added, std::back_inserter(names));
      set_names(body, names, project.values);
      changed = true;
    }
    if (!changed) {
      return;
    }
  }
}

bool is_exported(const Module &module, Symbol name) {
  return module.exports.empty() ? !name.text().starts_with('_')
                                : std::ranges::binary_search(module.exports, name.id, {}, &Symbol::id);
}

} // namespace deepperf::model
