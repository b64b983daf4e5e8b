#include "model/bind.h"
#include "rules/dataset_item.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::stored_sample_changed {

using namespace python;

namespace {

// `self.data[index]`: what the dataset keeps, and not a copy of it.
bool is_stored(const Site &site, const Expr *expr, const model::FunctionInfo &item) {
  const auto *access = as<Subscript>(expr);
  const auto *attribute = access != nullptr ? as<Attribute>(access->value) : nullptr;
  if (attribute == nullptr || !model::is_own_object(item, attribute->value) || access->slice->kind == NodeKind::Slice) {
    return false;
  }
  // Arrays and tables give another object each time, and so do data sets of libraries.
  const model::Value value = value_of(site, attribute);
  bool is_list = false;
  bool is_other = false;
  for_each_alternative(value, [&](const model::Value &one) {
    const bool is_plain = one.is_kind(Kind::List) || one.is_kind(Kind::Dict) || one.is(model::Value::Tag::Tuple);
    is_list |= is_plain;
    is_other |= !is_plain;
  });
  return is_list && !is_other;
}

// The first thing in the block that takes a key out of the dict under the name, or stores a changed value under the key
// it was read from; null if there is none.
const Node *change_of(const Block &body, Symbol name, bool *is_removal) {
  const Node *found = nullptr;
  const auto is_it = [name](const Expr *expr) {
    const auto *plain = as<Name>(expr);
    return plain != nullptr && plain->id == name;
  };
  any_node(body, [&](const Node *node) {
    if (found != nullptr) {
      return true;
    }
    if (const auto *call = as<Call>(node)) {
      const Expr *receiver = receiver_of(*call);
      if (receiver != nullptr && is_it(receiver) && called_method(*call) == "pop" && call->args.size() == 1 &&
          as_string(call->args[0]) != nullptr) {
        found = call;
        *is_removal = true;
      }
    } else if (const auto *removal = as<Delete>(node)) {
      const auto *entry = removal->targets.size() == 1 ? as<Subscript>(removal->targets[0]) : nullptr;
      if (entry != nullptr && is_it(entry->value) && as_string(entry->slice) != nullptr) {
        found = removal;
        *is_removal = true;
      }
    }
    return found != nullptr;
  });
  return found;
}

// Is the name bound to something else on the way, such as a copy?
bool is_copied(const Block &body, Symbol name) {
  u32 stores = 0;
  any_node(body, [&](const Node *node) {
    const auto *bound = as<Name>(node);
    stores += bound != nullptr && bound->id == name && bound->context != Context::Load ? 1 : 0;
    return false;
  });
  return stores > 1;
}

void check(Site &site, const Node &node) {
  const model::FunctionInfo *function = site.project.function_at(&node);
  if (function == nullptr || function->name.text() != "__getitem__" || function->type == nullptr ||
      function->type->kind != Kind::TorchDataset || site.module->is_test) {
    return;
  }
  Site inside = site;
  inside.function = function;
  inside.type = function->type;
  const Block body = function->definition()->body;
  for (const Stmt *statement : body) {
    const auto *assignment = as<Assign>(statement);
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    if (target == nullptr || !is_stored(inside, assignment->value, *function)) {
      continue;
    }
    bool is_removal = false;
    const Node *const change = is_copied(body, target->id) ? nullptr : change_of(body, target->id, &is_removal);
    if (change == nullptr) {
      continue;
    }
    Finding &finding = report(
        site, *change, "this changes the sample that the dataset keeps, so reading it a second time raises a KeyError",
        fmt::format("work on a copy: `{} = dict({})`", target->id.text(), text_of(site, assignment->value)));
    add_note(finding, site, *assignment, "this is the stored sample itself, not a copy");
    return;
  }
}

} // namespace

extern constinit const Rule kStoredSampleChanged = {
    .info = {.code = "DP898",
             .name = "stored-sample-changed",
             .summary = "a dataset that removes keys from the samples it keeps",
             .root_cause = "Training: Wrong Data",
             .symptoms = "Program Crash",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`__getitem__` of a dataset that takes `self.samples[index]` and calls `pop("key")` or `del` on it.

## Why it is wrong

The list still refers to the same dict. The first epoch works; the second one, or another pass that measures lengths,
raises a KeyError. With workers, every worker fails at another place.

## Bad

```python
import json

from torch.utils.data import Dataset


class Texts(Dataset):
    def __init__(self, path):
        self.samples = list(json.load(open(path)))

    def __getitem__(self, index):
        sample = self.samples[index]
        sample["text"] = sample.pop("input")
        return sample
```

## Good

```python
import json

from torch.utils.data import Dataset


class Texts(Dataset):
    def __init__(self, path):
        self.samples = list(json.load(open(path)))

    def __getitem__(self, index):
        sample = dict(self.samples[index])
        sample["text"] = sample.pop("input")
        return sample
```

## When it is wrong

Where each sample is read once.

## References

- torch.utils.data: map-style datasets
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::stored_sample_changed
