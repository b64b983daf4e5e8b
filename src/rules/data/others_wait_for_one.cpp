#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::others_wait_for_one {

using namespace python;

namespace {

// Is the branch for one process only: `if rank == 0:`, `if accelerator.is_main_process:`?
bool is_for_one(const Site &site, const Expr *test) {
  if (const auto *both = as<BoolOp>(test)) {
    return both->op() == BoolOperator::And &&
           std::ranges::any_of(both->values, [&](const Expr *part) { return is_for_one(site, part); });
  }
  const std::string_view text = text_of(site, test);
  if (const auto *compare = as<Compare>(test)) {
    const std::string_view left = text_of(site, compare->left);
    return compare->rest.size() == 1 && compare->rest[0].op == CompareOperator::Eq &&
           text_of(site, compare->rest[0].right) == "0" &&
           (left.ends_with("rank") || left.ends_with("get_rank()") || left.ends_with("process_index()"));
  }
  return text.ends_with("is_main_process") || text.ends_with("is_local_main_process") ||
         text.ends_with("is_main_process()") || text.ends_with("is_global_zero") || text.ends_with("is_master");
}

// Work of many forward passes: a loop over data, or a function that has one.
const Node *long_work(const Site &site, const Block &body) {
  const Node *found = nullptr;
  any_node(body, [&](const Node *node) {
    const model::Loop *const loop = site.project.loop_at(node);
    if (loop != nullptr && loop->evaluates) {
      found = static_cast<const For *>(node)->iter;
      return true;
    }
    const auto *call = as<Call>(node);
    const model::FunctionInfo *const function = call != nullptr ? called_function(site, *call) : nullptr;
    if (function != nullptr && !function->trains &&
        (std::ranges::any_of(function->loops, [](const model::Loop *one) { return one->evaluates; }) ||
         has_word(text_of(*function), {".generate(", ".sample(", "generate("}))) {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

void check(Site &site, const Node &node) {
  const auto &branch = static_cast<const If &>(node);
  const model::Loop *loop = loop_around(site);
  while (loop != nullptr && !loop->trains) {
    loop = loop->parent;
  }
  if (loop == nullptr || !site.module->torch || site.module->is_test || !is_for_one(site, branch.test)) {
    return;
  }
  const Node *const work = long_work(site, branch.body);
  if (work == nullptr) {
    return;
  }
  Finding &finding = report(site, *work, "one process evaluates while all others wait for it in the next step",
                            "divide the evaluation among the processes, and combine their results");
  add_note(finding, site, *branch.test, "only one process reaches this");
}

} // namespace

extern constinit const Rule kOthersWaitForOne = {
    .info = {.code = "DP445",
             .name = "others-wait-for-one",
             .summary = "an evaluation that one process runs during training while the others wait",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

Inside a training loop, `if rank == 0:` or `if accelerator.is_main_process:` around a loop over validation data, or around
a function that evaluates or generates.

## Why it costs

The other processes continue with the next step and wait in its first collective operation. All GPUs but one are idle for as
long as the evaluation takes, and with NCCL a long one ends in a timeout. A model that is sharded (FSDP) cannot run on one
process at all.

## Bad

```python
import torch
import torch.distributed as dist


def train(model: torch.nn.Module, loader, valid: torch.utils.data.DataLoader, optimizer: torch.optim.Optimizer):
    for epoch in range(100):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        if dist.get_rank() == 0:
            with torch.no_grad():
                for x in valid:
                    model(x)
```

## Good

```python
import torch
import torch.distributed as dist


def train(model: torch.nn.Module, loader, valid: torch.utils.data.DataLoader, optimizer: torch.optim.Optimizer):
    for epoch in range(100):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        with torch.no_grad():
            for x in valid:
                model(x)
```

## When it is wrong

Where the evaluation is short, or the processes share no collective operation until it is done.

## References

- PyTorch: DistributedDataParallel
)"},
    .nodes = {NodeKind::If},
    .on_node = check};

} // namespace deepperf::rules::others_wait_for_one
