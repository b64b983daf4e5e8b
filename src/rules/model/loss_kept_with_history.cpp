#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

// The statements of a loop or function.
Block body_of(const Node *region) {
  return region->kind == NodeKind::For           ? static_cast<const For *>(region)->body
         : region->kind == NodeKind::While       ? static_cast<const While *>(region)->body
         : region->kind == NodeKind::FunctionDef ? static_cast<const FunctionDef *>(region)->body
                                                 : Block{};
}

// Names and attributes, as they are written, that flow into a backward() of the region.
class Walked {
public:
  Walked(const Site &site, const Block &region) : site_(site) {
    any_node(region, [this](const Node *node) {
      if (const auto *call = as<Call>(node)) {
        const std::string_view method = called_method(*call);
        if (method == "backward" || method == "manual_backward" || method == "scale_loss") {
          add_mentioned(call);
        }
      } else if (const auto *assignment = as<Assign>(node)) {
        const auto *made = as<Call>(assignment->value);
        const model::FunctionInfo *called = made != nullptr ? called_function(site_, *made) : nullptr;
        if (called != nullptr && called->steps) { // loss = train_step(…)
          add_mentioned(assignment->targets[0]);
        }
      }
      return false;
    });
    direct_ = names_.size();
    for (std::size_t known = 0; known != names_.size();) {
      known = names_.size();
      any_node(region, [this](const Node *node) {
        if (const auto *assignment = as<Assign>(node)) {
          for (const Expr *target : assignment->targets) {
            follow(target, assignment->value);
          }
        } else if (const auto *added = as<AugAssign>(node)) {
          follow(added->target, added->value);
        }
        return false;
      });
    }
  }

  [[nodiscard]] bool has(std::string_view name) const { return std::ranges::find(names_, name) != names_.end(); }

  // Does backward() itself name it?
  [[nodiscard]] bool has_direct(std::string_view name) const {
    const auto end = names_.begin() + static_cast<std::ptrdiff_t>(direct_);
    return std::find(names_.begin(), end, name) != end;
  }

private:
  static bool is_name(const Node *node) {
    return node->kind == NodeKind::Name || node->kind == NodeKind::Attribute || node->kind == NodeKind::Subscript;
  }

  void add_mentioned(const Node *node) {
    any_node(node, [this](const Node *inner) {
      if (is_name(inner) && names_.size() < 200) {
        const std::string_view text = text_of(site_, inner);
        if (!has(text)) {
          names_.push_back(text);
        }
      }
      return false;
    });
  }

  void follow(const Expr *target, const Expr *value) {
    const bool wanted =
        any_node(target, [this](const Node *part) { return is_name(part) && has(text_of(site_, part)); });
    if (wanted) {
      add_mentioned(value);
    }
  }

  const Site &site_;
  std::vector<std::string_view> names_;
  std::size_t direct_ = 0;
};

// Is the accumulator set anew at the start of each turn?
bool starts_anew(const Site &site, const Block &body, std::string_view kept) {
  return std::ranges::any_of(body, [&](const Stmt *statement) {
    const auto *assignment = as<Assign>(statement);
    return assignment != nullptr && std::ranges::any_of(assignment->targets, [&](const Expr *target) {
             return any_node(target, [&](const Node *part) { return text_of(site, part) == kept; }) &&
                    !any_node(assignment->value, [&](const Node *part) { return text_of(site, part) == kept; });
           });
  });
}

// `kept` gets `value` in every turn, and keeps what it had.
void judge(Site &site, const Node &place, const Expr *kept, const Expr *value, std::string_view how) {
  if (!model::has_grad(value) || model::kind_of(value) != Kind::TorchTensor || under_no_grad(site)) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  const Node *region = loop != nullptr ? loop->node : site.function->node;
  if (loop != nullptr ? !loop->steps || (loop->node->kind != NodeKind::For && loop->node->kind != NodeKind::While)
                      : !site.function->steps || !site.function->in_loop || kept->kind != NodeKind::Attribute) {
    return;
  }
  const std::string_view name = text_of(site, kept);
  const Block body = body_of(region);
  const Walked walked(site, body);
  // What backward() walks is freed by it, so nothing sensible can be done with the graph later; but a sum that
  // backward() walks itself needs it.
  const bool is_plain = kept->kind == NodeKind::Name;
  const bool was_walked = any_node(value, [&](const Node *part) {
    return (part->kind == NodeKind::Name || part->kind == NodeKind::Attribute) &&
           (is_plain ? walked.has(text_of(site, part)) : walked.has_direct(text_of(site, part)));
  });
  if (!was_walked || walked.has(name) || starts_anew(site, body, name)) {
    return;
  }
  Finding &finding =
      report(site, place, std::string(how) + " keeps the graph of every step, and grows with each",
             "keep the number only: .detach() if it stays a tensor, .item() if a Python number is wanted");
  const bool is_simple = value->kind == NodeKind::Name || value->kind == NodeKind::Attribute ||
                         value->kind == NodeKind::Call || value->kind == NodeKind::Subscript || value->parenthesized;
  if (value->parenthesized) {
    return; // the parentheses are outside of its span
  }
  if (is_simple) {
    set_fix(finding, true, {insert_after(*value, ".detach()")});
  } else {
    set_fix(finding, true, {insert_before(*value, "("), insert_after(*value, ").detach()")});
  }
}

void check_statement(Site &site, const Node &node) {
  if (const auto *added = as<AugAssign>(&node)) {
    if (added->op() == Operator::Add) {
      judge(site, node, added->target, added->value, "this sum");
    }
    return;
  }
  // total = total + loss
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *sum = as<BinOp>(assignment.value);
  if (sum != nullptr && sum->op() == Operator::Add && assignment.targets.size() == 1 &&
      text_of(site, sum->left) == text_of(site, assignment.targets[0])) {
    judge(site, node, assignment.targets[0], sum->right, "this sum");
  }
}

void check_append(Site &site, const Call &call) {
  if (call.args.size() == 1 && call.keywords.empty()) {
    judge(site, call, receiver_of(call), call.args[0], "this list");
  }
}

} // namespace

extern constinit const Rule kLossKeptWithHistory = {
    .info = {.code = "DP230",
             .name = "loss-kept-with-history",
             .summary = "a loss that is summed up or collected together with its graph",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Memory Leak, Out of Memory, Increasing Time Over Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .documentation = R"(## What it finds

`total += loss` and `losses.append(loss)` in a training loop, where `loss`, or what it was made from, still hangs on the graph
that `backward()` has walked in the same step.

## Why it costs

A tensor that requires a gradient refers to the operation that made it, and that to its inputs, back to the start of the step. The sum
refers to the sums before it: nothing of the graph can be freed until the epoch ends. Memory grows with every step, and what is
kept of activations adds to it.

## Bad

```python
import torch
from torch import nn

def train(model, loader, optimizer, criterion):
    total = 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss
    return total / len(loader)
```

## Good

```python
import torch
from torch import nn

def train(model, loader, optimizer, criterion):
    total = 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total / len(loader)
```

`loss.item()` would do too, but it waits for the device in every step; `detach()` does not.

## When it is wrong

Where the graph is walked again later in a way that the engine does not see, with `retain_graph=True`. A sum that goes into a
`backward()` itself is not reported.

## References

- PyTorch FAQ: my model reports CUDA runtime error: out of memory (history accumulated across the training loop)
)"},
    .calls = "*.append",
    .on_call = check_append,
    .nodes = {NodeKind::AugAssign, NodeKind::Assign},
    .on_node = check_statement};

} // namespace deepperf::rules
