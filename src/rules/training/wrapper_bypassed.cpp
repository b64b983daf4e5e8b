#include "model/bind.h"
#include "model/definitions.h"
#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace deepperf::rules::wrapper_bypassed {

using namespace python;

namespace {

bool is_wrapper_api(std::string_view api) {
  return api == "torch.nn.parallel.DistributedDataParallel" || api == "torch.distributed.fsdp.FullyShardedDataParallel";
}

// A wrapper, or on some paths a model without one.
bool is_wrapper(const model::Scope &scope, const Expr *expr) {
  const model::Value value = model::value_of(scope, expr);
  bool found = false;
  bool is_other = false;
  model::for_each_alternative(value, [&](const model::Value &one) {
    if (one.is(model::Value::Tag::Instance) && one.name() && is_wrapper_api(one.name().text())) {
      found = true;
    } else {
      is_other = is_other || !one.is(model::Value::Tag::Object) ||
                 std::ranges::any_of(one.type->mro, [](const model::ClassInfo *type) {
                   return type->attributes.contains(intern("module").id);
                 });
    }
  });
  return found && !is_other && !value.open;
}

// `model` of `model.module`, `model.module if … else model` and `accelerator.unwrap_model(model)`, also under a name or
// through a function that returns it; null if the expression is something else. `*seen` is how messages write it.
bool is_unwrapped(const Site &site, const model::Scope &scope, const Expr *expr, std::string *seen, u32 depth = 0);

// `unwrap(model)`, a function that returns the module inside of what it is given.
bool is_unwrapped_by(const Site &site, const model::Scope &scope, const Call &call, std::string *seen) {
  const model::Value callee = site.project.callee_of(&call);
  const FunctionDef *const definition =
      callee.is(model::Value::Tag::Function) ? callee.function->definition() : nullptr;
  if (definition == nullptr || call.args.empty() || callee.function->params.empty() ||
      !is_wrapper(scope, call.args[0])) {
    return false;
  }
  const Symbol param = callee.function->params[0]->name;
  const bool returns_module = any_node(definition->body, [param](const Node *node) {
    const auto *result = as<Return>(node);
    const auto *choice = result != nullptr ? as<IfExp>(result->value) : nullptr;
    const auto is_module = [param](const Expr *one) {
      const auto *module = as<Attribute>(one);
      const auto *owner = module != nullptr && module->attr.text() == "module" ? as<Name>(module->value) : nullptr;
      return owner != nullptr && owner->id == param;
    };
    return choice != nullptr ? is_module(choice->body) || is_module(choice->orelse)
                             : result != nullptr && result->value != nullptr && is_module(result->value);
  });
  if (returns_module) {
    *seen = scope.module->parsed->source.text().substr(call.args[0]->start, call.args[0]->end - call.args[0]->start);
  }
  return returns_module;
}

bool is_unwrapped(const Site &site, const model::Scope &scope, const Expr *expr, std::string *seen, u32 depth) {
  constexpr u32 kMostDepth = 4;
  if (depth > kMostDepth) {
    return false;
  }
  const auto text = [&](const Expr *one) {
    return std::string(scope.module->parsed->source.text().substr(one->start, one->end - one->start));
  };
  if (const auto *module = as<Attribute>(expr); module != nullptr && module->attr.text() == "module") {
    *seen = text(module->value);
    return is_wrapper(scope, module->value);
  }
  if (const auto *choice = as<IfExp>(expr)) {
    return is_unwrapped(site, scope, choice->body, seen, depth + 1) ||
           is_unwrapped(site, scope, choice->orelse, seen, depth + 1);
  }
  if (const auto *call = as<Call>(expr)) {
    if (called_method(*call) == "unwrap_model" && !call->args.empty() &&
        model::kind_of(receiver_of(*call)) == Kind::Accelerator) {
      *seen = text(call->args[0]);
      return true;
    }
    return is_unwrapped_by(site, scope, *call, seen);
  }
  if (const auto *name = as<Name>(expr)) {
    const bool is_here = scope.function == site.function;
    const Expr *const value = is_here ? assigned_before(site, name->id, name->start) : nullptr;
    return value != nullptr && is_unwrapped(site, scope, value, seen, depth + 1);
  }
  const auto *attribute = as<Attribute>(expr); // self.inner, which a method of the class has stored
  if (attribute == nullptr || site.function == nullptr || site.function->type == nullptr ||
      !model::is_own_object(*site.function, attribute->value)) {
    return false;
  }
  const model::Definitions &definitions = model::definitions_of(site.project);
  const auto stores = definitions.attribute_stores.find(attribute->attr.id);
  return stores != definitions.attribute_stores.end() &&
         std::ranges::any_of(stores->second, [&](const model::AttributeStore &one) {
           return one.value != nullptr && one.function->type == site.function->type &&
                  model::is_own_object(*one.function, one.object) &&
                  is_unwrapped(site, model::scope_of(site.project, *one.function), one.value, seen, depth + 1);
         });
}

// The models that a function wraps and keeps under another name: `ddp = DistributedDataParallel(net)`.
struct Wrapped {
  Symbol inner;
  const Name *outer = nullptr;
  u32 end = 0;
};
struct WrappedModels {
  std::vector<Wrapped> all;
};

const std::vector<Wrapped> &wrapped_models(const Site &site) {
  return site.memory
      .recall<WrappedModels>(&body_around(site),
                             [&site] {
                               WrappedModels found;
                               any_node(body_around(site), [&](const Node *node) {
                                 const auto *assign = as<Assign>(node);
                                 const auto *call = assign != nullptr ? as<Call>(run_by(assign->value)) : nullptr;
                                 const auto *inner =
                                     call != nullptr && !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
                                 const auto *outer = assign != nullptr && assign->targets.size() == 1
                                                         ? as<Name>(assign->targets[0])
                                                         : nullptr;
                                 if (inner != nullptr && outer != nullptr && inner->id != outer->id &&
                                     is_wrapper_api(called_api(site, *call))) {
                                   found.all.push_back({inner->id, outer, assign->end});
                                 }
                                 return false;
                               });
                               return found;
                             })
      .all;
}

// `net(x)` after `ddp = DistributedDataParallel(net)` in the same function.
bool is_wrapped_elsewhere(const Site &site, const Call &call, std::string *seen) {
  const auto *name = as<Name>(call.func);
  if (name == nullptr) {
    return false;
  }
  for (const Wrapped &one : wrapped_models(site)) {
    const Expr *const assigned = one.inner == name->id ? assigned_before(site, name->id, call.start) : nullptr;
    if (one.inner == name->id && one.end < call.start && (assigned == nullptr || assigned->end < one.end)) {
      *seen = one.outer->id.text();
      return true;
    }
  }
  return false;
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (site.module->is_test || !site.module->torch || !file_has_word(site, {"module", "unwrap_model", "Parallel"})) {
    return;
  }
  const Expr *called = call.func;
  if (const auto *method = as<Attribute>(called); method != nullptr && method->attr.text() == "forward") {
    called = method->value;
  }
  std::string seen;
  const bool may_be_module = called->kind == NodeKind::Call || called->kind == NodeKind::Attribute ||
                             model::kind_of(called) == Kind::TorchModule ||
                             (called->kind == NodeKind::Name && value_of(site, called).tag != model::Value::Tag::Api &&
                              value_of(site, called).tag != model::Value::Tag::Function);
  if (!may_be_module || !in_training_step(site) || under_no_grad(site)) {
    return;
  }
  if (!is_unwrapped(site, scope_of(site), called, &seen) && !is_wrapped_elsewhere(site, call, &seen)) {
    return;
  }
  report(site, call,
         fmt::format("the forward pass bypasses the wrapper, so the gradients of `{}` are not synchronized", seen),
         fmt::format("call `{}(…)` itself", seen));
}

} // namespace

extern constinit const Rule kWrapperBypassed = {
    .info = {.code = "DP884",
             .name = "wrapper-bypassed",
             .summary = "a training step that calls the module inside `DistributedDataParallel`",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`model.module(x)`, `model.module.forward(x)` or `accelerator.unwrap_model(model)(x)` in a training step, also where the module inside the
wrapper has a name of its own (`net = model.module`, `ddp = DistributedDataParallel(net)`) or a function returns it.

## Why it is wrong

The forward pass of the wrapper prepares the reduction of gradients. Without it each process trains a model of its own on its own part of
the data, the models drift apart, and the one that is saved has seen only a fraction of the samples.

## Bad

```python
import torch
from torch.nn.parallel import DistributedDataParallel


def train(net, loader, rank):
    model = DistributedDataParallel(net, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model.module(x), y)
        loss.backward()
        optimizer.step()
```

## Good

```python
import torch
from torch.nn.parallel import DistributedDataParallel


def train(net, loader, rank):
    model = DistributedDataParallel(net, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
```

## When it is wrong

Where the code reduces the gradients itself.

## References

- PyTorch: `DistributedDataParallel`, forward pass
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::wrapper_bypassed
