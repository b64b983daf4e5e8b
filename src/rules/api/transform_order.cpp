#include "rules/site.h"
#include "rules/vision_transforms.h"

#include <fmt/format.h>

namespace deepperf::rules::transform_order {

using namespace python;

namespace {

bool makes_tensor(std::string_view name) { return name == "ToTensor" || name == "PILToTensor" || name == "ToImage"; }

bool needs_tensor(std::string_view name) {
  return name == "Normalize" || name == "RandomErasing" || name == "ConvertImageDtype" ||
         name == "LinearTransformation";
}

void check(Site &site, const Call &call) {
  const std::vector<const Call *> steps = transform_steps(site, &call);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string_view name = step_name(site, *steps[i]);
    if (makes_tensor(name)) {
      return;
    }
    if (!needs_tensor(name)) {
      continue;
    }
    for (std::size_t later = i + 1; later < steps.size(); ++later) {
      if (step_name(site, *steps[later]) == "ToPILImage") {
        return; // what is turned into an image only here was a tensor before
      }
      if (makes_tensor(step_name(site, *steps[later]))) {
        Finding &finding =
            report(site, *steps[i], fmt::format("`{}` needs a tensor but receives an image, so it fails", name),
                   fmt::format("move it after `{}`", step_name(site, *steps[later])));
        add_note(finding, site, *steps[later], "the image becomes a tensor only here");
        return;
      }
    }
  }
}

} // namespace

extern constinit const Rule kTransformOrder = {
    .info = {.code = "DP172",
             .name = "transform-order",
             .summary = "a transform that needs a tensor before `ToTensor()`",
             .root_cause = "API: Wrong API Usage",
             .symptoms = "Program Crash",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`Normalize`, `RandomErasing` or `ConvertImageDtype` before `ToTensor` in a `Compose` of torchvision.

## Why it is wrong

They work on tensors. Before `ToTensor` they receive a PIL image, so they fail on the first sample.

## Bad

```python
from torchvision import transforms

transform = transforms.Compose([transforms.Normalize((0.5,), (0.5,)), transforms.ToTensor()])
```

## Good

```python
from torchvision import transforms

transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
```

## When it is wrong

Where the images are tensors to begin with, and `ToTensor` is not reached.
)"},
    .calls = "torchvision.transforms.Compose torchvision.transforms.v2.Compose",
    .on_call = check};

} // namespace deepperf::rules::transform_order
