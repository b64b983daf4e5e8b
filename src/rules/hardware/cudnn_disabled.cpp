#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::cudnn_disabled {

using namespace python;

namespace {

// Inside a `with` or `try` somebody switches it off for a while, and under a condition for a reason.
bool is_for_good(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    switch (site.ancestors[i]->kind) {
    case NodeKind::If:
    case NodeKind::Try:
    case NodeKind::With:
    case NodeKind::For:
    case NodeKind::While:
      // `if __name__ == "__main__":` is no condition.
      if (const auto *guard = as<If>(site.ancestors[i]);
          guard != nullptr && text_of(site, guard->test).find("__name__") != std::string_view::npos) {
        break;
      }
      return false;
    default:
      break;
    }
  }
  return true;
}

// `cudnn.enabled = False; …; cudnn.enabled = True`: off for what stands between.
bool is_set_back(const Site &site, const Assign &assignment) {
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  const std::string_view target = text_of(site, assignment.targets[0]);
  return definition != nullptr && any_node(definition->body, [&](const Node *node) {
           const auto *later = as<Assign>(node);
           return later != nullptr && later->start > assignment.end && text_of(site, later->targets[0]) == target &&
                  bool_of(site, later->value) != false;
         });
}

void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *target = as<Attribute>(assignment.targets[0]);
  if (target == nullptr || target->attr.text() != "enabled" || bool_of(site, assignment.value) != false) {
    return;
  }
  const model::Value named = value_of(site, target);
  if (!named.is(model::Value::Tag::Api) || named.name().text() != "torch.backends.cudnn.enabled") {
    return;
  }
  Finding &finding =
      report(site, node, "cuDNN is disabled, so convolutions and recurrent layers run on slower kernels",
             "remove the line; around code that needs it, use `with torch.backends.cudnn.flags(enabled=False)`");
  if (!is_for_good(site) || is_set_back(site, assignment)) {
    finding.tier = Tier::Hint;
  }
  set_fix(finding, false, {replace(*assignment.value, "True")});
}

} // namespace

extern constinit const Rule kCudnnDisabled = {
    .info = {.code = "DP514",
             .name = "cudnn-disabled",
             .summary = "`torch.backends.cudnn.enabled = False` left in the program",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Initialization",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`torch.backends.cudnn.enabled = False`. Under a condition, and where the function enables it again, it is a hint.

## Why it costs

cuDNN provides fast convolutions, recurrent layers and batch normalization for NVIDIA GPUs. Without it PyTorch falls
back to its own kernels: a recurrent layer becomes a chain of small kernels, and a convolution first unfolds its input
in memory. The setting is global, and it is often left over from debugging a cuDNN error.

## Bad

```python
import torch

torch.backends.cudnn.enabled = False
model = torch.nn.LSTM(128, 128).cuda()
```

## Good

```python
import torch

model = torch.nn.LSTM(128, 128).cuda()
```

## When it is wrong

The second derivative of a recurrent layer requires cuDNN to be off, and so do some driver bugs. Then disable it only
around that code, with `torch.backends.cudnn.flags(enabled=False)`.

## References

- PyTorch documentation: `torch.backends.cudnn`
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::cudnn_disabled
