#include "rules/assignments.h"
#include "rules/per_step.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::batch_loop_in_forward {

using namespace python;

namespace {

// The tensor whose first dimension the loop goes over, and the name that it is indexed with, or that a row has.
struct Rows {
  Symbol tensor;
  Symbol index; // x[i]
  Symbol row;   // for row in x
};

// `x` of `x.size(0)`, `x.shape[0]` and `len(x)`.
Symbol tensor_counted(const Expr *count) {
  const auto name_of = [](const Expr *expr) {
    const auto *name = as<Name>(expr);
    return name != nullptr ? name->id : Symbol{};
  };
  if (const auto *call = as<Call>(count)) {
    if (called_method(*call) == "size" && call->args.size() == 1) {
      return name_of(receiver_of(*call));
    }
    return called_name(*call) == "len" && call->args.size() == 1 ? name_of(call->args[0]) : Symbol{};
  }
  const auto *part = as<Subscript>(count);
  const auto *shape = part != nullptr ? as<Attribute>(part->value) : nullptr;
  return shape != nullptr && shape->attr.text() == "shape" ? name_of(shape->value) : Symbol{};
}

bool is_zero(const Site &site, const Expr *count) {
  const auto *call = as<Call>(count);
  const auto *part = as<Subscript>(count);
  const Expr *const axis = part != nullptr                                     ? part->slice
                           : call != nullptr && called_method(*call) == "size" ? call->args[0]
                                                                               : nullptr;
  return axis == nullptr || integer_of(site, axis) == 0;
}

Rows rows_of(const Site &site, const For &loop) {
  const auto *target = as<Name>(loop.target);
  if (target == nullptr) {
    return {};
  }
  if (const auto *tensor = as<Name>(loop.iter)) {
    return {.tensor = tensor->id, .index = {}, .row = target->id};
  }
  const auto *range = as<Call>(loop.iter);
  if (range == nullptr || called_api(site, *range) != "range" || range->args.size() != 1) {
    return {};
  }
  const Expr *const count = written_value(site, range->args[0]);
  return is_zero(site, count) ? Rows{.tensor = tensor_counted(count), .index = target->id, .row = {}} : Rows{};
}

// Does the body do nothing but compute one row and append it, with nothing carried over?
bool is_plain(const Site &site, const For &loop, const Rows &rows, const Call *&layer) {
  std::vector<Symbol> own; // names that the body binds
  bool appends = false;
  for (const Stmt *statement : loop.body) {
    if (const auto *assign = as<Assign>(statement)) {
      const auto *name = assign->targets.size() == 1 ? as<Name>(assign->targets[0]) : nullptr;
      if (name == nullptr) {
        return false;
      }
      own.push_back(name->id);
      continue;
    }
    const auto *expression = as<ExprStmt>(statement);
    const auto *call = expression != nullptr ? as<Call>(expression->value) : nullptr;
    if (call == nullptr || called_method(*call) != "append" || call->args.size() != 1) {
      return false;
    }
    appends = true;
  }
  const Symbol self = site.function->params[0]->name;
  bool is_fine = appends;
  any_node(loop.body, [&](const Node *node) {
    // x[i, : lengths[i]]: rows of different sizes.
    const auto *slice = as<Slice>(node);
    if (slice != nullptr && ((slice->lower != nullptr && slice->lower->kind != NodeKind::Constant) ||
                             (slice->upper != nullptr && slice->upper->kind != NodeKind::Constant))) {
      is_fine = false;
    }
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const auto *attribute = as<Attribute>(call->func);
    const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
    if (object != nullptr && object->id == self) {
      if (model::kind_of(call->func) != Kind::TorchModule) {
        is_fine = false; // whatever it does
      }
      const bool reads_row = std::ranges::any_of(call->args, [&](const Expr *arg) {
        return (rows.row && mentions(arg, rows.row)) || (rows.index && mentions(arg, rows.index));
      });
      layer = reads_row && layer == nullptr ? call : layer;
    } else if (const std::string_view name = called_name(*call);
               name == "item" || name == "nonzero" || name == "where" || name == "unique" || name == "int") {
      is_fine = false; // as many as the data says
    }
    return false;
  });
  // What an iteration computes must not depend on the one before.
  const bool carries = any_node(loop.body, [&](const Node *node) {
    const auto *name = as<Name>(node);
    if (name == nullptr || name->context != Context::Load || std::ranges::find(own, name->id) == own.end()) {
      return false;
    }
    const Expr *const value = assigned_before(site, name->id, name->start);
    return value == nullptr || value->start < loop.start;
  });
  return is_fine && layer != nullptr && !carries;
}

// for i in range(x.size(0)): out.append(self.layer(x[i]))
void check(Site &site, const Node &node) {
  const auto &loop = static_cast<const For &>(node);
  if (site.function == nullptr || site.function->params.size() < 2 || site.module->is_test || !site.module->torch ||
      !in_method(site, Kind::TorchModule, "forward")) {
    return;
  }
  const Rows rows = rows_of(site, loop);
  const bool is_given = rows.tensor && std::ranges::any_of(site.function->params, [&](const Param *param) {
                          // a List[Tensor] holds levels or layers, not samples
                          return param->name == rows.tensor && param != site.function->params[0] &&
                                 (param->annotation == nullptr || text_of(site, param->annotation).ends_with("Tensor"));
                        });
  const Call *layer = nullptr;
  if (!is_given || !is_plain(site, loop, rows, layer)) {
    return;
  }
  // A list of tensors of different sizes may be given as well; who stacks the results has rows of one size.
  const bool is_stacked = any_node(body_around(site), [&](const Node *part) {
    const auto *call = as<Call>(part);
    return call != nullptr && call->start > loop.end && called_api(site, *call) == "torch.stack";
  });
  Finding &finding = report(site, Span{node.start, loop.iter->end},
                            "the forward pass calls its layers on one sample of the batch at a time",
                            "call them on the whole batch; layers accept any number of samples or leading dimensions");
  add_note(finding, site, *layer, "this layer can process the whole batch");
  if (!is_stacked || (rows.row && model::kind_of(loop.iter) != Kind::TorchTensor)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kBatchLoopInForward = {
    .info = {.code = "DP170",
             .name = "batch-loop-in-forward",
             .summary = "a forward pass that loops over the samples of its batch",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop over the first dimension of a tensor that `forward` receives, which calls layers of the module on one sample at a time and collects
the results, which are stacked after the loop.

## Why it costs

Each iteration launches the kernels of its layers for one sample, too little work for a GPU, and the backward pass does the same. Layers take
whole batches.

## Bad

```python
import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)

    def forward(self, x):
        rows = []
        for i in range(x.size(0)):
            weight = self.score(x[i]).softmax(0)
            rows.append((weight * x[i]).sum(0))
        return torch.stack(rows)
```

## Good

```python
import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)

    def forward(self, x):
        weight = self.score(x).softmax(1)
        return (weight * x).sum(1)
```

## When it is wrong

Where the first dimension is not the batch and the order matters in a way that the rule does not see, or a layer computes statistics over its input.

## References

- PyTorch documentation of `torch.nn.Linear`: the input may have any number of leading dimensions
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::batch_loop_in_forward
