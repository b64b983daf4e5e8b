#include "rules/encoding.h"
#include "rules/processes.h"
#include "rules/reach.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace deepperf::rules::saved_by_every_process {

using namespace python;

namespace {

// What `model, optimizer = accelerator.prepare(model, optimizer)` binds in a function or class.
struct Prepared {
  std::unordered_set<u32> names;
  std::unordered_set<std::string_view> texts;
};

void add_prepared(const Site &site, const Node *node, Prepared &found) {
  const auto *assignment = as<Assign>(node);
  const auto *call = assignment != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
  if (call == nullptr || called_method(*call) != "prepare" || model::kind_of(receiver_of(*call)) != Kind::Accelerator) {
    return;
  }
  any_node(assignment->targets[0], [&](const Node *part) {
    if (const auto *name = as<Name>(part)) {
      found.names.insert(name->id.id);
    }
    found.texts.insert(text_of(site, part));
    return false;
  });
}

bool is_prepared(const Site &site, const Expr *model) {
  if (model->kind == NodeKind::Attribute && site.function->type != nullptr) {
    // self.net, self.optimizer = self.accelerator.prepare(…) in another method
    const Node *const type = site.function->type->node;
    const Prepared &prepared = site.memory.recall<Prepared>(type, [&] {
      Prepared found;
      any_node_inside(type, [&](const Node *node) {
        add_prepared(site, node, found);
        return false;
      });
      return found;
    });
    return prepared.texts.contains(text_of(site, model));
  }
  const auto *name = as<Name>(model);
  const FunctionDef *const definition = site.function->definition();
  if (name == nullptr || definition == nullptr) {
    return false;
  }
  const Prepared &prepared = site.memory.recall<Prepared>(definition, [&] {
    Prepared found;
    any_node(definition->body, [&](const Node *node) {
      add_prepared(site, node, found);
      return false;
    });
    return found;
  });
  return prepared.names.contains(name->id.id);
}

// Weights of a model that several processes train: `model.module.state_dict()`, `accelerator.unwrap_model(model)…`.
bool is_shared_model(const Site &site, const Expr *saved) {
  if (const auto *name = as<Name>(saved)) { // payload = {"model": …}
    saved = assigned_to(site, *name);
  }
  return saved != nullptr && any_node(saved, [&](const Node *node) {
           const auto *call = as<Call>(node);
           if (call == nullptr || called_method(*call) != "state_dict") {
             return false;
           }
           const Expr *owner = receiver_of(*call);
           const auto *unwrapped = as<Call>(owner);
           if (unwrapped != nullptr && called_method(*unwrapped) == "unwrap_model") {
             return model::kind_of(receiver_of(*unwrapped)) == Kind::Accelerator;
           }
           const auto *inner = as<Attribute>(owner);
           const Expr *model = inner != nullptr && inner->attr.text() == "module" ? inner->value : owner;
           if (is_prepared(site, model)) {
             return true;
           }
           const model::Value value = value_of(site, model);
           return value.is(model::Value::Tag::Instance) && value.name() &&
                  value.name().text() == "torch.nn.parallel.DistributedDataParallel";
         });
}

// Does a call of the function come from the first process alone?
bool is_guarded(const Site &site, const model::FunctionInfo &function, u32 depth) {
  return std::ranges::any_of(function.called_by, [&](const model::CallSite *caller) {
    const Site there = site_at(site, *caller);
    return first_process_only(there).test != nullptr ||
           (depth < 2 && caller->caller != &function && is_guarded(site, *caller->caller, depth + 1));
  });
}

void check(Site &site, const Call &call) {
  const Expr *saved = argument(call, 0, "obj");
  const Expr *path = argument(call, 1, "f");
  if (site.module->is_test || site.function == nullptr || saved == nullptr || path == nullptr ||
      !is_shared_model(site, saved) || first_process_only(site).test != nullptr ||
      has_word(text_of(site, path), {"rank", "process_index"}) || is_guarded(site, *site.function, 0)) {
    return;
  }
  // Any other test may let only one process pass.
  const auto *branch = as<If>(enclosing(site, NodeKind::If));
  const bool is_counted =
      branch == nullptr || any_node(branch->test, [](const Node *node) {
        const auto *operation = as<BinOp>(node);
        return (operation != nullptr && operation->op() == Operator::Mod) || node->kind == NodeKind::Compare;
      });
  if (!is_counted || function_has_word(site, {"rank_zero_only", "on_main_process"})) {
    return;
  }
  Finding &finding = report(site, call, "every process writes the same file at the same time",
                            "save in the first process only: `if rank == 0:` or `if accelerator.is_main_process:`");
  if (branch != nullptr) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kSavedByEveryProcess = {
    .info = {.code = "DP451",
             .name = "saved-by-every-process",
             .summary = "weights that every process of a distributed program writes to the same file",
             .root_cause = "Data: Unnecessary Data Transfer",
             .symptoms = "Slow Execution Time, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.save` of the weights of a model in `DistributedDataParallel`, or of one that Accelerate has prepared, outside of a test for the first
process.

## Why it costs

All processes have the same weights. Each of them copies them to the host and writes them to the same path at the same time, which takes n
times the bandwidth and may leave a damaged file.

## Bad

```python
import torch
from torch.nn.parallel import DistributedDataParallel


def finish(net, rank):
    model = DistributedDataParallel(net, device_ids=[rank])
    torch.save(model.module.state_dict(), "last.pt")
```

## Good

```python
import torch
from torch.nn.parallel import DistributedDataParallel


def finish(net, rank):
    model = DistributedDataParallel(net, device_ids=[rank])
    if rank == 0:
        torch.save(model.module.state_dict(), "last.pt")
```

## When it is wrong

Where each process has a file system of its own.

## References

- PyTorch tutorial: getting started with distributed data parallel, save and load checkpoints
)"},
    .calls = "torch.save",
    .on_call = check};

} // namespace deepperf::rules::saved_by_every_process
