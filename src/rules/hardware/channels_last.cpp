#include "rules/reach.h"
#include "rules/site.h"

namespace deepperf::rules::channels_last {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const auto *with = site.ancestors.empty() ? nullptr : as<With>(site.ancestors.back());
  if (with == nullptr || !site.function->trains || under_no_grad(site)) {
    return;
  }
  if (!file_has_word(site, {"Conv2d(", "models.res"}) || file_has_word(site, {"channels_last", "memory_format"})) {
    return;
  }
  report(site, call, "convolutions under autocast run in NCHW layout, so cuDNN converts the data around each of them",
         "try channels last: `model.to(memory_format=torch.channels_last)`, and the same for the images");
}

} // namespace

extern constinit const Rule kChannelsLast = {
    .info = {.code = "DP512",
             .name = "channels-last",
             .summary = "convolutions in mixed precision without `channels_last`",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::Hint,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A training step under autocast in a file that has two-dimensional convolutions and never mentions a memory format.

## Why it costs

Tensor cores need the channels of a pixel next to each other in memory. With PyTorch's default layout (NCHW), cuDNN
converts the data before and after each convolution. PyTorch's tutorial reports gains of 8 to 35 percent for
mixed-precision training on Volta GPUs.

## Bad

```python
import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU()).cuda()

def train(loader, optimizer, scaler, criterion):
    for x, y in loader:
        with torch.autocast("cuda"):
            loss = criterion(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
```

## Good

```python
import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU()).cuda().to(memory_format=torch.channels_last)

def train(loader, optimizer, scaler, criterion):
    for x, y in loader:
        x = x.to(memory_format=torch.channels_last)
        with torch.autocast("cuda"):
            loss = criterion(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
```

## When it is wrong

Operations without a channels-last kernel copy the tensor, which can make the model slower. That is why it is a hint:
measure both.

## References

- PyTorch tutorial: channels last memory format
)"},
    .calls = "torch.autocast torch.amp.autocast torch.cuda.amp.autocast",
    .on_call = check};

} // namespace deepperf::rules::channels_last
