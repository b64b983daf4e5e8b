#include "rules/assignments.h"
#include "rules/loss_call.h"
#include "rules/made_on_host.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <array>

namespace deepperf::rules::self_similarity_kept {

using namespace python;

namespace {

constexpr u32 kMostDepth = 6;

// `x` of `x.t()`, `x.T`, `x.transpose(0, 1)`; null if it is not transposed.
const Expr *transposed(const Expr *expr) {
  if (const auto *attribute = as<Attribute>(expr)) {
    return attribute->attr.text() == "T" || attribute->attr.text() == "mT" ? attribute->value : nullptr;
  }
  const auto *call = as<Call>(expr);
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  return method == "t" || method == "transpose" || method == "permute" ? receiver_of(*call) : nullptr;
}

// `x` of `x.unsqueeze(0)` and `x[None]`.
const Expr *expanded(const Expr *expr) {
  if (const auto *element = as<Subscript>(expr)) {
    return element->value;
  }
  const auto *call = as<Call>(expr);
  return call != nullptr && called_method(*call) == "unsqueeze" ? receiver_of(*call) : nullptr;
}

bool is_same(const Site &site, const Expr *left, const Expr *right) {
  return left != nullptr && right != nullptr && left->kind == NodeKind::Name && right->kind == NodeKind::Name &&
         text_of(site, left) == text_of(site, right);
}

// Is each row compared with all rows of the same matrix: `z @ z.T`?
bool compares_with_itself(const Site &site, const Expr *expr) {
  if (const auto *product = as<BinOp>(expr)) {
    return product->op() == Operator::MatMult && is_same(site, product->left, transposed(product->right));
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr || call->args.empty()) {
    return false;
  }
  const std::string_view api = called_api(site, *call);
  if (call->args.size() == 2 && (api == "torch.matmul" || api == "torch.mm")) {
    return is_same(site, call->args[0], transposed(call->args[1]));
  }
  if (called_method(*call) == "matmul" || called_method(*call) == "mm") {
    return is_same(site, receiver_of(*call), transposed(call->args[0]));
  }
  if (api == "torch.nn.functional.cosine_similarity" && call->args.size() >= 2) {
    return is_same(site, expanded(call->args[0]), expanded(call->args[1]));
  }
  return api == "torch.einsum" && call->args.size() == 3 && is_same(site, call->args[1], call->args[2]);
}

// The product of a matrix with itself that the scores are, perhaps divided by a temperature; null if they are something
// else, or if code on the way may mask the diagonal.
const Expr *own_similarity(const Site &site, const Expr *expr, u32 depth = 0) {
  static constexpr std::array<std::string_view, 9> kMasks = {"eye",  "diag", "mask",  "inf",        "triu",
                                                             "tril", "1e",   "where", "cat([logits"};
  if (depth > kMostDepth || function_has_word(site, kMasks)) {
    return nullptr;
  }
  const Expr *const value = written_value(site, expr);
  if (compares_with_itself(site, value)) {
    return value;
  }
  if (const auto *scaled = as<BinOp>(value)) {
    return scaled->op() == Operator::Div || scaled->op() == Operator::Mult
               ? own_similarity(site, scaled->left, depth + 1)
               : nullptr;
  }
  const auto *call = as<Call>(value);
  const model::FunctionInfo *const function = call != nullptr ? called_function(site, *call) : nullptr;
  const Expr *const returned =
      function != nullptr && function->definition() != nullptr ? returned_at_end(site, *call) : nullptr;
  return returned != nullptr ? own_similarity(site_inside(site, *function), returned, depth + 1) : nullptr;
}

// Are the labels positions in the batch: made of torch.arange()?
bool is_positions(const Site &site, const Expr *expr, u32 depth = 0) {
  const Expr *const value = written_value(site, expr);
  return any_node_inside(static_cast<const Node *>(value), [&](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *name = as<Name>(node);
    return (call != nullptr && called_api(site, *call) == "torch.arange") ||
           (name != nullptr && name != value && depth < 3 && written_value(site, name) != name &&
            is_positions(site, name, depth + 1));
  });
}

void check(Site &site, const Call &call) {
  const LossCall loss = loss_call(site, call);
  const Expr *const labels = argument(call, 1, "target");
  if (loss.loss != Loss::CrossEntropy || loss.input == nullptr || labels == nullptr || site.module->is_test ||
      !is_positions(site, labels)) {
    return;
  }
  const Expr *const similarity = own_similarity(site, loss.input);
  if (similarity == nullptr) {
    return;
  }
  Finding &finding = report(
      site, call,
      "each sample is also compared with itself: the diagonal of the similarities is never masked, and it dominates "
      "the loss",
      "mask it first: `scores.masked_fill(torch.eye(len(scores), dtype=torch.bool, device=scores.device), -inf)`");
  if (const auto *made = as<Call>(similarity); made == nullptr || site.project.caller_of(made) == site.function) {
    const bool is_here = similarity->start >= (site.function->node != nullptr ? site.function->node->start : 0) &&
                         (site.function->node == nullptr || similarity->end <= site.function->node->end);
    if (is_here) {
      add_note(finding, site, *similarity, "the similarities of all pairs");
    }
  }
}

} // namespace

extern constinit const Rule kSelfSimilarityKept = {
    .info = {.code = "DP964",
             .name = "self-similarity-kept",
             .summary = "a contrastive loss that compares each sample with itself",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Low Accuracy",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A cross-entropy over the similarities of a batch with itself, `z @ z.T`, whose labels are positions in the batch (`torch.arange`) and whose diagonal is not
masked: the NT-Xent loss of SimCLR without its mask.

## Why it is wrong

The similarity of a sample with itself is the largest of its row. Left in, it counts as the strongest negative, and the loss can only become small by making all
embeddings alike. If the labels are the diagonal itself, the loss is small from the start and teaches nothing.

## Bad

```python
import torch
import torch.nn.functional as F


def nt_xent(first, second, temperature=0.5):
    z = F.normalize(torch.cat([first, second]), dim=1)
    scores = z @ z.T / temperature
    labels = torch.arange(len(z), device=z.device).roll(len(first))
    return F.cross_entropy(scores, labels)
```

## Good

```python
import torch
import torch.nn.functional as F


def nt_xent(first, second, temperature=0.5):
    z = F.normalize(torch.cat([first, second]), dim=1)
    scores = z @ z.T / temperature
    scores = scores.masked_fill(torch.eye(len(z), dtype=torch.bool, device=z.device), float("-inf"))
    labels = torch.arange(len(z), device=z.device).roll(len(first))
    return F.cross_entropy(scores, labels)
```

## When it is wrong

Where the diagonal is masked in a way that the program does not see.

## References

- Chen et al.: A Simple Framework for Contrastive Learning of Visual Representations, 2020
)"},
    .calls = kLossCalls,
    .on_call = check};

} // namespace deepperf::rules::self_similarity_kept
