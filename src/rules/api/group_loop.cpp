#include "rules/assignments.h"
#include "rules/optimizer_module.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace deepperf::rules::group_loop {

using namespace python;

namespace {

// `x` of `x.size(0)`, `x.shape[0]` and `len(x)`, which count the rows of x; null if it is something else.
const Expr *counted_rows(const Site &site, const Expr *expr, u32 depth = 0) {
  if (const auto *name = as<Name>(expr); name != nullptr && depth < 3) {
    if (const Expr *const value = assigned_before(site, name->id, name->start)) {
      return counted_rows(site, value, depth + 1);
    }
    // n, d = x.shape
    const Expr *found = nullptr;
    any_node(body_around(site), [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *targets = assignment != nullptr ? as<Tuple>(assignment->targets[0]) : nullptr;
      const auto *first = targets != nullptr && !targets->elts.empty() ? as<Name>(targets->elts[0]) : nullptr;
      if (first == nullptr || first->id != name->id || assignment->end > name->start) {
        return false;
      }
      const auto *shape = as<Attribute>(assignment->value);
      const auto *size = as<Call>(run_by(assignment->value));
      found = shape != nullptr && shape->attr.text() == "shape"                         ? shape->value
              : size != nullptr && called_method(*size) == "size" && size->args.empty() ? receiver_of(*size)
                                                                                        : nullptr;
      return found != nullptr;
    });
    return found;
  }
  if (const auto *call = as<Call>(expr)) {
    if (called_api(site, *call) == "len" && call->args.size() == 1) {
      return call->args[0];
    }
    const bool is_size =
        called_method(*call) == "size" && call->args.size() == 1 && integer_of(site, call->args[0]) == 0;
    return is_size ? receiver_of(*call) : nullptr;
  }
  const auto *part = as<Subscript>(expr);
  const auto *shape = part != nullptr ? as<Attribute>(part->value) : nullptr;
  return shape != nullptr && shape->attr.text() == "shape" && integer_of(site, part->slice) == 0 ? shape->value
                                                                                                 : nullptr;
}

bool mentions_name(const Node *node, Symbol name) {
  return any_node_inside(node, [&](const Node *part) {
    const auto *one = as<Name>(part);
    return one != nullptr && one->id == name;
  });
}

// `dst == node`, where `dst` is the same in all iterations.
const Expr *compared_with(const Node *node, Symbol index) {
  const auto *compare = as<Compare>(node);
  if (compare == nullptr || compare->rest.size() != 1 || compare->rest[0].op != CompareOperator::Eq) {
    return nullptr;
  }
  const Expr *left = compare->left;
  const Expr *right = compare->rest[0].right;
  if (const auto *name = as<Name>(left); name != nullptr && name->id == index) {
    std::swap(left, right);
  }
  const auto *name = as<Name>(right);
  return name != nullptr && name->id == index && !mentions_name(left, index) ? left : nullptr;
}

bool reduces(std::string_view name) {
  constexpr std::string_view kNames[] = {"sum", "mean", "max", "min", "amax", "amin", "prod"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

// Layers that treat every row alike, so that it does not matter when they see which rows.
bool works_row_by_row(const Site &site, const Call &call) {
  constexpr std::string_view kLayers[] = {"torch.nn.Linear", "torch.nn.ReLU",    "torch.nn.GELU",
                                          "torch.nn.Tanh",   "torch.nn.SiLU",    "torch.nn.LayerNorm",
                                          "torch.nn.ELU",    "torch.nn.Sigmoid", "torch.nn.LeakyReLU"};
  std::string_view layer;
  return maker_of_callee(site, call, &layer) != nullptr && std::ranges::find(kLayers, layer) != std::end(kLayers);
}

// How many nodes or graphs a batch of PyTorch Geometric has, also where a caller passes it.
bool counts_in_graphs(const Site &site, const Expr *expr) {
  const auto *attribute = as<Attribute>(expr);
  if (attribute != nullptr) {
    return attribute->attr.text() == "num_nodes" || attribute->attr.text() == "num_graphs";
  }
  const auto *name = as<Name>(expr);
  if (name == nullptr || site.function == nullptr || assigned_before(site, name->id, name->start) != nullptr) {
    return false;
  }
  const std::vector<Passed> passed = passed_for(*site.function, name->id);
  return !passed.empty() && std::ranges::all_of(passed, [&](const Passed &one) {
    return one.value != nullptr && one.value->kind == NodeKind::Attribute && counts_in_graphs(site, one.value);
  });
}

// What a loop body does with the mask.
struct Grouping {
  const Expr *groups = nullptr;  // `dst`
  const Expr *reduced = nullptr; // the tensor whose rows of one group are reduced
  bool has_other = false;        // something that no scatter does: a module, a loop, an early end
};

class BodyReader {
public:
  BodyReader(const Site &site, Symbol index) : site_(site), index_(index) {}
  Grouping found;

  void read(const Node *node) {
    if (const Expr *groups = compared_with(node, index_)) {
      found.groups = groups;
    }
    if (const auto *assignment = as<Assign>(node)) {
      if (const auto *target = as<Name>(assignment->targets[0])) {
        if (const Expr *const tensor = tensor_of_rows(assignment->value)) {
          rows_.emplace_back(target->id, tensor);
        } else if (has_mask(assignment->value)) {
          masks_.push_back(target->id);
        }
      }
    } else if (const auto *call = as<Call>(node)) {
      if (reduces(called_name(*call))) {
        const Expr *const receiver = receiver_of(*call);
        const bool is_function = called_api(site_, *call).starts_with("torch.");
        const Expr *const subject = !is_function ? receiver : !call->args.empty() ? call->args[0] : nullptr;
        const Expr *const tensor = subject != nullptr ? tensor_of_rows(subject) : nullptr;
        found.reduced = tensor != nullptr ? tensor : found.reduced;
      }
      const Kind kind = model::kind_of(call->func);
      found.has_other |=
          (kind == Kind::TorchModule && !works_row_by_row(site_, *call)) || called_function(site_, *call) != nullptr;
    } else if (node->kind == NodeKind::Break || node->kind == NodeKind::For || node->kind == NodeKind::While ||
               node->kind == NodeKind::Return || node->kind == NodeKind::Continue) {
      found.has_other = true;
    }
    for_each_child(node, [this](const Node *child) { read(child); });
  }

private:
  // The comparison itself, or its places: `(dst == i).nonzero()`, `torch.where(dst == i)[0]`, `(dst == i) & valid`.
  bool has_mask(const Expr *expr) const {
    if (expr->kind == NodeKind::Lambda) {
      return false;
    }
    return any_node(static_cast<const Node *>(expr),
                    [&](const Node *part) { return compared_with(part, index_) != nullptr; });
  }

  // `h` of `h[src[dst == i]]`, `h[mask]`, and of a name for these.
  const Expr *tensor_of_rows(const Expr *expr) const {
    if (const auto *name = as<Name>(expr)) {
      const auto row = std::ranges::find_if(rows_, [&](const auto &one) { return one.first == name->id; });
      return row != rows_.end() ? row->second : nullptr;
    }
    if (const auto *product = as<BinOp>(expr)) { // weight * rows
      const Expr *const left = tensor_of_rows(product->left);
      return left != nullptr ? left : tensor_of_rows(product->right);
    }
    if (const auto *call = as<Call>(expr); call != nullptr && !call->args.empty()) {
      const std::string_view api = called_api(site_, *call);
      const bool keeps_rows =
          api == "torch.softmax" || api == "torch.nn.functional.softmax" || works_row_by_row(site_, *call);
      return keeps_rows ? tensor_of_rows(call->args[0]) : nullptr;
    }
    const auto *element = as<Subscript>(expr);
    if (element == nullptr) {
      return nullptr;
    }
    const auto *name = as<Name>(element->slice);
    const bool is_mask = name != nullptr && std::ranges::find(masks_, name->id) != masks_.end();
    return is_mask || has_mask(element->slice) ? element->value : nullptr;
  }

  const Site &site_;
  Symbol index_;
  std::vector<Symbol> masks_;
  std::vector<std::pair<Symbol, const Expr *>> rows_;
};

void check_loop(Site &site, const Node &node, const Expr *target, const Expr *iter, Span place) {
  const auto *index = as<Name>(target);
  const model::Loop *const loop = site.project.loop_at(&node);
  if (index == nullptr || !site.module->torch || site.module->is_test || loop == nullptr || loop->few_iterations) {
    return;
  }
  const auto *range = as<Call>(iter);
  while (range != nullptr && called_api(site, *range) != "range") { // tqdm(range(n))
    const bool is_wrapper = called_name(*range) == "tqdm" && !range->args.empty();
    range = is_wrapper ? as<Call>(range->args[0]) : nullptr;
  }
  if (range == nullptr || range->args.size() != 1) {
    return;
  }
  const Expr *const counted = counted_rows(site, range->args[0]);
  constexpr i64 kManyGroups = 64;
  const bool has_many_groups = integer_of(site, range->args[0]).value_or(0) >= kManyGroups;
  if (counted == nullptr && !has_many_groups && !counts_in_graphs(site, range->args[0])) {
    return;
  }
  BodyReader reader(site, index->id);
  if (const auto *statement = as<For>(&node)) {
    for (const Stmt *part : statement->body) {
      reader.read(part);
    }
  } else {
    reader.read(static_cast<const ComprehensionExpr &>(node).elt);
  }
  const Grouping &found = reader.found;
  // As many groups as rows, so that there are not just a few.
  const bool are_many = has_many_groups || counted == nullptr ||
                        (found.reduced != nullptr && text_of(site, counted) == text_of(site, found.reduced));
  if (found.groups == nullptr || found.reduced == nullptr || !are_many || found.has_other ||
      (model::kind_of(found.groups) != Kind::TorchTensor && model::kind_of(found.groups) != Kind::Unknown)) {
    return;
  }
  report(site, place,
         fmt::format("each iteration compares all of `{}` with one index, to reduce the few rows that belong to it",
                     text_of(site, found.groups)),
         fmt::format("reduce all groups at once: `out.index_add_(0, {0}, rows)`, or `scatter_reduce`",
                     text_of(site, found.groups)));
}

void check(Site &site, const Node &node) {
  if (const auto *loop = as<For>(&node)) {
    return check_loop(site, node, loop->target, loop->iter, Span{node.start, loop->iter->end});
  }
  const auto &comprehension = static_cast<const ComprehensionExpr &>(node);
  if (comprehension.generators.size() == 1 && comprehension.elt != nullptr) {
    const Comprehension &generator = *comprehension.generators[0];
    check_loop(site, node, generator.target, generator.iter, node.span());
  }
}

} // namespace

extern constinit const Rule kGroupLoop = {
    .info = {.code = "DP185",
             .name = "group-loop",
             .summary = "a Python loop that reduces the rows of one group after the other, each found by a comparison",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop over all rows of a tensor that compares a vector of indices with each row's index and sums, averages or otherwise reduces what
belongs to it: the neighbours of each node of a graph, the points of each voxel. The same for the graphs of a batch of PyTorch Geometric,
and for 64 or more groups, where their number is known.

## Why it costs

Every iteration reads the whole vector of indices, so that the work is the number of rows times the number of edges, in many small
operations that Python starts one by one. `index_add_`, `scatter_reduce` or a scatter library reads each edge once, in one operation.

## Bad

```python
import torch


def neighbours(x: torch.Tensor, src: torch.Tensor, dst: torch.Tensor):
    rows = []
    for node in range(x.size(0)):
        rows.append(x[src[dst == node]].sum(dim=0))
    return torch.stack(rows)
```

## Good

```python
import torch


def neighbours(x: torch.Tensor, src: torch.Tensor, dst: torch.Tensor):
    return torch.zeros_like(x).index_add_(0, dst, x[src])
```

## When it is wrong

Where there are only a few groups. The rule is silent unless there are as many groups as rows, and where a module or function of the
project is called for each group.

## References

- `torch.Tensor.index_add_`, `torch.Tensor.scatter_reduce`
)"},
    .nodes = {NodeKind::For, NodeKind::ListComp, NodeKind::GeneratorExp},
    .on_node = check};

} // namespace deepperf::rules::group_loop
