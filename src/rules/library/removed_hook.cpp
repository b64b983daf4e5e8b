#include "rules/api_history.h"
#include "rules/lightning.h"
#include "rules/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace deepperf::rules::removed_hook {

using namespace python;

namespace {

struct RemovedHook {
  std::string_view method;
  std::string_view instead;
};

// Parameters that a method had, and does not get any more.
struct RemovedParameter {
  std::string_view method;
  std::string_view parameter;
  std::string_view instead;
};

// Source: Lightning's upgrade guides to 2.0.
constexpr auto kHooks = std::to_array<RemovedHook>({
    {"training_epoch_end", "`on_train_epoch_end`, and keep the outputs of the steps in an attribute"},
    {"validation_epoch_end", "`on_validation_epoch_end`, and keep the outputs of the steps in an attribute"},
    {"test_epoch_end", "`on_test_epoch_end`, and keep the outputs of the steps in an attribute"},
    {"training_step_end", "`on_train_batch_end`, or do the work in `training_step`"},
    {"validation_step_end", "`on_validation_batch_end`, or do the work in `validation_step`"},
    {"test_step_end", "`on_test_batch_end`, or do the work in `test_step`"},
    {"on_epoch_start", "`on_train_epoch_start`, `on_validation_epoch_start` and the like"},
    {"on_epoch_end", "`on_train_epoch_end`, `on_validation_epoch_end` and the like"},
    {"on_pretrain_routine_start", "`on_fit_start`"},
    {"on_pretrain_routine_end", "`on_fit_start`"},
    {"tbptt_split_batch", "your own loop over the sequence, with `automatic_optimization = False`"},
});

constexpr auto kParameters = std::to_array<RemovedParameter>({
    {"training_step", "optimizer_idx",
     "set `self.automatic_optimization = False`, and step the optimizers in `training_step`"},
    {"optimizer_step", "optimizer_idx",
     "use `optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure=None)`"},
    {"lr_scheduler_step", "optimizer_idx", "use `lr_scheduler_step(self, scheduler, metric)`"},
    {"configure_gradient_clipping", "optimizer_idx",
     "use `configure_gradient_clipping(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None)`"},
    {"backward", "optimizer_idx", "use `backward(self, loss, *args, **kwargs)`"},
});

bool takes(const FunctionDef &definition, std::string_view parameter) {
  return std::ranges::any_of(definition.params,
                             [parameter](const Param *param) { return param->name.text() == parameter; });
}

void check(Site &site, const Node &node) {
  const model::FunctionInfo *function = site.project.function_at(&node);
  if (function == nullptr || function->type == nullptr || !is_lightning_module(*function->type) ||
      is_version_guarded(site) || has_word(text_of(*function), {"__version__"})) {
    return;
  }
  const auto &definition = static_cast<const FunctionDef &>(node);
  const std::string_view name = definition.name.text();
  const auto known = std::ranges::find(kHooks, name, &RemovedHook::method);
  const auto less = std::ranges::find_if(
      kParameters, [&](const RemovedParameter &one) { return one.method == name && takes(definition, one.parameter); });
  const bool is_hook = known != kHooks.end();
  if ((!is_hook && less == kParameters.end()) || (is_hook && !function->called_by.empty())) {
    return; // or the program calls it itself
  }
  const std::size_t place = site.module->parsed->source.text().find(name, definition.start);
  const auto start = static_cast<u32>(place);
  std::string message;
  if (!is_hook) {
    message = fmt::format("`{}` with `{}` was removed in Lightning 2.0", name, less->parameter);
  } else {
    const bool is_refused = name.ends_with("_epoch_end") && name != "on_epoch_end";
    message = is_refused ? fmt::format("`{}` was removed in Lightning 2.0, which raises an error if it exists", name)
                         : fmt::format("`{}` was removed in Lightning 2.0, which never calls it", name);
  }
  Finding &finding = report(site, Span{start, start + static_cast<u32>(name.size())}, std::move(message),
                            is_hook ? fmt::format("use {}", known->instead) : std::string(less->instead));
  for (const std::string_view package : {"pytorch-lightning", "lightning"}) {
    if (status_in(site, package, "2.0") == Status::Fine) {
      report_for_upgrade(finding, site, package);
      return;
    }
  }
}

} // namespace

extern constinit const Rule kRemovedHook = {.info = {.code = "DP307",
                                                     .name = "removed-hook",
                                                     .summary = "a method that Lightning no longer calls",
                                                     .root_cause = "Library: Mismatched Library Version",
                                                     .symptoms = "Program Crash",
                                                     .stage = "Environment Setting",
                                                     .frameworks = "PyTorch",
                                                     .severity = Severity::Error,
                                                     .tier = Tier::On,
                                                     .documentation = R"(## What it finds

`training_epoch_end`, `validation_epoch_end`, `test_epoch_end`, the `_step_end` methods, `on_epoch_start` and
`on_epoch_end` in a LightningModule that nothing else calls, and a `training_step`, `optimizer_step` and the like that
take `optimizer_idx`. Where the project's requirements specify a Lightning before 2.0, it is a note for
a later upgrade.

## Why it is wrong

Lightning 2.0 never calls these methods, and raises an error if it finds one of the `_epoch_end` methods. Earlier
versions kept the outputs of all steps of an epoch in memory for them, which could exhaust memory.

## Bad

```python
import pytorch_lightning as pl
import torch


class Model(pl.LightningModule):
    def validation_step(self, batch, batch_idx):
        return self.loss(batch)

    def validation_epoch_end(self, outputs):
        self.log("loss", torch.stack(outputs).mean())
```

## Good

```python
import pytorch_lightning as pl


class Model(pl.LightningModule):
    def validation_step(self, batch, batch_idx):
        self.log("loss", self.loss(batch), on_epoch=True)
```

## When it is wrong

Where the program only runs with an old version, although nothing in the project states it. State the version in
`requirements.txt`.

## References

- Lightning: upgrade from 1.9 to 2.0
)"},
                                            .nodes = {NodeKind::FunctionDef},
                                            .on_node = check};

} // namespace deepperf::rules::removed_hook
