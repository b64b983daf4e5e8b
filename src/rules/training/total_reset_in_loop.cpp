#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace deepperf::rules::total_reset_in_loop {

using namespace python;

namespace {

// What a loop does with each of its names, found in one walk over it.
struct Totals {
  struct Total {
    const Node *added = nullptr;    // the first `x += …`
    bool is_added_inside = false;   // in a loop inside, where it is a sum of its own
    const Stmt *mention = nullptr;  // the first statement of the loop that mentions it otherwise
    bool has_other_mention = false; // another statement does, too
  };
  std::unordered_map<u32, Total> of;
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

// `x` of `x.append(…)` or `x.extend(…)`.
const Name *appended_name(const Node *node) {
  const auto *call = as<Call>(node);
  const auto *list = call != nullptr ? as<Name>(receiver_of(*call)) : nullptr;
  return list != nullptr && (called_method(*call) == "append" || called_method(*call) == "extend") ? list : nullptr;
}

void add(const Node *node, const Name &name, bool in_inner_loop, Totals &totals) {
  Totals::Total &total = totals.of[name.id.id];
  total.is_added_inside |= in_inner_loop;
  total.added = total.added == nullptr ? node : total.added;
}

void look(const Node *node, const Stmt *statement, bool in_inner_loop, Totals &totals) {
  if (const auto *sum = as<AugAssign>(node); sum != nullptr && sum->target->kind == NodeKind::Name) {
    add(node, static_cast<const Name &>(*sum->target), in_inner_loop, totals);
    look(sum->value, statement, in_inner_loop, totals);
    return;
  }
  if (const Name *list = appended_name(node)) {
    add(node, *list, in_inner_loop, totals);
    const auto *call = static_cast<const Call *>(node);
    for (const Expr *arg : call->args) {
      look(arg, statement, in_inner_loop, totals);
    }
    return;
  }
  if (const auto *name = as<Name>(node)) {
    Totals::Total &total = totals.of[name->id.id];
    total.has_other_mention |= total.mention != nullptr && total.mention != statement;
    total.mention = total.mention == nullptr ? statement : total.mention;
  }
  const bool is_loop = node->kind == NodeKind::For || node->kind == NodeKind::While;
  for_each_child(node, [&](const Node *child) { look(child, statement, in_inner_loop || is_loop, totals); });
}

// Where a function mentions each of its names, from its start to its end.
struct Mentions {
  std::unordered_map<u32, std::vector<const Name *>> of;
};

// Is the name, after the loop, read before it is bound again?
bool is_read_after(const Site &site, const Node &loop, Symbol name) {
  const FunctionDef *definition = site.function->definition();
  const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const Mentions &all = site.memory.recall<Mentions>(&body, [&body] {
    Mentions found;
    any_node(body, [&](const Node *node) {
      if (const auto *mention = as<Name>(node)) {
        found.of[mention->id.id].push_back(mention);
      }
      return false;
    });
    for (auto &[id, names] : found.of) {
      std::ranges::stable_sort(names, {}, &Name::start);
    }
    return found;
  });
  const auto names = all.of.find(name.id);
  if (names == all.of.end()) {
    return false;
  }
  const auto after = std::ranges::lower_bound(names->second, loop.end, {}, &Name::start);
  return after != names->second.end() && (*after)->context == Context::Load;
}

bool leaves_at_end(const Block &body) {
  return !body.empty() && (body.back()->kind == NodeKind::Break || body.back()->kind == NodeKind::Return);
}

void check(Site &site, const Node &node) {
  const Block &block =
      node.kind == NodeKind::For ? static_cast<const For &>(node).body : static_cast<const While &>(node).body;
  const model::Loop *known = site.project.loop_at(&node);
  if (known == nullptr || known->few_iterations || leaves_at_end(block) || !goes_over_data(site, *known)) {
    return;
  }
  Totals totals; // of the loop, once there is a reset in it
  for (const Stmt *statement : block) {
    const auto *reset = as<Assign>(statement);
    const auto *name = reset != nullptr && reset->targets.size() == 1 ? as<Name>(reset->targets[0]) : nullptr;
    if (name == nullptr || !is_zero(reset->value)) {
      continue;
    }
    if (totals.of.empty()) {
      for (const Stmt *one : block) {
        look(one, one, false, totals);
      }
    }
    const Totals::Total &total = totals.of[name->id.id];
    const bool is_read = total.is_added_inside || total.has_other_mention || total.mention != statement;
    if (total.added == nullptr || total.added->start < reset->start || is_read ||
        !is_read_after(site, node, name->id)) {
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
