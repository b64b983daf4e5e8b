#include "rules/api_history.h"
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
  if (const auto *part = as<Subscript>(expr)) { // group["params"]
    const StringConstant *const key = as_string(part->slice);
    return key != nullptr && site.module->parsed->source.part(key->start + 1, key->end - 1) == "params";
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

// Changes one tensor in place, as an average or an update does, or replaces it: `mean.data = mean.data * decay + …`.
const Node *update_in(const Block &body) {
  const Node *found = nullptr;
  any_node(body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *assignment = as<Assign>(node);
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Attribute>(assignment->targets[0]) : nullptr;
    if (target != nullptr && target->attr.text() == "data" && assignment->value->kind == NodeKind::BinOp) {
      found = assignment;
    }
    const Keyword *const out = call != nullptr ? keyword_argument(*call, "out") : nullptr;
    const auto *replaced = out != nullptr ? as<Attribute>(out->value) : nullptr;
    if (replaced != nullptr && replaced->attr.text() == "grad") { // torch.nan_to_num(p.grad, out=p.grad)
      found = call;
    }
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    if (method == "mul_" || method == "lerp_" || method == "add_" || method == "copy_" || method == "sub_" ||
        method == "nan_to_num_") {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

constexpr std::string_view kForOptimizers =
    "update all parameters at once with the `torch._foreach_…` functions, as the optimizers of PyTorch do";
// `torch._foreach_lerp_` came with PyTorch 2.0, `multi_avg_fn` with 2.1.
constexpr std::string_view kFirstWithAverages = "2.1";
constexpr std::string_view kForAverages =
    "update all of them at once: `torch._foreach_lerp_(averages, parameters, 1 - decay)` and the like; for averages, "
    "`torch.optim.swa_utils.AveragedModel` with `multi_avg_fn`";
constexpr std::string_view kForOlderVersions =
    "update all of them at once: `torch._foreach_mul_(averages, decay)`, then `torch._foreach_add_(averages, "
    "parameters, alpha=1 - decay)`; `torch._foreach_lerp_` needs torch 2.0";

void check(Site &site, const Node &node) {
  const auto &loop = static_cast<const For &>(node);
  if (!site.module->torch || site.module->is_test || !gives_parameters(site, loop.iter, 0)) {
    return;
  }
  // `copy_` of a product, sum or lerp() is an average as well; of a plain tensor it only copies.
  const Node *const update = update_in(loop.body);
  const auto *call = as<Call>(update);
  const Expr *const copied =
      call != nullptr && called_method(*call) == "copy_" && !call->args.empty() ? call->args[0] : nullptr;
  const bool is_copy = copied != nullptr && copied->kind != NodeKind::BinOp &&
                       (as<Call>(copied) == nullptr || called_method(*as<Call>(copied)) != "lerp");
  const bool is_step = in_method(site, Kind::TorchOptimizer, "step");
  if (update == nullptr || is_copy || (!context_of(site).in_training_step && !in_step(site) && !is_step)) {
    return;
  }
  const std::string_view advice = is_step                                           ? kForOptimizers
                                  : may_be_older(site, "torch", kFirstWithAverages) ? kForOlderVersions
                                                                                    : kForAverages;
  Finding &finding = report(site, *update, "every step launches one or two kernels for each parameter of the model",
                            std::string(advice));
  // Who writes an optimizer may do more with each parameter than the functions for lists can.
  finding.tier = is_step ? Tier::Hint : Tier::On;
}

} // namespace

extern constinit const Rule kParameterByParameter = {
    .info = {.code = "DP192",
             .name = "parameter-by-parameter",
             .summary = "a moving average, gradient or weight that is updated one parameter at a time in every step",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop over the parameters of a model that changes one tensor at a time, in every training step: an exponential moving
average, the target network of reinforcement learning, `nan_to_num` of gradients, or the `step` of an optimizer of the project.

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

The functions for lists have no documentation; `_foreach_lerp_` exists since PyTorch 2.0, `_foreach_mul_` and `_foreach_add_` for longer.
On a CPU, and for models of a few large parameters, little is gained. Optimizers of the project are hints.

## References

- torch.optim: averaged models, multi_avg_fn
- PyTorch: foreach functions
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::parameter_by_parameter
