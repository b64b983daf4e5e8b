// Modules, names and imports.
#include "model/declare.h"
#include "shapes/interpreter.h"

#include <algorithm>
#include <map>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

Frame *Interpreter::frame_of(const model::Module *module) {
  const auto known = modules_.find(module);
  if (known != modules_.end()) {
    return known->second;
  }
  Frame *const frame = heap.new_frame(nullptr, module);
  modules_[module] = frame;
  run_module(module, *frame);
  return frame;
}

void Interpreter::run_module(const model::Module *module, Frame &frame) {
  const StateKeeper keeper(*this);
  const u64 used = used_;
  const auto was_lost = lost;
  const std::vector<Symbol> was_at = std::move(path);
  path.clear();
  quiet_ = no_grad_ = autocast_ = 0;
  used_ = 0;
  const Heap::Suspended suspended(heap); // a module is run once, also if a branch asks for it
  module_runs.push_back({.module = module->index, .modes = modes()});
  const u32 owner = std::exchange(heap.owner, module->index + 1);
  frame.owner = heap.owner;
  frame_ = &frame;
  exec(module->parsed->tree.body);
  heap.owner = owner;
  used_ = used;
  lost = was_lost;
  path = was_at;
}

// The file of a package that the tables know, if the project has its source: who asks for the shapes of a model wants
// them also where it is one of a library's. A check takes what the tables say.
const model::Module *Interpreter::source_called(std::string_view dotted) {
  if (!keeps_details || module() == nullptr || !model::is_known_package(dotted.substr(0, dotted.find('.')))) {
    return nullptr;
  }
  if (!index_) {
    index_.emplace(project.modules);
  }
  return index_->find(*module(), intern(dotted), {}, 0);
}

// The first of the project's files that is this module of the package.
const model::Module *Interpreter::submodule(const model::Module &package, Symbol name) {
  const auto key = [](const model::Module &around, Symbol inside) { return u64{around.index} << 32U | inside.id; };
  if (!submodules_) {
    submodules_.emplace();
    std::map<std::vector<u32>, std::vector<const model::Module *>> packages;
    const auto ids = [](const model::Module &module, std::size_t count) {
      std::vector<u32> found(count);
      std::transform(module.parts.begin(), module.parts.begin() + static_cast<std::ptrdiff_t>(count), found.begin(),
                     [](Symbol part) { return part.id; });
      return found;
    };
    for (const model::Module &module : project.modules) {
      packages[ids(module, module.parts.size())].push_back(&module);
    }
    for (const model::Module &module : project.modules) {
      const auto around = module.parts.empty() ? packages.end() : packages.find(ids(module, module.parts.size() - 1));
      if (around != packages.end()) {
        for (const model::Module *one : around->second) {
          submodules_->try_emplace(key(*one, module.parts.back()), &module);
        }
      }
    }
  }
  const auto found = submodules_->find(key(package, name));
  return found != submodules_->end() ? found->second : nullptr;
}

const model::Module *Interpreter::imported_from(const Node *node, std::string_view dotted) {
  const auto found = module()->import_targets.find(node);
  return found != module()->import_targets.end() ? found->second.get() : source_called(dotted);
}

void Interpreter::exec_import(const Import *statement) {
  for (const Alias *alias : statement->names) {
    const std::string_view dotted = alias->name.text();
    const std::string_view top = dotted.substr(0, dotted.find('.'));
    const model::Module *const found = imported_from(alias, dotted);
    const Value value = found != nullptr ? Value::of(found) : Value::api(canonical_name(dotted));
    if (alias->asname) {
      bind(alias->asname, value);
    } else if (top.size() == dotted.size()) {
      bind(alias->name, value);
    } else {
      bind(intern(top), Value::api(intern(top)));
    }
  }
}

// Only names that the engine, too, hands on: it bounds how many they are, in chains of files that each hand on all
// before them.
void Interpreter::take_star_names(const model::Module &package) {
  const Names names = frame_of(&package)->content.names; // a copy: the package may import this module
  heap.note_copied(names.size());
  for (const auto &[id, value] : names) {
    const Symbol name{id};
    const bool is_bounded = module() == nullptr || module()->body->slot_of(name) != model::FunctionInfo::kNoSlot;
    if (!value.is_absent() && is_bounded && model::is_exported(package, name)) {
      bind(name, value);
    }
  }
}

void Interpreter::exec_import_from(const ImportFrom *statement) {
  const std::string_view dotted = statement->module ? statement->module.text() : std::string_view{};
  const model::Module *const package = imported_from(statement, statement->level == 0 ? dotted : std::string_view{});
  for (const Alias *alias : statement->names) {
    const std::string_view name = alias->name.text();
    if (name == "*") {
      if (package != nullptr && package != module()) {
        take_star_names(*package);
      }
      continue;
    }
    const Symbol target = alias->asname ? alias->asname : alias->name;
    const model::Module *const submodule =
        imported_from(alias, statement->level == 0 ? std::string(dotted) + "." + std::string(name) : std::string{});
    Value value;
    if (package != nullptr && package != module()) {
      const Names &names = frame_of(package)->content.names;
      if (const auto found = names.find(alias->name.id); found != names.end() && !found->second.is(Tag::Undefined)) {
        bind(target, found->second);
        continue;
      }
    }
    if (submodule != nullptr) {
      value = Value::of(submodule);
    } else if (package == nullptr && statement->level == 0) {
      value = Value::api(canonical_name(std::string(dotted) + "." + std::string(name)));
    }
    bind(target, value);
  }
}

void Interpreter::bind(Symbol name, const Value &value) {
  Frame *frame = frame_;
  if (!frame->globals.empty() && std::ranges::find(frame->globals, name) != frame->globals.end()) {
    Frame *outer = frame->outer;
    while (outer != nullptr && outer->outer != nullptr && find_name(outer->content.names, name.id) == nullptr) {
      outer = outer->outer;
    }
    frame = outer != nullptr ? outer : frame;
  }
  if (frame->outer == nullptr && frame->function == nullptr) {
    const Value *const old = find_name(frame->content.names, name.id);
    const bool is_same = old == nullptr || (old->tag == value.tag && old->small == value.small &&
                                            old->number == value.number && old->integer == value.integer);
    if (!is_same) {
      const auto place = std::ranges::lower_bound(frame->rebound, name.id);
      if (place == frame->rebound.end() || *place != name.id) {
        frame->rebound.insert(place, name.id);
      }
    }
  }
  heap.bind(*frame, name.id, value);
}

Value Interpreter::look_up(Symbol name) {
  for (const Frame *frame = frame_; frame != nullptr; frame = frame->outer) {
    if (frame->is_class && frame != frame_) {
      continue;
    }
    const auto found = frame->content.names.find(name.id);
    if (found != frame->content.names.end() && !found->second.is(Tag::Undefined)) {
      if (globals_may_differ && frame != frame_ && std::ranges::binary_search(frame->rebound, name.id)) {
        return {};
      }
      return found->second;
    }
  }
  if (module() != nullptr) {
    for (const Symbol star : module()->stars) {
      const Symbol dotted = canonical_name(std::string(star.text()) + "." + std::string(name.text()));
      if (find_api(dotted) != nullptr) {
        return Value::api(dotted);
      }
    }
  }
  // A builtin: what the tables list without dots.
  return find_api(name) != nullptr || spec_of(name) != nullptr ? Value::api(name) : Value();
}

} // namespace deepperf::shapes
