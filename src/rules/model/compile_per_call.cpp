#include "model/bind.h"
#include "model/variance.h"
#include "rules/per_step.h"
#include "rules/repetition.h"
#include "rules/tree.h"

namespace deepperf::rules::compile_per_call {

using namespace python;

namespace {

// Is the result kept, so that a later call may find it: in an attribute, a dictionary, a global?
bool is_kept(const Site &site, const Call &call) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    if (const auto *assignment = as<Assign>(site.ancestors[i])) {
      const Expr *target = assignment->targets[0];
      const auto *name = as<Name>(target);
      return target->kind == NodeKind::Attribute || target->kind == NodeKind::Subscript ||
             (name != nullptr && site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot);
    }
    if (const auto *stored = as<Call>(site.ancestors[i])) {
      const std::string_view method = called_method(*stored);
      const auto *name = as<Name>(stored->func);
      if (method == "save" || method == "append" || method == "setdefault" || method == "add_module" ||
          (name != nullptr && name->id.text() == "setattr")) {
        return true;
      }
    }
  }
  (void)call;
  return false;
}

// Is what was compiled only called in this function, and not returned?
bool is_used_here(const Site &site) {
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *name = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
  const FunctionDef *definition = site.function->definition();
  if (name == nullptr || definition == nullptr) {
    return false;
  }
  bool is_called = false;
  const bool is_returned = any_node(definition->body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *callee = call != nullptr ? as<Name>(call->func) : nullptr;
    is_called = is_called || (callee != nullptr && callee->id == name->id);
    const auto *result = as<Return>(node);
    const auto *returned = result != nullptr ? as<Name>(result->value) : nullptr;
    return returned != nullptr && returned->id == name->id;
  });
  return is_called && !is_returned;
}

void check(Site &site, const Call &call) {
  const Expr *compiled = argument(call, 0, "model");
  if (compiled == nullptr || is_kept(site, call)) {
    return;
  }
  const std::string what = "`" + std::string(text_of(site, call.func)) + "`";
  const std::string advice = "compile once, where the model is created, and call the compiled model here";
  const bool in_forward = in_method(site, Kind::TorchModule, "forward");
  if (in_forward || in_method(site, Kind::TorchDataset, "__getitem__")) {
    report(site, call, what + (in_forward ? " runs in every forward pass" : " runs for every item"), advice);
    return;
  }
  if (in_request_handler(site)) {
    report(site, call, what + " runs for every request",
           "compile once, when the server starts, and call the compiled model here");
    return;
  }
  const model::Loop *const innermost = loop_around(site);
  const bool is_epoch = innermost != nullptr && innermost->trains && runs_every_turn(site, *innermost);
  if (const model::Loop *loop = is_epoch ? innermost : long_loop_around(site)) {
    // Another model in each turn has to be compiled each time.
    if (compiled->kind != NodeKind::Lambda && model::varies(site.project, *loop, compiled)) {
      return;
    }
    Finding &finding = report(site, call, what + " compiles the same code again in every iteration", advice);
    add_note(finding, site, *loop->node, "the loop is here");
    return;
  }
  const Repetition repetition = repetition_of(site);
  if (repetition.through_calls() && enclosing(site, NodeKind::If) == nullptr && compiled->kind != NodeKind::Call &&
      site.function->name.text() != "__init__" && is_used_here(site) && stays_same(site, repetition, compiled)) {
    Finding &finding = report(site, call, what + " compiles the same code again in every iteration", advice);
    add_note(finding, site, repetition);
    return;
  }
  // A function that a training step calls compiles in every step; so does one that a loop calls for something of the
  // object's or the module's own.
  const auto *own = as<Attribute>(compiled);
  const bool is_own = own != nullptr && model::is_own_object(*site.function, own->value);
  if (site.function->in_loop && site.function->definition() != nullptr && site.function->name.text() != "__init__" &&
      enclosing(site, NodeKind::If) == nullptr &&
      ((site.function->steps && compiled->kind != NodeKind::Name) || is_own)) {
    report(site, call,
           what + (site.function->steps ? " runs in every training step"
                                        : " runs in every call of this method, which a loop calls"),
           advice);
  }
}

} // namespace

extern constinit const Rule kCompilePerCall = {
    .info = {.code = "DP234",
             .name = "compile-per-call",
             .summary = "`torch.compile` or TorchScript compilation that runs in every call or iteration",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Increasing Time Over Time, Memory Leak",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`torch.compile`, `torch.jit.script` or `torch.jit.trace` inside `forward`, inside a Dataset's `__getitem__`, in a request handler (a Flask
or FastAPI route), or in a loop that compiles the same code in every iteration.

## Why it costs

Compilation pays off only if the compiled code runs many times. A compiled object that is created inside `forward` is discarded when
`forward` returns. Tracing and scripting start from scratch each time; `torch.compile` at least builds its wrapper and checks its guards
again.

## Bad

```python
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(10, 10)

    def forward(self, x):
        fast = torch.compile(self.body)
        return fast(x)
```

## Good

```python
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.compile(nn.Linear(10, 10))

    def forward(self, x):
        return self.body(x)
```

## When it is wrong

In a benchmark that measures compilation itself.

## References

- PyTorch documentation: torch.compile, torch.jit.script, torch.jit.trace
)"},
    .calls = "torch.compile torch.jit.script torch.jit.trace torch.jit.trace_module",
    .on_call = check};

} // namespace deepperf::rules::compile_per_call
