#include "rules/assignments.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::alias_changed {

using namespace python;

namespace {

bool is_array(const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  return kind == Kind::TorchTensor || kind == Kind::NumpyArray;
}

// What becomes of two names of one tensor after the assignment that makes the second.
struct Life {
  const Node *changed = nullptr; // the first change in place
  Symbol name;                   // of which of them
  bool is_bound = false;         // one of them becomes something else before that
  bool reads_first = false;      // after the change
  bool reads_second = false;
  bool is_conditional = false; // the change is under a test
};

class Follow {
public:
  Follow(Symbol first, Symbol second, u32 from) : first_(first), second_(second), from_(from) {}

  void walk(const Node *node) {
    if (node->end <= from_ || node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef ||
        life.is_bound) {
      return;
    }
    if (const auto *assignment = as<Assign>(node); assignment != nullptr && node->start >= from_) {
      walk(assignment->value);
      for (const Expr *target : assignment->targets) {
        const auto *element = as<Subscript>(target);
        if (const auto *name = as<Name>(element != nullptr ? element->value : nullptr)) {
          walk(element->slice);
          change(name->id, node);
        } else {
          walk(target);
        }
      }
      return;
    }
    if (const auto *update = as<AugAssign>(node); update != nullptr && node->start >= from_) {
      walk(update->value);
      const auto *element = as<Subscript>(update->target);
      const auto *name = as<Name>(element != nullptr ? element->value : update->target);
      // A number of NumPy looks like an array, and is not changed in place.
      if (name != nullptr && (element != nullptr || model::kind_of(update->target) == Kind::TorchTensor)) {
        change(name->id, node);
      } else if (name == nullptr) {
        walk(update->target);
      }
      return;
    }
    if (const auto *call = as<Call>(node); call != nullptr && node->start >= from_) {
      const std::string_view method = called_method(*call);
      const auto *name = as<Name>(receiver_of(*call));
      if (name != nullptr && method.size() > 1 && method.ends_with("_") && !method.ends_with("__") &&
          method != "requires_grad_") {
        for (const Expr *given : call->args) {
          walk(given);
        }
        change(name->id, node);
        return;
      }
      // The shape of a tensor stays the same.
      if (name != nullptr && (method == "size" || method == "dim" || method == "numel")) {
        return;
      }
    }
    if (const auto *attribute = as<Attribute>(node); attribute != nullptr && attribute->value->kind == NodeKind::Name) {
      const std::string_view name = attribute->attr.text();
      if (name == "shape" || name == "device" || name == "dtype" || name == "ndim") {
        return;
      }
    }
    if (const auto *name = as<Name>(node); name != nullptr && node->start >= from_ && is_one(name->id)) {
      if (name->context != Context::Load) {
        life.is_bound = life.changed == nullptr || !(life.reads_first && life.reads_second);
      } else if (life.changed != nullptr) {
        (name->id == first_ ? life.reads_first : life.reads_second) = true;
      }
      return;
    }
    const bool was_in_branch = in_branch_;
    in_branch_ = in_branch_ || (node->kind == NodeKind::If && node->start >= from_);
    for_each_child(node, [this](const Node *child) { walk(child); });
    in_branch_ = was_in_branch;
  }

  Life life;

private:
  [[nodiscard]] bool is_one(Symbol name) const { return name == first_ || name == second_; }

  void change(Symbol name, const Node *place) {
    if (is_one(name) && life.changed == nullptr) {
      life.is_conditional = in_branch_;
      life.changed = place;
      life.name = name;
    }
  }

  Symbol first_;
  Symbol second_;
  u32 from_;
  bool in_branch_ = false;
};

void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *second = assignment.targets.size() == 1 ? as<Name>(assignment.targets[0]) : nullptr;
  const auto *first = as<Name>(assignment.value);
  if (second == nullptr || first == nullptr || first->id == second->id || !is_array(first) || site.module->is_test ||
      enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  Follow follow(first->id, second->id, assignment.end);
  for (const Stmt *statement : body_around(site)) {
    follow.walk(statement);
  }
  const Life &life = follow.life;
  if (life.changed == nullptr || life.is_bound || !life.reads_first || !life.reads_second) {
    return;
  }
  Finding &finding = report(
      site, *life.changed,
      fmt::format("`{}` and `{}` are the same tensor, so this changes both", first->id.text(), second->id.text()),
      fmt::format("copy it first: `{} = {}.{}`", second->id.text(), first->id.text(),
                  model::kind_of(first) == Kind::NumpyArray ? "copy()" : "clone()"));
  finding.tier = life.is_conditional ? Tier::Hint : finding.tier;
  add_note(finding, site, assignment, "this gives the tensor a second name and copies nothing");
}

} // namespace

extern constinit const Rule kAliasChanged = {
    .info = {.code = "DP275",
             .name = "alias-changed",
             .summary = "a tensor that is changed in place under one name and used unchanged under another",
             .root_cause = "Training: Wrong Data",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, NumPy",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`labels = inputs`, then a change in place of one of them, such as `inputs[mask] = token` or `noisy += noise`, and then a use of both.

## Why it is wrong

An assignment gives the tensor a second name. The change is visible under both: the labels of masked tokens are the mask token itself, and the noisy image is compared with
itself.

## Bad

```python
import torch


def mask_tokens(inputs: torch.Tensor, token: int):
    labels = inputs
    chosen = torch.rand(inputs.shape) < 0.15
    inputs[chosen] = token
    return inputs, labels
```

## Good

```python
import torch


def mask_tokens(inputs: torch.Tensor, token: int):
    labels = inputs.clone()
    chosen = torch.rand(inputs.shape) < 0.15
    inputs[chosen] = token
    return inputs, labels
```

## When it is wrong

Where both names are meant to see the change.
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::alias_changed
