#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::parameter_by_parameter {

using namespace python;

namespace {

// `model.parameters()`, `model.state_dict().items()`, also under a name or in a dict of named parameters.
bool gives_parameters(const Site &site, const Expr *expr, u32 depth) {
  constexpr u32 kMostDepth = 3;
  if (depth > kMostDepth) {
    return false;
  }
  if (const auto *name = as<Name>(expr)) {
    const Expr *const written = last_assigned(site, *name);
    return written != nullptr && written->end < expr->start && gives_parameters(site, written, depth + 1);
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const std::string_view method = called_method(*call);
  if (method == "parameters" || method == "named_parameters" || method == "state_dict") {
    return true;
  }
  if (method == "items" || method == "values") {
    return gives_parameters(site, receiver_of(*call), depth + 1);
  }
  const std::string_view api = called_api(site, *call);
  const bool is_holder = api == "dict" || api == "collections.OrderedDict" || api == "list" || api == "zip";
  return is_holder && !call->args.empty() &&
         std::ranges::any_of(call->args, [&](const Expr *arg) { return gives_parameters(site, arg, depth + 1); });
}

// Changes one tensor in place, as an average or an update does.
const Call *update_in(const Block &body) {
  const Call *found = nullptr;
  any_node(body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    if (method == "mul_" || method == "lerp_" || method == "add_" || method == "copy_" || method == "sub_") {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

void check(Site &site, const Node &node) {
  const auto &loop = static_cast<const For &>(node);
  if (!site.module->torch || site.module->is_test || !gives_parameters(site, loop.iter, 0)) {
    return;
  }
  // `copy_` of a product or sum is an average as well; of a plain tensor it only copies.
  const Call *const update = update_in(loop.body);
  const bool is_average = update != nullptr && !(called_method(*update) == "copy_" && !update->args.empty() &&
                                                 update->args[0]->kind != NodeKind::BinOp);
  if (!is_average || (!context_of(site).in_training_step && !in_step(site))) {
    return;
  }
  report(site, *update, "every step starts a kernel or two for each parameter of the model",
         "update all of them at once: `torch._foreach_lerp_(averages, parameters, 1 - decay)`, or use "
         "`torch.optim.swa_utils.AveragedModel` with `multi_avg_fn`");
}

} // namespace

extern constinit const Rule kParameterByParameter = {
    .info = {.code = "DP192",
             .name = "parameter-by-parameter",
             .summary = "a moving average or target network that is updated one parameter at a time in every step",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

A loop over the parameters of a model that changes one tensor at a time, in every training step: an exponential moving
average, or the target network of reinforcement learning.

## Why it costs

A model has hundreds of parameters, most of them small. Starting two kernels for each takes longer than the arithmetic;
the `_foreach` functions do all of them with a handful of kernels.

## Bad

```python
import torch


@torch.no_grad()
def update(average: torch.nn.Module, model: torch.nn.Module, decay: float):
    for mean, value in zip(average.parameters(), model.parameters()):
        mean.mul_(decay).add_(value, alpha=1 - decay)


def train(model: torch.nn.Module, average: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        update(average, model, 0.999)
```

## Good

```python
import torch


@torch.no_grad()
def update(average: torch.nn.Module, model: torch.nn.Module, decay: float):
    torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1 - decay)


def train(model: torch.nn.Module, average: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        update(average, model, 0.999)
```

## When it is wrong

On a CPU, and for models of a few large parameters, little is gained.

## References

- torch.optim: averaged models, multi_avg_fn
- PyTorch: foreach functions
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::parameter_by_parameter
