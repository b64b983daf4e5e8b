#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::retain_graph_in_loop {

using namespace python;

namespace {

bool is_backward(const Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  return method == "backward" || method == "manual_backward" || called_api(site, call) == "torch.autograd.grad" ||
         called_api(site, call) == "torch.autograd.backward";
}

bool calls_model(const Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  return callee.is_kind(Kind::TorchModule) || callee.is_kind(Kind::HfModel) ||
         (callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule);
}

// Where a step computes, walks a graph and updates.
struct StepCalls {
  u32 first_forward = ~0U;
  u32 last_backward = 0;
  u32 last_step = 0;
  bool calls_training = false; // a closure or a method of the project that may hold another backward
};

const StepCalls &step_calls(const Site &site, const Node *step) {
  return site.memory.recall<StepCalls>(step, [&] {
    StepCalls found;
    const auto look = [&](const Node *node) {
      if (const auto *call = as<Call>(node)) {
        found.last_backward =
            is_backward(site, *call) ? std::max(found.last_backward, call->start) : found.last_backward;
        found.first_forward =
            calls_model(site, *call) ? std::min(found.first_forward, call->start) : found.first_forward;
        found.last_step = called_method(*call) == "step" ? std::max(found.last_step, call->start) : found.last_step;
        const model::FunctionInfo *called = called_function(site, *call);
        found.calls_training |= called != nullptr && called->trains && called != site.function;
      }
      return false;
    };
    if (const auto *definition = as<FunctionDef>(step)) {
      any_node(definition->body, look);
    } else {
      any_node(step, look);
    }
    return found;
  });
}

void check(Site &site, const Call &call) {
  const Keyword *retain = keyword_argument(call, "retain_graph");
  if (retain == nullptr || bool_of(site, retain->value) != true || keyword_argument(call, "create_graph") != nullptr) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  const FunctionDef *definition = site.function->definition();
  if (loop == nullptr && (definition == nullptr || !site.function->in_loop)) {
    return;
  }
  // The graph is needed once more if something later in the same step walks it.
  const StepCalls &calls = loop != nullptr ? step_calls(site, loop->node) : step_calls(site, definition);
  if (calls.calls_training || calls.last_backward > call.start) {
    return;
  }
  const bool forward = calls.first_forward < call.start;
  const bool stepped = calls.last_step > call.start;
  // A loop without a forward pass walks one graph several times: that is what the option is for. But not once the
  // optimizer has changed the weights in between.
  if (!stepped && (!forward || loop == nullptr)) {
    return;
  }
  Finding &finding =
      report(site, call, "`retain_graph=True` keeps the autograd graph, but nothing in this step uses it again",
             "omit `retain_graph`; if PyTorch then reports a second backward, detach the state that is carried to the "
             "next step");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "each iteration of this loop keeps a graph");
  }
  if (const std::optional<Edit> edit = remove_argument(site, call, *retain)) {
    set_fix(finding, false, {*edit});
  }
}

} // namespace

extern constinit const Rule kRetainGraphInLoop = {
    .info = {.code = "DP233",
             .name = "retain-graph-in-loop",
             .summary = "`backward(retain_graph=True)` in a training step that uses the graph only once",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Out of Memory, Increasing Time Over Time, Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`loss.backward(retain_graph=True)` in a step of a training loop, where no other `backward()` or `autograd.grad()` follows in the same step.

## Why it costs

`backward()` frees what the forward pass saved as soon as it has used it. With `retain_graph=True` all of it stays until the last reference
to the loss is gone, so two steps are in memory at the same time. If it was added to silence *Trying to backward through the graph a second
time*, something from the previous step, such as a hidden state, is still connected: each backward pass then goes through all steps so far,
and the loop gets slower and needs more memory with every iteration.

## Bad

```python
import torch
from torch import nn

model = nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(loader):
    for x, y in loader:
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward(retain_graph=True)
        optimizer.step()
```

## Good

```python
import torch
from torch import nn

model = nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(loader):
    for x, y in loader:
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
```

## When it is wrong

Where a function that DeepPerf cannot follow uses the same graph later in the step. Because of that, and because a carried state must be
detached first, the fix needs `--unsafe-fixes`.

## References

- PyTorch documentation: `torch.Tensor.backward`, `retain_graph`
- PyTorch FAQ: my model reports CUDA runtime error: out of memory
)"},
    .calls = "*.backward *.manual_backward",
    .on_call = check};

} // namespace deepperf::rules::retain_graph_in_loop
