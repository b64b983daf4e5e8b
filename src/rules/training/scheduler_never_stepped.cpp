#include "model/bind.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::scheduler_never_stepped {

using namespace python;

namespace {

// Methods and attributes that read a schedule or fill it from a file, and do not advance it.
bool only_reads(Symbol attribute) {
  const std::string_view name = attribute.text();
  return name == "state_dict" || name == "load_state_dict" || name == "get_last_lr" || name == "get_lr" ||
         name == "last_epoch" || name == "base_lrs" || name == "print_lr";
}

// Is the name or attribute read other than to look at the schedule?
class Uses {
public:
  explicit Uses(const Expr &target) : name_(as<Name>(&target)), attribute_(as<Attribute>(&target)) {}

  [[nodiscard]] bool advance(const Node *node) const {
    if (const auto *around = as<Attribute>(node);
        around != nullptr && only_reads(around->attr) && is_it(around->value)) {
      return false;
    }
    const auto *expr = node->kind < NodeKind::FunctionDef ? static_cast<const Expr *>(node) : nullptr;
    if (expr != nullptr && expr->context == Context::Load && is_it(expr)) {
      return true;
    }
    bool found = false;
    for_each_child(node, [&](const Node *child) { found = found || advance(child); });
    return found;
  }

private:
  [[nodiscard]] bool is_it(const Expr *expr) const {
    if (name_ != nullptr) {
      const auto *name = as<Name>(expr);
      return name != nullptr && name->id == name_->id;
    }
    const auto *attribute = as<Attribute>(expr);
    return attribute != nullptr && attribute->attr == attribute_->attr;
  }

  const Name *name_;
  const Attribute *attribute_;
};

void check(Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  if (model::kind_of(&call) != Kind::TorchScheduler || !api.starts_with("torch.optim.lr_scheduler.") ||
      assignment == nullptr || assignment->targets.size() != 1 || site.module->is_test ||
      !project_has_word(site, {".backward("})) {
    return;
  }
  const Expr *target = assignment->targets[0];
  const Uses uses(*target);
  if (const auto *name = as<Name>(target)) {
    const bool is_global = site.function->node == nullptr;
    // A module's own name may be imported, or read by what `locals()` and the like give away.
    const std::string text(name->id.text());
    if (file_has_word(site, {"locals()", "globals()", "__dict__"}) || name->id.text() == "_") {
      return;
    }
    if (is_global && site.project.modules.size() > 1 &&
        project_has_word(site, {fmt::format("import {}", text), fmt::format(".{}", text), fmt::format(", {}", text)})) {
      return;
    }
    const Node *scope = site.function->node;
    bool is_used = scope != nullptr && uses.advance(scope);
    for (const Stmt *statement : site.module->parsed->tree.body) {
      is_used = is_used || (scope == nullptr && uses.advance(statement));
    }
    if (is_used) {
      return;
    }
  } else if (const auto *attribute = as<Attribute>(target)) {
    if (!model::is_own_object(*site.function, attribute->value) || site.type == nullptr ||
        site.type->kind != Kind::Unknown || !site.type->subclasses.empty() || project_has_word(site, {"getattr("})) {
      return;
    }
    for (const model::Module &module : site.project.modules) {
      for (const Stmt *statement : module.parsed->tree.body) {
        if (uses.advance(statement)) {
          return;
        }
      }
    }
  } else {
    return;
  }
  const std::string_view name = text_of(site, target);
  report(site, call, fmt::format("`{}` is never stepped, so the learning rate stays the same", name),
         fmt::format("call `{}.step()` after each epoch or step, as the schedule counts", name));
}

// optimizer, scheduler = build(model)
void check_pair(Site &site, const Assign &assignment) {
  const auto *targets = assignment.targets.size() == 1 ? as<Tuple>(assignment.targets[0]) : nullptr;
  const auto *call = as<Call>(assignment.value);
  if (targets == nullptr || call == nullptr || called_function(site, *call) == nullptr || site.module->is_test ||
      !project_has_word(site, {".backward("}) || file_has_word(site, {"locals()", "globals()", "__dict__"}) ||
      (site.function->node == nullptr && site.project.modules.size() > 1)) {
    return;
  }
  for (const Expr *target : targets->elts) {
    const auto *name = as<Name>(target);
    const model::Value value = name != nullptr ? value_of(site, target) : model::Value();
    if (!value.is_kind(Kind::TorchScheduler) || value.alternatives != nullptr || value.open || value.many ||
        name->id.text().starts_with("_") || !value.name() ||
        !value.name().text().starts_with("torch.optim.lr_scheduler.")) {
      continue;
    }
    const Uses uses(*target);
    bool is_used = site.function->node != nullptr && uses.advance(site.function->node);
    for (const Stmt *statement : site.module->parsed->tree.body) {
      is_used = is_used || (site.function->node == nullptr && uses.advance(statement));
    }
    if (!is_used) {
      report(site, *target, fmt::format("`{}` is never stepped, so the learning rate stays the same", name->id.text()),
             fmt::format("call `{}.step()` after each epoch or step, as the schedule counts", name->id.text()));
    }
  }
}

} // namespace

extern constinit const Rule kSchedulerNeverStepped = {
    .info = {.code = "DP920",
             .name = "scheduler-never-stepped",
             .summary = "a learning rate schedule that is created and never advanced",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A schedule of `torch.optim.lr_scheduler` whose `step()` is never called and that is not given to anything that could call it.

## Why it is wrong

A schedule changes the learning rate only in its `step()`. Without it the optimizer keeps the first one. For a schedule with warmup that is a
tiny fraction of the wanted learning rate.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, epochs: int):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, epochs: int):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        scheduler.step()
```

## When it is wrong

Where code outside of the checked files steps the schedule.
)"},
    .nodes = {NodeKind::Call, NodeKind::Assign},
    .on_node = [](Site &site, const Node &node) {
      if (node.kind == NodeKind::Assign) {
        check_pair(site, static_cast<const Assign &>(node));
      } else {
        check(site, static_cast<const Call &>(node));
      }
    }};

} // namespace deepperf::rules::scheduler_never_stepped
