#include "base/symbol_list.h"
#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::average_with_graph {

using namespace python;

namespace {

// Does a loop over it give the parameters of a module: `model.parameters()`, `dict(model.named_parameters()).items()`?
bool gives_parameters(const Site &site, const Expr *iter, u32 depth = 0) {
  if (const auto *name = as<Name>(iter); name != nullptr && depth < 3) {
    const Expr *const value = assigned_before(site, name->id, name->start);
    return value != nullptr && gives_parameters(site, value, depth + 1);
  }
  const auto *call = as<Call>(iter);
  if (call == nullptr || depth > 3) {
    return false;
  }
  const std::string_view method = called_method(*call);
  if (method == "parameters" || method == "named_parameters") {
    const Kind kind = model::kind_of(receiver_of(*call));
    return kind == Kind::TorchModule || kind == Kind::Unknown;
  }
  if (method == "items" || method == "values") {
    return gives_parameters(site, receiver_of(*call), depth + 1);
  }
  const std::string_view api = called_api(site, *call);
  return (api == "dict" || api == "list" || api == "enumerate" || api == "tuple" || api == "OrderedDict") &&
         call->args.size() == 1 && gives_parameters(site, call->args[0], depth + 1);
}

// The name that a loop gives to each parameter; empty if it runs over something else.
Symbol parameter_of(const Site &site, const For &loop) {
  const auto name_of = [](const Expr *expr) {
    const auto *name = as<Name>(expr);
    return name != nullptr ? name->id : Symbol{};
  };
  const auto *targets = as<Tuple>(loop.target);
  const auto *call = as<Call>(loop.iter);
  if (call != nullptr && targets != nullptr && called_api(site, *call) == "zip") {
    for (u32 i = 0; i < call->args.size() && i < targets->elts.size(); ++i) {
      if (gives_parameters(site, call->args[i])) {
        const auto *pair = as<Tuple>(targets->elts[i]);
        return name_of(pair != nullptr && !pair->elts.empty() ? pair->elts.back() : targets->elts[i]);
      }
    }
    return {};
  }
  if (!gives_parameters(site, loop.iter)) {
    return {};
  }
  return name_of(targets != nullptr && !targets->elts.empty() ? targets->elts.back() : loop.target);
}

// Does the result hang on the graph of the parameter? Not after `.data`, `.detach()`, `.grad` and the like.
bool is_live(const Expr *expr, Symbol parameter) {
  switch (expr->kind) {
  case NodeKind::Name:
    return static_cast<const Name *>(expr)->id == parameter;
  case NodeKind::BinOp:
    return is_live(static_cast<const BinOp *>(expr)->left, parameter) ||
           is_live(static_cast<const BinOp *>(expr)->right, parameter);
  case NodeKind::UnaryOp:
    return is_live(static_cast<const UnaryOp *>(expr)->operand, parameter);
  case NodeKind::Call: {
    constexpr std::string_view kSame[] = {"clone", "mul", "add", "sub", "to", "float", "lerp", "cuda"};
    const auto &call = static_cast<const Call &>(*expr);
    const std::string_view name = called_name(call);
    if (std::ranges::find(kSame, name) == std::end(kSame)) {
      return false;
    }
    const Expr *const receiver = receiver_of(call);
    return (receiver != nullptr && is_live(receiver, parameter)) ||
           std::ranges::any_of(call.args, [&](const Expr *arg) { return is_live(arg, parameter); });
  }
  default:
    return false;
  }
}

// What keeps the average from one step to the next: an entry of an attribute, or of a name that the function did not
// make in this step.
bool is_kept(const Site &site, const Expr *entry, const model::Loop &loop) {
  const auto *part = as<Subscript>(entry);
  if (part == nullptr) {
    return false;
  }
  if (part->value->kind == NodeKind::Attribute) {
    return true;
  }
  const auto *name = as<Name>(part->value);
  if (name == nullptr) {
    return false;
  }
  if (site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot) {
    return true;
  }
  const bool is_param = site.function->has_param(name->id);
  if (loop.parent == nullptr) {
    return is_param;
  }
  // Made before the loop around.
  return !contains(loop.parent->assigned, name->id);
}

bool has_product(const Expr *expr) {
  return any_node(static_cast<const Node *>(expr), [](const Node *node) {
    const auto *operation = as<BinOp>(node);
    const auto *call = as<Call>(node);
    return (operation != nullptr && operation->op() == Operator::Mult) ||
           (call != nullptr && (called_name(*call) == "lerp" || called_name(*call) == "mul" ||
                                called_name(*call) == "mul_" || keyword_argument(*call, "alpha") != nullptr));
  });
}

// The innermost loop over parameters around the place.
struct Around {
  const For *loop = nullptr;
  Symbol parameter;
};

Around parameter_loop(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    if (const auto *loop = as<For>(site.ancestors[i])) {
      const Symbol parameter = parameter_of(site, *loop);
      return {parameter ? loop : nullptr, parameter};
    }
    if (site.ancestors[i]->kind == NodeKind::FunctionDef || site.ancestors[i]->kind == NodeKind::ClassDef) {
      break;
    }
  }
  return {};
}

void lint(Site &site, const Node &node, const Expr *entry, const Expr *value, bool reads_itself) {
  const Around around = parameter_loop(site);
  const model::Loop *const loop = around.loop != nullptr ? site.project.loop_at(around.loop) : nullptr;
  if (loop == nullptr || site.function == nullptr || site.module->is_test || !is_kept(site, entry, *loop) ||
      !is_live(value, around.parameter) || !reads_itself || !has_product(value)) {
    return;
  }
  const PlaceContext context = context_of(site);
  if (context.no_grad != PlaceContext::NoGrad::Never || under_no_grad(site) ||
      (!context.repeated && loop->parent == nullptr && site.function->type == nullptr)) {
    return;
  }
  if (function_has_word(site, {"set_grad_enabled", "no_grad", "inference_mode", "requires_grad"})) {
    return;
  }
  report(site, node,
         fmt::format("the average keeps the autograd graph of `{}` and of all updates before, so memory grows with "
                     "every step",
                     around.parameter.text()),
         fmt::format("use `{}.detach()`, or update the average under `torch.no_grad()`", around.parameter.text()));
}

void check(Site &site, const Node &node) {
  if (!site.module->torch) {
    return;
  }
  if (const auto *assignment = as<Assign>(&node)) {
    const Expr *const entry = assignment->targets[0];
    if (entry->kind != NodeKind::Subscript) {
      return;
    }
    const std::string_view written = text_of(site, entry);
    const bool reads_itself = any_node(static_cast<const Node *>(assignment->value), [&](const Node *part) {
      return part->kind == NodeKind::Subscript && text_of(site, part) == written;
    });
    return lint(site, node, entry, assignment->value, reads_itself);
  }
  if (const auto *added = as<AugAssign>(&node)) {
    return lint(site, node, added->target, added->value, true);
  }
  // self.shadow[name].mul_(decay).add_(param, alpha=1 - decay)
  const auto *call = as<Call>(static_cast<const ExprStmt &>(node).value);
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  if ((method != "add_" && method != "lerp_") || call->args.empty()) {
    return;
  }
  const Expr *entry = receiver_of(*call);
  bool has_scale = method == "lerp_" || keyword_argument(*call, "alpha") != nullptr;
  while (const auto *inner = as<Call>(entry)) {
    has_scale |= called_method(*inner) == "mul_";
    entry = called_method(*inner) == "mul_" ? receiver_of(*inner) : nullptr;
  }
  const Around around = parameter_loop(site);
  if (entry != nullptr && has_scale && around.loop != nullptr && is_live(call->args[0], around.parameter)) {
    const model::Loop *const loop = site.project.loop_at(around.loop);
    const PlaceContext context = context_of(site);
    if (loop == nullptr || site.function == nullptr || site.module->is_test || !is_kept(site, entry, *loop) ||
        context.no_grad != PlaceContext::NoGrad::Never || under_no_grad(site) ||
        function_has_word(site, {"set_grad_enabled", "no_grad", "inference_mode", "requires_grad"})) {
      return;
    }
    report(site, *call,
           fmt::format("the average keeps the autograd graph of `{}` and of all updates before, so memory grows with "
                       "every step",
                       around.parameter.text()),
           fmt::format("use `{}.detach()`, or update the average under `torch.no_grad()`", around.parameter.text()));
  }
}

} // namespace

extern constinit const Rule kAverageWithGraph = {
    .info = {.code = "DP289",
             .name = "average-with-graph",
             .summary = "a moving average of weights that is updated with its autograd graph",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Increasing Memory, Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

An average of a model's weights that is computed from its parameters themselves, outside `torch.no_grad()`, and kept for the next update.

## Why it costs

Parameters require gradients, so the average becomes part of an autograd graph. The next update reads the last average and adds to the same
graph, which is never freed: memory and the time of each update grow until the program ends.

## Bad

```python
import torch


class Average:
    def __init__(self, model: torch.nn.Module):
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}

    def update(self, model: torch.nn.Module):
        for name, p in model.named_parameters():
            self.shadow[name] = 0.99 * self.shadow[name] + 0.01 * p
```

## Good

```python
import torch


class Average:
    def __init__(self, model: torch.nn.Module):
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}

    @torch.no_grad()
    def update(self, model: torch.nn.Module):
        for name, p in model.named_parameters():
            self.shadow[name] = 0.99 * self.shadow[name] + 0.01 * p
```

## When it is wrong

Where a loss is meant to depend on the average, as in some methods of meta-learning.

## References

- `torch.no_grad`
- `torch.optim.swa_utils.AveragedModel`
)"},
    .nodes = {NodeKind::Assign, NodeKind::AugAssign, NodeKind::ExprStmt},
    .on_node = check};

} // namespace deepperf::rules::average_with_graph
