#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::padding_not_ignored {

using namespace python;

namespace {

// The value that cross entropy leaves out unless it is told otherwise.
constexpr i64 kIgnored = -100;

constexpr u32 kPaddingValue = 2;

// `return pad_sequence(xs, True, PAD), pad_sequence(ys, True, PAD)`: labels that are padded like the inputs, with a
// value that is a class.
void check_pair(Site &site, const Call &call) {
  const auto *result = site.ancestors.size() >= 2 ? as<Return>(site.ancestors[site.ancestors.size() - 2]) : nullptr;
  const auto *pair = result != nullptr ? as<Tuple>(site.ancestors.back()) : nullptr;
  if (pair == nullptr || pair->elts.size() != 2 || pair->elts[1] != &call || site.module->is_test) {
    return;
  }
  const auto *inputs = as<Call>(pair->elts[0]);
  const Expr *const padding = argument(call, kPaddingValue, "padding_value");
  const Expr *const other = inputs != nullptr ? argument(*inputs, kPaddingValue, "padding_value") : nullptr;
  if (other == nullptr || padding == nullptr || called_api(site, *inputs) != called_api(site, call) ||
      number_of(site, padding) != number_of(site, other) || number_of(site, padding).value_or(-1) < 0 ||
      project_has_word(site, {"ignore_index", "mask", "reduction", "pack_padded", "weight="}) ||
      !project_has_word(site, {"CrossEntropyLoss(", "cross_entropy(", "NLLLoss(", "nll_loss("})) {
    return;
  }
  report(site, *padding, "labels are padded with a valid class, and the loss counts the padding",
         fmt::format("pass ignore_index={} to the loss, or pad the labels with {}", text_of(site, padding), kIgnored));
}

void check(Site &site, const Call &call) {
  check_pair(site, call);
  const Expr *padding = argument(call, kPaddingValue, "padding_value");
  const std::optional<double> value = padding != nullptr ? number_of(site, padding) : std::nullopt;
  if (!value.has_value() || *value >= 0 || *value == kIgnored ||
      *value != static_cast<double>(static_cast<i64>(*value)) || site.module->is_test ||
      project_has_word(site, {"ignore_index", "masked_fill", "!= -1", "!= PAD", ">= 0"}) ||
      !project_has_word(site, {"CrossEntropyLoss(", "cross_entropy(", "NLLLoss(", "nll_loss("})) {
    return;
  }
  report(site, *padding,
         fmt::format("labels padded with {} are not valid classes, and the loss ignores only {}", *value, kIgnored),
         fmt::format("pad with {}, or pass ignore_index={} to the loss", kIgnored, *value));
}

} // namespace

extern constinit const Rule kPaddingNotIgnored = {
    .info = {.code = "DP889",
             .name = "padding-not-ignored",
             .summary = "labels that are padded with a value that the loss does not ignore",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`pad_sequence` with a negative `padding_value` other than -100, in a project that computes a cross-entropy and never sets `ignore_index`.

## Why it is wrong

There is no negative class: the loss raises an IndexError on a CPU, and a device-side assertion on a GPU ends the program.

## Bad

```python
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

criterion = nn.CrossEntropyLoss()


def loss_of(scores, labels):
    padded = pad_sequence(labels, batch_first=True, padding_value=-1)
    return criterion(scores.flatten(0, 1), padded.flatten())
```

## Good

```python
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

criterion = nn.CrossEntropyLoss(ignore_index=-1)


def loss_of(scores, labels):
    padded = pad_sequence(labels, batch_first=True, padding_value=-1)
    return criterion(scores.flatten(0, 1), padded.flatten())
```

## When it is wrong

Where the padded values are not labels, or a mask removes the padding.

## References

- PyTorch documentation of `torch.nn.CrossEntropyLoss`: `ignore_index`
)"},
    .calls = "torch.nn.utils.rnn.pad_sequence",
    .on_call = check};

} // namespace deepperf::rules::padding_not_ignored
