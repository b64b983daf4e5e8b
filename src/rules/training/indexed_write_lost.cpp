#include "rules/assignments.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::indexed_write_lost {

using namespace python;

namespace {

bool is_array(const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  return kind == Kind::TorchTensor || kind == Kind::NumpyArray;
}

// A mask: a comparison of arrays, its opposite, or a combination of such
bool is_mask(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 5;
  expr = written_value(site, expr);
  if (depth > kMostDepth) {
    return false;
  }
  if (const auto *test = as<Compare>(expr)) {
    const CompareOperator op = test->rest[0].op;
    const bool compares = op != CompareOperator::Is && op != CompareOperator::IsNot && op != CompareOperator::In &&
                          op != CompareOperator::NotIn;
    return compares &&
           (is_array(test->left) || is_array(test->rest[0].right) || model::kind_of(expr) == Kind::TorchTensor);
  }
  if (const auto *opposite = as<UnaryOp>(expr)) {
    return opposite->op() == UnaryOperator::Invert && is_mask(site, opposite->operand, depth + 1);
  }
  if (const auto *both = as<BinOp>(expr)) {
    return (both->op() == Operator::BitAnd || both->op() == Operator::BitOr) && is_mask(site, both->left, depth + 1);
  }
  const auto *call = as<Call>(expr);
  return call != nullptr && (called_method(*call) == "bool" || called_method(*call) == "isnan" ||
                             called_api(site, *call) == "torch.isnan" || called_api(site, *call) == "torch.isfinite");
}

// An index that makes a copy: a mask, a list, or what nonzero() and the like give
bool is_copying(const Site &site, const Expr *index) {
  if (index->kind == NodeKind::List || is_mask(site, index)) {
    return true;
  }
  if (const auto *parts = as<Tuple>(index)) {
    for (const Expr *part : parts->elts) {
      if (part->kind == NodeKind::List || is_mask(site, part)) {
        return true;
      }
    }
    return false;
  }
  const Expr *written = written_value(site, index);
  for (u32 i = 0; i < 3; ++i) {
    const auto *call = as<Call>(written);
    if (call == nullptr) {
      return false;
    }
    const std::string_view name = called_name(*call);
    if (name == "nonzero" || name == "argsort" || name == "randperm" || name == "argwhere") {
      return is_array(written) || model::kind_of(written) == Kind::Unknown;
    }
    if ((name != "squeeze" && name != "flatten" && name != "view") || receiver_of(*call) == nullptr) {
      return false;
    }
    written = receiver_of(*call);
  }
  return false;
}

// x[mask] as a part of what is written to
const Subscript *copied_part(const Site &site, const Expr *expr) {
  const auto *part = as<Subscript>(expr);
  const Expr *whole = part != nullptr ? part->value : nullptr;
  if (whole == nullptr || !is_copying(site, part->slice)) {
    return nullptr;
  }
  // A list of Python takes no masks, and a dictionary no lists.
  return is_array(whole) || is_mask(site, part->slice) ? part : nullptr;
}

void add_finding(Site &site, const Node &place, const Subscript &part) {
  report(site, place, fmt::format("`{}` is a copy, so what is written to it is lost", text_of(site, &part)),
         fmt::format("write with one index: `{}[…, …] = value`", text_of(site, part.value)));
}

// Gives each number once, so that no two writes meet
bool has_no_repeats(const Site &site, const Expr *index) {
  const Expr *written = written_value(site, index);
  const auto *call = as<Call>(written);
  const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
  return is_copying(site, index) || name == "arange" || name == "unique" || name == "topk" || name == "sort" ||
         name == "where";
}

// `counts[labels] += 1`: a label that comes twice counts once
void check_repeats(Site &site, const AugAssign &update) {
  const auto *element = as<Subscript>(update.target);
  if (element == nullptr || update.op() != Operator::Add || !is_array(element->value)) {
    return;
  }
  const Expr *index = element->slice;
  const model::Value value = value_of(site, index);
  const bool is_plain = index->kind == NodeKind::Name || index->kind == NodeKind::Attribute;
  if (!is_plain || has_no_repeats(site, index)) {
    return;
  }
  // The labels of a batch: what a loop over a loader binds, or a function of it gets
  const bool is_tensor =
      model::kind_of(index) == Kind::TorchTensor || (value.is_kind(Kind::TorchTensor) && value.container);
  if (!is_tensor) {
    return;
  }
  bool is_of_batch = false;
  const auto *name = as<Name>(index);
  for (const model::Loop *loop = loop_around(site); loop != nullptr && name != nullptr; loop = loop->parent) {
    const auto *statement = as<For>(loop->node);
    const Expr *iterated = statement != nullptr ? iterated_by(site, *loop) : nullptr;
    const bool is_loader = iterated != nullptr && model::kind_of(iterated) == Kind::TorchDataLoader;
    is_of_batch = is_of_batch || (is_loader && mentions(statement->target, name->id));
  }
  if (name != nullptr && !is_of_batch && site.function->definition() != nullptr) {
    for (const Param *param : site.function->params) {
      is_of_batch = is_of_batch || (param->name == name->id && !site.function->called_by.empty() && value.container);
    }
  }
  if (!is_of_batch) {
    return;
  }
  report(site, update,
         fmt::format("where `{}` contains an index twice, only one of the additions counts", text_of(site, index)),
         update.value->kind == NodeKind::Constant
             ? fmt::format("use `{} += torch.bincount({}, minlength=…)`", text_of(site, element->value),
                           text_of(site, index))
             : fmt::format("use `{}.index_add_(0, {}, …)`", text_of(site, element->value), text_of(site, index)));
}

void check(Site &site, const Node &node) {
  if (site.module->is_test) {
    return;
  }
  if (const auto *assignment = as<Assign>(&node)) {
    const auto *target = as<Subscript>(assignment->targets[0]);
    if (const Subscript *part = target != nullptr ? copied_part(site, target->value) : nullptr) {
      add_finding(site, node, *part);
    }
  } else if (const auto *update = as<AugAssign>(&node)) {
    const auto *target = as<Subscript>(update->target);
    if (const Subscript *part = target != nullptr ? copied_part(site, target->value) : nullptr) {
      add_finding(site, node, *part);
    } else {
      check_repeats(site, *update);
    }
  } else if (const auto *statement = as<ExprStmt>(&node)) {
    const auto *call = as<Call>(statement->value);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    if (method.size() > 1 && method.ends_with("_") && !method.ends_with("__") && receiver_of(*call) != nullptr) {
      if (const Subscript *part = copied_part(site, receiver_of(*call))) {
        add_finding(site, *call, *part);
      }
    }
  }
}

} // namespace

extern constinit const Rule kIndexedWriteLost = {
    .info = {.code = "DP928",
             .name = "indexed-write-lost",
             .summary = "a write through a mask or list of indices that is lost",
             .root_cause = "Training: Wrong Data",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, NumPy",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`x[mask][:, 0] = 0`, `x[mask].zero_()` and other writes to a part that was selected by a mask or a list of indices, and `counts[labels] += 1` for the labels of a batch.

## Why it is wrong

Selecting by a mask or by indices creates a copy. What is written to the copy never reaches `x`. In `counts[labels] += 1` each label is read once, increased and written back: a
label that occurs five times is counted once.

## Bad

```python
import torch


def hide(x: torch.Tensor):
    mask = x.sum(1) > 0
    x[mask][:, 0] = 0.0
    return x
```

## Good

```python
import torch


def hide(x: torch.Tensor):
    mask = x.sum(1) > 0
    x[mask, 0] = 0.0
    return x
```

## When it is wrong

Where the labels are known to be different from each other.

## References

- PyTorch documentation: tensor views, `torch.Tensor.index_add_`
)"},
    .nodes = {NodeKind::Assign, NodeKind::AugAssign, NodeKind::ExprStmt},
    .on_node = check};

} // namespace deepperf::rules::indexed_write_lost
