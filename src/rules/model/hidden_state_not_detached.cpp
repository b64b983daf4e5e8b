#include "base/known_names.h"
#include "model/classes.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::hidden_state_not_detached {

using namespace python;

namespace {

bool mentions(const Node *node, Symbol name) {
  return any_node(node, [name](const Node *part) {
    const auto *mentioned = as<Name>(part);
    return mentioned != nullptr && mentioned->id == name;
  });
}

// Is the name cut off from its graph in the loop, or set to something else than what the model returns?
bool is_cut(const Site &site, const Block &body, Symbol name, const Assign &carrier) {
  return any_node(body, [&](const Node *node) {
    if (const auto *assignment = as<Assign>(node); assignment != nullptr && assignment != &carrier) {
      for (const Expr *target : assignment->targets) {
        if (mentions(target, name)) {
          return true;
        }
      }
    }
    if (const auto *loop = as<For>(node)) {
      return mentions(loop->target, name) || mentions(loop->iter, name);
    }
    if (const auto *call = as<Call>(node)) {
      const std::string_view method = called_method(*call);
      if ((method == "detach_" || method == "copy_" || method == "zero_" || method == "fill_") &&
          mentions(receiver_of(*call), name)) {
        return true;
      }
      // repackage(hidden) may change it in place.
      const model::FunctionInfo *called = called_function(site, *call);
      if (call != carrier.value && called != nullptr) {
        for (const Expr *arg : call->args) {
          if (mentions(arg, name)) {
            return true;
          }
        }
      }
    }
    return false;
  });
}

bool detaches(const model::FunctionInfo &function) {
  const FunctionDef *definition = function.definition();
  return definition == nullptr || any_node(definition->body, [](const Node *node) {
           const auto *attribute = as<Attribute>(node);
           return attribute != nullptr && (attribute->attr.text() == "detach" || attribute->attr.text() == "detach_" ||
                                           attribute->attr.text() == "data" || attribute->attr.text() == "no_grad");
         });
}

Block body_of(const model::Loop &loop) {
  return loop.node->kind == NodeKind::For     ? static_cast<const For *>(loop.node)->body
         : loop.node->kind == NodeKind::While ? static_cast<const While *>(loop.node)->body
                                              : Block{};
}

// Does the name's value become part of what backward() is called on, in the statements from the place on?
bool reaches_backward(const Block &body, Symbol name, u32 from) {
  std::vector<Symbol> carried = {name};
  const auto is_carried = [&](const Node *node) {
    return std::ranges::any_of(carried, [&](Symbol one) { return mentions(node, one); });
  };
  return any_node(body, [&](const Node *node) {
    if (node->start < from) {
      return false;
    }
    const auto *assignment = as<Assign>(node);
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    if (target != nullptr && model::has_grad(assignment->value) && is_carried(assignment->value)) {
      carried.push_back(target->id);
    }
    const auto *call = as<Call>(node);
    return call != nullptr && called_method(*call) == "backward" && is_carried(receiver_of(*call));
  });
}

// memory = 0.9 * memory + model(x), and the loss is computed from it.
void check_running(Site &site, const Assign &assignment, const Name &name) {
  const model::Loop *const loop = loop_around(site);
  if (loop == nullptr || !loop->steps || loop->few_iterations || !model::has_grad(assignment.value) ||
      !mentions(assignment.value, name.id) || site.module->is_test || under_no_grad(site) ||
      assignment.value->kind != NodeKind::BinOp) {
    return;
  }
  const Block body = body_of(*loop);
  // Each iteration must begin with the value of the one before, and walk the graph that this hangs on.
  const bool is_bound_before = any_node(body, [&](const Node *node) {
    const auto *bound = as<Name>(node);
    return bound != nullptr && bound->id == name.id && bound->context == Context::Store && bound != &name;
  });
  const auto holds_value = [&](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && call->args.empty() && mentions(receiver_of(*call), name.id) &&
           (called_method(*call) == "detach" || called_method(*call) == "item");
  };
  if (is_bound_before || any_node(assignment.value, holds_value) || is_cut(site, body, name.id, assignment) ||
      !reaches_backward(body, name.id, assignment.start)) {
    return;
  }
  Finding &finding = report(
      site, assignment,
      fmt::format(
          "`{}` carries its autograd graph into the next step, whose backward pass goes through all previous steps",
          name.id.text()),
      fmt::format("detach what comes from the previous step: `{}.detach()`", name.id.text()));
  finding.tier = Tier::On;
  finding.severity = Severity::Error;
  add_note(finding, site, *loop->node, "each iteration of this loop backpropagates to the first iteration");
}

// out, hidden = model(x, hidden) in a loop whose iterations each walk the graph.
void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  if (const auto *name = assignment.targets.size() == 1 ? as<Name>(assignment.targets[0]) : nullptr) {
    check_running(site, assignment, *name);
    return;
  }
  const auto *call = as<Call>(assignment.value);
  const auto *targets = as<Tuple>(assignment.targets[0]);
  if (call == nullptr || targets == nullptr || targets->elts.size() != 2) {
    return;
  }
  const model::Value callee = site.project.callee_of(call);
  const bool is_object = callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule;
  const model::Loop *loop = loop_around(site);
  if ((!callee.is_kind(Kind::TorchModule) && !is_object) || loop == nullptr || !loop->steps || under_no_grad(site)) {
    return;
  }
  const Block body = body_of(*loop);
  for (const Expr *target : targets->elts) {
    const auto *name = as<Name>(target);
    const bool is_passed = name != nullptr && any_node(call, [&](const Node *part) {
                             const auto *passed = as<Name>(part);
                             return passed != nullptr && passed->id == name->id;
                           });
    if (!is_passed || is_cut(site, body, name->id, assignment)) {
      continue;
    }
    // Without retain_graph, PyTorch stops such a program in the second turn, unless the model cuts the state itself.
    const bool retains = any_node(body, [&site](const Node *part) {
      const auto *walk = as<Call>(part);
      const Keyword *retain = walk != nullptr ? keyword_argument(*walk, "retain_graph") : nullptr;
      return retain != nullptr && bool_of(site, retain->value) == true;
    });
    if (!retains) {
      if (!is_object) {
        continue;
      }
      const model::FunctionInfo *const forward = model::find_method_of(*callee.type, known::sym_forward);
      if (forward == nullptr || detaches(*forward)) {
        continue;
      }
    }
    Finding &finding = report(
        site, assignment,
        fmt::format(
            "`{}` carries its autograd graph into the next step, so each backward pass goes through all previous steps",
            name->id.text()),
        fmt::format("detach it before the next step: `{0} = {0}.detach()`, or detach each part of a tuple",
                    name->id.text()));
    finding.tier = Tier::Hint;
    add_note(finding, site, *loop->node, "each iteration of this loop backpropagates to the first iteration");
    return;
  }
}

} // namespace

extern constinit const Rule kHiddenStateNotDetached = {
    .info = {.code = "DP231",
             .name = "hidden-state-not-detached",
             .summary = "a hidden state that is carried from step to step with its autograd graph",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Increasing Time Over Time, Out of Memory",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`out, hidden = model(x, hidden)` in a training loop where `hidden` is never detached, with or without `backward(retain_graph=True)`.

## Why it costs

The state of the last batch refers to the autograd graph that computed it. The next backward pass traverses that graph too, and so on: step
n traverses n graphs and keeps them in memory. PyTorch stops at the second step with *Trying to backward through the graph a second time*;
`retain_graph=True` hides the error and keeps the cost.

## Bad

```python
import torch
from torch import nn

def train(rnn: nn.LSTM, loader, optimizer, criterion, hidden):
    for x, y in loader:
        optimizer.zero_grad()
        out, hidden = rnn(x, hidden)
        loss = criterion(out, y)
        loss.backward(retain_graph=True)
        optimizer.step()
```

## Good

```python
import torch
from torch import nn

def train(rnn: nn.LSTM, loader, optimizer, criterion, hidden):
    for x, y in loader:
        hidden = tuple(state.detach() for state in hidden)
        optimizer.zero_grad()
        out, hidden = rnn(x, hidden)
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
```

## When it is wrong

Where backpropagation through all batches is intended, which only short sequences allow.

## References

- PyTorch FAQ: my model reports CUDA runtime error: out of memory (states that span several batches)
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::hidden_state_not_detached
