#include "rules/metric_direction.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::plateau_without_metric {

using namespace python;

namespace {

// The last word of what is passed: `acc` of `metrics["acc"]`, `val_f1` of `self.val_f1`.
std::string name_of(const Site &site, const Expr *expr) {
  if (const auto *name = as<Name>(expr)) {
    return std::string(name->id.text());
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    return std::string(attribute->attr.text());
  }
  if (const auto *element = as<Subscript>(expr)) {
    return string_of(site, element->slice).value_or("");
  }
  return {};
}

// Is it the variable of a loop over numbers: `epoch` of `for epoch in range(…)`?
bool counts_epochs(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  for (const model::Loop *loop = loop_around(site); name != nullptr && loop != nullptr; loop = loop->parent) {
    const auto *statement = as<For>(loop->node);
    const auto *target = statement != nullptr ? as<Name>(statement->target) : nullptr;
    const Expr *over = target != nullptr && target->id == name->id ? iterated_by(site, *loop) : nullptr;
    const auto *range = as<Call>(over);
    if (range != nullptr && called_api(site, *range) == "range") {
      return true;
    }
  }
  return false;
}

void check(Site &site, const Call &call) {
  const model::Value scheduler = value_of(site, receiver_of(call));
  if (!scheduler.is_kind(Kind::TorchScheduler) || scheduler.maker() == nullptr || scheduler.alternatives != nullptr ||
      scheduler.many || scheduler.open || !scheduler.name() ||
      !scheduler.name().text().ends_with(".ReduceLROnPlateau") || site.module->is_test) {
    return;
  }
  const Call &maker = *scheduler.maker();
  const Site there = site_of(site, maker);
  const auto note = [&](Finding &finding) {
    finding.notes.push_back({there.module->file, maker.span(), "the schedule is created here"});
  };
  if (has_hidden_arguments(call)) {
    return;
  }
  const Expr *metric = argument(call, 0, "metrics");
  if (metric == nullptr) {
    note(report(site, call, "`ReduceLROnPlateau.step()` fails without the metric that it monitors",
                "pass the validation loss: `step(val_loss)`"));
    return;
  }
  if (counts_epochs(site, metric)) {
    note(report(site, call,
                fmt::format("`ReduceLROnPlateau` receives the epoch number as its metric, which only increases, so the "
                            "learning rate drops whatever the model does"),
                "pass the validation loss: `step(val_loss)`"));
    return;
  }
  const auto mode =
      setting_of(there, argument_of(there, maker, 1, "mode"), model::ConstantValue::of(std::string("min")));
  const std::string name = name_of(site, metric);
  const Better better = better_when(name);
  if (!mode.has_value() || !mode->as_string().has_value() || better == Better::Unknown ||
      (*mode->as_string() == "max") == (better == Better::Higher)) {
    return;
  }
  note(report(site, call,
              fmt::format("`ReduceLROnPlateau` with `mode=\"{}\"` lowers the learning rate while `{}` gets better",
                          *mode->as_string(), name),
              better == Better::Higher ? "create it with `mode=\"max\"`" : "create it with `mode=\"min\"`"));
}

} // namespace

extern constinit const Rule kPlateauWithoutMetric = {
    .info = {.code = "DP919",
             .name = "plateau-without-metric",
             .summary =
                 "a `ReduceLROnPlateau` that receives no metric, the epoch number, or a metric in the wrong direction",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`ReduceLROnPlateau.step()` without an argument, with the number of the epoch, or with a metric that is better in the other direction than `mode`.

## Why it is wrong

This schedule lowers the learning rate when its metric no longer gets better. Without a metric `step()` fails. With `mode="min"`, which is the
default, an accuracy that rises looks like a loss that gets worse, so the learning rate falls exactly while the model learns.

## Bad

```python
import torch


def train(model: torch.nn.Module, run_epoch, evaluate):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
    for epoch in range(90):
        run_epoch(model, optimizer)
        val_accuracy = evaluate(model)
        scheduler.step(val_accuracy)
```

## Good

```python
import torch


def train(model: torch.nn.Module, run_epoch, evaluate):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", patience=3)
    for epoch in range(90):
        run_epoch(model, optimizer)
        val_accuracy = evaluate(model)
        scheduler.step(val_accuracy)
```

## When it is wrong

Where a name means something other than usual.

## References

- PyTorch documentation of `torch.optim.lr_scheduler.ReduceLROnPlateau`
)"},
    .calls = "TorchScheduler.step",
    .on_call = check};

} // namespace deepperf::rules::plateau_without_metric
