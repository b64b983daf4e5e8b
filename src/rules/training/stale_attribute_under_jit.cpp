#include "base/known_names.h"
#include "model/bind.h"
#include "model/classes.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
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
              return !loop->tiny && contains(loop->node, node);
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

void check(Site &site, const Node &node) {
  const FunctionInfo *function = site.project.function_at(&node);
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
      const Store store = changed_in_loop(*function->type, read->attr);
      if (store.place == nullptr) {
        continue;
      }
      Finding &finding = report(site, *read,
                                fmt::format("`{}` is read when `{}()` is traced, so later changes to it have no effect",
                                            text_of(site, read), function->name.text()),
                                fmt::format("pass it to `{}()` as an argument", function->name.text()));
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
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A method that `jax.jit` compiles and that reads an attribute of `self`, directly or in a method that it calls or differentiates, where
another method changes that attribute in a loop or is called from one. One attribute per compiled method is reported.

## Why it is wrong

The attribute is read while the method is traced, and its value becomes a constant in the compiled program. A later `self.beta = 0.5`
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
