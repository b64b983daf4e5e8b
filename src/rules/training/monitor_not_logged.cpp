#include "rules/lightning.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace deepperf::rules::monitor_not_logged {

using namespace python;
using model::Value;

namespace {

// The names under which the modules of a project log.
struct Logged {
  std::vector<std::string> names;
  bool has_other = false; // names that are not known
};

void note(const Site &there, const Expr *name, Logged &logged) {
  // One of several, where a function logs for all stages: f"{stage}_loss".
  const model::ConstantChoices choices = name != nullptr ? model::choices_of(scope_of(there), name)
                                                         : model::ConstantChoices{.values = {}, .unknown = true};
  logged.has_other = logged.has_other || choices.unknown || choices.values.empty();
  for (const model::ConstantValue &value : choices.values) {
    const std::optional<std::string> text = value.as_string();
    if (text.has_value() && !value.overridable) {
      logged.names.push_back(*text);
    } else {
      logged.has_other = true;
    }
  }
}

void note_entries(const Site &there, const Expr *entries, Logged &logged) {
  const auto *written = as<Dict>(entries);
  if (written == nullptr) {
    logged.has_other = true;
    return;
  }
  for (const DictItem &item : written->items) {
    note(there, item.key, logged);
  }
}

Logged find_logged(const Site &site) {
  Logged logged;
  for (const model::FunctionInfo &function : site.project.functions) {
    const FunctionDef *const definition = function.definition();
    if (definition == nullptr || function.module == nullptr ||
        !has_word(function.module->parsed->source.text(), {"ightning"}) || !has_word(text_of(function), {".log"})) {
      continue;
    }
    Site there{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
    there.module = function.module;
    there.function = &function;
    any_node(definition->body, [&](const Node *node) {
      const auto *call = as<Call>(node);
      const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
      if (method == "log") {
        note(there, argument(*call, 0, "name"), logged);
      } else if (method == "log_dict") {
        note_entries(there, argument(*call, 0, "dictionary"), logged);
      } else if (method == "log_metrics" || method == "update" || method == "add_scalar") {
        logged.has_other |= method != "add_scalar";
      }
      return false;
    });
  }
  return logged;
}

void check(Site &site, const Call &call) {
  const bool is_stopping = called_api(site, call).ends_with("EarlyStopping");
  const Expr *const monitor = argument(call, is_stopping ? 0 : 2, "monitor");
  const auto name = monitor != nullptr ? string_of(site, monitor) : std::nullopt;
  if (!name.has_value() || site.module->is_test) {
    return;
  }
  if (!is_stopping && (*name == "step" || *name == "epoch")) {
    return; // which ModelCheckpoint adds to what is logged
  }
  const Logged &logged = site.memory.recall<Logged>(&site.project, [&] { return find_logged(site); });
  const auto means = [&name](const std::string &one) {
    return one == *name || one + "_epoch" == *name || one + "_step" == *name;
  };
  if (logged.has_other || logged.names.empty() || std::ranges::any_of(logged.names, means) ||
      std::ranges::none_of(site.project.classes,
                           [](const model::ClassInfo &type) { return is_plain_lightning_module(type); })) {
    return;
  }
  std::string others;
  for (std::size_t i = 0; i < logged.names.size() && i < 4; ++i) {
    if (others.find("`" + logged.names[i] + "`") == std::string::npos) {
      others += (others.empty() ? "`" : ", `") + logged.names[i] + "`";
    }
  }
  report(site, *monitor, fmt::format("nothing logs `{}`, which this callback monitors", *name),
         fmt::format("monitor a name that is logged: {}", others));
}

} // namespace

extern constinit const Rule kMonitorNotLogged = {
    .info = {.code = "DP937",
             .name = "monitor-not-logged",
             .summary = "a Lightning callback that monitors a name that nothing logs",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`ModelCheckpoint(monitor="val_loss")` or `EarlyStopping("val_loss")` in a program whose `self.log` and `self.log_dict` calls all have known
names, none of which is that one.

## Why it is wrong

`EarlyStopping` raises a `RuntimeError` after the first validation, `ModelCheckpoint` a `MisconfigurationException`, or the best model is
never saved.

## Bad

```python
import lightning as L
from lightning.pytorch.callbacks import ModelCheckpoint


class Net(L.LightningModule):
    def validation_step(self, batch, index):
        self.log("val/loss", self(batch).mean())


best = ModelCheckpoint(monitor="val_loss")
```

## Good

```python
import lightning as L
from lightning.pytorch.callbacks import ModelCheckpoint


class Net(L.LightningModule):
    def validation_step(self, batch, index):
        self.log("val/loss", self(batch).mean())


best = ModelCheckpoint(monitor="val/loss")
```

## When it is wrong

Where a model that is not in the checked files logs it.

## References

- Lightning: `EarlyStopping`, `ModelCheckpoint`
)"},
    .calls = "pytorch_lightning.callbacks.ModelCheckpoint pytorch_lightning.callbacks.EarlyStopping",
    .on_call = check};

} // namespace deepperf::rules::monitor_not_logged
