#include "rules/api_history.h"
#include "rules/loss_call.h"

#include <fmt/format.h>

namespace deepperf::rules::index_of_scalar {

using namespace python;

namespace {

// Is it a tensor without dimensions: a mean, a sum, a loss that is averaged, or arithmetic of them?
bool is_scalar(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  if (depth > kMostDepth) {
    return false;
  }
  if (const auto *name = as<Name>(expr)) {
    const Expr *written = last_assigned(site, *name);
    return written != nullptr && is_scalar(site, written, depth + 1);
  }
  if (const auto *operation = as<BinOp>(expr)) {
    const auto fits = [&](const Expr *side) {
      return side->kind == NodeKind::Constant || number_of(site, side).has_value() || is_scalar(site, side, depth + 1);
    };
    return fits(operation->left) && fits(operation->right);
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const auto is_reduced = [](const Call &one) {
    return keyword_argument(one, "reduction") == nullptr && keyword_argument(one, "reduce") == nullptr &&
           !has_hidden_arguments(one);
  };
  const std::string_view api = called_api(site, *call);
  if (!api.empty()) {
    if (is_loss_function(api)) {
      return is_reduced(*call);
    }
    return (api == "torch.mean" || api == "torch.sum") && call->args.size() == 1 && call->keywords.empty();
  }
  std::string_view maker_api;
  if (const Call *maker = maker_of_callee(site, *call, &maker_api);
      maker != nullptr && maker_api.starts_with("torch.nn.") && maker_api.ends_with("Loss")) {
    return is_reduced(*maker);
  }
  const std::string_view method = called_method(*call);
  const Expr *receiver = receiver_of(*call);
  if (receiver == nullptr) {
    return false;
  }
  if ((method == "mean" || method == "sum") && call->args.empty() && call->keywords.empty()) {
    return model::kind_of(receiver) == Kind::TorchTensor;
  }
  return (method == "cpu" || method == "detach") && is_scalar(site, receiver, depth + 1);
}

// `loss.data[0]`
void check(Site &site, const Node &node) {
  const auto &element = static_cast<const Subscript &>(node);
  const auto *data = as<Attribute>(element.value);
  if (data == nullptr || data->attr.text() != "data" || element.context != Context::Load ||
      !is_constant(element.slice, ConstantKind::Int) || integer_of(site, element.slice) != 0 ||
      is_version_guarded(site) || !is_scalar(site, data->value)) {
    return;
  }
  const Status status = status_in(site, "torch", "0.5");
  if (status == Status::Fine) {
    return;
  }
  const std::string_view written = text_of(site, data->value);
  Finding &finding =
      report(site, node, fmt::format("`{}` has no dimension to index: this fails since PyTorch 1.0", written),
             fmt::format("use `{}.item()`", written));
  set_fix(finding, false, {replace(node, fmt::format("{}.item()", written))});
}

} // namespace

extern constinit const Rule kIndexOfScalar = {.info = {.code = "DP874",
                                                       .name = "index-of-scalar",
                                                       .summary = "`loss.data[0]`, which fails since PyTorch 1.0",
                                                       .root_cause = "Library: Mismatched Library Version",
                                                       .symptoms = "Program Crash",
                                                       .stage = "Training",
                                                       .frameworks = "PyTorch",
                                                       .severity = Severity::Error,
                                                       .tier = Tier::On,
                                                       .fix = FixKind::Unsafe,
                                                       .documentation = R"(## What it finds

`loss.data[0]`, where the loss is a mean, a sum, or the result of a loss function that averages. The rule is silent
where the project's requirements specify a PyTorch that still allows it.

## Why it is wrong

Up to PyTorch 0.3 such a loss was a tensor with one element. Since 0.4 it has no dimension. PyTorch 0.4 only warned
about indexing it; PyTorch 1.0 and later fail with "invalid index of a 0-dim tensor".

## Bad

```python
import torch
import torch.nn.functional as F


def train(model, loader, device):
    for x, y in loader:
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        return loss.data[0]
```

## Good

```python
import torch
import torch.nn.functional as F


def train(model, loader, device):
    for x, y in loader:
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        return loss.item()
```

## When it is wrong

In programs for PyTorch before 0.4.

## References

- PyTorch 0.4 migration guide
)"},
                                              .nodes = {NodeKind::Subscript},
                                              .on_node = check};

} // namespace deepperf::rules::index_of_scalar
