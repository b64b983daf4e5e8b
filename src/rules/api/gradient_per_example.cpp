#include "model/bind.h"
#include "rules/assignments.h"
#include "rules/jax.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::gradient_per_example {

using namespace python;
using model::Value;

namespace {

// jax.grad(f), jax.jit(jax.grad(f)), jax.value_and_grad(f), also under names.
bool makes_gradient(const model::Project &project, const model::Scope &scope, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  if (expr->kind == NodeKind::Name || expr->kind == NodeKind::Attribute) {
    const std::vector<model::Argument::Given> made = model::written_as(scope, expr);
    return depth < kMostDepth && !made.empty() && std::ranges::all_of(made, [&](const model::Argument::Given &given) {
             return makes_gradient(project, given.scope, given.expr, depth + 1);
           });
  }
  const auto *call = as<Call>(expr);
  const Value callee = call != nullptr ? project.callee_of(call) : Value{};
  const std::string_view api = callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
  if (api == "jax.grad" || api == "jax.value_and_grad" || api == "jax.jacrev" || api == "jax.jacfwd" ||
      api == "jax.hessian") {
    return true;
  }
  if (callee.is(Value::Tag::Function) && callee.function->definition() != nullptr && depth < kMostDepth) {
    // A function that returns it.
    u32 results = 0;
    const bool is_other = any_node(callee.function->definition()->body, [&](const Node *node) {
      const auto *result = as<Return>(node);
      results += result != nullptr ? 1 : 0;
      return result != nullptr &&
             (result->value == nullptr ||
              !makes_gradient(project, model::scope_of(project, *callee.function), result->value, depth + 1));
    });
    return results != 0 && !is_other;
  }
  return api == "jax.jit" && !call->args.empty() && depth < kMostDepth &&
         makes_gradient(project, scope, call->args[0], depth + 1);
}

// A function of the project that computes the gradient for what it is given: `grad = jax.grad(loss)(params, x, y)`.
bool computes_gradient(const Site &site, const Call &call, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  const model::FunctionInfo *const function = depth < kMostDepth ? called_function(site, call) : nullptr;
  const FunctionDef *definition = function != nullptr ? function->definition() : nullptr;
  if (definition == nullptr || function->params.empty()) {
    return false;
  }
  struct ComputesGradient {
    bool value = false;
  };
  return site.memory
      .recall<ComputesGradient>(
          function,
          [&] {
            return ComputesGradient{any_node(definition->body, [&](const Node *node) {
              const auto *one = as<Call>(node);
              // It takes parameters of the function, the example among them.
              const auto takes = [&](const Expr *given) {
                const auto *name = as<Name>(given);
                return name != nullptr && function->has_param(name->id);
              };
              return one != nullptr && one->args.size() >= 2 && std::ranges::all_of(one->args, takes) &&
                     (makes_gradient(site.project, model::scope_of(site.project, *function), one->func) ||
                      computes_gradient(site, *one, depth + 1));
            })};
          })
      .value;
}

// A loop, or a comprehension with one `for`.
struct Head {
  const Expr *target = nullptr;
  const Expr *iter = nullptr;
  const For *statement = nullptr;
};

Head head_of(const model::Loop *loop) {
  const Node *node = loop != nullptr ? loop->node : nullptr;
  if (const auto *statement = as<For>(node)) {
    return {statement->target, statement->iter, statement};
  }
  const bool is_list = node != nullptr && (node->kind == NodeKind::ListComp || node->kind == NodeKind::GeneratorExp);
  const auto *each = is_list ? static_cast<const ComprehensionExpr *>(node) : nullptr;
  return each != nullptr && each->generators.size() == 1
             ? Head{each->generators[0]->target, each->generators[0]->iter, nullptr}
             : Head{};
}

// Names that the head of the loop binds.
bool is_element(const Head &loop, const Expr *expr) {
  const auto *name = as<Name>(expr);
  return name != nullptr && mentions(loop.target, name->id);
}

// `xs[i]`, with the loop's counter.
bool is_indexed(const Head &loop, const Expr *expr) {
  const auto *element = as<Subscript>(expr);
  return element != nullptr && is_element(loop, element->slice);
}

// Does it append what it makes to a list?
bool keeps_all(const Site &site, const For &loop) {
  struct KeepsAll {
    bool value = false;
  };
  return site.memory
      .recall<KeepsAll>(&loop,
                        [&] {
                          return KeepsAll{any_node(loop.body, [](const Node *inner) {
                            const auto *other = as<Call>(inner);
                            return other != nullptr && called_method(*other) == "append";
                          })};
                        })
      .value;
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (!site.module->jax || site.module->is_test || call.args.size() < 2) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  const Head head = head_of(loop);
  if (head.target == nullptr || loop->few_iterations || loop->steps || loop->trains || contains(head.iter, &call) ||
      (head.statement != nullptr && !runs_every_iteration(site, *loop))) {
    return;
  }
  // The same parameters for all examples: else it is a training step for each.
  const Name *params = model::root_name(call.args[0]);
  const auto *attribute = as<Attribute>(call.args[0]);
  if (params == nullptr || is_bound_in(*loop, params->id) ||
      (attribute != nullptr && std::ranges::binary_search(loop->attributes, attribute->attr.id, {}, &Symbol::id))) {
    return;
  }
  const bool takes_element =
      std::ranges::any_of(call.args, [&](const Expr *arg) { return is_element(head, arg) || is_indexed(head, arg); });
  const auto *iterated = as<Call>(head.iter);
  const std::string_view over = iterated != nullptr ? called_api(site, *iterated) : std::string_view{};
  const bool is_starred = iterated != nullptr && std::ranges::any_of(iterated->args, [](const Expr *arg) {
                            return arg->kind == NodeKind::Starred;
                          });
  const bool is_collection =
      !is_starred && (iterated == nullptr || over == "zip" || over == "enumerate" || over == "range");
  // Gradients that are kept apart; those of minibatches are added up.
  const bool kept =
      head.statement != nullptr ? keeps_all(site, *head.statement) : loop->node->kind == NodeKind::ListComp;
  if (!takes_element || !is_collection || !kept || goes_over_data(site, *loop)) {
    return;
  }
  if (!makes_gradient(site.project, scope_of(site), call.func) && !computes_gradient(site, call)) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` is called for one example at a time, which leaves most of the device idle",
                         text_of(site, call.func)),
             fmt::format("map it over the batch: `jax.vmap({}, in_axes=(None, 0, …))`", text_of(site, call.func)));
  add_note(finding, site, *head.target, "one iteration for each example");
}

// `x` of `range(len(x))`, `range(x.shape[0])`, `range(x.size(0))`.
const Name *counted(const Site &site, const Expr *iter) {
  const auto *range = as<Call>(iter);
  if (range == nullptr || called_api(site, *range) != "range" || range->args.size() != 1) {
    return nullptr;
  }
  const Expr *count = range->args[0];
  if (const auto *call = as<Call>(count)) {
    return as<Name>(called_name(*call) == "len" && call->args.size() == 1 ? call->args[0]
                    : called_method(*call) == "size"                      ? receiver_of(*call)
                                                                          : nullptr);
  }
  const auto *first = as<Subscript>(count);
  const auto *shape = first != nullptr ? as<Attribute>(first->value) : nullptr;
  return shape != nullptr && shape->attr.text() == "shape" ? as<Name>(shape->value) : nullptr;
}

// `for x, y in loader: for i in range(len(x)): criterion(model(x[i]), y[i]).backward()`, with one step for the batch.
void check_backward(Site &site, const Call &call) {
  const model::Loop *loop = loop_around(site);
  const auto *statement = loop != nullptr ? as<For>(loop->node) : nullptr;
  const auto *outer = statement != nullptr && loop->parent != nullptr ? as<For>(loop->parent->node) : nullptr;
  if (outer == nullptr || loop->few_iterations || site.module->is_test || !runs_every_iteration(site, *loop)) {
    return;
  }
  const auto *index = as<Name>(statement->target);
  const Name *batch = counted(site, statement->iter);
  if (index == nullptr || batch == nullptr || model::kind_of(batch) != Kind::TorchTensor ||
      !mentions(outer->target, batch->id)) {
    return;
  }
  struct Rows {
    bool steps = false;
    bool takes_row = false;
  };
  const Rows &rows = site.memory.recall<Rows>(statement, [&] {
    Rows found;
    found.steps = any_node(statement->body, [&](const Node *node) {
      const auto *row = as<Subscript>(node);
      const auto *base = row != nullptr ? as<Name>(row->value) : nullptr;
      const auto *at = row != nullptr ? as<Name>(row->slice) : nullptr;
      found.takes_row =
          found.takes_row || (base != nullptr && base->id == batch->id && at != nullptr && at->id == index->id);
      const auto *other = as<Call>(node);
      return other != nullptr && called_method(*other) == "step";
    });
    return found;
  });
  if (rows.steps || !rows.takes_row) {
    return;
  }
  Finding &finding = report(site, call, "each example of the batch gets its own forward and backward pass",
                            "run the model on the whole batch, and call `backward()` once on the mean loss");
  add_note(finding, site, *statement, "one iteration for each example");
}

// What the head of a loop or comprehension binds.
const Expr *target_of(const model::Loop &loop) {
  if (const auto *statement = as<For>(loop.node)) {
    return statement->target;
  }
  const bool is_comprehension = loop.node->kind == NodeKind::ListComp || loop.node->kind == NodeKind::GeneratorExp;
  const auto *list = is_comprehension ? static_cast<const ComprehensionExpr *>(loop.node) : nullptr;
  return list != nullptr && list->generators.size() == 1 ? list->generators[0]->target : nullptr;
}

bool is_tensor(const Expr *expr) {
  return model::kind_of(expr) == Kind::TorchTensor || model::kind_of(expr) == Kind::Tensor;
}

// `y[:, i]`, of a tensor.
bool is_part_of_tensor(const Node *node, const Expr *target) {
  const auto *part = as<Subscript>(node);
  return part != nullptr && is_tensor(part->value) && any_node_inside(part->slice, [&](const Node *one) {
           const auto *name = as<Name>(one);
           return name != nullptr && mentions(target, name->id);
         });
}

// A list `[scores[:, c] for c in range(classes)]`, also under a name; null if it is something else.
const ListComp *parts_of_tensor(const Site &site, const Expr *iterated) {
  const auto *name = as<Name>(iterated);
  const auto *list = as<ListComp>(name != nullptr ? assigned_before(site, name->id, name->start) : iterated);
  const bool is_one =
      list != nullptr && list->generators.size() == 1 && is_part_of_tensor(list->elt, list->generators[0]->target);
  return is_one ? list : nullptr;
}

// `for y in outputs`, where that is a tensor or a list of its parts.
bool gives_outputs(const Site &site, const Expr *iterated) {
  return is_tensor(iterated) || parts_of_tensor(site, iterated) != nullptr;
}

bool is_few(const Site &site, const model::Loop &loop, const Expr *iterated) {
  const ListComp *const parts = parts_of_tensor(site, iterated);
  const model::Loop *const counted = parts != nullptr ? site.project.loop_at(parts) : &loop;
  return counted == nullptr || counted->few_iterations || counted->iterations == model::Iterations::Few;
}

// Does the expression hold one part of what a model gave, another one in each iteration?
bool is_one_output(const Site &site, const Expr *expr, const Expr *target, const Expr *iterated, u32 depth = 0) {
  constexpr u32 kMostDepth = 2;
  return any_node_inside(expr, [&](const Node *node) {
    if (is_part_of_tensor(node, target)) {
      return true;
    }
    const auto *name = as<Name>(node);
    if (name == nullptr) {
      return false;
    }
    if (mentions(target, name->id)) {
      return name == expr && gives_outputs(site, iterated);
    }
    const Expr *const value = depth < kMostDepth ? last_assigned(site, *name) : nullptr;
    return value != nullptr && is_one_output(site, value, target, iterated, depth + 1);
  });
}

// `torch.autograd.grad(y[:, i].sum(), x, retain_graph=True)` and `tape.gradient(y[:, i], x)` for each i: a Jacobian,
// with a backward pass for each of its rows.
void check_output(Site &site, const Call &call) {
  const model::Loop *const loop = loop_around(site);
  const Expr *const target = loop != nullptr ? target_of(*loop) : nullptr;
  const Expr *const iterated = loop != nullptr ? iterated_by(site, *loop) : nullptr;
  const auto *counted = as<Call>(iterated);
  const bool is_range = counted != nullptr && called_api(site, *counted) == "range";
  const bool is_torch = called_method(call) == "grad";
  const Expr *const output = argument(call, 0, is_torch ? "outputs" : "target");
  const Expr *const input = argument(call, 1, is_torch ? "inputs" : "sources");
  if (target == nullptr || iterated == nullptr || output == nullptr || input == nullptr ||
      is_few(site, *loop, iterated) || site.module->is_test || (!is_range && goes_over_data(site, *loop)) ||
      any_node_inside(input, [&](const Node *node) {
        const auto *name = as<Name>(node);
        return name != nullptr && is_bound_in(*loop, name->id);
      })) {
    return;
  }
  if (!is_one_output(site, output, target, iterated)) {
    return;
  }
  Finding &finding =
      report(site, call, "each iteration runs a backward pass through the whole graph for one part of the output",
             is_torch ? "compute all of them at once: `torch.func.jacrev`, or one-hot `grad_outputs` with "
                        "`is_grads_batched=True`"
                      : "compute all of them at once: `tape.jacobian(y, x)`, or `tape.batch_jacobian(y, x)` where "
                        "examples do not depend on each other");
  add_note(finding, site, *target, "one iteration for each part");
  if (is_torch && argument(call, 3, "create_graph") != nullptr) {
    finding.tier = Tier::Hint; // derivatives by the few coordinates of a point, as likely as not
  }
}

void check_call(Site &site, const Call &call) {
  if (called_method(call) == "backward") {
    check_backward(site, call);
  } else {
    check_output(site, call);
  }
}

} // namespace

extern constinit const Rule kGradientPerExample = {
    .info = {.code = "DP117",
             .name = "gradient-per-example",
             .summary = "a Python loop that computes gradients of one example or output at a time",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "JAX, PyTorch, TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop over examples that calls the result of `jax.grad` or `jax.value_and_grad`, with the same parameters each time. In
PyTorch, a loop over the rows of a batch, `for i in range(len(x))`, that calls `backward()` for each row before one step. In PyTorch and TensorFlow, a loop that computes a Jacobian row by row:
`torch.autograd.grad(y[:, i].sum(), x, retain_graph=True)` or `tape.gradient(y[:, i], x)` for each `i`.

## Why it costs

Each call is dispatched separately and computes with a single example, which leaves most of the device idle. `jax.vmap`
compiles one program that handles the whole batch and returns the gradients of all examples. `torch.func.jacrev` and
`tape.jacobian` do the same for the rows of a Jacobian.

## Bad

```python
import jax
import jax.numpy as jnp


def gradients(loss, params, xs, ys):
    grad_fn = jax.grad(loss)
    rows = []
    for x, y in zip(xs, ys):
        rows.append(grad_fn(params, x, y))
    return jnp.stack(rows)
```

## Good

```python
import jax


def gradients(loss, params, xs, ys):
    return jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, xs, ys)
```

## When it is wrong

Where the examples have different shapes, or where the gradients of all of them together do not fit into memory.

## References

- JAX documentation, "Automatic vectorization": per-example gradients
)"},
    .calls = "TorchTensor.backward torch.autograd.grad GradientTape.gradient",
    .on_call = check_call,
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::gradient_per_example
