#include "model/graph_flow.h"
#include "rules/assignments.h"
#include "rules/made_on_host.h"
#include "rules/optimizer_module.h"
#include "rules/reach.h"
#include "rules/step_order.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::forward_outside_autocast {

using namespace python;

namespace {

bool is_autocast(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  return api == "torch.autocast" || api == "torch.amp.autocast" || api == "torch.cuda.amp.autocast";
}

// Does the call run a model or layer with weights, in float32 where no autocast is around it?
bool runs_model(const Site &site, const Call &call) {
  const Kind kind = model::kind_of(call.func);
  if (kind == Kind::TorchModule || kind == Kind::HfModel) {
    return model::records_graph(site.project, value_of(site, call.func));
  }
  const model::Value callee = site.project.callee_of(&call);
  return callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule;
}

// Is there such a call in the code, or in what it calls? A name that nothing is known of counts, if its parameters are
// taken somewhere in the file.
bool runs_model_inside(const Site &site, const With &with) {
  const auto runs = [&](const Site &place, const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    if (runs_model(place, *call)) {
      return true;
    }
    const bool is_name = call->func->kind == NodeKind::Name || call->func->kind == NodeKind::Attribute;
    const bool is_unknown = place.project.callee_of(call).is_unknown() && is_name;
    return is_unknown && file_has_word(place, {std::string(text_of(place, call->func)) + ".parameters("});
  };
  if (any_node(with.body, [&](const Node *node) { return runs(site, node); })) {
    return true;
  }
  for (const model::FunctionInfo *function : reached_functions(*site.function, with)) {
    const FunctionDef *const definition = function->definition();
    if (definition == nullptr) {
      continue;
    }
    const Site inside = site_inside(site, *function);
    if (any_node(definition->body, [&](const Node *node) { return runs(inside, node); })) {
      return true;
    }
  }
  return false;
}

// The call that runs a model, where the expression is what it gave: `model(x)`, `model(x)["out"]`, or a function of the
// project that returns it.
const Call *model_call(const Site &site, const Expr *expr, u32 depth = 0) {
  while (expr != nullptr && (expr->kind == NodeKind::Subscript || expr->kind == NodeKind::Attribute)) {
    const auto *part = as<Subscript>(expr);
    expr = part != nullptr ? part->value : static_cast<const Attribute *>(expr)->value;
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr || depth > 2) {
    return nullptr;
  }
  if (runs_model(site, *call)) {
    return call;
  }
  const Expr *const returned = returned_at_end(site, *call);
  const model::FunctionInfo *const function = called_function(site, *call);
  if (returned == nullptr || function->no_grad || has_word(text_of(*function), {"autocast"})) {
    return nullptr;
  }
  return model_call(site_inside(site, *function), returned, depth + 1) != nullptr ? call : nullptr;
}

// Does what the call runs use autocast itself?
bool has_own_autocast(const Site &site, const Call &call) {
  const auto reached = reached_functions(*site.function, call);
  return std::ranges::any_of(reached, [](const model::FunctionInfo *one) {
    return has_word(text_of(*one), {"autocast"}) ||
           (one->definition() != nullptr &&
            std::ranges::any_of(one->definition()->decorators, [&](const Expr *decorator) {
              const std::string_view source = one->module->parsed->source.text();
              return has_word(source.substr(decorator->start, decorator->end - decorator->start), {"autocast"});
            }));
  });
}

void check(Site &site, const Call &call) {
  const auto *with = site.ancestors.empty() ? nullptr : as<With>(site.ancestors.back());
  if (with == nullptr || site.function == nullptr || site.module->is_test || has_hidden_arguments(call)) {
    return;
  }
  const Keyword *const enabled = keyword_argument(call, "enabled");
  if (enabled != nullptr && bool_of(site, enabled->value) == false) {
    return;
  }
  for (const Node *outer : site.ancestors) {
    const auto *around = as<With>(outer);
    if (around != nullptr && around != with && std::ranges::any_of(around->items, [&](const WithItem &item) {
          const auto *context = as<Call>(item.context_expr);
          return context != nullptr && is_autocast(site, *context);
        })) {
      return;
    }
  }
  // The backward pass of this step comes after it.
  const bool is_step = std::ranges::any_of(step_events(site), [&](const StepEvent &event) {
    return (event.what == StepEvent::What::Backward || event.what == StepEvent::What::ScaledBackward) &&
           event.call->start > with->start;
  });
  if (!is_step || runs_model_inside(site, *with)) {
    return;
  }
  // What it reads was computed before, outside of it.
  const Call *forward = nullptr;
  const Name *read = nullptr;
  any_node(with->body, [&](const Node *node) {
    const auto *name = as<Name>(node);
    const Expr *const value =
        name != nullptr && name->context == Context::Load ? assigned_before(site, name->id, with->start) : nullptr;
    const Call *const made = value != nullptr ? model_call(site, value) : nullptr;
    if (made != nullptr) {
      forward = made;
      read = name;
    }
    return forward != nullptr;
  });
  if (forward == nullptr || has_own_autocast(site, *forward)) {
    return;
  }
  const Site there = site_of_node(site, *forward);
  const bool is_cast = std::ranges::any_of(there.ancestors, [&](const Node *outer) {
    const auto *around = as<With>(outer);
    return around != nullptr && has_word(text_of(site, around->items[0].context_expr), {"autocast", "amp"});
  });
  if (is_cast || under_no_grad(there)) {
    return;
  }
  Finding &finding = report(site, *forward, "this forward pass is outside of `autocast`, so it runs in float32",
                            "move it into the `with` block");
  add_note(finding, site, call, fmt::format("only what is computed from `{}` here is cast", text_of(site, read)));
}

} // namespace

extern constinit const Rule kForwardOutsideAutocast = {
    .info = {.code = "DP530",
             .name = "forward-outside-autocast",
             .summary = "a training step that computes only its loss under `autocast`, and the model outside of it",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `with autocast(…)` in a training step that runs no model, and that reads the output that a model computed before it.

## Why it costs

`autocast` casts the operations that run inside of it. The matrix products and convolutions are in the model; a loss has few of them, and
`autocast` runs most losses in float32 anyway. Outside, the model computes in float32 and keeps float32 activations, so mixed precision
brings neither speed nor memory.

## Bad

```python
import torch
from torch import nn

model = nn.Linear(64, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step(x, y):
    scores = model(x)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(scores, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## Good

```python
import torch
from torch import nn

model = nn.Linear(64, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step(x, y):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
```

## When it is wrong

Where the model uses `autocast` in code that was not checked.

## References

- PyTorch: automatic mixed precision package
)"},
    .calls = "torch.autocast torch.amp.autocast torch.cuda.amp.autocast",
    .on_call = check};

} // namespace deepperf::rules::forward_outside_autocast
