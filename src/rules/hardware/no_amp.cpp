#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules::no_amp {

using namespace python;

namespace {

// A word of any way to train in lower precision, or of a library that does it by a setting.
bool mentions_precision(const Site &site) {
  return file_has_word_in_any_case(site,
                                   {"autocast", "amp.", "half(", "bfloat16", "float16", "fp16", "bf16", "precision",
                                    "accelerat", "deepspeed", "lightning", "fabric", "float64", "double("});
}

// The first loop of each module whose iterations are training steps.
struct FirstSteps {
  std::unordered_map<const model::Module *, u32> places;
};

// Has the file such a loop before this one?
bool is_first(const Site &site, const model::Loop &loop) {
  const auto &first = site.memory.recall<FirstSteps>(&site.project, [&] {
    FirstSteps steps;
    for (const model::Loop &other : site.project.loops) {
      if (other.steps) {
        const auto [known, is_new] = steps.places.try_emplace(other.function->module, other.node->start);
        known->second = std::min(known->second, other.node->start);
      }
    }
    return steps;
  });
  return first.places.at(site.module) >= loop.node->start;
}

void check(Site &site, const Node &node) {
  const auto *known = site.project.loop_at(&node);
  if (!site.module->torch || known == nullptr || !known->steps || known->tiny) {
    return;
  }
  const auto &loop = static_cast<const For &>(node);
  const Call *forward = nullptr;
  any_node(loop.body, [&](const Node *part) {
    const auto *call = as<Call>(part);
    if (call != nullptr) {
      const model::Value callee = site.project.callee_of(call);
      const bool is_model = callee.is_kind(Kind::TorchModule) ||
                            (callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule);
      // `diffusion.losses(model, x)` runs the model that it is given.
      const bool runs_given = model::has_grad(call) && std::ranges::any_of(call->args, [](const Expr *arg) {
                                return model::kind_of(arg) == Kind::TorchModule && model::is_moved(arg);
                              });
      forward = (is_model && model::is_moved(call->func)) || runs_given ? call : nullptr;
    }
    return forward != nullptr;
  });
  if (forward == nullptr || mentions_precision(site) || !is_first(site, *known)) {
    return;
  }
  report(site, *forward, "this model trains on the GPU in float32 only, without mixed precision",
         "try `torch.autocast(\"cuda\", dtype=torch.bfloat16)`, or float16 with a `GradScaler`");
}

} // namespace

extern constinit const Rule kNoAmp = {.info = {.code = "DP513",
                                               .name = "no-amp",
                                               .summary = "training on a GPU without mixed precision",
                                               .root_cause = "Hardware: Improper Configuration",
                                               .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
                                               .stage = "Training",
                                               .frameworks = "PyTorch",
                                               .severity = Severity::Advice,
                                               .tier = Tier::On,
                                               .fix = FixKind::None,
                                               .documentation = R"(## What it finds

The first training loop of a file that runs a model which was moved to a device, where nothing in the file mentions
mixed precision.

## Why it costs

Tensor cores multiply float16 and bfloat16 faster than float32, and activations take half the memory. PyTorch's tuning
guide mentions a speedup of up to 3x on Volta and newer GPUs.

## Bad

```python
import torch
from torch import nn

model = nn.Linear(4096, 4096).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(loader, criterion):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
```

## Good

```python
import torch
from torch import nn

model = nn.Linear(4096, 4096).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(loader, criterion):
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
```

## When it is wrong

For small models, old GPUs, and losses that need full precision. That is why it is advice: measure both.

## References

- PyTorch performance tuning guide: use mixed precision
)"},
                                      .nodes = {NodeKind::For},
                                      .on_node = check};

} // namespace deepperf::rules::no_amp
