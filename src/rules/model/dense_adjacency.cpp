#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::dense_adjacency {

using namespace python;

namespace {

constexpr i64 kLarge = 1000;

bool mentions_name(const Expr *expr, Symbol name) {
  const auto *found = as<Name>(expr);
  return found != nullptr && found->id == name;
}

// `a[rows, columns] = 1` somewhere in the function that made the matrix: two index arrays, so a list of edges.
bool is_filled_at_pairs(const model::FunctionInfo &function, Symbol name) {
  const auto fills = [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *element =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Subscript>(assignment->targets[0]) : nullptr;
    const auto *pair = element != nullptr ? as<Tuple>(element->slice) : nullptr;
    if (pair == nullptr || pair->elts.size() != 2 || !mentions_name(element->value, name)) {
      return false;
    }
    for (const Expr *index : pair->elts) {
      if (index->kind == NodeKind::Slice || index->kind == NodeKind::Constant) {
        return false;
      }
    }
    return true;
  };
  return function.node != nullptr ? any_node_inside(function.node, fills)
                                  : any_node(function.module->parsed->tree.body, fills);
}

void check_operand(Site &site, const Node &place, const Expr *left) {
  const model::Value value = value_of(site, left);
  if (!value.is_kind(Kind::TorchTensor) || value.maker() == nullptr || !value.name() ||
      (value.name().text() != "torch.zeros")) {
    return;
  }
  const Call &made = *value.maker();
  const Site maker = site_of(site, made);
  if (made.args.size() != 2 || maker.function == nullptr) {
    return;
  }
  const std::optional<i64> rows = integer_of(maker, made.args[0]);
  const std::optional<i64> columns = integer_of(maker, made.args[1]);
  const Assign *assignment = nullptr;
  const auto takes = [&](const Node *node) {
    const auto *found = as<Assign>(node);
    assignment = found != nullptr && found->value == &made ? found : assignment;
    return assignment != nullptr;
  };
  if (maker.function->node != nullptr) {
    any_node_inside(maker.function->node, takes);
  } else {
    any_node(maker.function->module->parsed->tree.body, takes);
  }
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (name == nullptr || !rows || !columns || *rows != *columns || *rows < kLarge ||
      !is_filled_at_pairs(*maker.function, name->id)) {
    return;
  }
  report(site, place,
         fmt::format("the product goes over {0} times {0} numbers, of which only the edges are not zero", *rows),
         "store the edges: `torch.sparse_coo_tensor(edges, values, (n, n))`, and use `torch.sparse.mm`");
}

void check(Site &site, const Node &node) {
  const auto &operation = static_cast<const BinOp &>(node);
  if (operation.op() == Operator::MatMult && !site.module->is_test) {
    check_operand(site, node, operation.left);
  }
}

void check_call(Site &site, const Call &call) {
  if (call.args.size() == 2 && !site.module->is_test) {
    check_operand(site, call, call.args[0]);
  }
}

} // namespace

extern constinit const Rule kDenseAdjacency = {
    .info = {.code = "DP254",
             .name = "dense-adjacency",
             .summary = "a large graph that is stored as a dense matrix and multiplied",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Out of Memory",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A matrix `torch.zeros(n, n)` with at least 1,000 rows that is filled at pairs of indices, `a[source, target] = 1`, and then
multiplied with features.

## Why it costs

The product reads n² numbers, nearly all of them zeros. A sparse matrix stores and multiplies the edges only.

## Bad

```python
import torch

NODES = 20000


def propagate(source, target, features):
    adjacency = torch.zeros(NODES, NODES)
    adjacency[source, target] = 1.0
    return adjacency @ features
```

## Good

```python
import torch

NODES = 20000


def propagate(source, target, features):
    edges = torch.stack([source, target])
    adjacency = torch.sparse_coo_tensor(edges, torch.ones(edges.shape[1]), (NODES, NODES))
    return torch.sparse.mm(adjacency, features)
```

## When it is wrong

If more than a few percent of all pairs are edges, the dense product is faster.

## References

- PyTorch documentation of sparse tensors
)"},
    .calls = "torch.matmul torch.mm",
    .on_call = check_call,
    .nodes = {NodeKind::BinOp},
    .on_node = check};

} // namespace deepperf::rules::dense_adjacency
