#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

namespace deepperf::rules::leaf_changed_in_place {

using namespace python;

namespace {

// torch.randn(…, requires_grad=True), nn.Parameter(…), torch.zeros(…).requires_grad_()
bool makes_leaf(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const std::string_view api = called_api(site, *call);
  if (api == "torch.nn.Parameter" || api == "torch.nn.parameter.Parameter") {
    const Keyword *wanted = keyword_argument(*call, "requires_grad");
    return wanted == nullptr && call->args.size() == 1;
  }
  if (called_method(*call) == "requires_grad_" && call->args.empty()) {
    return model::kind_of(receiver_of(*call)) == Kind::TorchTensor && receiver_of(*call)->kind == NodeKind::Call;
  }
  const Keyword *wanted = keyword_argument(*call, "requires_grad");
  return api.starts_with("torch.") && wanted != nullptr && is_constant(wanted->value, ConstantKind::True);
}

// Does a function lead to it, a few calls away, that somebody may call under `torch.no_grad()`, for all we know?
bool has_unknown_callers(const model::FunctionInfo &function, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  constexpr std::size_t kMostCalls = 16;
  if (function.called_by.empty()) {
    return function.name.text() != "__init__";
  }
  return depth < kMostDepth &&
         std::ranges::any_of(function.called_by | std::views::take(kMostCalls), [depth](const model::CallSite *call) {
           return call->caller->definition() != nullptr && has_unknown_callers(*call->caller, depth + 1);
         });
}

bool may_be_without_gradients(const Site &site) {
  return under_no_grad(site) || context_of(site).no_grad != PlaceContext::NoGrad::Never ||
         site.function->switches_grad ||
         (site.function->definition() != nullptr && has_unknown_callers(*site.function));
}

// A weight that a module owns: `self.gate` that is an nn.Parameter, `layer.weight`
bool is_weight(const Site &site, const Expr *expr) {
  const auto *attribute = as<Attribute>(expr);
  if (attribute == nullptr) {
    return false;
  }
  const model::Value value = value_of(site, expr);
  if (value.is_kind(Kind::TorchTensor) && value.alternatives == nullptr && !value.many && !value.open &&
      value.maker() != nullptr && value.name().text().ends_with("Parameter")) {
    return !file_has_word(site, {".requires_grad"}) && makes_leaf(site_of(site, *value.maker()), value.maker());
  }
  const std::string_view name = attribute->attr.text();
  const model::Value owner = value_of(site, attribute->value);
  return (name == "weight" || name == "bias") && owner.is_kind(Kind::TorchModule) && owner.maker() != nullptr &&
         owner.alternatives == nullptr && !owner.many && !owner.open && owner.name() &&
         owner.name().text().starts_with("torch.nn.") && !file_has_word(site, {"requires_grad"});
}

// The loop that binds the name to one parameter of a module after the other
bool is_each_parameter(const Site &site, Symbol name) {
  const auto gives_parameters = [](const Expr *expr) {
    const auto *call = as<Call>(expr);
    return call != nullptr && called_method(*call) == "parameters" && call->args.empty();
  };
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const auto *loop = as<For>(site.ancestors[i]);
    if (loop == nullptr) {
      continue;
    }
    if (const auto *target = as<Name>(loop->target); target != nullptr && target->id == name) {
      return gives_parameters(loop->iter);
    }
    const auto *targets = as<Tuple>(loop->target);
    const auto *zipped = as<Call>(loop->iter);
    if (targets == nullptr || zipped == nullptr || called_name(*zipped) != "zip" ||
        zipped->args.size() != targets->elts.size()) {
      continue;
    }
    for (u32 at = 0; at < targets->elts.size(); ++at) {
      const auto *target = as<Name>(targets->elts[at]);
      if (target != nullptr && target->id == name) {
        return gives_parameters(zipped->args[at]);
      }
    }
  }
  return false;
}

bool is_leaf(const Site &site, const Expr *expr) {
  if (const auto *name = as<Name>(expr)) {
    if (is_each_parameter(site, name->id)) {
      return !file_has_word(site, {"requires_grad"});
    }
    const Expr *value = assigned_before(site, name->id, name->start);
    return value != nullptr && makes_leaf(site, value);
  }
  return is_weight(site, expr);
}

void add_finding(Site &site, const Node &place, const Expr *leaf) {
  report(site, place,
         fmt::format("`{}` requires a gradient, so autograd rejects changing it in place", text_of(site, leaf)),
         "change it under `with torch.no_grad():`");
}

// `w -= lr * w.grad`, `self.gate[0] = 1`
void check_target(Site &site, const Node &place, const Expr *target, bool is_element) {
  const Expr *leaf = target;
  while (leaf->kind == NodeKind::Subscript) {
    leaf = static_cast<const Subscript *>(leaf)->value;
    is_element = true;
  }
  if (is_element && is_leaf(site, leaf) && !may_be_without_gradients(site)) {
    add_finding(site, place, leaf);
  }
}

// `w = w - lr * w.grad` in a loop: from the second iteration on w is computed, and has no gradient of its own.
void check_lost(Site &site, const Assign &assignment) {
  const auto *name = as<Name>(assignment.targets[0]);
  const model::Loop *loop = loop_around(site);
  if (name == nullptr || loop == nullptr || assignment.value->kind != NodeKind::BinOp ||
      assignment.targets.size() != 1) {
    return;
  }
  const bool uses_gradient = any_node(assignment.value, [&](const Node *node) {
    const auto *attribute = as<Attribute>(node);
    const auto *owner = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
    return owner != nullptr && owner->id == name->id && attribute->attr.text() == "grad";
  });
  const Expr *first = uses_gradient ? assigned_before(site, name->id, loop->node->start) : nullptr;
  if (first == nullptr || !makes_leaf(site, first) ||
      node_has_word(site, *loop->node,
                    std::initializer_list<std::string_view>{"requires_grad", "detach", "retain_grad"})) {
    return;
  }
  report(site, assignment,
         fmt::format("this binds `{}` to a new tensor that is not a leaf, so its `grad` is None in the next iteration",
                     name->id.text()),
         fmt::format("change it in place: `with torch.no_grad(): {} -= …`", name->id.text()));
}

void check_node(Site &site, const Node &node) {
  if (site.module->is_test) {
    return;
  }
  if (const auto *update = as<AugAssign>(&node)) {
    check_target(site, node, update->target, true);
  } else if (const auto *assignment = as<Assign>(&node); assignment != nullptr && assignment->targets.size() == 1) {
    if (assignment->targets[0]->kind == NodeKind::Subscript) {
      check_target(site, node, assignment->targets[0], false);
    } else {
      check_lost(site, *assignment);
    }
  } else if (const auto *statement = as<ExprStmt>(&node)) {
    const auto *call = as<Call>(statement->value);
    while (call != nullptr && as<Call>(receiver_of(*call)) != nullptr) { // slow.mul_(0.9).add_(fast)
      call = as<Call>(receiver_of(*call));
    }
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    if (method.size() > 1 && method.ends_with("_") && !method.ends_with("__") && method != "requires_grad_" &&
        method != "detach_" && method != "share_memory_" && receiver_of(*call) != nullptr &&
        is_leaf(site, receiver_of(*call)) && !may_be_without_gradients(site)) {
      add_finding(site, *call, receiver_of(*call));
    }
  }
}

// What computes a new tensor from a leaf: `leaf.to(device)`, `leaf * 0.1`
bool is_computed_from_leaf(const Site &site, const Expr *expr) {
  if (const auto *product = as<BinOp>(expr)) {
    return makes_leaf(site, product->left) || makes_leaf(site, product->right);
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr || receiver_of(*call) == nullptr) {
    return false;
  }
  const std::string_view method = called_method(*call);
  return (method == "to" || method == "cuda" || method == "half" || method == "double" || method == "clone" ||
          method == "view" || method == "reshape" || method == "unsqueeze" || method == "repeat" ||
          method == "expand") &&
         makes_leaf(site, receiver_of(*call));
}

void check_optimizer(Site &site, const Call &call) {
  if (model::kind_of(&call) != Kind::TorchOptimizer || call.args.empty()) {
    return;
  }
  const auto *list = as<List>(written_value(site, call.args[0]));
  if (list == nullptr) {
    return;
  }
  for (const Expr *element : list->elts) {
    const Expr *value = written_value(site, element);
    if (is_computed_from_leaf(site, value)) {
      Finding &finding =
          report(site, *element,
                 fmt::format("`{}` is computed from another tensor and is not a leaf, which the optimizer rejects",
                             text_of(site, element)),
                 "create it on the device: `torch.randn(…, device=device, requires_grad=True)`");
      add_note(finding, site, *value, "it is computed here");
    }
  }
}

} // namespace

extern constinit const Rule kLeafChangedInPlace = {
    .info = {.code = "DP922",
             .name = "leaf-changed-in-place",
             .summary = "a parameter that is changed in place with gradients on, or replaced by a computed tensor",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`w -= lr * w.grad`, `p.mul_(0.99)` and `self.gate[0] = 1` for a tensor that requires a gradient, without `torch.no_grad()`. `w = w - lr * w.grad` in
a loop. A tensor such as `torch.randn(…, requires_grad=True).to(device)` that is given to an optimizer.

## Why it is wrong

Autograd rejects in-place changes to a leaf that requires a gradient. An assignment creates a new tensor that is not a leaf: its `grad` stays None, and the next
update fails. `to(device)` also creates a new tensor, and optimizers accept only leaves.

## Bad

```python
import torch


def fit(x: torch.Tensor, y: torch.Tensor):
    w = torch.zeros(10, requires_grad=True)
    for _ in range(100):
        loss = (x @ w - y).pow(2).mean()
        loss.backward()
        w -= 0.1 * w.grad
        w.grad.zero_()
    return w


print(fit(torch.rand(64, 10), torch.rand(64)))
```

## Good

```python
import torch


def fit(x: torch.Tensor, y: torch.Tensor):
    w = torch.zeros(10, requires_grad=True)
    for _ in range(100):
        loss = (x @ w - y).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad.zero_()
    return w


print(fit(torch.rand(64, 10), torch.rand(64)))
```

## When it is wrong

Where a caller that is not among the checked files disables gradients.
)"},
    .nodes = {NodeKind::AugAssign, NodeKind::Assign, NodeKind::ExprStmt, NodeKind::Call},
    .on_node = [](Site &site, const Node &node) {
      if (node.kind == NodeKind::Call) {
        check_optimizer(site, static_cast<const Call &>(node));
      } else {
        check_node(site, node);
      }
    }};

} // namespace deepperf::rules::leaf_changed_in_place
