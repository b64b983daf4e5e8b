#include "rules/copies.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::forward_repeated {

using namespace python;

namespace {

// The statements of the innermost block around the place, and which of them it stands in.
struct Position {
  const Block *block = nullptr;
  u32 index = 0;
};

const Block *block_with(const Node *parent, const Node *statement) {
  const auto in = [&](const Block &block) {
    return std::ranges::any_of(block, [&](const Stmt *one) { return one == statement; });
  };
  if (const auto *loop = as<For>(parent)) {
    return in(loop->body) ? &loop->body : nullptr;
  }
  if (const auto *with = as<With>(parent)) {
    return in(with->body) ? &with->body : nullptr;
  }
  if (const auto *function = as<FunctionDef>(parent)) {
    return in(function->body) ? &function->body : nullptr;
  }
  return nullptr;
}

Position position_of(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 1;) {
    if (const Block *block = block_with(site.ancestors[i - 1], site.ancestors[i])) {
      for (u32 k = 0; k < block->size(); ++k) {
        if ((*block)[k] == site.ancestors[i]) {
          return {block, k};
        }
      }
    }
    const NodeKind kind = site.ancestors[i - 1]->kind;
    if (kind == NodeKind::Lambda || kind == NodeKind::ListComp || kind == NodeKind::GeneratorExp ||
        kind == NodeKind::If || kind == NodeKind::IfExp || kind == NodeKind::BoolOp) {
      return {};
    }
  }
  return {};
}

// Does the statement bind a name that the call mentions, as it is written or with what its names stand for, or change
// the model?
bool changes(const Site &site, const Stmt *statement, const Call &call) {
  return any_node(static_cast<const Node *>(statement), [&](const Node *node) {
    if (const auto *name = as<Name>(node); name != nullptr && name->context != Context::Load) {
      return mentions(&call, name->id) || mentions(original_of(site, &call), name->id);
    }
    const auto *other = as<Call>(node);
    const std::string_view method = other != nullptr ? called_method(*other) : std::string_view{};
    return method == "step" || method == "train" || method == "eval" || method == "load_state_dict" ||
           method == "update" || method == "reset" || method.ends_with("_");
  });
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || call.args.empty() || has_hidden_arguments(call) || !under_no_grad(site)) {
    return;
  }
  for (const Expr *argument : call.args) {
    if (any_node_inside(argument, [](const Node *node) { return node->kind == NodeKind::Call; })) {
      return; // which may give something else each time
    }
  }
  const Position place = position_of(site);
  if (place.block == nullptr) {
    return;
  }
  const std::string_view text = text_of(site, &call);
  const auto is_same = [&](const Node *node) {
    const auto *other = as<Call>(node);
    return other != nullptr && other != &call && other->start < call.start && text_of(site, other) == text;
  };
  for (u32 k = 0; k <= place.index; ++k) {
    const Stmt *statement = (*place.block)[k];
    const NodeKind kind = statement->kind;
    if (kind != NodeKind::Assign && kind != NodeKind::AugAssign && kind != NodeKind::ExprStmt) {
      continue;
    }
    const Node *first = nullptr;
    any_node(static_cast<const Node *>(statement), [&](const Node *node) {
      first = is_same(node) ? node : first;
      return first != nullptr;
    });
    if (first == nullptr) {
      continue;
    }
    for (u32 between = k; between < place.index; ++between) {
      if (changes(site, (*place.block)[between], call)) {
        return;
      }
    }
    Finding &finding = report(site, call, fmt::format("`{}` runs the model again with the same input", text),
                              "keep the output of the first call in a variable, and use it twice");
    add_note(finding, site, *first, "the first call");
    return;
  }
}

} // namespace

extern constinit const Rule kForwardRepeated = {.info = {.code = "DP250",
                                                         .name = "forward-repeated",
                                                         .summary = "a model that runs twice on the same input",
                                                         .root_cause = "Model: Inefficient Model Structure",
                                                         .symptoms = "Slow Execution Time",
                                                         .stage = "Evaluation",
                                                         .frameworks = "PyTorch",
                                                         .severity = Severity::Warning,
                                                         .tier = Tier::On,
                                                         .documentation = R"(## What it finds

Two calls of a module with the same arguments in the same block, under `torch.no_grad()`, with nothing in between that
changes the arguments or the module.

## Why it costs

The second forward pass computes the same output again.

## Bad

```python
import torch


@torch.no_grad()
def evaluate(model: torch.nn.Module, criterion, loader):
    loss, correct = 0.0, 0
    for x, y in loader:
        loss += criterion(model(x), y).item()
        correct += (model(x).argmax(dim=1) == y).sum().item()
    return loss, correct
```

## Good

```python
import torch


@torch.no_grad()
def evaluate(model: torch.nn.Module, criterion, loader):
    loss, correct = 0.0, 0
    for x, y in loader:
        output = model(x)
        loss += criterion(output, y).item()
        correct += (output.argmax(dim=1) == y).sum().item()
    return loss, correct
```

## When it is wrong

A module in training mode may give two different outputs on purpose, as dropout does in contrastive learning. The rule
therefore only checks code under `no_grad`.

## References

- PyTorch tutorial on the optimization loop
)"},
                                                .calls = "TorchModule.__call__",
                                                .on_call = check};

} // namespace deepperf::rules::forward_repeated
