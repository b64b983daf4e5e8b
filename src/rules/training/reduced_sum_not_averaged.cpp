#include "rules/reach.h"
#include "rules/tree.h"

namespace deepperf::rules::reduced_sum_not_averaged {

using namespace python;
using model::Value;

namespace {

bool divides(const Node *node, Symbol name) {
  if (const auto *change = as<AugAssign>(node)) {
    const auto *target = as<Name>(change->target);
    return target != nullptr && target->id == name && change->op() == Operator::Div;
  }
  const auto *assignment = as<Assign>(node);
  const auto *target =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (target == nullptr || target->id != name) {
    return false;
  }
  const auto *quotient = as<BinOp>(assignment->value);
  return quotient != nullptr && quotient->op() == Operator::Div;
}

// `dist.all_reduce(parameter.grad)`, where each process has the gradient of its own mean loss.
void check_gradient(Site &site, const Call &call) {
  const Expr *const operation = argument(call, 1, "op");
  const model::Loop *const loop = loop_around(site);
  if (loop == nullptr || site.module->is_test ||
      (operation != nullptr && !text_of(site, operation).ends_with(".SUM")) ||
      function_has_word(
          site, {"world_size", "num_processes", "num_gpus", "size()", "ws", "n_gpu", "/", "div", "mul", "*="}) ||
      project_has_word(site, {"* dist.get_world_size", "/ dist.get_world_size", "/ world_size", "/world_size",
                              "* world_size", "/ self.world_size", "predivide"})) {
    return;
  }
  report(site, call,
         "this sums the gradients of all processes, so the step is too large by a factor of the number of processes",
         "pass `op=dist.ReduceOp.AVG`, or divide by `dist.get_world_size()`");
}

void check(Site &site, const Call &call) {
  const Expr *const reduced = argument(call, 0, "tensor");
  if (const auto *part = as<Attribute>(reduced);
      part != nullptr && part->attr.text() == "grad" && site.function != nullptr) {
    check_gradient(site, call);
    return;
  }
  const auto *name = as<Name>(reduced);
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  const Expr *const operation = argument(call, 1, "op");
  if (name == nullptr || definition == nullptr || site.module->is_test ||
      (operation != nullptr && !text_of(site, operation).ends_with(".SUM")) ||
      function_has_word(site, {"world_size", "num_processes", "num_gpus", "size()", "ws", "n_gpu"})) {
    return;
  }
  const Node *before = nullptr;
  bool is_divided_after = false;
  any_node(definition->body, [&](const Node *node) {
    if (node->start < call.start && divides(node, name->id)) {
      before = node;
    }
    const auto *quotient = as<BinOp>(node);
    const auto *change = as<AugAssign>(node);
    is_divided_after |= node->start > call.start && ((quotient != nullptr && quotient->op() == Operator::Div) ||
                                                     (change != nullptr && change->op() == Operator::Div));
    return false;
  });
  if (before == nullptr || is_divided_after) {
    return;
  }
  Finding &finding = report(
      site, call,
      "this sums the averages of all processes, so the result is too large by a factor of the number of processes",
      "pass `op=dist.ReduceOp.AVG`, or divide by `dist.get_world_size()`");
  add_note(finding, site, *before, "it is an average of this process here");
}

} // namespace

extern constinit const Rule kReducedSumNotAveraged = {
    .info = {.code = "DP940",
             .name = "reduced-sum-not-averaged",
             .summary = "an average that `all_reduce` turns into a sum over all processes",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`dist.all_reduce(value)` with the default operation, a sum, of a value that was divided to be an average before, in a function that neither
divides it afterwards nor mentions the number of processes; the same for the gradients of all parameters.

## Why it is wrong

The result is the average times the number of processes. Reported losses and metrics, and decisions that depend on them, change with the
number of GPUs.

## Bad

```python
import torch
import torch.distributed as dist


def mean_loss(losses):
    total = torch.stack(losses).sum()
    total /= len(losses)
    dist.all_reduce(total)
    return total.item()
```

## Good

```python
import torch
import torch.distributed as dist


def mean_loss(losses):
    total = torch.stack(losses).sum()
    total /= len(losses)
    dist.all_reduce(total, op=dist.ReduceOp.AVG)
    return total.item()
```

## When it is wrong

Where callers divide the result; then it is the caller's average.

## References

- torch.distributed.all_reduce
)"},
    .calls = "torch.distributed.all_reduce",
    .on_call = check};

} // namespace deepperf::rules::reduced_sum_not_averaged
