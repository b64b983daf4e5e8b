#include "base/known_names.h"
#include "model/classes.h"
#include "rules/assignments.h"
#include "rules/optimizer_module.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace deepperf::rules::frozen_part_recorded {

using namespace python;

namespace {

// `self.backbone` in a method: the attribute's name; empty if it is something else.
Symbol own_attribute(const model::FunctionInfo &method, const Expr *expr) {
  const auto *attribute = as<Attribute>(expr);
  const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  const bool is_self = object != nullptr && !method.params.empty() && method.params[0]->name == object->id;
  return is_self ? attribute->attr : Symbol{};
}

// The calls of a file that take parameters to train, as they are written; each once.
struct TakingParameters {
  std::unordered_set<std::string_view> texts;
};

// Does the file give parameters of other modules to an optimizer as well?
bool trains_others(const Site &site, std::string_view module) {
  const TakingParameters &calls = site.memory.recall<TakingParameters>(site.module, [&site] {
    TakingParameters found;
    for (const Stmt *statement : site.module->parsed->tree.body) {
      any_node_inside(statement, [&](const Node *node) {
        const auto *call = as<Call>(node);
        if (call != nullptr &&
            (model::kind_of(call) == Kind::TorchOptimizer || called_method(*call) == "add_param_group")) {
          found.texts.insert(text_of(site, call));
        }
        return false;
      });
    }
    return found;
  });
  const std::string parameters = std::string(module) + ".parameters";
  return std::ranges::any_of(calls.texts,
                             [&](std::string_view text) { return text.find(parameters) == std::string_view::npos; });
}

// A model that comes with weights: torchvision, timm, transformers, the hub.
bool is_ready_made(const model::ClassInfo &type, Symbol attribute) {
  const auto known = type.attributes.find(attribute.id);
  if (known == type.attributes.end()) {
    return false;
  }
  bool found = false;
  for_each_alternative(known->second.value, [&](const model::Value &one) {
    const std::string_view name = one.is(model::Value::Tag::Instance) && one.name() ? one.name().text() : "";
    found |= (name.starts_with("torchvision.models.") || name.starts_with("timm.") || name.starts_with("torch.hub.") ||
              name.starts_with("transformers.") || name.starts_with("open_clip.")) &&
             !name.ends_with("Config");
  });
  return found;
}

// What forward() does with the head and with a part before it.
struct Recorded {
  const Call *call = nullptr; // self.backbone(x)
  Symbol part;
};

Recorded recorded_part(const Site &inside, const model::ClassInfo &type, Symbol head) {
  const model::FunctionInfo &forward = *inside.function;
  Recorded found;
  bool runs_head = false;
  any_node(forward.definition()->body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const Symbol part = call != nullptr ? own_attribute(forward, call->func) : Symbol{};
    if (!part) {
      return false;
    }
    if (part == head) {
      runs_head = true;
      return false;
    }
    // What goes in comes from outside, and not from the head.
    const auto *given = call->args.size() == 1 ? as<Name>(call->args[0]) : nullptr;
    const bool is_input = given != nullptr && forward.has_param(given->id) &&
                          assigned_before(inside, given->id, forward.definition()->end) == nullptr;
    if (found.call == nullptr && is_input && is_ready_made(type, part)) {
      const Site place = site_of_node(inside, *call);
      const auto *around = place.ancestors.empty() ? nullptr : as<Attribute>(place.ancestors.back());
      const bool is_cut = around != nullptr && around->attr.text() == "detach";
      if (!under_no_grad(place) && !is_cut) {
        found = {call, part};
      }
    }
    return false;
  });
  return runs_head ? found : Recorded{};
}

void check(Site &site, const Node &node) {
  const auto &optimizer = static_cast<const Call &>(node);
  if (!site.module->torch || model::kind_of(&optimizer) != Kind::TorchOptimizer || site.module->is_test ||
      site.function == nullptr || called_api(site, optimizer).empty()) {
    return;
  }
  const auto *parameters = as<Call>(argument(optimizer, 0, "params"));
  const auto *head = parameters != nullptr && called_method(*parameters) == "parameters"
                         ? as<Attribute>(receiver_of(*parameters))
                         : nullptr;
  const model::Value holder = head != nullptr ? value_of(site, head->value) : model::Value{};
  if (!holder.is(model::Value::Tag::Object) || holder.type->kind != Kind::TorchModule || holder.open) {
    return;
  }
  // Frozen weights record nothing.
  if (project_has_word(site, {"requires_grad", "freeze", "set_grad_enabled", "get_peft_model", "toggle_grad"}) ||
      trains_others(site, text_of(site, head))) {
    return;
  }
  const model::FunctionInfo *const forward = model::find_method_of(*holder.type, known::sym_forward);
  if (forward == nullptr || forward->definition() == nullptr || forward->no_grad) {
    return;
  }
  Site inside{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  inside.module = forward->module;
  inside.function = forward;
  inside.type = forward->type;
  inside.trace = site.trace;
  const Recorded found = recorded_part(inside, *holder.type, head->attr);
  if (found.call == nullptr || inside.module->is_test) {
    return;
  }
  Finding &finding = report(
      inside, *found.call,
      fmt::format(
          "`{}` records its graph and gets gradients in every step, though the optimizer has only the parameters "
          "of `{}`",
          found.part.text(), head->attr.text()),
      fmt::format("run it under `torch.no_grad()`, or call `{}.requires_grad_(False)` once", found.part.text()));
  finding.notes.push_back({site.module->file, optimizer.span(), "the only optimizer"});
}

} // namespace

extern constinit const Rule kFrozenPartRecorded = {
    .info = {.code = "DP288",
             .name = "frozen-part-recorded",
             .summary = "a pretrained part of a model that no optimizer trains, but whose gradients are computed",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A module whose `forward` runs a pretrained model and then a head, where the only optimizer has the parameters of the head alone, and nothing
freezes the pretrained part or runs it under `torch.no_grad()`.

## Why it costs

Parameters require gradients by default. All activations of the pretrained part are kept for the backward pass, which
then computes gradients for all of its weights. They are never used.

## Bad

```python
import torch
from torch import nn
from torchvision.models import resnet50


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = resnet50(weights="DEFAULT")
        self.head = nn.Linear(1000, 10)

    def forward(self, x):
        return self.head(self.body(x))


model = Probe()
optimizer = torch.optim.Adam(model.head.parameters())
```

## Good

```python
import torch
from torch import nn
from torchvision.models import resnet50


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = resnet50(weights="DEFAULT")
        self.head = nn.Linear(1000, 10)

    def forward(self, x):
        with torch.no_grad():
            features = self.body(x)
        return self.head(features)


model = Probe()
optimizer = torch.optim.Adam(model.head.parameters())
```

## When it is wrong

Where code outside the checked files freezes the weights.

## References

- PyTorch: autograd mechanics, locally disabling gradient computation
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::frozen_part_recorded
