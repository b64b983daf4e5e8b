#include "model/code_text.h"
#include "rules/lightning.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::scheduler_interval_missing {

using namespace python;

namespace {

// The configure_optimizers of a LightningModule that the place is in, or that calls its function.
const model::FunctionInfo *configuring(const Site &site) {
  const auto is_it = [](const model::FunctionInfo &function) {
    return function.type != nullptr && function.name && function.name.text() == "configure_optimizers" &&
           lightning_module_of(*function.type) != nullptr;
  };
  if (site.function == nullptr || site.function->definition() == nullptr) {
    return nullptr;
  }
  if (is_it(*site.function)) {
    return site.function;
  }
  const auto &callers = site.function->called_by;
  return callers.size() == 1 && is_it(*callers[0]->caller) ? callers[0]->caller : nullptr;
}

// Does the expression, or what its names were set to, count steps? Epochs times batches are steps, epochs alone are
// not.
bool counts_steps(const Site &site, const Expr *expr, u32 depth = 0) {
  if (const auto *call = as<Call>(expr); call != nullptr && called_name(*call) == "int" && call->args.size() == 1) {
    return counts_steps(site, call->args[0], depth);
  }
  const std::string_view text = text_of(site, expr);
  if (has_word_in_any_case(text, {"step", "batches", "len(", "iter"})) {
    return true;
  }
  const auto *name = as<Name>(expr);
  const Expr *assigned = name != nullptr && depth < 3 ? last_assigned(site, *name) : nullptr;
  return assigned != nullptr && counts_steps(site, assigned, depth + 1);
}

// The argument that tells how long the schedule is, if it is in steps.
bool is_made_for_steps(const Site &site, const Call &call, std::string_view api) {
  if (api == "torch.optim.lr_scheduler.OneCycleLR") {
    if (const Expr *steps = argument(call, 4, "steps_per_epoch"); steps != nullptr && !is_none(steps)) {
      return integer_of(site, steps) != 1;
    }
    const Expr *total = argument(call, 2, "total_steps");
    return total != nullptr && counts_steps(site, total);
  }
  // A warmup of that many epochs would be longer than most trainings.
  constexpr i64 kLongWarmup = 100;
  const Expr *const warmup = argument(call, 1, "num_warmup_steps");
  const Expr *const total = argument(call, 2, "num_training_steps");
  return total != nullptr &&
         (counts_steps(site, total) || (warmup != nullptr && integer_of(site, warmup).value_or(0) >= kLongWarmup));
}

void check(Site &site, const Call &call) {
  const model::FunctionInfo *configure = configuring(site);
  if (configure == nullptr || site.module->is_test || has_hidden_arguments(call)) {
    return;
  }
  const std::string_view api = called_api(site, call);
  if (!is_made_for_steps(site, call, api)) {
    return;
  }
  const model::ClassInfo &type = *lightning_module_of(*configure->type);
  constexpr std::string_view kOwn[] = {"interval", "LRSchedulerConfig", "**"};
  if (has_word(text_of(*configure), kOwn) || has_word(text_of(*site.function), kOwn) ||
      !is_plain_lightning_module(type) || has_attribute_in_family(type, "lr_scheduler_step") ||
      has_attribute_in_family(type, "automatic_optimization") || file_has_word(site, {"lr_schedulers()"}) ||
      std::ranges::any_of(type.mro, [&](const model::ClassInfo *at) {
        constexpr std::string_view kSteps[] = {"sched.step(", "scheduler.step("};
        return has_word(model::code_of(*at->module, at->node), kSteps);
      })) {
    return;
  }
  // Handed to somebody who may say so: a helper that makes the dictionary.
  const Stmt *last = nullptr;
  any_node(configure->definition()->body, [&](const Node *node) {
    last = node->kind == NodeKind::Return ? static_cast<const Stmt *>(node) : last;
    return false;
  });
  const auto *result = last != nullptr ? as<Return>(last) : nullptr;
  if (result == nullptr || result->value == nullptr) {
    return;
  }
  const bool is_written = result->value->kind == NodeKind::Tuple || result->value->kind == NodeKind::Dict ||
                          result->value->kind == NodeKind::List || result->value->kind == NodeKind::Name;
  if (!is_written) {
    return;
  }
  Finding &finding = report(site, call, "this schedule counts steps, but Lightning advances it once per epoch",
                            R"(return it as {"scheduler": scheduler, "interval": "step"})");
  finding.notes.push_back(
      {configure->module->file, result->span(), "returned without an interval, which defaults to \"epoch\""});
}

} // namespace

extern constinit const Rule kSchedulerIntervalMissing = {
    .info = {.code = "DP834",
             .name = "scheduler-interval-missing",
             .summary = "a learning rate schedule in steps that Lightning advances once per epoch",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`OneCycleLR` with `steps_per_epoch` or with `total_steps` in steps, or one of the warm-up schedules of Transformers, in
`configure_optimizers` of a LightningModule that returns it without `"interval": "step"`.

## Why it is wrong

Lightning calls `scheduler.step()` at the end of each epoch by default. A schedule of 20,000 steps that advances 20 times never leaves its
warm-up: the model is trained with a fraction of the learning rate.

## Bad

```python
import pytorch_lightning as pl
import torch


class Net(pl.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=1e-3, total_steps=self.trainer.estimated_stepping_batches
        )
        return [optimizer], [scheduler]
```

## Good

```python
import pytorch_lightning as pl
import torch


class Net(pl.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=1e-3, total_steps=self.trainer.estimated_stepping_batches
        )
        return [optimizer], [{"scheduler": scheduler, "interval": "step"}]
```

## When it is wrong

Where the module steps its schedule itself, which the rule looks for in the class.

## References

- Lightning: LightningModule.configure_optimizers, `interval`
- PyTorch: OneCycleLR ("should be called after each batch")
)"},
    .calls = "torch.optim.lr_scheduler.OneCycleLR transformers.get_linear_schedule_with_warmup "
             "transformers.get_cosine_schedule_with_warmup transformers.get_polynomial_decay_schedule_with_warmup "
             "transformers.get_cosine_with_hard_restarts_schedule_with_warmup",
    .on_call = check};

} // namespace deepperf::rules::scheduler_interval_missing
