#include "rules/assignments.h"
#include "rules/encoding.h"
#include "rules/reach.h"
#include "rules/tree.h"
#include "rules/value_source.h"

#include <algorithm>

namespace deepperf::rules::perplexity_of_batch_means {

using namespace python;

namespace {

// The code that may change what a sum or a counter holds: the function, or, of an attribute, its class.
bool any_in_home(const Site &site, const Expr *held, NodePredicate holds) {
  if (held->kind == NodeKind::Attribute) {
    return site.function->type != nullptr && any_node_inside(site.function->type->node, holds);
  }
  return any_node(body_around(site), holds);
}

bool is_same(const Site &site, const Expr *a, const Expr *b) {
  return a->kind == b->kind && text_of(site, a) == text_of(site, b);
}

// `n += 1`
bool adds_one(const Site &site, const Node *node, const Expr *counter) {
  const auto *sum = as<AugAssign>(node);
  return sum != nullptr && sum->op() == Operator::Add && is_same(site, sum->target, counter) &&
         integer_of(site, sum->value) == 1;
}

// `len(loader)`, or a counter that only ever grows by one.
bool counts_batches(const Site &site, const Expr *count) {
  if (const auto *call = as<Call>(count)) {
    const bool is_length = called_name(*call) == "len" && call->args.size() == 1;
    if (called_name(*call) == "max" && !call->args.empty()) {
      return counts_batches(site, call->args[0]) || counts_batches(site, call->args[call->args.size() - 1]);
    }
    return is_length && model::kind_of(call->args[0]) == Kind::TorchDataLoader;
  }
  if (count->kind != NodeKind::Name && count->kind != NodeKind::Attribute) {
    return false;
  }
  bool grows = false;
  bool grows_otherwise = false;
  any_in_home(site, count, [&](const Node *node) {
    const auto *sum = as<AugAssign>(node);
    if (sum != nullptr && is_same(site, sum->target, count)) {
      (adds_one(site, node, count) ? grows : grows_otherwise) = true;
    }
    return false;
  });
  return grows && !grows_otherwise;
}

// What is added to a sum; null if that is not one thing.
const AugAssign *only_addition(const Site &site, const Expr *total) {
  const AugAssign *only = nullptr;
  bool others = false;
  any_in_home(site, total, [&](const Node *node) {
    const auto *sum = as<AugAssign>(node);
    if (sum != nullptr && is_same(site, sum->target, total)) {
      others |= only != nullptr || sum->op() != Operator::Add;
      only = sum;
    }
    return false;
  });
  return others ? nullptr : only;
}

// The function that a node of the class or function around the place stands in.
Site home_of(const Site &site, const Node &node) {
  Site there = site;
  if (site.function->type != nullptr) {
    for (const auto &[name, member] : site.function->type->members) {
      const model::FunctionInfo *const method = member.is(model::Value::Tag::Function) ? member.function : nullptr;
      if (method != nullptr && method->node != nullptr && contains(method->node, &node)) {
        there.function = method;
        there.ancestors = {method->node};
      }
    }
  }
  return there;
}

enum class Mean : u8 { None, OfTokens, OfModel };

// `loss_sum / tokens`, where the function also adds up the tokens, or counts them here: another number in each batch.
bool divides_by_tokens(const Site &site, const BinOp &ratio) {
  if (const auto counted = value_source_of(site, ratio.right)) {
    const auto *call = as<Call>(counted->expr);
    const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
    if (name == "count_nonzero" || (name == "sum" && receiver_of(*call) != nullptr)) {
      return true;
    }
  }
  const auto *count = as<Name>(ratio.right);
  return count != nullptr && any_node(body_around(site), [&](const Node *node) {
           const auto *sum = as<AugAssign>(node);
           return sum != nullptr && sum->op() == Operator::Add && sum->value->kind == NodeKind::Name &&
                  static_cast<const Name *>(sum->value)->id == count->id;
         });
}

Mean mean_of(const Site &site, const Expr *added) {
  const auto origin = value_source_of(site, added);
  if (!origin.has_value() || origin->is_part) {
    return Mean::None;
  }
  if (const auto *ratio = as<BinOp>(origin->expr)) {
    return ratio->op() == Operator::Div && divides_by_tokens(origin->site, *ratio) ? Mean::OfTokens : Mean::None;
  }
  // `model(**batch).loss`
  const auto *loss = as<Attribute>(origin->expr);
  const auto output =
      loss != nullptr && loss->attr.text() == "loss" ? value_source_of(origin->site, loss->value) : std::nullopt;
  const auto *call = output.has_value() ? as<Call>(output->expr) : nullptr;
  std::string_view api;
  return call != nullptr && maker_of_callee(output->site, *call, &api) != nullptr && makes_causal_model(api)
             ? Mean::OfModel
             : Mean::None;
}

void check(Site &site, const Call &call) {
  if (call.args.size() != 1 || site.function == nullptr || site.module->is_test) {
    return;
  }
  const auto mean = value_source_of(site, call.args[0]);
  const auto *ratio = mean.has_value() ? as<BinOp>(mean->expr) : nullptr;
  if (ratio == nullptr || ratio->op() != Operator::Div) {
    return;
  }
  const Site &there = mean->site;
  const Expr *total = ratio->left;
  while (const auto *cast = as<Call>(total)) { // total.item(), float(total)
    const Expr *const inner = receiver_of(*cast) != nullptr && called_method(*cast) == "item" ? receiver_of(*cast)
                              : called_name(*cast) == "float" && cast->args.size() == 1       ? cast->args[0]
                                                                                              : nullptr;
    if (inner == nullptr) {
      return;
    }
    total = inner;
  }
  if ((total->kind != NodeKind::Name && total->kind != NodeKind::Attribute) || there.function == nullptr ||
      !counts_batches(there, ratio->right)) {
    return;
  }
  const AugAssign *const addition = only_addition(there, total);
  if (addition == nullptr) {
    return;
  }
  const Site home = total->kind == NodeKind::Attribute ? home_of(there, *addition) : there;
  const Mean kind = mean_of(home, addition->value);
  if (kind == Mean::None) {
    return;
  }
  Finding &finding = report(
      site, call,
      "this perplexity is computed from a mean over batches, which gives the tokens of small batches more weight",
      "add up the losses of all tokens and their number, and divide once at the end");
  finding.notes.push_back({home.module->file, addition->span(), "the mean of each batch is added here"});
  finding.notes.push_back({there.module->file, ratio->span(), "the sum is divided by the number of batches here"});
  if (kind == Mean::OfModel) {
    finding.tier = Tier::Hint; // all batches may have the same number of tokens
  }
}

} // namespace

extern constinit const Rule kPerplexityOfBatchMeans = {
    .info = {.code = "DP986",
             .name = "perplexity-of-batch-means",
             .summary = "a perplexity of the mean over batches, where batches have different numbers of tokens",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`exp(total / batches)`, where `total` is a sum of means over the tokens of each batch and `batches` counts the batches. The sum, the counter and the
division may be in methods of a class. Where the mean is the `loss` of a causal language model, it is a hint: all batches may have the same number of
tokens.

## Why it is wrong

Batches with padding have different numbers of tokens. The mean of their means counts the tokens of a small batch more than those of a large one, so
the perplexity depends on how the texts were grouped, and cannot be compared with others.

## Bad

```python
import math

import torch
import torch.nn.functional as F


@torch.no_grad()
def perplexity(model, loader):
    total, batches = 0.0, 0
    for ids, labels in loader:
        tokens = (labels != -100).sum()
        loss = F.cross_entropy(model(ids).flatten(0, 1), labels.flatten(), reduction="sum")
        total += (loss / tokens).item()
        batches += 1
    return math.exp(total / batches)
```

## Good

```python
import math

import torch
import torch.nn.functional as F


@torch.no_grad()
def perplexity(model, loader):
    total, count = 0.0, 0
    for ids, labels in loader:
        tokens = (labels != -100).sum()
        loss = F.cross_entropy(model(ids).flatten(0, 1), labels.flatten(), reduction="sum")
        total += loss.item()
        count += tokens.item()
    return math.exp(total / count)
```

## When it is wrong

Where all batches have the same number of tokens, as with texts that were cut into blocks of one length.

## References

- Transformers: perplexity of fixed-length models
)"},
    .calls = "math.exp numpy.exp torch.exp",
    .on_call = check};

} // namespace deepperf::rules::perplexity_of_batch_means
