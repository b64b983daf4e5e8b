#include "rules/reach.h"
#include "rules/site.h"

namespace deepperf::rules::split_without_seed {

using namespace python;

namespace {

// Does anything in the project seed PyTorch's generator?
bool is_seeded(const Site &site) {
  return project_has_word_in_any_case(site, {"manual_seed", "seed_everything", "set_seed", "setup_seed", "init_seed",
                                             "fix_seed", "random_seed", "set_random", "seed_all", "seed=", "seed("});
}

void check(Site &site, const Call &call) {
  constexpr u32 kGenerator = 2;
  if (has_hidden_arguments(call) || argument(call, kGenerator, "generator") != nullptr || site.module->is_test ||
      is_seeded(site)) {
    return;
  }
  // Training that goes on from a checkpoint.
  const bool resumes = file_has_word(site, {"load_state_dict("}) && file_has_word(site, {"torch.load("}) &&
                       file_has_word(site, {"torch.save("});
  if (!resumes) {
    return;
  }
  report(site, call, "every run splits the data differently, so a resumed run validates on samples it was trained on",
         "pass a seeded generator: `generator=torch.Generator().manual_seed(0)`");
}

} // namespace

extern constinit const Rule kSplitWithoutSeed = {
    .info = {.code = "DP897",
             .name = "split-without-seed",
             .summary = "a random split of the data without a seed in a program that resumes training",
             .root_cause = "Training: Wrong Data",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`random_split` without `generator=` in a program that saves and loads checkpoints and never seeds PyTorch.

## Why it is wrong

After a restart the data is split differently. Samples that the model was trained on become validation data, and the metric
looks better than it is.

## Bad

```python
import torch
from torch.utils.data import random_split


def prepare(data, model, path):
    train, valid = random_split(data, [900, 100])
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return train, valid


def save(model, path):
    torch.save(model.state_dict(), path)
```

## Good

```python
import torch
from torch.utils.data import random_split


def prepare(data, model, path):
    train, valid = random_split(data, [900, 100], generator=torch.Generator().manual_seed(0))
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return train, valid


def save(model, path):
    torch.save(model.state_dict(), path)
```

## When it is wrong

Where the checkpoint that is loaded was trained on other data.

## References

- torch.utils.data.random_split
)"},
    .calls = "torch.utils.data.random_split",
    .on_call = check};

} // namespace deepperf::rules::split_without_seed
