#include "model/context.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tracing.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::step_not_jitted {

using namespace python;
using model::Value;

namespace {

// A loop over what a loader, a file or a generator gives, and not over numbers.
bool is_over_data(const model::Project &project, const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  if (statement == nullptr || loop.few_iterations || loop.iterations == model::Iterations::Few) {
    return false;
  }
  const Expr *over = model::iterated_by(project, loop);
  const auto *call = as<Call>(over);
  const model::Value callee = call != nullptr ? project.callee_of(call) : model::Value{};
  const std::string_view api = callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
  if (model::goes_over_data(project, loop)) {
    return true;
  }
  const bool counts = api == "range" || api == "zip" || api == "reversed" || api == "sorted" || api.starts_with("jax.");
  const bool is_plain = over != nullptr && (over->kind == NodeKind::Name || over->kind == NodeKind::Call ||
                                            over->kind == NodeKind::Attribute);
  // `for batch in batches`, with what each iteration gets going into the step. Layers and leaves are short.
  return is_plain && !counts && model::kind_of(over) != Kind::JaxArray;
}

// Compiled, or handed to something that may compile it; also what is defined in such a function.
bool may_be_compiled(const model::FunctionInfo *function) {
  for (; function != nullptr; function = function->parent) {
    if (function->traced || function->passed || (function->tracers & model::kByJaxJit) != 0) {
      return true;
    }
    const FunctionDef *definition = function->definition();
    if (definition != nullptr && !definition->decorators.empty()) {
      return true;
    }
  }
  return false;
}

enum class AsPython : u8 {
  No,      // something on the way may be compiled
  Perhaps, // a library: who calls it may compile it
  Yes,     // from a script's own code, or in a loop over data, which nobody compiles
};

// Is it called in a loop over something that cannot be traced: batches, files, whatever a generator gives?
bool is_called_for_data(const model::Project &project, const model::FunctionInfo &function) {
  return std::ranges::any_of(function.called_by, [&](const model::CallSite *caller) {
    for (const model::Loop *loop = caller->loop; loop != nullptr; loop = loop->parent) {
      if (is_over_data(project, *loop)) {
        return true;
      }
    }
    return false;
  });
}

// Is it run as Python, and by nothing that may be compiled on the way?
AsPython runs_as_python(const model::Project &project, const model::FunctionInfo *function) {
  constexpr std::size_t kMostCallers = 64;
  std::vector<const model::FunctionInfo *> reached = {function};
  bool from_script = false;
  bool for_data = false;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] == nullptr || reached[i]->node == nullptr) {
      from_script = true;
      continue;
    }
    if (may_be_compiled(reached[i]) || reached.size() > kMostCallers) {
      return AsPython::No;
    }
    for_data |= is_called_for_data(project, *reached[i]);
    if (reached[i]->inputs.empty()) {
      continue;
    }
    for (const model::Cell::Entry &caller : reached[i]->inputs.back().entries) {
      const model::FunctionInfo *next = &project.functions[caller.contributor];
      if (std::ranges::find(reached, next) == reached.end()) {
        reached.push_back(next);
      }
    }
  }
  return from_script || for_data ? AsPython::Yes : AsPython::Perhaps;
}

// Does everything that runs in a call of the function run as Python, one operation after the other, many times?
bool runs_often(const Site &site, const model::Loop *loop) {
  for (; loop != nullptr; loop = loop->parent) {
    if (!loop->few_iterations && loop->iterations != model::Iterations::Few) {
      return true;
    }
  }
  return site.function != nullptr && site.function->node != nullptr && site.function->in_loop;
}

// A function with @jax.jit, or what jax.jit made. That somebody else compiles the function somewhere does not count.
bool is_compiled(const Site &site, const Expr *function) {
  const auto *name = as<Name>(function);
  const auto *made = as<Call>(name != nullptr ? last_assigned(site, *name) : function);
  const ApiInfo *maker = made != nullptr ? find_api(site.project.callee_of(made).name()) : nullptr;
  if (maker != nullptr && maker->has(kCompiles)) {
    return true;
  }
  const Value value = value_of(site, function);
  const bool is_known = value.is(Value::Tag::Function) || value.is(Value::Tag::Method);
  const FunctionDef *definition = is_known ? value.function->definition() : nullptr;
  return definition != nullptr && !definition->decorators.empty();
}

// The place where the gradient function that `call` makes is called: on the spot, or under the name it is given here.
const Call *use_of(const Site &site, const Call &call) {
  if (site.ancestors.empty()) {
    return nullptr;
  }
  const auto *outer = as<Call>(site.ancestors.back());
  if (outer != nullptr) {
    return outer->func == &call ? outer : nullptr; // else it is an argument, perhaps of jax.jit
  }
  const auto *assignment = as<Assign>(site.ancestors.back());
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (name == nullptr || site.function == nullptr) {
    return nullptr;
  }
  const Block scope =
      site.function->definition() != nullptr ? site.function->definition()->body : site.module->parsed->tree.body;
  const Call *found = nullptr;
  u32 mentioned = 0;
  any_node(scope, [&](const Node *node) {
    const auto *other = as<Call>(node);
    if (const auto *called = other != nullptr ? as<Name>(other->func) : nullptr;
        called != nullptr && called->id == name->id) {
      found = other;
    }
    const auto *plain = as<Name>(node);
    mentioned += plain != nullptr && plain->id == name->id ? 1 : 0;
    return false;
  });
  return mentioned == 2 ? found : nullptr; // bound once and called once, and handed to nobody
}

// The innermost `for` or `while` of the site's function around a node, unless the node is what it runs over.
const model::Loop *loop_with(const Site &site, const Node *node) {
  const model::Loop *loop = nullptr;
  for (const model::Loop *one : site.function != nullptr ? site.function->loops : std::vector<model::Loop *>{}) {
    const auto *statement = as<For>(one->node);
    const bool is_statement = one->node->kind == NodeKind::For || one->node->kind == NodeKind::While;
    if (is_statement && contains(one->node, node) && (statement == nullptr || !contains(statement->iter, node))) {
      loop = one;
    }
  }
  return loop;
}

// What the project's train states call `apply_fn`.
struct AppliedByStates {
  u32 plain = 0; // `TrainState.create(apply_fn=model.apply, …)`
  u32 other = 0; // perhaps compiled
};

bool are_states_plain(const Site &site) {
  const AppliedByStates &applied = site.memory.recall<AppliedByStates>(&site.project, [&] {
    AppliedByStates found;
    const auto look = [&found](const Node *node) {
      const auto *call = as<Call>(node);
      const Keyword *const given = call != nullptr ? keyword_argument(*call, "apply_fn") : nullptr;
      if (given != nullptr) {
        const auto *method = as<Attribute>(given->value);
        ++(method != nullptr && (method->attr.text() == "apply" || method->attr.text() == "__call__") ? found.plain
                                                                                                      : found.other);
      }
      return false;
    };
    for (const model::Module &module : site.project.modules) {
      for (const Stmt *statement : module.jax ? module.parsed->tree.body : Block{}) {
        any_node_inside(static_cast<const Node *>(statement), look);
      }
    }
    return found;
  });
  return applied.plain != 0 && applied.other == 0;
}

// `model.apply(variables, x)` of a Flax module, or `state.apply_fn(variables, x)`.
void check_apply(Site &site, const Call &call) {
  const Value model = receiver_of(call) != nullptr ? value_of(site, receiver_of(call)) : Value{};
  const bool is_of_state = called_method(call) == "apply_fn" && are_states_plain(site);
  const bool is_module =
      is_of_state ||
      (model.is(Value::Tag::Object) && std::ranges::any_of(model.type->mro, [](const model::ClassInfo *type) {
         return std::ranges::any_of(type->bases, [](const Value &base) {
           return base.is(Value::Tag::Api) && base.name().text() == "flax.linen.Module";
         });
       }));
  // `model.apply = jax.jit(model.apply)` compiles it under its own name.
  if (!is_module || site.module->is_test || may_be_compiled(site.function) ||
      project_has_word(site, {".apply = ", ".apply=", "nn.jit"})) {
    return;
  }
  const model::Loop *loop = loop_with(site, &call);
  const AsPython as_python = runs_often(site, loop) ? runs_as_python(site.project, site.function) : AsPython::No;
  if (as_python == AsPython::No) {
    return;
  }
  Finding &finding = report(
      site, call,
      fmt::format("`{}` runs operation by operation in every iteration, because no `jax.jit` compiles it",
                  text_of(site, call.func)),
      is_of_state
          ? "compile the function around it once, with `@jax.jit`, and call that in the loop"
          : "compile it once: `predict = jax.jit(lambda variables, x: model.apply(variables, x))`, and call that");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "in every iteration of this loop");
  }
  finding.tier = as_python == AsPython::Yes ? finding.tier : Tier::Hint;
}

bool is_nnx_module(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [](const Value &base) {
      return base.is(Value::Tag::Api) && base.name().text() == "flax.nnx.Module";
    });
  });
}

// Over batches: data, or `range(0, len(x), size)`.
bool is_over_batches(const Site &site, const model::Loop &loop) {
  const auto *range = as<Call>(iterated_by(site, loop));
  const std::string_view api = range != nullptr ? called_api(site, *range) : std::string_view{};
  if (api == "range") {
    return range->args.size() == 3;
  }
  if (loop.node->kind == NodeKind::ListComp || loop.node->kind == NodeKind::GeneratorExp) {
    const Expr *const over = iterated_by(site, loop);
    return over != nullptr && (over->kind == NodeKind::Name || over->kind == NodeKind::Attribute || api.empty()) &&
           loop.iterations != model::Iterations::Few && model::kind_of(over) != Kind::JaxArray &&
           !api.starts_with("jax.");
  }
  return is_over_data(site.project, loop);
}

// `model(x)` of an nnx.Module for each batch, itself or in a function that only a loop over batches calls.
void check_nnx(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (!site.module->jax || site.module->is_test || site.function == nullptr || call.args.empty() ||
      (site.function->type != nullptr && is_nnx_module(*site.function->type))) {
    return;
  }
  const Value callee = site.project.callee_of(&call);
  if (!callee.is(Value::Tag::Object) || callee.alternatives != nullptr || !is_nnx_module(*callee.type) ||
      may_be_compiled(site.function) || project_has_word(site, {"jit(model", "nnx.jit(self", "= nnx.jit("})) {
    return;
  }
  const model::Loop *loop = loop_with(site, &call);
  while (loop != nullptr && !is_over_batches(site, *loop)) {
    loop = loop->parent;
  }
  const bool is_called = std::ranges::any_of(site.function->called_by, [&](const model::CallSite *caller) {
    const Site there = site_of(site, *caller->call);
    return caller->loop != nullptr && !caller->loop->few_iterations && is_over_batches(there, *caller->loop);
  });
  if ((loop == nullptr && !is_called) || runs_as_python(site.project, site.function) != AsPython::Yes) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` runs operation by operation in every iteration, because no `nnx.jit` compiles it",
                         text_of(site, call.func)),
             "compile the function around it once, with `@nnx.jit`, and call that in the loop");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "in every iteration of this loop");
  }
}

void check(Site &site, const Call &call) {
  if ((called_method(call) == "apply" || called_method(call) == "apply_fn") && called_api(site, call).empty()) {
    check_apply(site, call);
    return;
  }
  if (call.args.empty() || may_be_compiled(site.function)) {
    return;
  }
  // The function that is differentiated is compiled itself: then most of the work is.
  if (is_compiled(site, call.args[0])) {
    return;
  }
  const Call *use = use_of(site, call);
  if (use == nullptr) {
    return;
  }
  const model::Loop *loop = loop_with(site, use);
  const AsPython as_python = runs_often(site, loop) ? runs_as_python(site.project, site.function) : AsPython::No;
  if (as_python == AsPython::No) {
    return;
  }
  const bool trains = (loop != nullptr && loop->steps) || (site.function != nullptr && site.function->steps);
  if (as_python == AsPython::Perhaps && !trains) {
    return; // perhaps part of something that is compiled
  }
  Finding &finding = report(
      site, *use,
      fmt::format("the result of `{}` runs operation by operation in every iteration, because no `jax.jit` compiles it",
                  text_of(site, call.func)),
      "move the whole training step into one function and decorate it with `@jax.jit`");
  finding.tier = as_python == AsPython::Yes ? finding.tier : Tier::Hint;
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "in every iteration of this loop");
  }
}

} // namespace

extern constinit const Rule kStepNotJitted = {
    .info = {.code = "DP223",
             .name = "step-not-jitted",
             .summary = "gradients or forward passes in a loop that no `jax.jit` compiles",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`jax.grad(f)` or `jax.value_and_grad(f)` whose result is called in a loop, or in a function that is called from one, where neither it, nor
`f`, nor the code around it is compiled by `jax.jit`. The loop must be reachable from a script's own code, or call a function that
computes the gradients for each batch; where callers that are not known may compile it, it is a hint. Likewise `apply` of a Flax module.

## Why it costs

Without `jit` the function is traced again in every call, and each operation of the forward and backward pass is dispatched from Python
separately. A compiled step is one call, and XLA fuses its operations.

## Bad

```python
import jax


def train(loss, params, batches):
    for batch in batches:
        grads = jax.grad(loss)(params, batch)
        params = jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads)
    return params


train(lambda p, x: ((p * x) ** 2).mean(), 1.0, range(100))
```

## Good

```python
import jax


def train(loss, params, batches):
    @jax.jit
    def step(params, batch):
        grads = jax.grad(loss)(params, batch)
        return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads)

    for batch in batches:
        params = step(params, batch)
    return params


train(lambda p, x: ((p * x) ** 2).mean(), 1.0, range(100))
```

## When it is wrong

Where shapes change in every step, so that each call would compile again, or for very few steps. If another program compiles the function,
the rule cannot see it.

## References

- JAX documentation "Just-in-time compilation"
)"},
    .calls = "jax.grad jax.value_and_grad flax.nnx.grad flax.nnx.value_and_grad equinox.filter_grad "
             "equinox.filter_value_and_grad haiku.grad haiku.value_and_grad *.apply *.apply_fn",
    .on_call = check,
    .nodes = {NodeKind::Call},
    .on_node = check_nnx};

} // namespace deepperf::rules::step_not_jitted
