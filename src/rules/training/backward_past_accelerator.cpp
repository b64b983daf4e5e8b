#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::backward_past_accelerator {

using namespace python;

namespace {

// What the function knows of an accelerator.
struct Accelerated {
  const Call *prepare = nullptr; // accelerator.prepare(…)
  bool goes_backward = false;    // accelerator.backward(…)
};

Accelerated accelerated(const model::FunctionInfo &function) {
  Accelerated found;
  const auto look = [&](const Node *node) {
    const auto *call = as<Call>(node);
    const Expr *receiver = call != nullptr ? receiver_of(*call) : nullptr;
    if (receiver != nullptr && model::kind_of(receiver) == Kind::Accelerator) {
      const std::string_view method = called_method(*call);
      found.prepare = method == "prepare" && found.prepare == nullptr ? call : found.prepare;
      found.goes_backward |= method == "backward";
    }
    return false;
  };
  if (function.type != nullptr) { // other methods may prepare and step
    any_node_inside(function.type->node, look);
  } else if (const FunctionDef *definition = function.definition()) {
    any_node(definition->body, look);
  } else {
    any_node(function.module->parsed->tree.body, look);
  }
  return found;
}

const Accelerated &accelerated_in(const Site &site, const model::FunctionInfo &function) {
  return site.memory.recall<Accelerated>(function.node != nullptr ? static_cast<const void *>(function.node)
                                                                  : function.module,
                                         [&function] { return accelerated(function); });
}

// What the function prepares, or who calls it: `update(model, optimizer, loss)`.
Accelerated prepared_for(const Site &site, const model::FunctionInfo &function, u32 depth) {
  constexpr u32 kMostDepth = 3;
  Accelerated found = accelerated_in(site, function);
  if (found.prepare != nullptr || depth == kMostDepth) {
    return found;
  }
  for (const model::CallSite *caller : function.called_by) {
    if (caller->caller != &function) {
      const Accelerated above = prepared_for(site, *caller->caller, depth + 1);
      found.goes_backward |= above.goes_backward || above.prepare == nullptr; // every caller has to prepare
      found.prepare = above.prepare;
    }
  }
  return found;
}

// Does the accelerator scale the loss: for float16, or to average accumulated gradients?
bool scales(const Site &site, const Call &prepare) {
  bool found = false;
  for_each_alternative(value_of(site, receiver_of(prepare)), [&](const model::Value &one) {
    if (one.maker() == nullptr) {
      return;
    }
    const Site there = site_of(site, *one.maker());
    const Keyword *precision = keyword_argument(*one.maker(), "mixed_precision");
    const Keyword *steps = keyword_argument(*one.maker(), "gradient_accumulation_steps");
    found |= precision != nullptr && string_of(there, precision->value) == "fp16";
    found |= steps != nullptr && integer_of(there, steps->value).value_or(1) > 1;
  });
  return found;
}

// A tensor, or `loss` of a model's output under a name, where it is not known which model it is.
bool is_loss(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const auto *attribute = as<Attribute>(name != nullptr ? last_assigned(site, *name) : nullptr);
  return model::kind_of(expr) == Kind::TorchTensor || (attribute != nullptr && attribute->attr.text() == "loss") ||
         (name != nullptr && has_word_in_any_case(name->id.text(), {"loss"}));
}

void check(Site &site, const Call &call) {
  if (site.function == nullptr || site.module->is_test || !project_has_word(site, {"ccelerat"}) ||
      call.args.size() > 1 || !is_loss(site, receiver_of(call))) {
    return;
  }
  const Accelerated known = prepared_for(site, *site.function, 0);
  if (known.prepare == nullptr || known.goes_backward) {
    return;
  }
  Finding &finding =
      report(site, call, "`backward()` of the loss bypasses the accelerator, which then neither scales nor averages it",
             "call `accelerator.backward(loss)`");
  const Site prepared = site_of(site, *known.prepare);
  finding.notes.push_back({prepared.module->file, known.prepare->span(), "the accelerator prepares the model here"});
  if (!scales(prepared, *known.prepare)) {
    finding.tier = Tier::Hint; // in float32 and without accumulation there is nothing to scale
  }
}

} // namespace

extern constinit const Rule kBackwardPastAccelerator = {
    .info = {.code = "DP879",
             .name = "backward-past-accelerator",
             .summary = "`loss.backward()` where Accelerate's `accelerator.backward(loss)` is needed",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`loss.backward()` in a function that prepares its model with Accelerate, or that such a function calls, and that never calls `accelerator.backward()`.

## Why it is wrong

`accelerator.backward()` scales the loss for float16, divides it where gradients are accumulated, and calls DeepSpeed's engine where there is one. Without it gradients in float16
vanish, and accumulated gradients are too large.

## Bad

```python
import torch
from accelerate import Accelerator


def train(model: torch.nn.Module, optimizer, loader):
    accelerator = Accelerator(mixed_precision="fp16")
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
```

## Good

```python
import torch
from accelerate import Accelerator


def train(model: torch.nn.Module, optimizer, loader):
    accelerator = Accelerator(mixed_precision="fp16")
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
```

## When it is wrong

In float32 or bfloat16, on one device and without accumulation, both do the same: there it is a hint.

## References

- Hugging Face Accelerate: `Accelerator.backward`
)"},
    .calls = "*.backward",
    .on_call = check};

} // namespace deepperf::rules::backward_past_accelerator
