#include "rules/assignments.h"
#include "rules/loss_call.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

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

// Is it the labels of all tokens in one row: `y.reshape(-1)`, `y[:, 1:].flatten()`?
bool is_row_of_tokens(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(written_value(site, expr));
  for (u32 i = 0; i < 3 && call != nullptr; ++i) {
    const std::string_view method = called_method(*call);
    const bool is_row = method == "flatten" && call->args.empty();
    const bool is_view =
        (method == "reshape" || method == "view") && call->args.size() == 1 && integer_of(site, call->args[0]) == -1;
    if (is_row || is_view) {
      return true;
    }
    if (method != "contiguous" && method != "to" && method != "long") {
      return false;
    }
    call = as<Call>(receiver_of(*call));
  }
  return false;
}

// The call of pad_sequence, next to another one in a function that puts batches together, that pads with a number that
// may be a class; null if there is none, or one that pads with what losses ignore.
struct PaddedLabels {
  const Call *call = nullptr;
  const model::Module *module = nullptr;
  bool is_pair = false; // `return pad_sequence(xs), pad_sequence(ys)`: see check_pair
};

// Does the call run for each column of the samples: `[pad_sequence(c) for c in zip(*samples)]`?
bool pads_columns(const Site &site, const Node &comprehension) {
  const Array<Comprehension *> *clauses = nullptr;
  if (const auto *list = as<ListComp>(&comprehension)) {
    clauses = &list->generators;
  } else if (const auto *generator = as<GeneratorExp>(&comprehension)) {
    clauses = &generator->generators;
  }
  if (clauses == nullptr || clauses->size() != 1) {
    return false;
  }
  const auto *columns = as<Call>(written_value(site, (*clauses)[0]->iter));
  return columns != nullptr && called_name(*columns) == "zip" && columns->args.size() == 1 &&
         columns->args[0]->kind == NodeKind::Starred;
}

PaddedLabels find_padded_labels(const Site &site) {
  PaddedLabels found;
  for (const model::FunctionInfo &function : site.project.functions) {
    const FunctionDef *definition = function.definition();
    if (definition == nullptr || !has_word(function.module->parsed->source.text(), {"pad_sequence"})) {
      continue;
    }
    u32 count = 0;
    const Call *last = nullptr;
    bool is_ignored = false;
    const auto look = [&](const Node *node, bool is_column) {
      const auto *call = as<Call>(node);
      if (call == nullptr || called_api(site, *call) != "torch.nn.utils.rnn.pad_sequence") {
        return false;
      }
      const Expr *padding = argument(*call, kPaddingValue, "padding_value");
      const auto value = padding != nullptr ? setting_of(site_of(site, *call), padding) : model::ConstantValue::of(0.0);
      is_ignored = is_ignored || !value.has_value() || value->as_number().value_or(-1) < 0;
      count += is_column ? 2 : 1;
      last = call;
      return false;
    };
    any_node(definition->body, [&](const Node *node) {
      look(node, false);
      Site there = site;
      there.function = &function;
      there.module = function.module;
      if (pads_columns(there, *node)) {
        any_node(node, [&](const Node *inner) { return look(inner, true); });
      }
      return false;
    });
    if (is_ignored) {
      return {};
    }
    if (count >= 2) {
      const auto *result = as<Return>(definition->body.back());
      const auto *pair = result != nullptr ? as<Tuple>(result->value) : nullptr;
      found = {last, function.module, pair != nullptr && pair->elts.size() == 2 && pair->elts[1] == last};
    }
  }
  return found;
}

PaddedLabels padded_labels(const Site &site) {
  struct Found {
    PaddedLabels labels;
  };
  return site.memory.recall<Found>(&site.project, [&] { return Found{find_padded_labels(site)}; }).labels;
}

// criterion(logits.reshape(-1, n), labels.reshape(-1)) where padded labels are classes
void check_loss(Site &site, const Call &call) {
  const LossCall loss = loss_call(site, call);
  if ((loss.loss != Loss::CrossEntropy && loss.loss != Loss::Nll) || site.module->is_test || call.args.size() < 2 ||
      !is_row_of_tokens(site, call.args[1])) {
    return;
  }
  if (project_has_word(site, {"ignore_index", "masked_fill(", "masked_select", "!= -100"})) {
    return;
  }
  const Call *maker = &call;
  if (!called_api(site, call).starts_with("torch.nn.functional.")) {
    const model::Value callee = value_of(site, call.func);
    if (!callee.is_kind(Kind::TorchLoss) || callee.maker() == nullptr || callee.alternatives != nullptr ||
        callee.many) {
      return;
    }
    maker = callee.maker();
  }
  if (has_hidden_arguments(*maker) || keyword_argument(*maker, "weight") != nullptr ||
      keyword_argument(*maker, "reduction") != nullptr) {
    return;
  }
  const PaddedLabels labels = padded_labels(site);
  const bool is_said_there = labels.is_pair && !project_has_word(site, {"mask", "reduction", "pack_padded", "weight="});
  if (labels.call == nullptr || is_said_there) {
    return;
  }
  Finding &finding = report(site, call, "labels are padded with a valid class, and the loss counts the padding",
                            "pass `ignore_index` with the padding value to the loss");
  finding.notes.push_back({labels.module->file, labels.call->span(), "labels are padded here"});
}

void check(Site &site, const Call &call) {
  if (called_api(site, call) != "torch.nn.utils.rnn.pad_sequence") {
    check_loss(site, call);
    return;
  }
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

`pad_sequence` with a negative `padding_value` other than -100, in a project that computes a cross-entropy and never sets `ignore_index`. Also a cross-entropy
over all tokens of labels that were padded with a valid class.

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
    .calls = "torch.nn.utils.rnn.pad_sequence TorchLoss.__call__ torch.nn.functional.cross_entropy "
             "torch.nn.functional.nll_loss",
    .on_call = check};

} // namespace deepperf::rules::padding_not_ignored
