#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::reduced_on_host {

using namespace python;

namespace {

// `x.cpu()`, perhaps `x.detach().cpu()`, `x.data.cpu()`, `x.cpu().numpy()`: the tensor that is copied.
const Expr *copied_from(const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr || receiver_of(*call) == nullptr) {
    return nullptr;
  }
  const std::string_view method = called_method(*call);
  if (method == "cpu" && call->args.empty()) {
    return receiver_of(*call);
  }
  const bool is_same = method == "numpy" || method == "detach" || method == "float" || method == "squeeze";
  return is_same ? copied_from(receiver_of(*call)) : nullptr;
}

// Is it what a model gives, whole?
bool is_output(const Site &site, const Expr *expr) {
  if (const auto *attribute = as<Attribute>(expr); attribute != nullptr && attribute->attr.text() == "data") {
    return is_output(site, attribute->value);
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view method = called_method(*call);
    if (receiver_of(*call) != nullptr && (method == "detach" || method == "float" || method == "squeeze")) {
      return is_output(site, receiver_of(*call));
    }
    return model::kind_of(call->func) == Kind::TorchModule ||
           (site.project.callee_of(call).is(model::Value::Tag::Object) &&
            site.project.callee_of(call).type->kind == Kind::TorchModule);
  }
  const auto *name = as<Name>(expr);
  const Expr *const written = name != nullptr ? last_assigned(site, *name) : nullptr;
  return written != nullptr && written->kind == NodeKind::Call && written->end <= expr->start &&
         is_output(site, written);
}

void check(Site &site, const Call &call) {
  if (!site.module->torch || site.module->is_test || in_method(site, Kind::TorchModule, "forward")) {
    return;
  }
  const std::string_view api = called_api(site, call);
  const bool is_function = api.starts_with("torch.") || api.starts_with("numpy.");
  const Expr *tensor = is_function ? (call.args.empty() ? nullptr : call.args[0]) : receiver_of(call);
  const Node *copy = tensor;
  if (const auto *name = as<Name>(tensor)) {
    tensor = last_assigned(site, *name);
    copy = tensor;
  }
  const Expr *const source = tensor != nullptr ? copied_from(tensor) : nullptr;
  if (source == nullptr || !is_output(site, source)) {
    return;
  }
  Finding &finding = report(
      site, call, fmt::format("the model's whole output is copied to the host, and `{}` runs there", called_name(call)),
      fmt::format("call `{}` on the device, and copy its result", called_name(call)));
  add_note(finding, site, *copy, "the copy");
}

} // namespace

extern constinit const Rule kReducedOnHost = {
    .info = {.code = "DP444",
             .name = "reduced-on-host",
             .summary = "an output of a model that is copied to the host to take its argmax or resize it there",
             .root_cause = "Data: Unnecessary Data Transfer",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

The output of a model that goes to the host with `.cpu()` and there through `argmax`, `softmax`, `topk`, `sort`,
`interpolate` or the NumPy function of that name.

## Why it costs

The logits of all classes are copied, often at full resolution in float32, where the labels alone would do. The host then
does work that takes the device a fraction of the time.

## Bad

```python
import torch


@torch.no_grad()
def predict(model: torch.nn.Module, x: torch.Tensor):
    logits = model(x.cuda()).cpu()
    return logits.argmax(dim=1).numpy()
```

## Good

```python
import torch


@torch.no_grad()
def predict(model: torch.nn.Module, x: torch.Tensor):
    logits = model(x.cuda())
    return logits.argmax(dim=1).cpu().numpy()
```

## When it is wrong

Where the logits are needed on the host as well, or the device has no memory left for the operation.

## References

- PyTorch performance tuning guide: avoid unnecessary CPU-GPU synchronization
)"},
    .calls = "*.argmax *.softmax *.topk torch.argmax torch.softmax torch.topk torch.nn.functional.softmax "
             "torch.nn.functional.interpolate "
             "torch.nn.functional.log_softmax numpy.argmax numpy.argsort torch.argsort *.argsort",
    .on_call = check};

} // namespace deepperf::rules::reduced_on_host
