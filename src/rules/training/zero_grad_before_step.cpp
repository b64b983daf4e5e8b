#include "rules/site.h"
#include "rules/step_order.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules::zero_grad_before_step {

using namespace python;

namespace {

// The call that a statement is; null if it is something else.
const Call *call_of(const Stmt *statement) {
  const auto *expression = as<ExprStmt>(statement);
  return expression != nullptr ? as<Call>(expression->value) : nullptr;
}

bool is_on_optimizer(const Call &call) {
  const Expr *receiver = receiver_of(call);
  return receiver != nullptr && model::kind_of(receiver) == Kind::TorchOptimizer;
}

bool is_backward(const Call &call) {
  const Expr *receiver = receiver_of(call);
  const Kind kind = receiver != nullptr ? model::kind_of(receiver) : Kind::Unknown;
  return called_method(call) == "backward" && (kind == Kind::TorchTensor || kind == Kind::Accelerator);
}

// The statements of the block that the place stands in.
Block block_around(const Site &site, const Stmt *statement) {
  const auto holds = [statement](const Block &block) {
    return !block.empty() && block.front()->start <= statement->start && statement->end <= block.back()->end;
  };
  const Node *parent = site.ancestors.size() >= 2 ? site.ancestors[site.ancestors.size() - 2] : nullptr;
  if (parent == nullptr) {
    return site.module->parsed->tree.body;
  }
  const auto choose = [&](const Block &body, const Block &other) {
    return holds(body) ? body : holds(other) ? other : Block{};
  };
  switch (parent->kind) {
  case NodeKind::For:
    return choose(static_cast<const For *>(parent)->body, static_cast<const For *>(parent)->orelse);
  case NodeKind::While:
    return choose(static_cast<const While *>(parent)->body, static_cast<const While *>(parent)->orelse);
  case NodeKind::If:
    return choose(static_cast<const If *>(parent)->body, static_cast<const If *>(parent)->orelse);
  case NodeKind::FunctionDef:
    return static_cast<const FunctionDef *>(parent)->body;
  case NodeKind::With:
    return static_cast<const With *>(parent)->body;
  default:
    return {};
  }
}

void add_finding(Site &site, const Call &call, const Call &backward, const Call &step) {
  Finding &finding =
      report(site, call, "the gradients are cleared between `backward()` and `step()`, so the step has none to use",
             "call `zero_grad()` before `backward()` or after `step()`");
  finding.notes.push_back({site_of(site, backward).module->file, backward.span(), "the gradients are computed here"});
  finding.notes.push_back({site_of(site, step).module->file, step.span(), "and should be used here"});
}

// The only backward(), zero_grad() and step() of a training step, in the order in which they run.
struct Parts {
  const StepEvent *backward = nullptr;
  const StepEvent *clears = nullptr;
  const StepEvent *step = nullptr;
  std::vector<const StepEvent *> order; // empty unless all three are there, once each, under no test
  bool is_apart = false;                // not all in one function
};

Parts parts_of(const TrainingStep &all, const model::FunctionInfo *function) {
  using What = StepEvent::What;
  Parts parts;
  for (const PlacedEvent &one : all.events) {
    const What what = one.event.what;
    if (what == What::Clip || what == What::Schedule || what == What::Unscale) {
      continue;
    }
    const bool is_backward = what == What::Backward || what == What::ScaledBackward;
    const bool is_step = what == What::Step || what == What::ScalerStep;
    const StepEvent *&known = is_backward ? parts.backward : is_step ? parts.step : parts.clears;
    if ((!is_backward && !is_step && what != What::ZeroGrad) || known != nullptr || one.event.test != nullptr ||
        one.is_repeated) {
      return {};
    }
    known = &one.event;
    parts.order.push_back(known);
    parts.is_apart |= one.function != function;
  }
  return parts.order.size() == 3 ? parts : Parts{};
}

// backward(), zero_grad() and step() in this order: in a step that several functions share, or from one step to the
// next, as in zero_grad(), step(), backward().
void check_parts(Site &site, const Call &call) {
  const TrainingStep &all = step_around(site, call);
  const Parts parts = parts_of(all, site.function);
  if (parts.order.empty() || parts.clears->call != &call ||
      (parts.step->what == StepEvent::What::Step &&
       (!is_on_optimizer(*parts.step->call) || !parts.step->call->args.empty()))) {
    return;
  }
  const auto place = static_cast<u32>(std::ranges::find(parts.order, parts.backward) - parts.order.begin());
  if (parts.order[(place + 1) % 3] != parts.clears) {
    return;
  }
  if (place == 0) {
    if (parts.is_apart || parts.step->what == StepEvent::What::ScalerStep) {
      add_finding(site, call, *parts.backward->call, *parts.step->call);
    }
    return;
  }
  const bool is_repeated = all.node != nullptr && (all.node->kind == NodeKind::For ||
                                                   all.node->kind == NodeKind::While || all.function->in_loop);
  if (is_repeated) {
    const Site there = site_of(site, *parts.step->call);
    Finding &finding = report(site.findings, *site.rule, *there.module, parts.step->call->span(),
                              "the optimizer steps before `backward()`, and the gradients of the previous step are "
                              "cleared, so it has none to use",
                              "call `backward()` before `step()`");
    finding.notes.push_back({site.module->file, call.span(), "the gradients are cleared here"});
    finding.notes.push_back({site_of(site, *parts.backward->call).module->file, parts.backward->call->span(),
                             "and computed here, too late"});
  }
}

constexpr u32 kMostStatements = 200; // of a step that is written out in one block

// The backward() whose gradients are there before the statement of the block; null if there is none.
const Call *backward_before(const Block &block, u32 place) {
  const u32 first = place > kMostStatements ? place - kMostStatements : 0;
  for (u32 i = place; i-- > first;) {
    const Call *call = call_of(block[i]);
    if (call != nullptr && is_backward(*call)) {
      return call;
    }
    const NodeKind kind = block[i]->kind;
    const bool is_simple = kind == NodeKind::Pass || kind == NodeKind::Assign || kind == NodeKind::ExprStmt;
    if (call == nullptr ? !is_simple : called_method(*call) == "step") {
      return nullptr; // a loop or a branch, or the gradients were used
    }
  }
  return nullptr;
}

// backward(), zero_grad() and step() of one optimizer, one after the other in one block.
void check(Site &site, const Call &call) {
  check_parts(site, call);
  const auto *statement = site.ancestors.empty() ? nullptr : as<ExprStmt>(site.ancestors.back());
  if (statement == nullptr) {
    return;
  }
  const Block block = block_around(site, statement);
  const auto found = std::ranges::lower_bound(block, statement->start, {}, &Stmt::start);
  const auto here = static_cast<u32>(found - block.begin());
  const Call *backward = backward_before(block, here);
  if (backward == nullptr) {
    return;
  }
  const std::string_view optimizer = text_of(site, receiver_of(call));
  const u32 end = std::min(static_cast<u32>(block.size()), here + kMostStatements);
  for (u32 i = here + 1; i < end; ++i) {
    const Stmt *one = block[i];
    if (one->kind == NodeKind::Pass) {
      continue;
    }
    const Call *other = call_of(one);
    if (other == nullptr) {
      if (one->kind != NodeKind::Assign && one->kind != NodeKind::AugAssign) {
        return;
      }
      continue;
    }
    if (called_method(*other) == "backward" || called_function(site, *other) != nullptr) {
      return;
    }
    if (called_method(*other) == "step" && is_on_optimizer(*other) && text_of(site, receiver_of(*other)) == optimizer) {
      add_finding(site, call, *backward, *other);
      return;
    }
  }
}

} // namespace

extern constinit const Rule kZeroGradBeforeStep = {
    .info = {.code = "DP828",
             .name = "zero-grad-before-step",
             .summary = "`zero_grad()` between `backward()` and `step()`, so nothing is learned",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`loss.backward()`, `optimizer.zero_grad()` and `optimizer.step()` in this order, in one block or in the functions that a training step calls. Also from one
step to the next: `zero_grad()`, `step()` and then `backward()`.

## Why it is wrong

`step()` uses the gradients that `backward()` computed. If they are cleared in between, the weights change only by momentum and weight
decay, or not at all.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, loss_function):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        loss = loss_function(model(x), y)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, loss_function):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        loss = loss_function(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
```

## When it is wrong

Where the optimizer holds other parameters than those that `backward()` reached, and their gradients are set by hand.

## References

- PyTorch documentation: `torch.optim`, taking an optimization step
)"},
    .calls = "TorchOptimizer.zero_grad",
    .on_call = check};

} // namespace deepperf::rules::zero_grad_before_step
