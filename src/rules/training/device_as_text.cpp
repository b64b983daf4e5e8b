#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::device_as_text {

using namespace python;

namespace {

// An object of torch.device, and nothing else: people pass texts for devices as well.
bool is_surely_device(const Site &site, const Expr *expr) {
  if (const auto *attribute = as<Attribute>(expr); attribute != nullptr && attribute->attr.text() == "device") {
    return model::kind_of(attribute->value) == Kind::TorchTensor;
  }
  const model::Value value = value_of(site, expr);
  return value.is_kind(Kind::TorchDevice) && value.call != nullptr && value.name() &&
         value.name().text() == "torch.device" && !value.open && !value.none && value.alternatives == nullptr;
}

void check(Site &site, const Node &node) {
  const auto &compare = static_cast<const Compare &>(node);
  if (compare.rest.size() != 1 || compare.rest[0].op > CompareOperator::NotEq) {
    return;
  }
  const Expr *left = compare.left;
  const Expr *right = compare.rest[0].right;
  const Expr *const text = as_string(right) != nullptr ? right : as_string(left) != nullptr ? left : nullptr;
  const Expr *const device = text == right ? left : right;
  if (text == nullptr || site.module->is_test || !is_surely_device(site, device)) {
    return;
  }
  const bool is_equal = compare.rest[0].op == CompareOperator::Eq;
  report(site, compare,
         fmt::format("a `torch.device` is never equal to a string, so this comparison is always {}",
                     is_equal ? "False" : "True"),
         fmt::format("compare its type: `{}.type {} {}`", text_of(site, device),
                     is_equal ? "==" : "!=", text_of(site, text)));
}

} // namespace

extern constinit const Rule kDeviceAsText = {.info = {.code = "DP890",
                                                      .name = "device-as-text",
                                                      .summary = "a `torch.device` that is compared with a string",
                                                      .root_cause = "Training: Wrong Training Step",
                                                      .symptoms = "Wrong Result",
                                                      .stage = "Training",
                                                      .frameworks = "PyTorch",
                                                      .severity = Severity::Error,
                                                      .tier = Tier::Hint,
                                                      .documentation = R"(## What it finds

`device == "cuda"` where `device` is a `torch.device`, as `tensor.device` and `model.device` are.

## Why it is wrong

The comparison is False without any error, so the branch for that device never runs.

## Bad

```python
import torch


def wait(x: torch.Tensor):
    if x.device == "cuda":
        torch.cuda.synchronize()
```

## Good

```python
import torch


def wait(x: torch.Tensor):
    if x.device.type == "cuda":
        torch.cuda.synchronize()
```

## When it is wrong

Where the value may also be a string, such as a command-line argument.

## References

- torch.device: type and index
)"},
                                             .nodes = {NodeKind::Compare},
                                             .on_node = check};

} // namespace deepperf::rules::device_as_text
