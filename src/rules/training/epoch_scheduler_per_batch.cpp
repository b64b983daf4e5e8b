#include "rules/assignments.h"
#include "rules/per_step.h"
#include "rules/reach.h"

#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::epoch_scheduler_per_batch {

using namespace python;

namespace {

// What a schedule does if it is stepped once for each batch.
struct Schedule {
  std::string consequence; // empty: nothing is known to be wrong
  bool is_sure = false;
};

// So few steps of a schedule that decays to a thousandth, or ends, are meant as epochs.
constexpr double kMostEpochs = 400;

// After how many steps the rate is a thousandth of what it was, if each `period` steps multiply it.
double steps_of_decay(double period, double factor) { return period * std::log(1e-3) / std::log(factor); }

Schedule of_decay(const Site &there, const Call &maker, bool has_period) {
  const model::ConstantValue tenth = model::ConstantValue::of(0.1);
  const auto period = has_period
                          ? setting_of(there, argument_of(there, maker, 1, "step_size"), model::ConstantValue::none())
                          : model::ConstantValue::of(i64{1});
  const auto factor = setting_of(there, argument_of(there, maker, has_period ? 2 : 1, "gamma"),
                                 has_period ? tenth : model::ConstantValue::none());
  if (!period.has_value() || !factor.has_value()) {
    return {};
  }
  const std::optional<double> length = period->as_number();
  const std::optional<double> rate = factor->as_number();
  if (!length.has_value() || !rate.has_value() || *length < 1 || *rate <= 0 || *rate >= 1) {
    return {};
  }
  const double steps = steps_of_decay(*length, *rate);
  if (steps > kMostEpochs) {
    return {};
  }
  return {.consequence = fmt::format("after {} batches the learning rate is a thousandth of what it was",
                                     static_cast<i64>(std::ceil(steps))),
          .is_sure = !period->overridable && !factor->overridable};
}

// MultiStepLR(optimizer, [30, 60])
Schedule of_milestones(const Site &there, const Call &maker) {
  const Expr *given = argument(maker, 1, "milestones");
  const std::vector<model::Argument::Given> written =
      given != nullptr ? model::written_as(scope_of(there), given) : std::vector<model::Argument::Given>{};
  const auto *list = as<List>(written.size() == 1 ? written[0].expr : given);
  if (list == nullptr || list->elts.empty()) {
    return {};
  }
  const std::optional<i64> last = integer_of(there, list->elts[list->elts.size() - 1]);
  if (!last.has_value() || static_cast<double>(*last) > kMostEpochs) {
    return {};
  }
  return {.consequence = fmt::format("the whole schedule ends after {} batches", *last),
          .is_sure = written.size() != 1 || !written[0].overridable};
}

// `epochs`, `args.epochs`, `config["epochs"]`: a number that is called so.
bool names_epochs(const Site &there, const Expr *number) {
  number = written_value(there, number); // total = args.epochs
  const auto *entry = as<Subscript>(number);
  const std::optional<std::string> key = entry != nullptr ? string_of(there, entry->slice) : std::nullopt;
  const auto *plain = as<Name>(number);
  const auto *attribute = as<Attribute>(number);
  const std::string_view name = plain != nullptr       ? plain->id.text()
                                : attribute != nullptr ? attribute->attr.text()
                                : key.has_value()      ? std::string_view(*key)
                                                       : std::string_view{};
  return name.ends_with("epochs") || name.ends_with("epoch");
}

// CosineAnnealingLR(optimizer, T_max=epochs): a name for epochs, and nothing that makes steps of them.
Schedule of_cosine(const Site &there, const Call &maker) {
  const Expr *period = argument(maker, 1, "T_max");
  if (period == nullptr) {
    return {};
  }
  const std::string_view text = text_of(there, period);
  if (names_epochs(there, period)) {
    return {.consequence = fmt::format("the learning rate falls and rises again every `{}` batches", text),
            .is_sure = true};
  }
  const auto constant = setting_of(there, period);
  const std::optional<i64> steps = constant.has_value() ? constant->as_integer() : std::nullopt;
  if (!steps.has_value() || *steps < 2 || static_cast<double>(*steps) > kMostEpochs) {
    return {};
  }
  return {.consequence = fmt::format("the learning rate falls and rises again every {} batches", *steps),
          .is_sure = false};
}

// ReduceLROnPlateau(optimizer, patience=3): so many batches without a better loss are nothing special.
Schedule of_plateau(const Site &there, const Call &maker) {
  const auto patience = setting_of(there, argument_of(there, maker, 3, "patience"), model::ConstantValue::of(i64{10}));
  const std::optional<i64> batches = patience.has_value() ? patience->as_integer() : std::nullopt;
  constexpr i64 kMostPatience = 50;
  if (!batches.has_value() || *batches > kMostPatience) {
    return {};
  }
  return {.consequence = fmt::format("{} batches without a new best loss lower the learning rate", *batches + 1),
          .is_sure = true};
}

// OneCycleLR(optimizer, 0.1, total_steps=epochs), which fails when it is stepped more often
Schedule of_cycle(const Site &there, const Call &maker) {
  const Expr *total = argument(maker, 2, "total_steps");
  if (total == nullptr) {
    return {};
  }
  const std::string_view text = text_of(there, total);
  if (names_epochs(there, total)) {
    return {.consequence = fmt::format("`step()` fails after `{}` batches", text), .is_sure = true};
  }
  const auto constant = setting_of(there, total);
  const std::optional<i64> steps = constant.has_value() ? constant->as_integer() : std::nullopt;
  if (!steps.has_value() || static_cast<double>(*steps) > kMostEpochs) {
    return {};
  }
  return {.consequence = fmt::format("`step()` fails after {} batches", *steps), .is_sure = !constant->overridable};
}

// get_linear_schedule_with_warmup(optimizer, 0, num_training_steps=epochs) of Transformers
Schedule of_training_steps(const Site &there, const Call &maker, std::string_view api) {
  const bool is_named = api.ends_with(".get_scheduler");
  const model::Argument total = argument_of(there, maker, is_named ? 3 : 2, "num_training_steps");
  if (total.unknown || total.given.size() != 1) {
    return {};
  }
  const Expr *written = total.given[0].expr;
  if (total.given[0].scope.function == there.function) {
    written = written_value(there, written); // total = args.epochs
  }
  const std::string_view text = total.given[0].scope.module->parsed->source.part(written->start, written->end);
  const bool is_name = written->kind == NodeKind::Name || written->kind == NodeKind::Attribute;
  const auto constant = model::constant_of(total.given[0].scope, written);
  const std::optional<i64> steps = constant.has_value() ? constant->as_integer() : std::nullopt;
  if (is_name && has_word_in_any_case(text, {"epoch"}) && !has_word_in_any_case(text, {"step", "per_epoch"})) {
    return {.consequence = fmt::format("the learning rate is 0 after `{}` batches", text), .is_sure = true};
  }
  constexpr i64 kMostSure = 20;
  if (!steps.has_value() || *steps < 1 || *steps > kMostSure) {
    return {};
  }
  return {.consequence = fmt::format("the learning rate is 0 after {} batches", *steps),
          .is_sure = !constant->overridable};
}

Schedule schedule_of(const Site &there, const Call &maker, std::string_view api) {
  if (api.starts_with("transformers.") || api.starts_with("diffusers.")) {
    return of_training_steps(there, maker, api);
  }
  return api.ends_with(".StepLR")              ? of_decay(there, maker, true)
         : api.ends_with(".ExponentialLR")     ? of_decay(there, maker, false)
         : api.ends_with(".MultiStepLR")       ? of_milestones(there, maker)
         : api.ends_with(".CosineAnnealingLR") ? of_cosine(there, maker)
         : api.ends_with(".ReduceLROnPlateau") ? of_plateau(there, maker)
         : api.ends_with(".OneCycleLR")        ? of_cycle(there, maker)
                                               : Schedule{};
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = step_loop_of(site);
  const auto *statement = loop != nullptr ? as<For>(loop->node) : nullptr;
  // for x, y in batches
  const bool takes_pairs =
      statement != nullptr && statement->target->kind == NodeKind::Tuple && statement->iter->kind != NodeKind::Call;
  if (loop == nullptr || (!goes_over_data(site, *loop) && !takes_pairs) ||
      (loop->parent == nullptr && !loop->function->in_loop)) {
    return;
  }
  // One of several, if the program chooses: each of them has to count epochs.
  const model::Value scheduler = value_of(site, receiver_of(call));
  Schedule schedule;
  std::vector<const Call *> makers;
  bool are_all = !scheduler.open;
  for_each_alternative(scheduler, [&](const model::Value &one) {
    const bool is_known = one.is_kind(Kind::TorchScheduler) && one.maker() != nullptr && !one.many && one.name();
    const Schedule own =
        is_known ? schedule_of(site_of(site, *one.maker()), *one.maker(), one.name().text()) : Schedule{};
    are_all = are_all && !own.consequence.empty();
    if (!are_all) {
      return;
    }
    const bool was_sure = makers.empty() || schedule.is_sure;
    schedule = schedule.consequence.empty() ? own : schedule;
    schedule.is_sure = was_sure && own.is_sure;
    makers.push_back(one.maker());
  });
  if (!are_all || makers.empty()) {
    return;
  }
  Finding &finding = report(
      site, call, fmt::format("this schedule counts epochs but is stepped for every batch: {}", schedule.consequence),
      "call it once per epoch, after the loop over the batches");
  for (const Call *maker : makers) {
    finding.notes.push_back({site_of(site, *maker).module->file, maker->span(), "the schedule is created here"});
  }
  if (!schedule.is_sure) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kEpochSchedulerPerBatch = {
    .info = {.code = "DP872",
             .name = "epoch-scheduler-per-batch",
             .summary = "a learning rate schedule in epochs that is stepped for every batch",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`scheduler.step()` in every iteration of a loop over batches, inside a loop over epochs, where the schedule is in epochs: a `StepLR`,
`MultiStepLR` or `ExponentialLR` that ends after a few hundred steps, a `CosineAnnealingLR` whose `T_max` is the number of epochs, or a
`ReduceLROnPlateau` with a small patience.

## Why it is wrong

The schedule counts calls of `step()`. `StepLR(optimizer, 30)`, stepped for each batch, divides the learning rate by ten every 30 batches:
before the first epoch ends it is practically zero, and the model stops learning.

## Bad

```python
import torch
from torch.utils.data import DataLoader


def train(model, dataset, criterion):
    loader = DataLoader(dataset, batch_size=32, shuffle=True, num_workers=4, persistent_workers=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30)
    for epoch in range(90):
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
            scheduler.step()
```

## Good

```python
import torch
from torch.utils.data import DataLoader


def train(model, dataset, criterion):
    loader = DataLoader(dataset, batch_size=32, shuffle=True, num_workers=4, persistent_workers=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30)
    for epoch in range(90):
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        scheduler.step()
```

## When it is wrong

Where an epoch has only a few batches and the schedule is meant in steps.

## References

- PyTorch documentation of `torch.optim`: how to adjust learning rate
)"},
    .calls = "TorchScheduler.step",
    .on_call = check};

} // namespace deepperf::rules::epoch_scheduler_per_batch
