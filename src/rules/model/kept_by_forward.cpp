#include "model/definitions.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::kept_by_forward {

using namespace python;

namespace {

bool is_empty_list(const Expr *expr) {
  const auto *list = as<List>(expr);
  const auto *call = as<Call>(expr);
  const auto *name = call != nullptr && call->args.empty() && call->keywords.empty() ? as<Name>(call->func) : nullptr;
  return (list != nullptr && list->elts.empty()) || (name != nullptr && name->id.text() == "list");
}

// Is the attribute an empty list that the constructor of the class makes, and nothing else?
bool is_made_once(const Site &site, Symbol attribute) {
  const model::Definitions &definitions = model::definitions_of(site.project);
  const auto stores = definitions.attribute_stores.find(attribute.id);
  if (stores == definitions.attribute_stores.end()) {
    return false;
  }
  bool is_made = false;
  for (const model::AttributeStore &store : stores->second) {
    if (store.function == nullptr || store.function->name.text() != "__init__" || store.value == nullptr) {
      return false; // whoever it is, it may empty the list
    }
    is_made |= store.function->type == site.type && is_empty_list(store.value);
  }
  return is_made;
}

// Does any code take elements out, hand the list on, or empty it?
bool is_emptied(const Site &site, std::string_view attribute) {
  const std::string name(attribute);
  const std::string clear = name + ".clear(";
  const std::string pop = name + ".pop(";
  const std::string all = name + "[:]";
  const std::string slice = name + "[-";
  const std::string text = '"' + name + '"';
  const std::string quoted = '\'' + name + '\'';
  return project_has_word(site, {clear, pop, all, slice, text, quoted});
}

void check(Site &site, const Call &call) {
  const auto *list = as<Attribute>(receiver_of(call));
  const auto *self = list != nullptr ? as<Name>(list->value) : nullptr;
  if (self == nullptr || self->id.text() != "self" || site.type == nullptr || site.module->is_test ||
      call.args.size() != 1 || !in_method(site, Kind::TorchModule, "forward") ||
      model::kind_of(call.args[0]) != Kind::TorchTensor) {
    return;
  }
  // In training steps that are in sight, the graph that is kept as well is the greater problem, which DP230 reports.
  if (context_of(site).in_training_step || !is_made_once(site, list->attr) || is_emptied(site, list->attr.text())) {
    return;
  }
  const bool deletes = any_node_inside(site.type->node, [&](const Node *node) {
    return node->kind == NodeKind::Delete && text_of(site, node).find(list->attr.text()) != std::string_view::npos;
  });
  if (deletes) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("every forward pass adds a tensor to `self.{}`, which nothing empties, so memory grows",
                         list->attr.text()),
             fmt::format("return the tensor, or empty the list first: `self.{} = []`", list->attr.text()));
  if (enclosing(site, NodeKind::If) != nullptr) {
    finding.tier = Tier::Hint; // only when it is asked for
  }
}

} // namespace

extern constinit const Rule kKeptByForward = {
    .info = {.code = "DP280",
             .name = "kept-by-forward",
             .summary = "a list of tensors that every forward pass appends to and nothing empties",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Out of Memory",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`self.maps.append(x)` in the `forward` of a module, where the constructor makes the list and no code of the project empties it. Under a condition it is a hint.

## Why it costs

The list holds the tensors of all batches since the start, with their autograd graphs unless they are detached. Memory grows with every step until the GPU is full,
hours after the start.

## Bad

```python
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(64, 64)
        self.maps = []

    def forward(self, x: torch.Tensor):
        weights = self.score(x).softmax(-1)
        self.maps.append(weights)
        return weights @ x
```

## Good

```python
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(64, 64)

    def forward(self, x: torch.Tensor):
        weights = self.score(x).softmax(-1)
        return weights @ x, weights
```

## When it is wrong

Where code outside of the project empties the list.
)"},
    .calls = "*.append",
    .on_call = check};

} // namespace deepperf::rules::kept_by_forward
