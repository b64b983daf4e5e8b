#include "model/bind.h"
#include "model/effects.h"
#include "model/variance.h"
#include "rules/per_step.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <vector>

namespace deepperf::rules::invariant_in_loop {

using namespace python;

namespace {

bool is_array(const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  return kind == Kind::TorchTensor || kind == Kind::NumpyArray;
}

bool is_view_attribute(std::string_view name) { return name == "T" || name == "mT" || name == "H"; }

// Exchanges dimensions without copying anything.
bool is_transposing(std::string_view method) {
  return method == "t" || method == "transpose" || method == "permute" || method == "swapaxes" || method == "movedim";
}

bool is_view_method(std::string_view method) {
  return is_transposing(method) || method == "unsqueeze" || method == "squeeze" || method == "contiguous" ||
         method == "expand" || method == "detach";
}

// `self`, `self.embedding`: parts of the object that the method belongs to.
bool belongs_to_self(const model::FunctionInfo &function, const Expr *expr) {
  while (const auto *attribute = as<Attribute>(expr)) {
    expr = attribute->value;
  }
  return model::is_own_object(function, expr);
}

// A name, or a view of one. `self.weight` only where nothing in the loop takes a training step: weights change with
// every step of an optimizer, without a word in the loop.
bool is_plain(const Site &site, const Expr *expr, bool with_own_attributes) {
  return !any_node_inside(expr, [&](const Node *node) {
    if (const auto *call = as<Call>(node)) {
      return !is_view_method(called_method(*call));
    }
    const auto *attribute = as<Attribute>(node);
    if (attribute == nullptr) {
      return false;
    }
    const std::string_view name = attribute->attr.text();
    return !(is_view_attribute(name) || is_view_method(name) ||
             (with_own_attributes && belongs_to_self(*site.function, attribute->value)));
  });
}

// Does a tensor change in the loop, whatever view of it is taken?
bool varies_behind_views(const Site &site, const model::Loop &loop, const Expr *expr) {
  while (true) {
    const auto *call = as<Call>(expr);
    const auto *attribute = as<Attribute>(expr);
    if (call != nullptr && is_view_method(called_method(*call)) && receiver_of(*call) != nullptr) {
      if (std::ranges::any_of(call->args, [&](const Expr *one) { return model::varies(site.project, loop, one); })) {
        return true;
      }
      expr = receiver_of(*call);
    } else if (attribute != nullptr && is_view_attribute(attribute->attr.text())) {
      expr = attribute->value;
    } else {
      return model::varies(site.project, loop, expr);
    }
  }
}

// Does the loop write into the name that takes the value? Then it needs a new one each time.
bool is_written_to(const Site &site, const model::Loop &loop) {
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (name == nullptr) {
    return false;
  }
  const auto &changed = model::effects_of(site.project, loop).names; // by functions that are called
  return std::ranges::find(loop.mutated, name->id) != loop.mutated.end() ||
         std::ranges::find(changed, name->id) != changed.end() || any_node(loop.node, [&](const Node *node) {
           const auto *call = as<Call>(node);
           const auto *receiver = call != nullptr ? as<Name>(receiver_of(*call)) : nullptr;
           return receiver != nullptr && receiver->id == name->id && called_method(*call).ends_with("_");
         });
}

// The loop in each turn of which the place computes the same from these operands; null if there is none.
const model::Loop *loop_that_repeats(const Site &site, std::span<const Expr *const> operands) {
  const model::Loop *loop = loop_around(site);
  if (loop == nullptr || loop->node->kind != NodeKind::For || loop->tiny || loop->turns == model::Turns::Few ||
      site.module->is_test || site.function == nullptr || !runs_every_turn(site, *loop)) {
    return nullptr;
  }
  // Without gradients nobody trains in the meantime.
  const bool in_forward = !loop->trains && (in_forward_pass(site) || (site.type != nullptr && under_no_grad(site)));
  const bool is_fixed = std::ranges::all_of(operands, [&](const Expr *operand) {
    // What hangs on a graph may be a weight.
    return is_plain(site, operand, in_forward) && (in_forward || !model::has_grad(operand)) &&
           !varies_behind_views(site, *loop, operand);
  });
  return is_fixed && !is_written_to(site, *loop) ? loop : nullptr;
}

void tell(Site &site, const Expr &place, const model::Loop &loop, std::string_view what, std::string_view does) {
  Finding &finding = report(site, place, fmt::format("`{}` {} the same in every iteration", what, does),
                            "compute it once before the loop");
  add_note(finding, site, *static_cast<const For *>(loop.node), "nothing in this loop changes its arguments");
}

// `weight.t().contiguous()`, or the same with a name for the transposed view.
void check_copy(Site &site, const Call &call) {
  const Expr *const viewed = receiver_of(call);
  const auto *name = as<Name>(viewed);
  const Expr *view = name != nullptr ? last_assigned(site, *name) : viewed;
  const auto *made = as<Call>(view);
  const auto *attribute = as<Attribute>(view);
  const bool is_transposed =
      (made != nullptr && is_transposing(called_method(*made)) && receiver_of(*made) != nullptr) ||
      (attribute != nullptr && is_view_attribute(attribute->attr.text()));
  if (!is_transposed || !call.args.empty() || !site.module->torch) { // nothing but a tensor has such a method
    return;
  }
  const Expr *const operands[] = {viewed};
  if (const model::Loop *loop = loop_that_repeats(site, operands)) {
    tell(site, call, *loop, text_of(site, &call), "copies");
  }
}

void check(Site &site, const Call &call) {
  if (has_hidden_arguments(call)) {
    return;
  }
  if (called_method(call) == "contiguous") {
    check_copy(site, call);
    return;
  }
  std::vector<const Expr *> operands(call.args.begin(), call.args.end());
  if (called_api(site, call).empty()) { // a method
    operands.insert(operands.begin(), receiver_of(call));
  }
  for (const Keyword *keyword : call.keywords) {
    operands.push_back(keyword->value);
  }
  if (operands.empty() || operands[0] == nullptr || !is_array(operands[0])) {
    return;
  }
  if (const model::Loop *loop = loop_that_repeats(site, operands)) {
    tell(site, call, *loop, text_of(site, call.func), "computes");
  }
}

void check_operator(Site &site, const Node &node) {
  const auto &product = static_cast<const BinOp &>(node);
  if (product.op() != Operator::MatMult || (!is_array(product.left) && !is_array(product.right))) {
    return;
  }
  const Expr *const operands[] = {product.left, product.right};
  if (const model::Loop *loop = loop_that_repeats(site, operands)) {
    tell(site, product, *loop, text_of(site, &product), "computes");
  }
}

} // namespace

extern constinit const Rule kInvariantInLoop = {
    .info = {.code = "DP252",
             .name = "invariant-in-loop",
             .summary = "a matrix product, decomposition or copy that gives the same in every iteration",
             .root_cause = "Model: Inefficient Model Structure",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch, NumPy",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A matrix product, distance matrix, inverse, decomposition or Fourier transform in a loop, whose arguments are tensors or
arrays that nothing in the loop changes. Also a copy of such a tensor in another layout, as in `weight.t().contiguous()`, and in the
forward pass of a module, where the steps of a sequence use the same weights.

## Why it costs

The result is the same in every iteration, and these are among the most expensive operations there are. A copy of a matrix reads
and writes as much memory as a product of it with a vector.

## Bad

```python
import torch


def train(model, optimizer, adjacency: torch.Tensor, x, epochs):
    for epoch in range(epochs):
        two_hops = torch.matmul(adjacency, adjacency)
        loss = (two_hops @ model(x)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
```

## Good

```python
import torch


def train(model, optimizer, adjacency: torch.Tensor, x, epochs):
    two_hops = torch.matmul(adjacency, adjacency)
    for epoch in range(epochs):
        loss = (two_hops @ model(x)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
```

## When it is wrong

In a loop that measures how long the operation takes.

## References

- PyTorch performance tuning guide
)"},
    .calls =
        "torch.matmul torch.mm torch.bmm torch.cdist torch.inverse torch.linalg.inv torch.pinverse torch.linalg.pinv "
        "torch.svd torch.linalg.svd torch.linalg.eigh torch.linalg.eig torch.linalg.qr torch.linalg.cholesky "
        "torch.cholesky torch.kron torch.fft.fft2 torch.fft.fft numpy.dot numpy.matmul numpy.linalg.inv "
        "numpy.linalg.svd numpy.linalg.pinv numpy.linalg.eigh numpy.linalg.eig numpy.kron "
        "TorchTensor.matmul TorchTensor.mm TorchTensor.bmm TorchTensor.inverse TorchTensor.pinverse "
        "*.contiguous NumpyArray.dot",
    .on_call = check,
    .nodes = {NodeKind::BinOp},
    .on_node = check_operator};

} // namespace deepperf::rules::invariant_in_loop
