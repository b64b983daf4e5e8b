#include "base/known_names.h"
#include "rules/name_places.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::last_step_of_padded {

using namespace python;

namespace {

bool is_recurrent(std::string_view maker) {
  return maker == "torch.nn.LSTM" || maker == "torch.nn.GRU" || maker == "torch.nn.RNN";
}

// The call of a recurrent layer whose outputs the name stands for: `states, _ = self.gru(x)`; null if it is none.
const Call *layer_call_of(const Site &site, const Name &name) {
  const FunctionDef *const definition = site.function->definition();
  const Call *found = nullptr;
  u32 bindings = 0;
  any_node(definition->body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    if (assignment == nullptr || assignment->targets.size() != 1 || assignment->start >= name.start) {
      return false;
    }
    const auto *pair = as<Tuple>(assignment->targets[0]);
    const auto *first = as<Name>(pair != nullptr && !pair->elts.empty() ? pair->elts[0] : assignment->targets[0]);
    if (first == nullptr || first->id != name.id) {
      return false;
    }
    ++bindings;
    const auto *part = as<Subscript>(assignment->value); // self.gru(x)[0]
    const auto *call =
        as<Call>(part != nullptr && integer_of(site, part->slice) == 0 ? part->value : assignment->value);
    const bool is_first = pair != nullptr || part != nullptr;
    found = call != nullptr && is_first ? call : nullptr;
    return false;
  });
  return bindings == 1 ? found : nullptr;
}

// `states[:, -1]` or `states[:, -1, :]`
bool takes_last_step(const Site &site, const Subscript &part) {
  const auto *axes = as<Tuple>(part.slice);
  const auto *all = axes != nullptr && axes->elts.size() >= 2 ? as<Slice>(axes->elts[0]) : nullptr;
  return all != nullptr && all->lower == nullptr && all->upper == nullptr &&
         integer_of(site, axes->elts[1]) == std::optional<i64>(-1);
}

// A parameter that forward() gets from everybody who calls it and never reads: the lengths, most of the time.
Symbol unread_parameter(const Site &site) {
  const model::FunctionInfo &function = *site.function;
  Symbol found;
  for (u32 i = 1; i < function.params.size(); ++i) {
    const Param &param = *function.params[i];
    if (param.param_kind() <= ParamKind::Regular && !param.name.text().starts_with('_') &&
        places_of_name(site, function, param.name).empty()) {
      found = param.name;
    }
  }
  return found;
}

// Sequences of different lengths are padded at their ends, and nothing packs them again.
bool pads_at_the_end(const Site &site) {
  return project_has_word(site, {"pad_sequence"}) &&
         !project_has_word(site, {"pack_padded_sequence", "pack_sequence", "padding_side", ".flip("});
}

void check(Site &site, const Node &node) {
  const auto &part = static_cast<const Subscript &>(node);
  const auto *states = as<Name>(part.value);
  if (states == nullptr || part.context != Context::Load || site.function == nullptr ||
      site.function->definition() == nullptr || site.function->name != known::sym_forward || site.module->is_test ||
      !takes_last_step(site, part)) {
    return;
  }
  const Call *const call = layer_call_of(site, *states);
  const model::Value layer = call != nullptr ? site.project.callee_of(call) : model::Value{};
  if (!layer.is(model::Value::Tag::Instance) || !layer.name() || !is_recurrent(layer.name().text()) ||
      layer.maker() == nullptr || layer.alternatives != nullptr) {
    return;
  }
  const Site there = site_of(site, *layer.maker());
  const auto batch_first =
      setting_of(there, argument_of(there, *layer.maker(), ~0U, "batch_first"), model::ConstantValue::of(false));
  const Symbol unread = batch_first.has_value() && batch_first->is_true() ? unread_parameter(site) : Symbol{};
  if (!unread || !pads_at_the_end(site)) {
    return;
  }
  Finding &finding =
      report(site, node,
             fmt::format(
                 "the last step of a padded batch is padding for all but its longest sequences, and `{}` is never used",
                 unread.text()),
             "take the last real step of each sequence, `states[torch.arange(n), lengths - 1]`, or pack the batch with "
             "`pack_padded_sequence` and use the final hidden state");
  add_note(finding, site, *call, "the layer also runs over the padding");
}

} // namespace

extern constinit const Rule kLastStepOfPadded = {
    .info = {.code = "DP298",
             .name = "last-step-of-padded",
             .summary = "a recurrent network whose result for a padded sequence is read at a step of padding",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Low Accuracy",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `forward()` that takes the last step of the outputs of an `nn.LSTM`, `nn.GRU` or `nn.RNN` and never reads one of its arguments, in a program that pads
its batches with `pad_sequence` and packs nothing.

## Why it is wrong

`pad_sequence` fills short sequences at their end. Step -1 of such a sequence is padding: the network has run over it for as many steps as the longest
sequence of the batch has more, and its result depends on which other sequences are in the batch.

## Bad

```python
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence


def collate(sequences):
    return pad_sequence(sequences, batch_first=True), torch.tensor([len(one) for one in sequences])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16, batch_first=True)
        self.head = nn.Linear(16, 2)

    def forward(self, x, lengths):
        states, _ = self.rnn(x)
        return self.head(states[:, -1])
```

## Good

```python
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence


def collate(sequences):
    return pad_sequence(sequences, batch_first=True), torch.tensor([len(one) for one in sequences])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16, batch_first=True)
        self.head = nn.Linear(16, 2)

    def forward(self, x, lengths):
        states, _ = self.rnn(x)
        rows = torch.arange(len(states), device=states.device)
        return self.head(states[rows, lengths - 1])
```

## When it is wrong

Where all sequences of a batch have the same length, as with a sampler that groups them by length.

## References

- PyTorch documentation of `torch.nn.utils.rnn.pack_padded_sequence`
)"},
    .nodes = {NodeKind::Subscript},
    .on_node = check};

} // namespace deepperf::rules::last_step_of_padded
