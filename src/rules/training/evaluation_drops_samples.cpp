#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

namespace deepperf::rules::evaluation_drops_samples {

using namespace python;

namespace {

void check(Site &site, const Node &node) {
  const model::Loop *const loop = site.project.loop_at(&node);
  if (loop == nullptr || !loop->evaluates || site.module->is_test || !site.module->torch || !under_no_grad(site)) {
    return;
  }
  const Expr *const loader = iterated_by(site, *loop);
  const model::Value value = loader != nullptr ? value_of(site, loader) : model::Value{};
  for_each_alternative(value, [&](const model::Value &one) {
    if (!one.is_kind(Kind::TorchDataLoader) || one.maker() == nullptr || !one.name() ||
        one.name().text() != "torch.utils.data.DataLoader") {
      return;
    }
    const Site there = site_of(site, *one.maker());
    constexpr u32 kDropLast = 8;
    constexpr u32 kShuffle = 2;
    const auto dropped =
        setting_of(there, argument_of(there, *one.maker(), kDropLast, "drop_last"), model::ConstantValue::of(false));
    const auto shuffled =
        setting_of(there, argument_of(there, *one.maker(), kShuffle, "shuffle"), model::ConstantValue::of(false));
    // A batch of one sample drops none.
    const auto size =
        setting_of(there, argument_of(there, *one.maker(), 1, "batch_size"), model::ConstantValue::of(i64{1}));
    if (size.has_value() && !size->overridable && size->as_integer() == 1) {
      return;
    }
    // One that shuffles serves training too.
    if (!dropped.has_value() || dropped->as_bool() != true || dropped->overridable || !shuffled.has_value() ||
        shuffled->as_bool() != false) {
      return;
    }
    const Keyword *const given = keyword_argument(*one.maker(), "drop_last");
    const Node &place = given != nullptr ? static_cast<const Node &>(*given) : *one.maker();
    Finding &finding =
        report(site.findings, *site.rule, *there.module, place.span(),
               "`drop_last=True` leaves the last samples out of the evaluation, and all of them if they fill no batch",
               "omit `drop_last` for evaluation");
    finding.notes.push_back({site.module->file, loader->span(), "the evaluation goes over it here"});
  });
}

} // namespace

extern constinit const Rule kEvaluationDropsSamples = {
    .info = {.code = "DP896",
             .name = "evaluation-drops-samples",
             .summary = "an evaluation whose loader drops the last samples",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `DataLoader` with `drop_last=True` and without shuffling that an evaluation under `torch.no_grad()` goes over.

## Why it is wrong

The last samples are never evaluated, so the metric is not that of the data set. With a batch larger than the data set
there is no batch at all, and an average over zero batches is 0 or an error.

## Bad

```python
import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def evaluate(model: torch.nn.Module, data):
    loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True, drop_last=True)
    correct = torch.zeros((), device="cuda")
    for x, y in loader:
        correct += (model(x.cuda(non_blocking=True)).argmax(1) == y.cuda(non_blocking=True)).sum()
    return correct.item() / len(data)
```

## Good

```python
import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def evaluate(model: torch.nn.Module, data):
    loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True)
    correct = torch.zeros((), device="cuda")
    for x, y in loader:
        correct += (model(x.cuda(non_blocking=True)).argmax(1) == y.cuda(non_blocking=True)).sum()
    return correct.item() / len(data)
```

## When it is wrong

Where the model accepts batches of one size only, as compiled models and some distributed evaluations do.

## References

- torch.utils.data.DataLoader: drop_last
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::evaluation_drops_samples
