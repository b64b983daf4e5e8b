#include "rules/assignments.h"
#include "rules/per_step.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::copied_to_change_part {

using namespace python;

namespace {

constexpr i64 kManyRows = 256; // fewer are copied in no time

bool is_same_place(const Site &site, const Expr *one, const Expr *other) {
  return one != nullptr && other != nullptr && one->kind == other->kind &&
         (one->kind == NodeKind::Name || one->kind == NodeKind::Attribute) &&
         text_of(site, one) == text_of(site, other);
}

// Does the predicate hold for a node of the code that sees the buffer: of its class, or of the function around the
// place?
bool any_node_around(const Site &site, const Expr *buffer, NodePredicate holds) {
  if (buffer->kind == NodeKind::Attribute && site.type != nullptr && site.type->node != nullptr) {
    return any_node_inside(site.type->node, holds);
  }
  return any_node(body_around(site), holds);
}

// No graph needs the old values: under no_grad, or because nothing here is part of one.
bool records_nothing(const Site &site, const Expr *buffer, const Call &update) {
  if (under_no_grad(site)) {
    return true;
  }
  const auto is_apart = [&](const Expr *expr) {
    return expr->kind == NodeKind::Constant || (model::kind_of(expr) == Kind::TorchTensor && !model::has_grad(expr) &&
                                                value_of(site, expr).grad == model::kNoGradient);
  };
  return is_apart(buffer) && std::ranges::all_of(update.args, is_apart);
}

// Operations and models only read what they are given; a list or a function of the project may keep it.
bool may_keep(const Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  if (method == "append" || method == "add" || method == "put" || method == "insert") {
    return true;
  }
  const model::Value callee = site.project.callee_of(&call);
  return !callee.is(model::Value::Tag::Api) && !callee.is(model::Value::Tag::ApiMethod) &&
         !callee.is_kind(Kind::TorchModule) &&
         !(callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule);
}

// Somebody else may hold the tensor as it was: `history.append(x)`, `old = x`, `return self.x`.
bool may_be_held(const Site &site, const Expr *buffer) {
  const auto is_it = [&](const Expr *expr) {
    const auto *tuple = as<Tuple>(expr);
    return is_same_place(site, expr, buffer) ||
           (tuple != nullptr &&
            std::ranges::any_of(tuple->elts, [&](const Expr *one) { return is_same_place(site, one, buffer); }));
  };
  const bool is_own = buffer->kind == NodeKind::Attribute;
  return any_node_around(site, buffer, [&](const Node *node) {
    if (const auto *assignment = as<Assign>(node)) {
      return is_it(assignment->value) && !is_same_place(site, assignment->targets[0], buffer);
    }
    if (const auto *returned = as<Return>(node)) {
      return is_own && returned->value != nullptr && is_it(returned->value);
    }
    if (const auto *given = as<Yield>(node)) {
      return given->value != nullptr && is_it(given->value);
    }
    const auto *call = as<Call>(node);
    return call != nullptr && may_keep(site, *call) && std::ranges::any_of(call->args, is_it);
  });
}

// Is it made with many elements along an axis, as far as that is known?
bool is_long(const Site &site, const Expr *buffer) {
  return any_node_around(site, buffer, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *registered = as<Call>(node);
    const Call *maker = nullptr;
    if (assignment != nullptr && is_same_place(site, assignment->targets[0], buffer)) {
      maker = as<Call>(run_by(assignment->value));
    } else if (registered != nullptr && called_method(*registered) == "register_buffer" &&
               registered->args.size() >= 2 && buffer->kind == NodeKind::Attribute &&
               string_of(site, registered->args[0]) == static_cast<const Attribute *>(buffer)->attr.text()) {
      maker = as<Call>(registered->args[1]);
    }
    if (maker == nullptr || called_api(site, *maker).empty()) {
      return false;
    }
    const Site there = site_of(site, *maker);
    return std::ranges::any_of(maker->args, [&](const Expr *argument) {
      return any_node(argument, [&](const Node *size) {
        const auto *number = size->kind == NodeKind::Name || size->kind == NodeKind::Attribute ||
                                     size->kind == NodeKind::Constant || size->kind == NodeKind::BinOp
                                 ? static_cast<const Expr *>(size)
                                 : nullptr;
        return number != nullptr && integer_of(there, number).value_or(0) >= kManyRows;
      });
    });
  });
}

// `rows = self.rows.clone()`, `rows[i] = v`, `self.rows = rows`.
bool is_put_back(const Site &site, const Expr *copy, const Expr *buffer) {
  const auto is_store = [&](const Node *node) {
    const auto *store = as<Assign>(node);
    return store != nullptr && is_same_place(site, store->targets[0], buffer) &&
           is_same_place(site, store->value, copy);
  };
  return copy->kind == NodeKind::Name && buffer->kind == NodeKind::Attribute && any_node(body_around(site), is_store);
}

// `x[i] = v` after `x = x.clone()`.
bool is_written_next(const Site &site, const Assign &copy) {
  return any_node(body_around(site), [&](const Node *node) {
    const auto *store = as<Assign>(node);
    const auto *change = as<AugAssign>(node);
    const Expr *const target = store != nullptr ? store->targets[0] : change != nullptr ? change->target : nullptr;
    const auto *part = as<Subscript>(target);
    return part != nullptr && part->start > copy.end && is_same_place(site, part->value, copy.targets[0]);
  });
}

void check(Site &site, const Call &call) {
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  if (assignment == nullptr || assignment->targets.size() != 1 || site.function == nullptr || site.module->is_test ||
      is_traced(site)) {
    return;
  }
  const bool is_function = called_api(site, call).starts_with("torch.");
  const Expr *const buffer = is_function ? argument(call, 0, "input") : receiver_of(call);
  const std::string_view method = called_name(call);
  const bool is_copy = method == "clone";
  if (buffer == nullptr || (!is_same_place(site, assignment->targets[0], buffer) &&
                            !(is_copy && is_put_back(site, assignment->targets[0], buffer)))) {
    return;
  }
  if (is_copy && !is_written_next(site, *assignment)) {
    return;
  }
  const model::Loop *const loop = long_loop_around(site);
  const PlaceContext context = context_of(site);
  // A name that the function is given is copied so that its caller keeps what it has.
  const bool is_kept = buffer->kind == NodeKind::Attribute;
  const bool is_repeated = loop != nullptr
                               ? loop->iterations != model::Iterations::Few && runs_every_iteration(site, *loop)
                               : is_kept && (context.repeated || context.in_training_step);
  if (!is_repeated || !records_nothing(site, buffer, call) || may_be_held(site, buffer)) {
    return;
  }
  Finding &finding =
      report(site, call, fmt::format("all of `{}` is copied each time to change a part of it", text_of(site, buffer)),
             is_copy ? std::string("write into it without the copy, once `backward()` has run")
                     : fmt::format("`{}_` changes it in place; do that once `backward()` has run", method));
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "in every iteration of this loop");
  }
  if (!is_long(site, buffer)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kCopiedToChangePart = {
    .info = {.code = "DP471",
             .name = "copied-to-change-part",
             .summary = "a large tensor that is copied in every step to change a part of it",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Out of Memory",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`bank = bank.index_copy(0, rows, new)`, and the same with `index_add`, `index_fill`, `index_put`, `scatter` and the like, or `bank = bank.clone()`
before `bank[i] = new`, in a loop or in every training step, where no gradient has to go through the tensor. It is a hint unless the tensor
was created with at least 256 elements along an axis.

## Why it costs

Each of these operations creates a new tensor of the same size and copies everything into it. A memory bank of a million rows is read and
written as a whole to change the few rows of a batch, and for a moment it exists twice.

## Bad

```python
import torch


class Bank:
    def __init__(self):
        self.rows = torch.zeros(100_000, 128)

    @torch.no_grad()
    def update(self, index, features):
        self.rows = self.rows.index_copy(0, index, features)


def train(model, optimizer, loader):
    bank = Bank()
    for index, x in loader:
        features = model(x)
        loss = (features @ bank.rows.t()).logsumexp(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bank.update(index, features)
```

## Good

```python
import torch


class Bank:
    def __init__(self):
        self.rows = torch.zeros(100_000, 128)

    @torch.no_grad()
    def update(self, index, features):
        self.rows.index_copy_(0, index, features)


def train(model, optimizer, loader):
    bank = Bank()
    for index, x in loader:
        features = model(x)
        loss = (features @ bank.rows.t()).logsumexp(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bank.update(index, features)
```

## When it is wrong

Where an autograd graph that `backward()` has not traversed yet needs the old values: change it in place after `backward()`. The rule is silent where the tensor is also
stored under another name or in a list.

## References

- PyTorch: in-place operations on tensors, `index_copy_`
)"},
    .calls = "*.index_copy *.index_add *.index_fill *.index_put *.scatter_add *.masked_scatter *.slice_scatter "
             "*.select_scatter TorchTensor.scatter TorchTensor.clone torch.scatter",
    .on_call = check};

} // namespace deepperf::rules::copied_to_change_part
