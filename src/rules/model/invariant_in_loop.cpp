#include "model/bind.h"
#include "model/effects.h"
#include "model/variance.h"
#include "rules/dependencies.h"
#include "rules/per_step.h"
#include "rules/repetition.h"
#include "rules/timed.h"
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

// Whose view a call makes: `x` of `x.transpose(1, 2)` and of `torch.transpose(x, 1, 2)`; null if it makes none.
const Expr *viewed_by(const Site &site, const Call &call) {
  if (!is_view_method(called_method(call)) || receiver_of(call) == nullptr) {
    return nullptr;
  }
  const bool is_function = site.project.callee_of(&call).is(model::Value::Tag::Api);
  return !is_function ? receiver_of(call) : call.args.empty() ? nullptr : call.args[0];
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
    if (const Expr *const viewed = call != nullptr ? viewed_by(site, *call) : nullptr) {
      if (std::ranges::any_of(call->args, [&](const Expr *one) { return model::varies(site.project, loop, one); })) {
        return true;
      }
      expr = viewed;
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

// The loop in each iteration of which the place computes the same from these operands; null if there is none.
const model::Loop *loop_that_repeats(const Site &site, std::span<const Expr *const> operands) {
  const model::Loop *loop = loop_around(site);
  if (loop == nullptr || loop->node->kind != NodeKind::For || loop->few_iterations ||
      loop->iterations == model::Iterations::Few || site.module->is_test || site.function == nullptr ||
      !runs_every_iteration(site, *loop) || is_timed(site, *loop->node)) {
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

void add_finding(Site &site, const Expr &place, const model::Loop &loop, std::string_view what, std::string_view does) {
  Finding &finding =
      report(site, place, fmt::format("`{}` {} in every iteration", what, does), "compute it once before the loop");
  add_note(finding, site, *static_cast<const For *>(loop.node), "nothing in this loop changes its arguments");
}

// ---- Through calls: attention(memory, state) in a loop projects the same memory in every iteration ------------------

const Expr *without_views(const Site &site, const Expr *expr) {
  while (true) {
    const auto *call = as<Call>(expr);
    const auto *attribute = as<Attribute>(expr);
    if (const Expr *const viewed = call != nullptr ? viewed_by(site, *call) : nullptr) {
      expr = viewed;
    } else if (attribute != nullptr && is_view_attribute(attribute->attr.text())) {
      expr = attribute->value;
    } else {
      return expr;
    }
  }
}

// An object that the function with the loop makes for itself: what it holds is no weight.
bool is_made_for_loop(const Site &site, const Repetition &repetition) {
  const model::CallSite &call = *repetition.calls.front();
  const auto *object = repetition.calls.size() == 1 && call.bound ? as<Name>(object_of(call)) : nullptr;
  if (object == nullptr || call.caller->has_param(object->id) || call.caller->definition() == nullptr) {
    return false;
  }
  bool is_made = false;
  bool is_other = false;
  for_each_alternative(value_of(site_at(site, *call.caller, *call.call), object), [&](const model::Value &one) {
    const bool is_own = one.is(model::Value::Tag::Object) && one.type->kind == Kind::Unknown;
    is_made |= is_own;
    is_other |= !is_own;
  });
  return is_made && !is_other && call.caller->slot_of(object->id) != model::FunctionInfo::kNoSlot;
}

struct Operands {
  std::span<const Expr *const> same;   // that must be the same in every iteration
  std::span<const Expr *const> by_row; // each row of the result comes from a row of these
};

// A weight is the same whenever the module runs; what else there is, the loop must have passed.
bool depends_on_passed(const Site &site, const Operands &operands) {
  const u64 own = site.function->type != nullptr && !site.function->is_static ? 1 : 0;
  const auto is_passed = [&](const Expr *expr) {
    return (dependencies_of(site, *site.function, without_views(site, expr)).params & ~own) != 0;
  };
  return std::ranges::any_of(operands.same, is_passed) || std::ranges::any_of(operands.by_row, is_passed);
}

bool is_repeated_by(const Site &site, const Repetition &repetition, const Operands &operands, bool is_passed) {
  const model::Loop &loop = *repetition.loop;
  if (loop.trains || (!is_passed && !is_made_for_loop(site, repetition)) || !comes_each_time(site, repetition)) {
    return false;
  }
  return std::ranges::all_of(operands.same,
                             [&](const Expr *one) { return stays_same(site, repetition, without_views(site, one)); }) &&
         std::ranges::all_of(operands.by_row, [&](const Expr *one) {
           return stays_same_by_rows(site, repetition, without_views(site, one));
         });
}

// Is all that the nearest call passes the same? Then the call as a whole is what should stand before the loop, and
// what it does is but a part of that.
bool is_whole_call_same(const Site &site, const Repetition &repetition) {
  const model::CallSite &call = *repetition.calls.front();
  const Site there = site_at(site, *call.caller, *call.call);
  const Repetition outer{.loop = repetition.loop, .calls = {repetition.calls.begin() + 1, repetition.calls.end()}};
  return !call.call->args.empty() &&
         std::ranges::all_of(call.call->args, [&](const Expr *one) { return stays_same(there, outer, one); });
}

// The same of a place in a function that a loop calls, perhaps in another file.
void check_called(Site &site, const Expr &place, const Operands &operands, std::string_view does) {
  if (!site.module->torch || site.module->is_test || site.function == nullptr || site.function->called_by.empty()) {
    return;
  }
  const bool is_passed = depends_on_passed(site, operands);
  any_repetition_by_calls(site, [&](const Repetition &repetition) {
    if (!is_repeated_by(site, repetition, operands, is_passed)) {
      return false;
    }
    const model::CallSite &call = *repetition.calls.back();
    const Site there = site_at(site, *call.caller, *call.call);
    if (there.module->is_test || is_whole_call_same(site, repetition) || is_timed(there, *repetition.loop->node)) {
      return false;
    }
    Finding &finding =
        report(site, place, fmt::format("`{}` {} in every iteration of a loop", text_of(site, &place), does),
               is_passed ? fmt::format("compute it once before the loop, and pass the result to `{}`",
                                       text_of(there, call.call->func))
                         : "compute it once in `__init__`, and keep it in the object");
    finding.notes.push_back({there.module->file, call.call->span(),
                             is_passed ? "the loop passes the same arguments here, in every iteration"
                                       : "called here, in every iteration of a loop"});
    // What a loop outside of a model does to weights, or whether it is for several batches of data, is less sure.
    if (!(in_forward_pass(there) || under_no_grad(there)) || goes_over_data(there, *repetition.loop)) {
      finding.tier = Tier::Hint;
    }
    return true;
  });
}

// Layers that give the same for the same input, also while they are trained, and each row of the result from one row.
bool is_plain_layer(std::string_view api) {
  return api == "torch.nn.Linear" || api == "torch.nn.Conv1d" || api == "torch.nn.Conv2d" || api == "torch.nn.Conv3d" ||
         api == "torch.nn.ConvTranspose1d" || api == "torch.nn.ConvTranspose2d";
}

// self.project(memory)
void check_layer(Site &site, const Call &call) {
  std::string_view api;
  if (call.args.size() != 1 || !call.keywords.empty() || has_hidden_arguments(call) || !site.module->torch ||
      maker_of_callee(site, call, &api) == nullptr || !is_plain_layer(api)) {
    return;
  }
  const Expr *const layer[] = {call.func};
  check_called(site, call, {.same = layer, .by_row = std::span<const Expr *const>(call.args.begin(), 1)},
               "computes the same result");
}

// torch.meshgrid(…) of numbers
void check_grid(Site &site, const Call &call) {
  if (!has_hidden_arguments(call)) {
    check_called(site, call, {.same = std::span<const Expr *const>(call.args.begin(), call.args.size()), .by_row = {}},
                 "computes the same result");
  }
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
    add_finding(site, call, *loop, text_of(site, &call), "copies the same data");
  } else if (as<Call>(viewed) != nullptr) {
    check_called(site, call, {.same = operands, .by_row = {}}, "copies the same data");
  }
}

void check(Site &site, const Call &call) {
  // Whose result nobody takes warms a device up.
  const bool is_discarded = !site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::ExprStmt;
  if (has_hidden_arguments(call) || is_discarded) {
    return;
  }
  if (called_method(call) == "contiguous") {
    check_copy(site, call);
    return;
  }
  if (called_api(site, call) == "torch.meshgrid") {
    check_grid(site, call);
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
    add_finding(site, call, *loop, text_of(site, call.func), "computes the same result");
  } else {
    check_called(site, call, {.same = operands, .by_row = {}}, "computes the same result");
  }
}

void check_node(Site &site, const Node &node) {
  if (const auto *call = as<Call>(&node)) {
    if (call->fact != 0) {
      check_layer(site, *call);
    }
    return;
  }
  const auto &product = static_cast<const BinOp &>(node);
  if (product.op() != Operator::MatMult || (!is_array(product.left) && !is_array(product.right))) {
    return;
  }
  const Expr *const operands[] = {product.left, product.right};
  if (const model::Loop *loop = loop_that_repeats(site, operands)) {
    add_finding(site, product, *loop, text_of(site, &product), "computes the same result");
  } else {
    check_called(site, product, {.same = operands, .by_row = {}}, "computes the same result");
  }
}

} // namespace

extern constinit const Rule kInvariantInLoop = {
    .info = {.code = "DP252",
             .name = "invariant-in-loop",
             .summary = "a matrix product, decomposition or copy with the same result in every iteration",
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

The operation may be in a function or method that the loop calls: `attention(memory, state)` in a decoding loop, whose
`forward` projects `memory` with a linear layer or a convolution. It is reported if the loop passes the same values in every
iteration, or their first rows (`memory[:n]`), and no training step changes the weights meanwhile. Also a `meshgrid` of numbers
and a copy in another layout, in a method of an object that the function with the loop creates.

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
        "*.contiguous NumpyArray.dot torch.meshgrid torch.einsum",
    .on_call = check,
    .nodes = {NodeKind::BinOp, NodeKind::Call},
    .on_node = check_node};

} // namespace deepperf::rules::invariant_in_loop
