#include "base/known_names.h"
#include "base/symbol_list.h"
#include "model/bind.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::recompiled_by_number {

using namespace python;

namespace {

bool is_compiled(const model::FunctionInfo *function) {
  return function != nullptr && (function->tracers & model::kByTorch) != 0;
}

// A float of Python that is another one in each iteration: a schedule. Integers become symbols after the second call.
bool is_changing_float(const Site &site, const model::Loop &loop, const Expr *expr, u32 depth = 0) {
  const auto changes = [&loop](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && contains(loop.assigned, name->id);
  };
  if (model::kind_of(expr) == Kind::TorchTensor || depth > 3) {
    return false;
  }
  if (const auto *operation = as<BinOp>(expr)) {
    const bool has_tensor =
        model::kind_of(operation->left) == Kind::TorchTensor || model::kind_of(operation->right) == Kind::TorchTensor;
    const auto is_float = [](const Expr *part) { return is_constant(part, ConstantKind::Float); };
    return !has_tensor && any_node(expr, changes) &&
           (operation->op() == Operator::Div || is_float(operation->left) || is_float(operation->right) ||
            is_changing_float(site, loop, operation->left, depth + 1) ||
            is_changing_float(site, loop, operation->right, depth + 1));
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(site, *call);
    const auto is_part = [&](const Expr *part) { return is_changing_float(site, loop, part, depth + 1); };
    if (api == "min" || api == "max" || api == "float" || api.starts_with("math.")) {
      return api == "float" || api.starts_with("math.")
                 ? std::ranges::any_of(call->args, [&](const Expr *part) { return any_node(part, changes); })
                 : std::ranges::any_of(call->args, is_part);
    }
    // A function of the project that returns arithmetic with floats.
    const model::FunctionInfo *const function = called_function(site, *call);
    const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
    const auto *result =
        definition != nullptr && !definition->body.empty() ? as<Return>(definition->body.back()) : nullptr;
    const bool gives_float =
        result != nullptr && result->value != nullptr && any_node(result->value, [](const Node *node) {
          const auto *operation = as<BinOp>(node);
          return (operation != nullptr && operation->op() == Operator::Div) ||
                 (node->kind == NodeKind::Constant &&
                  is_constant(static_cast<const Expr *>(node), ConstantKind::Float));
        });
    const bool computes_tensors =
        result != nullptr && result->value != nullptr && any_node(result->value, [](const Node *node) {
          return node->kind < NodeKind::FunctionDef &&
                 model::kind_of(static_cast<const Expr *>(node)) == Kind::TorchTensor;
        });
    return gives_float && !computes_tensors &&
           std::ranges::any_of(call->args, [&](const Expr *part) { return any_node(part, changes); });
  }
  if (const auto *name = as<Name>(expr)) {
    const Expr *const value = last_assigned(site, *name);
    return value != nullptr && contains(loop.node, value) && is_changing_float(site, loop, value, depth + 1);
  }
  return false;
}

// `step` of `for step, batch in enumerate(loader)`, or of `step += 1`.
bool is_counter(const model::Loop &loop, const Expr *expr) {
  const auto *name = as<Name>(expr);
  if (name == nullptr) {
    return false;
  }
  const auto *statement = as<For>(loop.node);
  const auto *head = statement != nullptr ? as<Call>(statement->iter) : nullptr;
  const auto *targets = statement != nullptr ? as<Tuple>(statement->target) : nullptr;
  const auto *first = as<Name>(targets != nullptr && !targets->elts.empty() ? targets->elts[0]
                               : statement != nullptr                       ? statement->target
                                                                            : nullptr);
  const std::string_view over = head != nullptr ? called_name(*head) : std::string_view{};
  if (first != nullptr && first->id == name->id && (over == "enumerate" || over == "range")) {
    return true;
  }
  return any_node(loop.node, [name](const Node *node) {
    const auto *increment = as<AugAssign>(node);
    const auto *target = increment != nullptr ? as<Name>(increment->target) : nullptr;
    return target != nullptr && target->id == name->id && is_constant(increment->value, ConstantKind::Int);
  });
}

void check_arguments(Site &site, const model::Loop *loop, const Call &call) {
  const auto add_finding = [&](const Expr *argument) {
    const bool is_float = is_changing_float(site, *loop, argument);
    if (is_float || is_counter(*loop, argument)) {
      Finding &finding =
          report(site, *argument,
                 fmt::format("`{}` is compiled again for each value of this number", text_of(site, call.func)),
                 "pass it as a tensor, `torch.tensor(value, device=…)`, or use it outside of the compiled function");
      add_note(finding, site, *loop->node, "each iteration passes a different number");
      if (!is_float) {
        finding.tier = Tier::Hint; // integers may become symbols after the second value
      }
    }
  };
  std::ranges::for_each(call.args, add_finding);
  for (const Keyword *keyword : call.keywords) {
    add_finding(keyword->value);
  }
}

// A function that torch.compile() was given.
void check(Site &site, const Call &call) {
  const model::Loop *const loop = long_loop_around(site);
  if (loop == nullptr || site.module->is_test) {
    return;
  }
  const auto written = model::written_as(scope_of(site), call.func);
  const auto *maker = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  if (maker == nullptr || called_api(site, *maker) != "torch.compile" || maker->args.empty()) {
    return;
  }
  if (model::value_of(written[0].scope, maker->args[0]).is(model::Value::Tag::Function)) {
    check_arguments(site, loop, call);
  }
}

// Functions with the decorator, which the loop calls.
void check_loop(Site &site, const Node &node) {
  const model::Loop *const loop = site.project.loop_at(&node);
  if (loop == nullptr || loop->few_iterations || site.function == nullptr || !site.module->torch ||
      site.module->is_test) {
    return;
  }
  for (const model::CallSite *caller : model::calls_inside(*site.function, node)) {
    const FunctionDef *const definition = caller->callee->definition();
    const bool is_decorated =
        definition != nullptr && std::ranges::any_of(definition->decorators, [&](const Expr *one) {
          return caller->callee->module->parsed->source.part(one->start, one->end).find("compile") !=
                 std::string_view::npos;
        });
    if (caller->loop == loop && is_compiled(caller->callee) && is_decorated) {
      Site inside = site;
      inside.ancestors.push_back(&node);
      check_arguments(inside, loop, *caller->call);
    }
  }
}

// In every forward pass, or in every one of training: `if self.training: self.calls += 1`.
bool counts_in_training(const Site &site) {
  const auto *branch = as<If>(enclosing(site, NodeKind::If));
  const auto *mode = branch != nullptr ? as<Attribute>(branch->test) : nullptr;
  return branch == nullptr || (mode != nullptr && mode->attr.text() == "training");
}

// `self.calls += 1` in the forward pass of a compiled module.
void check_counter(Site &site, const Node &node) {
  if (node.kind != NodeKind::AugAssign) {
    check_loop(site, node);
    return;
  }
  const auto &increment = static_cast<const AugAssign &>(node);
  const auto *attribute = as<Attribute>(increment.target);
  if (attribute == nullptr || site.type == nullptr || site.type->kind != Kind::TorchModule || site.module->is_test ||
      !is_compiled(site.function) || !model::is_own_object(*site.function, attribute->value) ||
      (!is_constant(increment.value, ConstantKind::Int) && !is_constant(increment.value, ConstantKind::Float)) ||
      model::kind_of(attribute) == Kind::TorchTensor || !counts_in_training(site)) {
    return;
  }
  // A number by its first value; a buffer is a tensor.
  const bool is_number = any_node_inside(site.type->node, [&](const Node *part) {
    const auto *assignment = as<Assign>(part);
    const auto *target = assignment != nullptr ? as<Attribute>(assignment->targets[0]) : nullptr;
    return target != nullptr && target->attr == attribute->attr &&
           (is_constant(assignment->value, ConstantKind::Int) || is_constant(assignment->value, ConstantKind::Float));
  });
  const bool is_buffer = any_node_inside(site.type->node, [&](const Node *part) {
    const auto *call = as<Call>(part);
    return call != nullptr && called_method(*call) == "register_buffer" && !call->args.empty() &&
           string_of(site, call->args[0]) == attribute->attr.text();
  });
  if (is_buffer) {
    return;
  }
  Finding &finding =
      report(site, increment,
             fmt::format("`{}` changes in every forward pass, so the compiled module is compiled again each time",
                         text_of(site, attribute)),
             "keep the number in a buffer, `self.register_buffer(…, torch.zeros((), dtype=torch.long))`, or count "
             "outside of the module");
  if (!is_number) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kRecompiledByNumber = {
    .info = {.code = "DP261",
             .name = "recompiled-by-number",
             .summary = "a compiled function or module that is compiled again for each value of a Python number",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A function compiled with `torch.compile` that receives a different Python float in every iteration of a loop, such as a schedule; and a compiled module that counts in an attribute.

## Why it costs

`torch.compile` treats Python floats and the numbers of a module as constants. A new value means another compilation, which takes seconds, until the limit of recompilations is
reached; from then on the function runs without the compiler. Tensors are not constants.

## Bad

```python
import torch


@torch.compile
def loss_function(logits, labels, weight):
    return weight * torch.nn.functional.cross_entropy(logits, labels)


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer, steps):
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss_function(model(x), y, step / steps).backward()
        optimizer.step()
```

## Good

```python
import torch


@torch.compile
def loss_function(logits, labels, weight):
    return weight * torch.nn.functional.cross_entropy(logits, labels)


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer, steps):
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss_function(model(x), y, torch.tensor(step / steps)).backward()
        optimizer.step()
```

## When it is wrong

Where there are only a few different values.

## References

- PyTorch documentation: dealing with recompilations, torch._dynamo.config.recompile_limit
)"},
    .calls = "TorchModule.__call__",
    .on_call = check,
    .nodes = {NodeKind::AugAssign, NodeKind::For, NodeKind::While},
    .on_node = check_counter};

} // namespace deepperf::rules::recompiled_by_number
