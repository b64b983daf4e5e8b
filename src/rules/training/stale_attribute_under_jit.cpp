#include "base/known_names.h"
#include "base/steps.h"
#include "model/bind.h"
#include "model/classes.h"
#include "model/constants.h"
#include "model/definitions.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace deepperf::rules::stale_attribute_under_jit {

using namespace python;
using model::ClassInfo;
using model::FunctionInfo;

namespace {

// A plain Python class: those of Flax and Equinox are trees of arrays, whose attributes are traced.
bool is_plain(const ClassInfo &type) {
  static const Symbol kHash = intern("__hash__");
  static const Symbol kEquals = intern("__eq__");
  return std::ranges::all_of(type.mro, [](const ClassInfo *at) {
    const bool has_foreign =
        at->parents.size() != at->node->bases.size() && std::ranges::any_of(at->bases, [](const model::Value &base) {
          return !base.is(model::Value::Tag::Class) &&
                 !(base.is(model::Value::Tag::Api) && base.name().text() == "object");
        });
    // Compared by their attributes, changed objects are compiled for again.
    return !has_foreign && at->node->decorators.empty() && !at->members.contains(kHash.id) &&
           !at->members.contains(kEquals.id);
  });
}

// A place that stores to an attribute again and again while the program runs.
struct Store {
  const FunctionInfo *function = nullptr;
  const Node *place = nullptr;
};

// `self.name = …` in a loop of a method, or in a method that is called from one; not in the constructor.
Store changed_in_loop(const ClassInfo &type, Symbol name) {
  for (const ClassInfo *at : type.mro) {
    const auto cell = at->attributes.find(name.id);
    if (cell == at->attributes.end()) {
      continue;
    }
    for (const auto &[member, value] : at->members) {
      const FunctionInfo *function = value.is(model::Value::Tag::Function) ? value.function : nullptr;
      if (function == nullptr || function->name == known::sym_init || function->tracers != 0 || function->traced ||
          function->definition() == nullptr ||
          std::ranges::none_of(function->own_stores, [name](Symbol stored) { return stored == name; })) {
        continue;
      }
      Store found;
      any_node(function->definition()->body, [&](const Node *node) {
        const auto *attribute = as<Attribute>(node);
        if (attribute == nullptr || attribute->context != Context::Store || attribute->attr != name ||
            !model::is_own_object(*function, attribute->value)) {
          return false;
        }
        const bool is_repeated =
            function->in_loop || std::ranges::any_of(function->loops, [&](const model::Loop *loop) {
              return !loop->few_iterations && contains(loop->node, node);
            });
        if (is_repeated) {
          found = {function, node};
        }
        return is_repeated;
      });
      if (found.place != nullptr) {
        return found;
      }
    }
  }
  return {};
}

// `model.name = …` in a loop of somebody who has the object.
Store changed_from_outside(const model::Project &project, const ClassInfo &type, Symbol name) {
  constexpr std::size_t kMostStores = 16;
  const auto &all = model::definitions_of(project).attribute_stores;
  const auto stores = all.find(name.id);
  if (stores == all.end() || stores->second.size() > kMostStores) {
    return {};
  }
  for (const model::AttributeStore &store : stores->second) {
    const FunctionInfo &function = *store.function;
    if (function.type != nullptr || function.traced || function.tracers != 0 || store.object == nullptr) {
      continue;
    }
    const model::Value holder = model::value_of(model::scope_of(project, function), store.object);
    const bool is_it = holder.is(model::Value::Tag::Object) && !holder.open && holder.type == &type;
    const bool is_repeated =
        is_it && (function.in_loop || std::ranges::any_of(function.loops, [&](const model::Loop *loop) {
                    return !loop->few_iterations && contains(loop->node, store.object);
                  }));
    if (is_repeated) {
      return {&function, store.object};
    }
  }
  return {};
}

// Reads of attributes of `self`, each name once, in the code that a compiled method runs.
void find_reads(const FunctionInfo &function, const Node *code, std::vector<const Attribute *> &reads) {
  any_node_inside(code, [&](const Node *node) {
    const auto *attribute = as<Attribute>(node);
    if (attribute != nullptr && attribute->context == Context::Load &&
        model::is_own_object(function, attribute->value) &&
        std::ranges::none_of(reads, [&](const Attribute *one) { return one->attr == attribute->attr; })) {
      reads.push_back(attribute);
    }
    return false;
  });
}

// ---- Names of the module --------------------------------------------------------------------------------------------

// The names of the module that the code of a function reads, each once, without those that inner functions have for
// themselves.
struct GlobalReads {
  std::vector<const Name *> all;
};

GlobalReads find_global_reads(const FunctionInfo &function) {
  GlobalReads reads;
  std::unordered_set<u32> known;
  any_node_inside(function.definition(), [&](const Node *node) {
    const auto *name = as<Name>(node);
    if (name == nullptr || name->context != Context::Load) {
      return false;
    }
    for (const FunctionInfo *at = &function; at != nullptr && at->node != nullptr; at = at->parent) {
      if (at->slot_of(name->id) != FunctionInfo::kNoSlot) {
        return false;
      }
    }
    if (known.insert(name->id.id).second) {
      reads.all.push_back(name);
    }
    return false;
  });
  std::unordered_set<u32> bound;
  any_node_inside(function.definition(), [&](const Node *node) {
    if (const auto *name = as<Name>(node); name != nullptr && name->context == Context::Store) {
      bound.insert(name->id.id);
    }
    if (const auto *param = as<Param>(node)) {
      bound.insert(param->name.id);
    }
    if (const auto *lambda = as<Lambda>(node)) {
      for (const Param *param : lambda->params) {
        bound.insert(param->name.id);
      }
    }
    return false;
  });
  std::erase_if(reads.all, [&](const Name *name) { return bound.contains(name->id.id); });
  return reads;
}

// Stores to names of a module that loops repeat, by loop and name: the first one. By the module itself, with
// `global beta; beta = …` in a function, or in a function that is called in the loop.
struct RepeatedStores {
  struct Place {
    u32 order = 0; // of the function that has it: the module's own code comes first
    Store store;
  };
  std::unordered_map<const model::Loop *, std::unordered_map<u32, Place>> of;

  void add(const model::Loop *innermost, Symbol name, u32 order, const Store &store) {
    for (const model::Loop *loop = innermost; loop != nullptr; loop = loop->parent) {
      if (loop->few_iterations) {
        continue;
      }
      const auto [place, is_new] = of[loop].emplace(name.id, Place{order, store});
      const Place &known = place->second;
      if (!is_new && std::pair(order, store.place->start) < std::pair(known.order, known.store.place->start)) {
        place->second = {order, store};
      }
    }
  }
};

class StoreFinder {
public:
  StoreFinder(const model::Project &project, RepeatedStores &found) : project_(project), found_(found) {}

  void look(const FunctionInfo &function, const Block &body, u32 order) {
    handed_on_.clear();
    for (const Stmt *statement : body) {
      walk(function, statement, nullptr, order);
    }
  }

private:
  void walk(const FunctionInfo &function, const Node *node, const model::Loop *loop, u32 order) {
    if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Lambda) {
      return;
    }
    const auto *bound = as<Name>(node);
    if (bound != nullptr && bound->context == Context::Store) {
      const bool is_own = function.node == nullptr;
      if (!is_own && std::ranges::find(function.globals, bound->id) == function.globals.end()) {
        return;
      }
      found_.add(loop, bound->id, order, {&function, node});
      const bool is_first = !is_own && handed_on_.insert(bound->id.id).second;
      for (std::size_t i = 0; is_first && i < function.called_by.size(); ++i) {
        found_.add(function.called_by[i]->loop, bound->id, order, {&function, node});
      }
      return;
    }
    const model::Loop *const here = project_.loop_at(node);
    for_each_child(node, [&](const Node *child) { walk(function, child, here != nullptr ? here : loop, order); });
  }

  const model::Project &project_;
  RepeatedStores &found_;
  std::unordered_set<u32> handed_on_; // names of the function whose callers were told of
};

const RepeatedStores &repeated_stores(const Site &site, const model::Module &module) {
  return site.memory.recall<RepeatedStores>(&module, [&] {
    const SharedWork shared;
    RepeatedStores found;
    StoreFinder finder(site.project, found);
    if (module.body != nullptr) {
      finder.look(*module.body, module.parsed->tree.body, 0);
    }
    u32 order = 0;
    for (const FunctionInfo &function : site.project.functions) {
      ++order;
      if (function.module == &module && function.definition() != nullptr && function.tracers == 0 &&
          !function.globals.empty()) {
        finder.look(function, function.definition()->body, order);
      }
    }
    return found;
  });
}

// The loops whose iterations call the function, itself or through others, and that do not define it.
std::vector<const model::Loop *> calling_loops(const FunctionInfo &function) {
  constexpr u32 kMostDepth = 3;
  constexpr std::size_t kMostCallers = 1000;
  std::vector<const model::Loop *> loops;
  std::unordered_set<const void *> known = {&function};
  std::vector<std::pair<const FunctionInfo *, u32>> waiting = {{&function, 0}};
  for (std::size_t i = 0; i < waiting.size() && waiting.size() < kMostCallers; ++i) {
    const auto [called, depth] = waiting[i];
    for (const model::CallSite *site : called->called_by) {
      take_steps();
      for (const model::Loop *loop = site->loop; loop != nullptr; loop = loop->parent) {
        const bool defines = loop->function->module == function.module && contains(loop->node, function.node);
        if (!loop->few_iterations && !defines && known.insert(loop).second) {
          loops.push_back(loop);
        }
      }
      if (depth < kMostDepth && known.insert(site->caller).second) {
        waiting.emplace_back(site->caller, depth + 1);
      }
    }
  }
  return loops;
}

// Where a loop that calls the compiled function also assigns the name. What is assigned before the first call, or after
// the last one, has an effect.
Store rebound_in_loop(const Site &site, const FunctionInfo &compiled, std::span<const model::Loop *const> loops,
                      Symbol name) {
  const model::Module &module = *compiled.module;
  if (loops.empty() || module.body == nullptr || module.body->slot_of(name) == FunctionInfo::kNoSlot) {
    return {};
  }
  const RepeatedStores &stores = repeated_stores(site, module);
  const RepeatedStores::Place *found = nullptr;
  for (const model::Loop *loop : loops) {
    take_steps();
    const auto in_loop = stores.of.find(loop);
    const auto place = in_loop != stores.of.end() ? in_loop->second.find(name.id) : decltype(in_loop->second.end()){};
    if (in_loop == stores.of.end() || place == in_loop->second.end()) {
      continue;
    }
    const RepeatedStores::Place &one = place->second;
    if (found == nullptr ||
        std::pair(one.order, one.store.place->start) < std::pair(found->order, found->store.place->start)) {
      found = &one;
    }
  }
  return found != nullptr ? found->store : Store{};
}

// Is it a plain value there: no function, class or module?
bool is_data(const model::Module &module, Symbol name) {
  const model::Value *value = model::all_values_of(*module.body, name);
  bool is_other = false;
  if (value != nullptr) {
    for_each_alternative(*value, [&](const model::Value &one) {
      is_other |= one.is(model::Value::Tag::Function) || one.is(model::Value::Tag::Class) ||
                  one.is(model::Value::Tag::Module) || one.is(model::Value::Tag::Api);
    });
  }
  return !is_other;
}

void check_globals(Site &site, const Node &node, const FunctionInfo &function) {
  std::vector<const FunctionInfo *> code = {&function};
  for (const FunctionInfo *reached : reached_functions(function, node)) {
    if (reached->definition() != nullptr && reached->module == site.module && reached->compiled_at == nullptr) {
      code.push_back(reached);
    }
  }
  const std::vector<const model::Loop *> loops = calling_loops(function);
  for (const FunctionInfo *one : loops.empty() ? std::vector<const FunctionInfo *>{} : code) {
    const GlobalReads &reads = site.memory.recall<GlobalReads>(one, [one] { return find_global_reads(*one); });
    for (const Name *read : reads.all) {
      take_steps();
      if (!is_data(*site.module, read->id)) {
        continue;
      }
      const Store store = rebound_in_loop(site, function, loops, read->id);
      if (store.place == nullptr) {
        continue;
      }
      Finding &finding =
          report(site, *read,
                 fmt::format("the global `{}` is read when `{}()` is traced, so later changes to it have no effect",
                             read->id.text(), function.name.text()),
                 fmt::format("pass it to `{}()` as an argument", function.name.text()));
      finding.notes.push_back({site.module->file, store.place->span(), "changed here, while the program runs"});
      finding.notes.push_back({site.module->file, function.compiled_at->span(), "compiled here"});
      return;
    }
  }
}

// ---- Attributes of Keras models -------------------------------------------------------------------------------------

bool is_callback(const ClassInfo *type) {
  return type != nullptr && std::ranges::any_of(type->mro, [](const ClassInfo *at) {
           return std::ranges::any_of(at->bases, [](const model::Value &base) {
             return base.is(model::Value::Tag::Api) && base.name().text().ends_with(".callbacks.Callback");
           });
         });
}

// Is the attribute a plain number of Python from the beginning, and no variable?
bool starts_as_number(const model::Project &project, const ClassInfo &type, Symbol name) {
  const FunctionInfo *const init = model::find_method_of(type, known::sym_init);
  bool found = false;
  if (init != nullptr && init->definition() != nullptr) {
    any_node(init->definition()->body, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *attribute = assignment != nullptr ? as<Attribute>(assignment->targets[0]) : nullptr;
      if (attribute != nullptr && attribute->attr == name && model::is_own_object(*init, attribute->value)) {
        const std::optional<model::ConstantValue> value =
            model::constant_of(model::scope_of(project, *init), assignment->value);
        found = value.has_value() && (value->as_number().has_value() || value->as_bool().has_value());
      }
      return false;
    });
  }
  return found;
}

// `self.model.beta = …` in a callback that Keras calls while it trains, or `model.beta = …` in a loop.
Store changed_by_callback(const model::Project &project, Symbol name) {
  const auto &stores = model::definitions_of(project).attribute_stores;
  const auto found = stores.find(name.id);
  if (found == stores.end()) {
    return {};
  }
  for (const model::AttributeStore &store : found->second) {
    const auto *object = as<Attribute>(store.object);
    const bool is_model = object != nullptr && object->attr.text() == "model";
    if (is_model && is_callback(store.function->type) && store.function->name.text().starts_with("on_") &&
        store.function->name.text() != "on_train_begin") {
      return {store.function, store.object};
    }
  }
  return {};
}

// train_step() and call() are compiled by fit().
void check_keras(Site &site, const FunctionInfo &function) {
  const std::string_view name = function.name.text();
  if (name != "train_step" && name != "call" && name != "compute_loss") {
    return;
  }
  std::vector<const Attribute *> reads;
  find_reads(function, function.definition(), reads);
  for (const Attribute *read : reads) {
    if (!starts_as_number(site.project, *function.type, read->attr)) {
      continue;
    }
    const Store store = changed_by_callback(site.project, read->attr);
    if (store.place == nullptr) {
      continue;
    }
    Finding &finding =
        report(site, *read,
               fmt::format("`{}` is read when `fit()` compiles `{}()`, so later changes to it have no effect",
                           text_of(site, read), name),
               fmt::format("make it a `tf.Variable(…, trainable=False)` and change it with `assign`"));
    finding.notes.push_back(
        {store.function->module->file, store.place->span(), "changed here, while the program runs"});
    return;
  }
}

void check(Site &site, const Node &node) {
  const FunctionInfo *function = site.project.function_at(&node);
  if (function != nullptr && function->type != nullptr && site.module->tensorflow && !site.module->is_test &&
      (function->type->kind == Kind::KerasModel || function->type->kind == Kind::KerasLayer)) {
    return check_keras(site, *function);
  }
  if (function != nullptr && (site.module->jax || site.module->tensorflow) && function->compiled_at != nullptr &&
      (function->tracers & (model::kByJaxJit | model::kByTfFunction)) != 0 && !site.module->is_test) {
    check_globals(site, node, *function);
  }
  if (function == nullptr || !site.module->jax || function->type == nullptr || function->compiled_at == nullptr ||
      (function->tracers & model::kByJaxJit) == 0 || function->is_static || !is_plain(*function->type)) {
    return;
  }
  std::vector<const FunctionInfo *> methods = {function};
  for (const FunctionInfo *reached : reached_functions(*function, node)) {
    if (reached->type == function->type && reached->definition() != nullptr && reached->module == site.module) {
      methods.push_back(reached);
    }
  }
  // Handed to jax.grad and the like: `jax.value_and_grad(self._loss)(…)`.
  any_node_inside(&node, [&](const Node *inner) {
    const auto *attribute = as<Attribute>(inner);
    if (attribute == nullptr || !model::is_own_object(*function, attribute->value)) {
      return false;
    }
    const auto member = function->type->members.find(attribute->attr.id);
    const FunctionInfo *passed =
        member != function->type->members.end() && member->second.is(model::Value::Tag::Function)
            ? member->second.function
            : nullptr;
    if (passed != nullptr && passed->definition() != nullptr && std::ranges::find(methods, passed) == methods.end()) {
      methods.push_back(passed);
    }
    return false;
  });
  for (const FunctionInfo *method : methods) {
    std::vector<const Attribute *> reads;
    find_reads(*method, method->definition(), reads);
    for (const Attribute *read : reads) {
      if (std::ranges::any_of(method->own_stores, [read](Symbol stored) { return stored == read->attr; })) {
        continue;
      }
      Store store = changed_in_loop(*function->type, read->attr);
      store = store.place == nullptr ? changed_from_outside(site.project, *function->type, read->attr) : store;
      if (store.place == nullptr) {
        continue;
      }
      Finding &finding = report(site, *read,
                                fmt::format("`{}` is read when `{}()` is traced, so later changes to it have no effect",
                                            text_of(site, read), function->name.text()),
                                fmt::format("pass it to `{}()` as an argument", function->name.text()));
      finding.severity = Severity::Advice;
      finding.notes.push_back(
          {store.function->module->file, store.place->span(), "changed here, while the program runs"});
      finding.notes.push_back({site.module->file, function->compiled_at->span(), "compiled here"});
      return;
    }
  }
}

} // namespace

extern constinit const Rule kStaleAttributeUnderJit = {
    .info = {.code = "DP851",
             .name = "stale-attribute-under-jit",
             .summary = "an attribute that a compiled method reads and other code changes",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A method that `jax.jit` compiles and that reads an attribute of `self`, directly or in a method that it calls or differentiates, where
another method, or a function that has the object, changes that attribute in a loop or is called from one. One attribute per compiled method is reported.

`train_step` or `call` of a Keras model that reads an attribute which starts as a number and which a callback changes.

A function under `jax.jit` or `tf.function` that reads a global name to which the loop that calls the function assigns other values, itself or
through another function.

## Why it is wrong

The attribute or global is read while the function is traced, and its value becomes a constant in the compiled program. A later `self.beta = 0.5`
changes the object, not the program: annealing, schedules and switches have no effect, without any error.

## Bad

```python
import jax
import jax.numpy as jnp


class Trainer:
    def __init__(self):
        self.beta = 0.0
        self.step = jax.jit(self._step)

    def _step(self, x):
        return jnp.sum(x) * self.beta

    def fit(self, batches):
        for i, x in enumerate(batches):
            self.beta = i / 1000
            self.step(x)
```

## Good

```python
import jax
import jax.numpy as jnp


class Trainer:
    def __init__(self):
        self.beta = 0.0
        self.step = jax.jit(self._step)

    def _step(self, x, beta):
        return jnp.sum(x) * beta

    def fit(self, batches):
        for i, x in enumerate(batches):
            self.beta = i / 1000
            self.step(x, self.beta)
```

## When it is wrong

Where the method is compiled again after each change. Classes that define `__hash__` or `__eq__`, and Flax and Equinox classes, are not
reported.

## References

- JAX FAQ "How to use jit with methods?"
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::stale_attribute_under_jit
