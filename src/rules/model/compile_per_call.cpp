#include "model/bind.h"
#include "model/variance.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/repetition.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::compile_per_call {

using namespace python;

namespace {

// Is the result kept, so that a later call may find it: in an attribute, a dictionary, a global?
bool is_kept(const Site &site, const Call &call) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const auto *assignment = as<Assign>(site.ancestors[i]);
    const auto *declared = as<AnnAssign>(site.ancestors[i]);
    if (assignment != nullptr || declared != nullptr) {
      const Expr *target = assignment != nullptr ? assignment->targets[0] : declared->target;
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

// Is the result a name of the function that is called there and neither returned nor stored?
bool is_dropped(const Site &site) {
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  const FunctionDef *const definition = site.function->definition();
  if (name == nullptr || definition == nullptr) {
    return false;
  }
  bool is_called = false;
  const auto escapes = [&](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *called = call != nullptr ? as<Name>(call->func) : nullptr;
    is_called |= called != nullptr && called->id == name->id;
    bool found = false;
    for_each_child(node, [&](const Node *child) {
      const auto *use = as<Name>(child);
      const bool is_call = call != nullptr && call->func == child;
      found |= use != nullptr && use->id == name->id && use->context == Context::Load && !is_call;
    });
    return found;
  };
  return !any_node(definition->body, escapes) && is_called;
}

// Is what is compiled the same each time: a name that holds the same, or a lambda of such names?
bool is_same_each_time(const Site &site, const Repetition &repetition, const Expr *compiled) {
  const auto *lambda = as<Lambda>(compiled);
  if (lambda == nullptr) {
    return stays_same(site, repetition, compiled);
  }
  return !any_node(static_cast<const Node *>(lambda->body), [&](const Node *node) {
    const auto *name = as<Name>(node);
    const bool is_own = name != nullptr && std::ranges::any_of(lambda->params, [name](const Param *param) {
                          return param->name == name->id;
                        });
    return name != nullptr && !is_own && site.function->slot_of(name->id) != model::FunctionInfo::kNoSlot &&
           !stays_same(site, repetition, name);
  });
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
  const bool is_epoch = innermost != nullptr && innermost->trains && runs_every_iteration(site, *innermost);
  if (const model::Loop *loop = is_epoch ? innermost : long_loop_around(site)) {
    // Another model in each iteration has to be compiled each time.
    if (compiled->kind != NodeKind::Lambda && model::varies(site.project, *loop, compiled)) {
      return;
    }
    Finding &finding = report(site, call, what + " compiles the same code again in every iteration", advice);
    add_note(finding, site, *loop->node, "the loop is here");
    return;
  }
  const Repetition repetition = repetition_of(site);
  if (repetition.through_calls() && enclosing(site, NodeKind::If) == nullptr && compiled->kind != NodeKind::Call &&
      site.function->name.text() != "__init__" && is_dropped(site) && is_same_each_time(site, repetition, compiled)) {
    Finding &finding = report(site, call, what + " compiles the same code again in every iteration", advice);
    add_note(finding, site, repetition);
    return;
  }
  // A function that a training step calls compiles in every step; so does one that a loop calls for something of the
  // object's or the module's own.
  const auto *own = as<Attribute>(compiled);
  const bool is_own = own != nullptr && model::is_own_object(*site.function, own->value);
  const bool is_per_request = site.function->definition() != nullptr && site.function->name.text() != "__init__" &&
                              is_own && under_no_grad(site) && is_dropped(site);
  if (((site.function->in_loop && ((site.function->steps && compiled->kind != NodeKind::Name) || is_own)) ||
       is_per_request) &&
      site.function->definition() != nullptr && site.function->name.text() != "__init__" &&
      enclosing(site, NodeKind::If) == nullptr) {
    report(site, call,
           what + (site.function->steps     ? " runs in every training step"
                   : site.function->in_loop ? " runs in every call of this method, which a loop calls"
                                            : " runs in every call of this method, which only uses the result itself"),
           advice)
        .tier = site.function->in_loop ? Tier::On : Tier::Hint;
  }
}

// `@torch.compile` on a function that is defined again in every iteration, request or step.
void check_definition(Site &site, const Node &node) {
  const auto &definition = static_cast<const FunctionDef &>(node);
  if (definition.decorators.empty() || site.module->is_test || site.function == nullptr ||
      !file_has_word(site, {"torch.compile", "jit.script"})) {
    return;
  }
  const auto compiles = [&site](const Expr *decorator) {
    const auto *call = as<Call>(decorator);
    const model::Value value = value_of(site, call != nullptr ? call->func : decorator);
    const std::string_view api = value.is(model::Value::Tag::Api) ? value.name().text() : std::string_view{};
    return api == "torch.compile" || api == "torch.jit.script";
  };
  const auto decorator = std::ranges::find_if(definition.decorators, compiles);
  if (decorator == definition.decorators.end()) {
    return;
  }
  Site around = site; // the place of the definition, and not inside of it
  if (!around.ancestors.empty() && around.ancestors.back() == &node) {
    around.ancestors.pop_back();
  }
  const Repetition repetition = repetition_of(around);
  const bool in_forward = site.function->definition() != nullptr && in_forward_pass(around);
  const bool is_handled = site.function->definition() != nullptr && in_request_handler(around);
  if (repetition.loop == nullptr && !in_forward && !is_handled) {
    return;
  }
  Finding &finding =
      report(around, **decorator,
             std::string("`") + std::string(definition.name.text()) + "` is defined and compiled again " +
                 (repetition.loop != nullptr ? "in every iteration"
                  : in_forward               ? "in every forward pass"
                                             : "for every request"),
             "define it once, outside, and pass what changes as arguments");
  if (repetition.loop != nullptr) {
    add_note(finding, around, repetition);
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

`torch.compile`, `torch.jit.script` or `torch.jit.trace`, called or as a decorator, inside `forward`, inside a Dataset's `__getitem__`, in a request handler (a Flask
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
    .on_call = check,
    .nodes = {NodeKind::FunctionDef},
    .on_node = check_definition};

} // namespace deepperf::rules::compile_per_call
