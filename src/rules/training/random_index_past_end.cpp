#include "base/symbol.h"
#include "rules/copies.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::random_index_past_end {

using namespace python;

namespace {

// `len(xs)`: the sequence. `self.__len__()`: the object.
const Expr *measured(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr || !call->keywords.empty()) {
    return nullptr;
  }
  if (called_api(site, *call) == "len" && call->args.size() == 1) {
    return call->args[0];
  }
  const auto *method = as<Attribute>(call->func);
  return method != nullptr && method->attr.text() == "__len__" && call->args.empty() ? method->value : nullptr;
}

// What `len(self)` is the length of: `self.paths`, if that is all that the class's own __len__ says.
const Expr *measured_by_class(const Site &site, const Expr *object) {
  const auto *self = as<Name>(object);
  if (self == nullptr || site.type == nullptr || site.type->node == nullptr || self->id.text() != "self") {
    return object;
  }
  for (const Stmt *statement : site.type->node->body) {
    const auto *method = as<FunctionDef>(statement);
    if (method != nullptr && method->name.text() == "__len__") {
      const auto *result = method->body.size() == 1 ? as<Return>(method->body[0]) : nullptr;
      const Expr *const of = result != nullptr ? measured(site, result->value) : nullptr;
      return of != nullptr ? of : object;
    }
  }
  return object;
}

// `sequence[index]`, or `sequence.__getitem__(index)`, that is read in the node after a position.
const Node *read_at(const Site &site, const Node *place, u32 position, const Expr *sequence, const Expr *index) {
  const std::string_view of = text_of(site, sequence);
  const std::string_view at = text_of(site, index);
  const Node *found = nullptr;
  any_node(place, [&](const Node *node) {
    const auto *subscript = as<Subscript>(node);
    const auto *call = as<Call>(node);
    const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
    const bool is_method = method != nullptr && method->attr.text() == "__getitem__" && call->args.size() == 1;
    const Expr *const object = subscript != nullptr ? subscript->value : is_method ? method->value : nullptr;
    const Expr *const key = subscript != nullptr ? subscript->slice : is_method ? call->args[0] : nullptr;
    if (object != nullptr && node->start >= position && text_of(site, object) == of && text_of(site, key) == at) {
      found = node;
    }
    return found != nullptr;
  });
  return found;
}

void check(Site &site, const Call &call) {
  if (call.args.size() != 2 || !call.keywords.empty() || site.function == nullptr) {
    return;
  }
  const Expr *const object = measured(site, call.args[1]);
  const Expr *const sequence = object != nullptr ? measured_by_class(site, object) : nullptr;
  if (sequence == nullptr || integer_of(site, call.args[0]).value_or(-1) < 0) {
    return;
  }
  // Under a name that is read before it is assigned again, or right in the brackets.
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *name =
      assignment != nullptr && assignment->value == original_of(site, &call) && assignment->targets.size() == 1
          ? as<Name>(assignment->targets[0])
          : nullptr;
  const Node *read = nullptr;
  if (name != nullptr) {
    const FunctionDef *const definition = site.function->definition();
    const Block *const body = definition != nullptr ? &definition->body : nullptr;
    u32 bindings = 0;
    for (u32 i = 0; body != nullptr && i < body->size(); ++i) {
      any_node((*body)[i], [&](const Node *node) {
        const auto *other = as<Name>(node);
        bindings += other != nullptr && other->id == name->id && other->context != Context::Load;
        return false;
      });
      read = read == nullptr ? read_at(site, (*body)[i], call.end, sequence, name) : read;
    }
    read = bindings == 1 ? read : nullptr;
  } else if (const auto *subscript = site.ancestors.empty() ? nullptr : as<Subscript>(site.ancestors.back())) {
    read = read_at(site, subscript, subscript->start, sequence, &call);
  }
  if (read == nullptr) {
    return;
  }
  const std::string_view of = text_of(site, sequence);
  Finding &finding =
      report(site, call, fmt::format("`random.randint` can return `len({})`, which is one past the last index", of),
             fmt::format("use `random.randrange(len({}))`", of));
  if (name != nullptr) {
    finding.notes.push_back({site.module->file, read->span(), "the element is read here"});
  }
}

} // namespace

extern constinit const Rule kRandomIndexPastEnd = {.info = {.code = "DP994",
                                                            .name = "random-index-past-end",
                                                            .summary = "a random index that may be one past the end",
                                                            .root_cause = "Training: Wrong Data",
                                                            .symptoms = "Program Crash",
                                                            .stage = "Data Preparation",
                                                            .frameworks = "PyTorch, TensorFlow, Keras, JAX",
                                                            .severity = Severity::Error,
                                                            .tier = Tier::On,
                                                            .documentation = R"(## What it finds

`xs[random.randint(0, len(xs))]`, also with the index under a name.

## Why it is wrong

`random.randint(a, b)` includes `b`, unlike `range` and `numpy.random.randint`. Once in `len(xs) + 1` draws the index is
out of range, and the program stops with an IndexError, often hours after its start in a worker of a data loader.

## Bad

```python
import random

import torch


class Pairs(torch.utils.data.Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        other = random.randint(0, len(self.images))
        return self.images[index], self.images[other]
```

## Good

```python
import random

import torch


class Pairs(torch.utils.data.Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        other = random.randrange(len(self.images))
        return self.images[index], self.images[other]
```

## When it is wrong

Where the sequence accepts an index that is equal to its length.

## References

- Python documentation: random.randint
)"},
                                                   .calls = "random.randint",
                                                   .on_call = check};

} // namespace deepperf::rules::random_index_past_end
