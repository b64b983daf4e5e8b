#include "base/steps.h"
#include "model/modes.h"
#include "model/variance.h"
#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace deepperf::rules::average_without_buffers {

using namespace python;

namespace {

// `model` of `model.parameters()`; null if it is something else.
const Expr *owner_of_parameters(const Expr *expr) {
  const auto *call = as<Call>(expr);
  return call != nullptr && called_method(*call) == "parameters" && call->args.empty() ? receiver_of(*call) : nullptr;
}

// Is the name changed in place, by something that mixes in the other one: `a.mul_(d).add_(b)`, `a.lerp_(b, w)`,
// `a.data = d * a.data + (1 - d) * b.data`?
bool is_averaged(const Block &body, Symbol average, Symbol current) {
  return any_node(body, [&](const Node *node) {
    if (const auto *call = as<Call>(node)) {
      const std::string_view method = called_method(*call);
      return method.ends_with('_') && method != "requires_grad_" && mentions(receiver_of(*call), average) &&
             !call->args.empty() &&
             std::ranges::any_of(call->args, [current](const Expr *arg) { return mentions(arg, current); });
    }
    const auto *assign = as<Assign>(node);
    return assign != nullptr && assign->targets.size() == 1 && mentions(assign->targets[0], average) &&
           mentions(assign->value, current) && mentions(assign->value, average);
  });
}

// Attributes that are called as modules somewhere, `self.encoder_k(x)`, and those that are put into evaluation mode.
struct RunAttributes {
  std::unordered_set<u32> called;
  std::unordered_set<u32> evaluated;
};

void find_run(const Node *node, RunAttributes &found) {
  if (const auto *call = as<Call>(node)) {
    if (const auto *callee = as<Attribute>(call->func)) {
      found.called.insert(callee->attr.id);
    }
    const auto *owner = called_method(*call) == "eval" ? as<Attribute>(receiver_of(*call)) : nullptr;
    if (owner != nullptr) {
      found.evaluated.insert(owner->attr.id);
    }
  }
  const auto *assign = as<Assign>(node); // self.ema = deepcopy(model).eval()
  const auto *made = assign != nullptr ? as<Call>(assign->value) : nullptr;
  const auto *kept = made != nullptr && called_method(*made) == "eval" ? as<Attribute>(assign->targets[0]) : nullptr;
  if (kept != nullptr) {
    found.evaluated.insert(kept->attr.id);
  }
}

const RunAttributes &run_attributes(const Site &site) {
  return site.memory.recall<RunAttributes>(&site.project, [&site] {
    const SharedWork shared;
    RunAttributes found;
    for (const model::Module &module : site.project.modules) {
      for (const Stmt *statement : module.parsed->tree.body) {
        any_node_inside(statement, [&found](const Node *node) {
          find_run(node, found);
          return false;
        });
      }
    }
    return found;
  });
}

// A momentum encoder or target network that runs in the training step: in training mode it updates its statistics
// itself. Also under the name of a parameter.
bool runs_in_training(const Site &site, const Expr *average) {
  const RunAttributes &run = run_attributes(site);
  const auto is_run = [&run](const Expr *expr) {
    const auto *attribute = as<Attribute>(expr);
    return attribute != nullptr && run.called.contains(attribute->attr.id) &&
           !run.evaluated.contains(attribute->attr.id);
  };
  const auto *name = as<Name>(average);
  const u32 place = name != nullptr ? site.function->place_of_param(name->id) : model::FunctionInfo::kNoParam;
  if (place == model::FunctionInfo::kNoParam) {
    return is_run(written_value(site, average));
  }
  return std::ranges::any_of(site.function->called_by, [&](const model::CallSite *caller) {
    const Expr *const given = model::passed_argument(*caller, place);
    return given != nullptr && is_run(written_value(site_of(site, *caller->call), given));
  });
}

// for average, current in zip(copy.parameters(), model.parameters())
void check(Site &site, const Node &node) {
  const auto &loop = static_cast<const For &>(node);
  const auto *both = as<Call>(loop.iter);
  const auto *names = as<Tuple>(loop.target);
  if (both == nullptr || names == nullptr || called_name(*both) != "zip" || both->args.size() != 2 ||
      names->elts.size() != 2 || site.module->is_test) {
    return;
  }
  const auto *first = as<Name>(names->elts[0]);
  const auto *second = as<Name>(names->elts[1]);
  const Expr *const owners[] = {owner_of_parameters(both->args[0]), owner_of_parameters(both->args[1])};
  if (first == nullptr || second == nullptr || owners[0] == nullptr || owners[1] == nullptr) {
    return;
  }
  const bool is_first = is_averaged(loop.body, first->id, second->id);
  if (!is_first && !is_averaged(loop.body, second->id, first->id)) {
    return;
  }
  const Expr *const average = owners[is_first ? 0 : 1];
  const Expr *const trained = owners[is_first ? 1 : 0];
  const auto has_statistics = [&site](const Expr *model) {
    return model::statistics_of(site.project, value_of(site, model)) == model::Modes::Differ;
  };
  if (!has_statistics(average) && !has_statistics(trained)) {
    return;
  }
  // Who copies buffers, or only ever runs the copy in training mode, as a momentum encoder does.
  constexpr std::string_view kHandled[] = {"buffers(", "state_dict", "running_mean", "update_bn"};
  if ((site.type != nullptr && node_has_word(site, *site.type->node, kHandled)) || function_has_word(site, kHandled) ||
      !project_has_word(site, {".eval()"}) || runs_in_training(site, average)) {
    return;
  }
  Finding &finding = report(
      site, *loop.iter,
      fmt::format("only the parameters of `{}` are averaged: its batch normalization keeps the running statistics it "
                  "started with",
                  text_of(site, average)),
      fmt::format("also copy the buffers: `for a, b in zip({}.buffers(), {}.buffers()): a.copy_(b)`",
                  text_of(site, average), text_of(site, trained)));
  // A momentum encoder that is never evaluated updates its statistics itself.
  if (!project_has_word_in_any_case(site, {"ema", "average", "shadow"})) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kAverageWithoutBuffers = {
    .info = {.code = "DP907",
             .name = "average-without-buffers",
             .summary = "a moving average of a model that omits its batch normalization statistics",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A moving average of the weights that goes over `zip(average.parameters(), model.parameters())`, of a model with batch normalization, without
anything that copies its buffers.

## Why it is wrong

`running_mean` and `running_var` are buffers, not parameters. In the averaged copy they keep the values they had when it was created, so that its
outputs in evaluation mode are wrong, however good its weights are.

## Bad

```python
import copy

import torch
from torchvision.models import resnet18


class Ema:
    def __init__(self, model):
        self.module = copy.deepcopy(model).eval()

    @torch.no_grad()
    def update(self, model, decay=0.999):
        for average, current in zip(self.module.parameters(), model.parameters()):
            average.mul_(decay).add_(current, alpha=1 - decay)


model = resnet18(num_classes=10)
ema = Ema(model)
ema.update(model)
```

## Good

```python
import copy

import torch
from torchvision.models import resnet18


class Ema:
    def __init__(self, model):
        self.module = copy.deepcopy(model).eval()

    @torch.no_grad()
    def update(self, model, decay=0.999):
        for average, current in zip(self.module.parameters(), model.parameters()):
            average.mul_(decay).add_(current, alpha=1 - decay)
        for average, current in zip(self.module.buffers(), model.buffers()):
            average.copy_(current)


model = resnet18(num_classes=10)
ema = Ema(model)
ema.update(model)
```

## When it is wrong

Where the copy only runs in training mode and updates its statistics itself, as a momentum encoder does.

## References

- PyTorch documentation of `torch.optim.swa_utils.AveragedModel`: `use_buffers`, and `update_bn`
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::average_without_buffers
