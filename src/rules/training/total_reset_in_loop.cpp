#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::total_reset_in_loop {

using namespace python;

namespace {

// What the loop does with a name that it sets to zero.
struct Total {
  Symbol name;
  const Assign *reset = nullptr;
  const Node *added = nullptr; // the first `x += …` behind it
  bool is_read = false;        // elsewhere in the loop
};

bool is_zero(const Expr *expr) {
  const auto *list = as<List>(expr);
  if (list != nullptr) {
    return list->elts.empty();
  }
  const auto *constant = as<Constant>(expr);
  return constant != nullptr &&
         (constant->constant_kind() == ConstantKind::Int || constant->constant_kind() == ConstantKind::Float);
}

// `x.append(…)` or `x.extend(…)` of the name.
bool is_append(const Node *node, Symbol name) {
  const auto *call = as<Call>(node);
  const auto *list = call != nullptr ? as<Name>(receiver_of(*call)) : nullptr;
  return list != nullptr && list->id == name && (called_method(*call) == "append" || called_method(*call) == "extend");
}

// Looks at a part of the loop behind the reset. What stands in a loop inside is a sum of its own.
void look(const Node *node, bool in_inner_loop, Total &total) {
  if (const auto *sum = as<AugAssign>(node)) {
    const auto *name = as<Name>(sum->target);
    if (name != nullptr && name->id == total.name) {
      total.is_read |= in_inner_loop;
      total.added = total.added == nullptr ? node : total.added;
      look(sum->value, in_inner_loop, total);
      return;
    }
  }
  if (is_append(node, total.name)) {
    total.is_read |= in_inner_loop;
    total.added = total.added == nullptr ? node : total.added;
    const auto *call = static_cast<const Call *>(node);
    for (const Expr *arg : call->args) {
      look(arg, in_inner_loop, total);
    }
    return;
  }
  if (const auto *name = as<Name>(node)) {
    total.is_read |= name->id == total.name;
  }
  const bool is_loop = node->kind == NodeKind::For || node->kind == NodeKind::While;
  for_each_child(node, [&](const Node *child) { look(child, in_inner_loop || is_loop, total); });
}

// Is the name, after the loop, read before it is bound again?
bool is_read_after(const Block &body, const Node &loop, Symbol name) {
  bool is_read = false;
  bool is_known = false;
  for (const Stmt *statement : body) {
    any_node(static_cast<const Node *>(statement), [&](const Node *node) {
      const auto *mention = as<Name>(node);
      if (!is_known && mention != nullptr && mention->id == name && mention->start >= loop.end) {
        is_known = true;
        is_read = mention->context == Context::Load;
      }
      return is_known;
    });
  }
  return is_read;
}

bool leaves_at_end(const Block &body) {
  return !body.empty() && (body.back()->kind == NodeKind::Break || body.back()->kind == NodeKind::Return);
}

void check(Site &site, const Node &node) {
  const Block &block =
      node.kind == NodeKind::For ? static_cast<const For &>(node).body : static_cast<const While &>(node).body;
  const model::Loop *known = site.project.loop_at(&node);
  if (known == nullptr || known->tiny || leaves_at_end(block) || !goes_over_data(site, *known)) {
    return;
  }
  const FunctionDef *definition = site.function->definition();
  const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  for (u32 i = 0; i < block.size(); ++i) {
    const auto *reset = as<Assign>(block[i]);
    const auto *name = reset != nullptr && reset->targets.size() == 1 ? as<Name>(reset->targets[0]) : nullptr;
    if (name == nullptr || !is_zero(reset->value)) {
      continue;
    }
    Total total{.name = name->id, .reset = reset};
    for (u32 j = 0; j < block.size(); ++j) {
      if (j != i) {
        look(block[j], false, total);
      }
    }
    if (total.added == nullptr || total.added->start < reset->start || total.is_read ||
        !is_read_after(body, node, name->id)) {
      continue;
    }
    Finding &finding = report(
        site, *reset, fmt::format("`{}` is reset in every iteration, so only the last batch counts", name->id.text()),
        "initialize it before the loop");
    add_note(finding, site, *total.added, "what is added here is lost in the next iteration");
  }
}

} // namespace

extern constinit const Rule kTotalResetInLoop = {
    .info = {.code = "DP868",
             .name = "total-reset-in-loop",
             .summary = "a sum over batches that is set to zero in every iteration",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Evaluation",
             .frameworks = "PyTorch, TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop over data that sets a name to zero or to an empty list at its start, adds to it, and reads it only after the loop.

## Why it is wrong

The sum starts again with every batch. The accuracy or loss that is reported after the loop for the whole dataset is that of its last batch.

## Bad

```python
from torch.utils.data import DataLoader


def accuracy(model, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    for x, y in loader:
        correct = 0
        correct += model(x, y)
    return correct / len(dataset)
```

## Good

```python
from torch.utils.data import DataLoader


def accuracy(model, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    correct = 0
    for x, y in loader:
        correct += model(x, y)
    return correct / len(dataset)
```

## When it is wrong

Where only the last batch is intended.

## References

- PyTorch tutorials: training a classifier
)"},
    .nodes = {NodeKind::For, NodeKind::While},
    .on_node = check};

} // namespace deepperf::rules::total_reset_in_loop
