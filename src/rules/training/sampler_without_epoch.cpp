#include "rules/reach.h"
#include "rules/site.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::rules::sampler_without_epoch {

using namespace python;

namespace {

// Called somewhere in the project, or by a library that calls it for the program.
bool may_set_epoch(const Site &site) {
  const bool has_own = std::ranges::any_of(
      site.project.classes, [](const model::ClassInfo &type) { return type.name && type.name.text() == "Trainer"; });
  return project_has_word(site, {"set_epoch", "pytorch_lightning", "import lightning", "from lightning", "ignite",
                                 "TrainingArguments", "L.Trainer(", "pl.Trainer(", "Accelerator(", "mmengine", "mmcv",
                                 "fastai", "deepspeed"}) ||
         (!has_own && project_has_word(site, {" Trainer(", "import Trainer"}));
}

// A loop whose iterations are made of training steps. The order is the same again from the second epoch on, however few
// there are.
bool has_epochs(const model::FunctionInfo &function) {
  return std::ranges::any_of(function.loops, [](const model::Loop *loop) { return loop->trains && !loop->steps; });
}

// Has the file such a loop?
bool has_epochs(const Site &site) {
  struct FilesWithEpochs {
    std::unordered_set<const model::Module *> modules;
  };
  return site.memory
      .recall<FilesWithEpochs>(&site.project,
                               [&] {
                                 FilesWithEpochs found;
                                 for (const model::FunctionInfo &function : site.project.functions) {
                                   if (has_epochs(function)) {
                                     found.modules.insert(function.module);
                                   }
                                 }
                                 return found;
                               })
      .modules.contains(site.module);
}

// Does it shuffle? A function that makes the samplers of all splits does for some of its callers.
enum class Order : u8 { Unknown, Shuffled, ShuffledForSome };

Order order_of(const Site &site, const Call &call) {
  constexpr u32 kShuffle = 3;
  const model::Argument shuffle = argument_of(site, call, kShuffle, "shuffle");
  const std::optional<model::ConstantValue> one = setting_of(site, shuffle, model::ConstantValue::of(true));
  if (one.has_value()) {
    return one->is_true() ? Order::Shuffled : Order::Unknown;
  }
  return std::ranges::any_of(shuffle.given,
                             [](const model::Argument::Given &given) {
                               return model::choices_of(given.scope, given.expr).may_be_true();
                             })
             ? Order::ShuffledForSome
             : Order::Unknown;
}

void check(Site &site, const Call &call) {
  if (site.module->is_test) {
    return;
  }
  const Order order = order_of(site, call);
  if (order == Order::Unknown) {
    return; // in order, or nobody knows
  }
  // Kept, or given to a loader, and not returned to whoever called.
  const Node *kept = nullptr;
  for (std::size_t i = site.ancestors.size(); i > 0 && kept == nullptr; --i) {
    const Node *const around = site.ancestors[i - 1];
    const bool is_loader = around->kind == NodeKind::Keyword || around->kind == NodeKind::Call;
    if (around->kind == NodeKind::Assign || (around->kind == NodeKind::Return && i < site.ancestors.size())) {
      kept = around;
    } else if (!is_loader && around->kind != NodeKind::IfExp) {
      break;
    }
  }
  const std::string_view around = kept != nullptr ? text_of(site, kept) : std::string_view{};
  const std::string_view user = site.function->name ? site.function->name.text() : std::string_view{};
  const bool is_for_evaluation =
      order == Order::Shuffled && (has_word_in_any_case(around, {"val", "test", "eval", "dev"}) ||
                                   has_word_in_any_case(user, {"val", "test", "eval", "dev"}));
  if (kept == nullptr || is_for_evaluation) {
    return;
  }
  if (may_set_epoch(site)) {
    return;
  }
  Finding &finding =
      report(site, call, "`set_epoch()` is never called on this sampler, so every epoch has the same order",
             "call `sampler.set_epoch(epoch)` at the start of each epoch");
  // Where the same file, or a function that calls this one, trains for several epochs, it is for training.
  const bool is_called_for_epochs =
      std::ranges::any_of(site.function->called_by,
                          [](const model::CallSite *caller) { return has_epochs(*caller->caller); }) ||
      has_epochs(site);
  if (!is_called_for_epochs) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kSamplerWithoutEpoch = {
    .info = {.code = "DP829",
             .name = "sampler-without-epoch",
             .summary = "a `DistributedSampler` whose `set_epoch()` is never called",
             .root_cause = "Training: Wrong Random Numbers",
             .symptoms = "Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `DistributedSampler` for training that shuffles, in a program that never calls `set_epoch`.

## Why it is wrong

The sampler shuffles with its seed plus the epoch number. Without `set_epoch` the epoch stays 0, so every epoch has the same order and the
same batches.

## Bad

```python
from torch.utils.data import DataLoader, DistributedSampler


def train(dataset, epochs, step):
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=32, sampler=sampler, num_workers=4, persistent_workers=True)
    for epoch in range(epochs):
        for batch in loader:
            step(batch)
```

## Good

```python
from torch.utils.data import DataLoader, DistributedSampler


def train(dataset, epochs, step):
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=32, sampler=sampler, num_workers=4, persistent_workers=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            step(batch)
```

## When it is wrong

Where there is only one epoch, or a library calls it; the rule is silent if a file mentions Lightning, Accelerate or a `Trainer`.

## References

- torch.utils.data.distributed.DistributedSampler
)"},
    .calls = "torch.utils.data.DistributedSampler",
    .on_call = check};

} // namespace deepperf::rules::sampler_without_epoch
