#include "base/name_table.h"
#include "rules/name_places.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules::overlap_not_clamped {

using namespace python;

namespace {

enum class Bound : u8 { None, Smaller, Larger };

// `torch.minimum(a, b)` and the like of two things: the smaller of two right edges, or the larger of two left edges.
Bound bound_of_call(const Site &site, const Call &call) {
  static const NameTable kSmaller({"torch.minimum", "torch.min", "numpy.minimum", "jax.numpy.minimum",
                                   "tensorflow.minimum", "tensorflow.math.minimum", "min"});
  static const NameTable kLarger({"torch.maximum", "torch.max", "numpy.maximum", "jax.numpy.maximum",
                                  "tensorflow.maximum", "tensorflow.math.maximum", "max"});
  const std::string_view api = called_api(site, call);
  if (api.empty() || call.args.size() != 2 || !call.keywords.empty() || number_of(site, call.args[0]).has_value() ||
      number_of(site, call.args[1]).has_value()) {
    return Bound::None; // torch.max(x, 1) reduces
  }
  return kSmaller.has(intern(api)) ? Bound::Smaller : kLarger.has(intern(api)) ? Bound::Larger : Bound::None;
}

constexpr u32 kMostSteps = 4;

// How often a function binds each of its names, and what `left, top = max(…), max(…)` gives it.
struct Bindings {
  struct OfName {
    u32 count = 0;
    const Expr *unpacked = nullptr; // the last one
  };
  std::unordered_map<u32, OfName> of;
};

Bindings find_bindings(const FunctionDef &definition) {
  Bindings found;
  any_node(definition.body, [&found](const Node *node) {
    if (const auto *bound = as<Name>(node)) {
      found.of[bound->id.id].count += bound->context == Context::Store ? 1 : 0;
      return false;
    }
    const auto *assignment = as<Assign>(node);
    const auto *targets = assignment != nullptr ? as<Tuple>(assignment->targets[0]) : nullptr;
    const auto *values = targets != nullptr ? as<Tuple>(assignment->value) : nullptr;
    for (u32 i = 0; values != nullptr && values->elts.size() == targets->elts.size() && i < targets->elts.size(); ++i) {
      if (const auto *target = as<Name>(targets->elts[i])) {
        found.of[target->id.id].unpacked = values->elts[i];
      }
    }
    return false;
  });
  return found;
}

// The value of a name, also of one in `left, top = max(…), max(…)`, if nothing else binds it.
const Expr *value_of_name(const Site &site, const Name &name) {
  if (const Expr *const value = last_assigned(site, name)) {
    return value;
  }
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (definition == nullptr) {
    return nullptr;
  }
  const Bindings &all = site.memory.recall<Bindings>(definition, [&] { return find_bindings(*definition); });
  const auto bound = all.of.find(name.id.id);
  if (bound == all.of.end() || bound->second.count != 1 || bound->second.unpacked == nullptr) {
    return nullptr;
  }
  return bound->second.unpacked->end <= name.start ? bound->second.unpacked : nullptr;
}

Bound bound_of(const Site &site, const Expr *expr, u32 steps = 0) {
  if (const auto *call = as<Call>(expr)) {
    return bound_of_call(site, *call);
  }
  const auto *part = as<Subscript>(expr); // top_left[..., 0]
  if (part != nullptr && steps < kMostSteps) {
    return bound_of(site, part->value, steps + 1);
  }
  const auto *name = as<Name>(expr);
  const Expr *const value = name != nullptr && steps < kMostSteps ? value_of_name(site, *name) : nullptr;
  return value != nullptr ? bound_of(site, value, steps + 1) : Bound::None;
}

// Is the name only ever read as part of such a product? Who compares it, clamps it or changes it takes care of
// boxes that do not meet.
bool is_guarded(const Site &site, Symbol name) {
  if (site.function == nullptr) {
    return true;
  }
  for (const Node *place : places_of_name(site, *site.function, name)) {
    const bool is_tested = any_node_inside(place, [&](const Node *node) {
      const auto *call = as<Call>(node);
      const bool is_condition = node->kind == NodeKind::Compare || node->kind == NodeKind::IfExp;
      return (is_condition || call != nullptr) && mentions(node, name);
    });
    const auto *branch = as<If>(place);
    if (is_tested || (branch != nullptr && mentions(branch->test, name))) {
      return true;
    }
  }
  return false;
}

// `min(right edges) - max(left edges)`, which is negative for boxes that do not meet; a name for it; one axis of it.
const Expr *extent_of(const Site &site, const Expr *expr, u32 steps = 0) {
  if (steps > kMostSteps) {
    return nullptr;
  }
  if (const auto *difference = as<BinOp>(expr)) {
    const bool is_extent = difference->op() == Operator::Sub && bound_of(site, difference->left) == Bound::Smaller &&
                           bound_of(site, difference->right) == Bound::Larger;
    return is_extent ? difference : nullptr;
  }
  if (const auto *part = as<Subscript>(expr)) {
    return extent_of(site, part->value, steps + 1);
  }
  const auto *name = as<Name>(expr);
  const Expr *const value = name != nullptr ? value_of_name(site, *name) : nullptr;
  return value != nullptr && !is_guarded(site, name->id) ? extent_of(site, value, steps + 1) : nullptr;
}

// `if right < left or bottom < top: return 0`: are the edges themselves compared?
bool has_tested_part(const Site &site, const Expr *extent) {
  return any_node(extent, [&site](const Node *node) {
    const auto *name = as<Name>(node);
    if (name == nullptr || site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot ||
        site.function->has_param(name->id)) {
      return false;
    }
    const auto places = places_of_name(site, *site.function, name->id);
    return std::ranges::any_of(places, [name](const Node *place) {
      return any_node_inside(place, [name](const Node *part) {
        return (part->kind == NodeKind::Compare || part->kind == NodeKind::IfExp) && mentions(part, name->id);
      });
    });
  });
}

void check(Site &site, const Node &node) {
  const auto &product = static_cast<const BinOp &>(node);
  if (product.op() != Operator::Mult || site.function == nullptr) {
    return;
  }
  const Expr *const width = extent_of(site, product.left);
  const Expr *const height = width != nullptr ? extent_of(site, product.right) : nullptr;
  if (height == nullptr || has_tested_part(site, width) || has_tested_part(site, height)) {
    return;
  }
  Finding &finding =
      report(site, node, "boxes that do not overlap get a wrong area: two negative sides give a positive product",
             "limit each side to 0 or more before they are multiplied: `.clamp(min=0)`, or `max(0, …)`");
  add_note(finding, site, *width, "this is negative where the boxes do not overlap");
}

} // namespace

extern constinit const Rule kOverlapNotClamped = {
    .info = {.code = "DP900",
             .name = "overlap-not-clamped",
             .summary = "the area of an intersection of boxes whose sides may be negative",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A product of two differences `min(right edges) - max(left edges)`, the sides of the intersection of two boxes, neither of which is limited to
0 or more or compared with anything.

## Why it is wrong

For boxes that do not meet, the sides are negative. One negative side gives a negative area; two give a positive one, so that boxes that are
far apart seem to overlap. An IoU that is computed so assigns wrong targets, and non-maximum suppression removes good boxes.

## Bad

```python
import torch


def iou(a, b):
    width = torch.minimum(a[:, 2], b[:, 2]) - torch.maximum(a[:, 0], b[:, 0])
    height = torch.minimum(a[:, 3], b[:, 3]) - torch.maximum(a[:, 1], b[:, 1])
    overlap = width * height
    area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    return overlap / (area_a + area_b - overlap)
```

## Good

```python
import torch


def iou(a, b):
    width = (torch.minimum(a[:, 2], b[:, 2]) - torch.maximum(a[:, 0], b[:, 0])).clamp(min=0)
    height = (torch.minimum(a[:, 3], b[:, 3]) - torch.maximum(a[:, 1], b[:, 1])).clamp(min=0)
    overlap = width * height
    area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    return overlap / (area_a + area_b - overlap)
```

## When it is wrong

Where the boxes are known to overlap.

## References

- Torchvision: `torchvision.ops.box_iou`
)"},
    .nodes = {NodeKind::BinOp},
    .on_node = check};

} // namespace deepperf::rules::overlap_not_clamped
