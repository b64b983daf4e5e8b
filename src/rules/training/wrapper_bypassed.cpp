#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::wrapper_bypassed {

using namespace python;

namespace {

bool is_wrapper(const Site &site, const Expr *expr) {
  const model::Value value = value_of(site, expr);
  return value.is(model::Value::Tag::Instance) && value.name() && !value.open && value.alternatives == nullptr &&
         (value.name().text() == "torch.nn.parallel.DistributedDataParallel" ||
          value.name().text() == "torch.distributed.fsdp.FullyShardedDataParallel");
}

// `model` of `model.module(x)`, `model.module.forward(x)` and `accelerator.unwrap_model(model)(x)`.
const Expr *bypassed(const Site &site, const Call &call) {
  const auto *callee = as<Attribute>(call.func);
  if (callee != nullptr && callee->attr.text() == "forward") {
    callee = as<Attribute>(callee->value);
  }
  if (callee != nullptr && callee->attr.text() == "module") {
    return is_wrapper(site, callee->value) ? callee->value : nullptr;
  }
  const auto *unwrap = as<Call>(call.func);
  return unwrap != nullptr && called_method(*unwrap) == "unwrap_model" && !unwrap->args.empty() &&
                 model::kind_of(receiver_of(*unwrap)) == Kind::Accelerator
             ? unwrap->args[0]
             : nullptr;
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  const bool is_attribute = call.func->kind == NodeKind::Attribute || call.func->kind == NodeKind::Call;
  if (!is_attribute || site.module->is_test || !site.module->torch) {
    return;
  }
  const Expr *const model = bypassed(site, call);
  if (model == nullptr || !in_training_step(site) || under_no_grad(site)) {
    return;
  }
  report(site, call,
         fmt::format("the forward pass bypasses the wrapper, so the gradients of `{}` are not synchronized",
                     text_of(site, model)),
         fmt::format("call `{}(…)` itself", text_of(site, model)));
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

`model.module(x)`, `model.module.forward(x)` or `accelerator.unwrap_model(model)(x)` in a training step.

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
