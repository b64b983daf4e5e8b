#include "python/children.h"
#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules {

using namespace python;

namespace {

// A name, or an attribute of one.
bool is_same(const Site &site, const Expr *a, const Expr *b) {
  return a->kind == b->kind && (a->kind == NodeKind::Name || a->kind == NodeKind::Attribute) &&
         text_of(site, a) == text_of(site, b);
}

// `x` of `cat([x, y])` or `np.append(x, y)`, if that is what the result is assigned to.
const Expr *grown_operand(const Site &site, const Call &call, const Expr *target) {
  if (call.args.empty()) {
    return nullptr;
  }
  const Expr *first = call.args[0];
  if (called_api(site, call) == "numpy.append") {
    return is_same(site, first, target) ? first : nullptr;
  }
  const Array<Expr *> parts = first->kind == NodeKind::List    ? static_cast<const List *>(first)->elts
                              : first->kind == NodeKind::Tuple ? static_cast<const Tuple *>(first)->elts
                                                               : Array<Expr *>{};
  for (const Expr *part : parts) {
    if (is_same(site, part, target)) {
      return part;
    }
  }
  return nullptr;
}

// An attribute of something that the loop binds: another one in each turn.
bool belongs_to_turn(const model::Loop &loop, const Expr *target) {
  while (const auto *attribute = as<Attribute>(target)) {
    target = attribute->value;
    const auto *name = as<Name>(target);
    if (name != nullptr && std::ranges::find(loop.assigned, name->id) != loop.assigned.end()) {
      return true;
    }
  }
  return false;
}

// Compiled by TorchScript, often for an export that knows no lists.
bool is_scripted(const Site &site) {
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  return definition != nullptr && std::ranges::any_of(definition->decorators, [&](const Expr *decorator) {
           return text_of(site, decorator).find("script") != std::string_view::npos;
         });
}

// What else the loop does with the value that grows.
struct Uses {
  const Site &site;
  const Expr *target;  // that the result is assigned to
  const Expr *operand; // that it grows from
  const Node *branch;  // the outermost `if` around the growth in the loop: its other branch may set the first value
  bool read = false;
  bool set = false;

  void look(const Node *node, bool in_branch) {
    if (read || set) {
      return;
    }
    if (const auto *compare = as<Compare>(node)) {
      if (is_same(site, compare->left, target) && compare->rest.size() == 1 && is_none(compare->rest[0].right)) {
        return; // `x is None`
      }
    }
    if ((node->kind == NodeKind::Name || node->kind == NodeKind::Attribute) &&
        is_same(site, static_cast<const Expr *>(node), target)) {
      if (node == operand || node == target) {
        return;
      }
      (node->context == Context::Load ? read : set) |= node->context == Context::Load || !in_branch;
      return;
    }
    for_each_child(node, [&](const Node *child) { look(child, in_branch || child == branch); });
  }
};

void check(Site &site, const Call &call) {
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  if (assignment == nullptr || assignment->targets.size() != 1 || assignment->value != &call) {
    return;
  }
  const Expr *target = assignment->targets[0];
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr || loop->turns == model::Turns::Few) {
    return;
  }
  const Expr *operand = grown_operand(site, call, target);
  if (operand == nullptr || belongs_to_turn(*loop, target) || is_scripted(site)) {
    return;
  }
  const Node *branch = nullptr;
  for (std::size_t i = site.ancestors.size(); i-- > 0 && site.ancestors[i] != loop->node;) {
    branch = site.ancestors[i]->kind == NodeKind::If ? site.ancestors[i] : branch;
  }
  Uses uses{.site = site, .target = target, .operand = operand, .branch = branch};
  uses.look(loop->node, false);
  if (uses.read || uses.set) {
    return; // each turn needs what was gathered so far, or starts anew
  }
  const std::string_view api = called_api(site, call);
  Finding &finding =
      report(site, call, fmt::format("every turn copies all of `{}` to make it longer", text_of(site, target)),
             "gather the pieces in a list, and join them once behind the loop");
  add_note(finding, site, *loop->node, "in every turn of this loop");
  // A collection may be a handful of files or layers.
  if (loop->turns == model::Turns::Collection && !goes_over_data(site, *loop) && api != "numpy.append") {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kGrowingInLoop = {
    .info = {.code = "DP138",
             .name = "growing-in-loop",
             .summary = "an array or tensor that is made longer in every turn, by copying all of it",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Increasing Time Over Time",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .tier = Tier::On,
             .fix = FixKind::None,
             .posts = "62538267",
             .documentation = R"(## What it finds

`x = torch.cat([x, y])`, and the same with `tf.concat`, `np.append`, `np.concatenate`, `np.vstack`, `pd.concat`, in a loop
that does nothing else with `x`.

## Why it costs

Arrays have a fixed size: each turn makes a new one and copies all that was gathered before. The time grows with the square
of the number of turns, and old and new array are in memory together. With 1,000 turns of 64 rows of 256 floats, `torch.cat` in the
loop takes several hundred times as long as one `torch.cat` of a list (PyTorch 1.13 on a CPU).

## Bad

```python
import torch


def predict(model, val_loader):
    outputs = torch.zeros(0)
    for x in val_loader:
        outputs = torch.cat([outputs, model(x)])
    return outputs
```

## Good

```python
import torch


def predict(model, val_loader):
    outputs = []
    for x in val_loader:
        outputs.append(model(x))
    return torch.cat(outputs)
```

## When it is wrong

A loop of a few turns costs nothing. Where each turn needs what was gathered so far (a decoder that reads its own output), the
rule is silent, because the loop reads the value.

## References

- numpy.append: the result is a copy; pandas user guide on concatenation
- Stack Overflow 62538267
)"},
    .calls = "torch.cat torch.concat torch.concatenate torch.vstack torch.hstack tensorflow.concat numpy.append "
             "numpy.concatenate "
             "numpy.vstack numpy.hstack numpy.row_stack numpy.column_stack pandas.concat jax.numpy.append "
             "jax.numpy.concatenate "
             "jax.numpy.vstack jax.numpy.hstack",
    .on_call = check};

} // namespace deepperf::rules
