#include "model/bind.h"
#include "rules/origins.h"
#include "rules/tracers.h"
#include "rules/tracing.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::python_loop_under_jit {

using namespace python;

namespace {

constexpr i64 kManyIterations = 32;

// A number that is written down, or the default of a setting.
std::optional<i64> setting(const Site &site, const Expr *expr) {
  const std::optional<model::ConstantValue> value = setting_of(site, expr);
  return value.has_value() ? value->as_integer() : std::nullopt;
}

// How often a `for … in range(…)` turns, where that is written down.
std::optional<i64> iterations_of(const Site &site, const Call &range) {
  const std::size_t given = range.args.size();
  if (given == 1) {
    return setting(site, range.args[0]);
  }
  if (given < 2 || given > 3) {
    return std::nullopt;
  }
  const std::optional<i64> from = setting(site, range.args[0]);
  const std::optional<i64> to = setting(site, range.args[1]);
  const std::optional<i64> step = given == 3 ? setting(site, range.args[2]) : 1;
  return from.has_value() && to.has_value() && step.value_or(0) != 0 ? std::optional((*to - *from) / *step)
                                                                     : std::nullopt;
}

// `range(x.shape[1])`: as long as the sequences are.
bool counts_dimension(const Call &range) {
  const Expr *last = range.args.empty() ? nullptr : range.args[range.args.size() > 1 ? 1 : 0];
  const auto *element = as<Subscript>(last);
  const auto *shape = element != nullptr ? as<Attribute>(element->value) : nullptr;
  return shape != nullptr && shape->attr.text() == "shape";
}

// The same where the number comes from elsewhere: `steps = trace.shape[0]`, passed to the function that loops.
bool counts_dimension_of_origin(const Site &site, const Call &range) {
  const Expr *last = range.args.empty() ? nullptr : range.args[range.args.size() > 1 ? 1 : 0];
  if (last == nullptr || (last->kind != NodeKind::Name && last->kind != NodeKind::Attribute)) {
    return false;
  }
  bool is_dimension = false;
  bool is_other = false;
  const bool complete = visit_origins(site, *site.function, last, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    const auto *shape = as<Attribute>(origin.expr);
    const auto *call = as<Call>(origin.expr);
    const bool is_length = call != nullptr && called_name(*call) == "len" && call->args.size() == 1 &&
                           model::kind_of(call->args[0]) == Kind::JaxArray;
    const bool is_meant = is_length || (shape != nullptr && shape->attr.text() == "shape" && !origin.path.empty());
    (is_meant ? is_dimension : is_other) = true;
    return Onward::Stop;
  });
  return complete && is_dimension && !is_other;
}

// Does each iteration take an element of an array, and go on with what the one before computed?
bool is_recurrence(const For &loop) {
  const auto *counter = as<Name>(loop.target);
  bool indexes = false;
  bool carries = false;
  for (const Stmt *statement : loop.body) {
    indexes |=
        counter != nullptr && any_node(statement, [&](const Node *node) {
          const auto *element = as<Subscript>(node);
          return element != nullptr && element->context == Context::Load && mentions(element->slice, counter->id);
        });
    const auto *assignment = as<Assign>(statement);
    const auto *call = assignment != nullptr ? as<Call>(assignment->value) : nullptr;
    for (const Expr *target : assignment != nullptr ? assignment->targets : Array<Expr *>{}) {
      carries |= call != nullptr && any_node(target, [&](const Node *node) {
                   const auto *name = as<Name>(node);
                   return name != nullptr && mentions(call, name->id);
                 });
    }
  }
  return indexes && carries;
}

// `x, state = self.cell(x, state)`: what a parameter of a compiled function goes through again and again.
bool carries_call(const Site &site, const For &loop) {
  const model::FunctionInfo *function = site.function;
  if (function == nullptr || function->compiled_at == nullptr) {
    return false;
  }
  const auto is_param = [&](Symbol name) {
    return std::ranges::any_of(function->params,
                               [name](const Param *param) { return param->name == name && name.text() != "self"; });
  };
  return std::ranges::any_of(loop.body, [&](const Stmt *statement) {
    const auto *assignment = as<Assign>(statement);
    const auto *call = assignment != nullptr ? as<Call>(assignment->value) : nullptr;
    return call != nullptr && assignment->targets.size() == 1 &&
           any_node(assignment->targets[0], [&](const Node *node) {
             const auto *name = as<Name>(node);
             return name != nullptr && is_param(name->id) && mentions(call, name->id);
           });
  });
}

// `x = self.denoise(params, x, t)`: a function of the project computes the next value of a name from the one before,
// with operations of the framework. What a loop over layers calls is another function each time.
bool carries_through_function(const Site &site, const For &loop) {
  return std::ranges::any_of(loop.body, [&](const Stmt *statement) {
    const auto *assignment = as<Assign>(statement);
    const auto *call = assignment != nullptr ? as<Call>(assignment->value) : nullptr;
    const model::FunctionInfo *callee = call != nullptr ? called_function(site, *call) : nullptr;
    if (callee == nullptr || assignment->targets.size() != 1) {
      return false;
    }
    const bool goes_on = any_node(assignment->targets[0], [&](const Node *node) {
      const auto *name = as<Name>(node);
      return name != nullptr && mentions(call, name->id);
    });
    const auto computes = [](const model::FunctionInfo &one) {
      return std::ranges::any_of(one.ops, [](const model::OpFact &op) { return (op.traits & kOp) != 0; });
    };
    return goes_on && (computes(*callee) || std::ranges::any_of(callee->calls, [&](const model::CallSite &inner) {
                         return inner.callee != callee && computes(*inner.callee);
                       }));
  });
}

// `xs[:, t]` of a traced array: step after step of a sequence, and not layer after layer.
bool reads_time_axis(const Site &site, const For &loop) {
  const auto *counter = as<Name>(loop.target);
  return counter != nullptr && any_node(loop.body, [&](const Node *node) {
           const auto *element = as<Subscript>(node);
           const auto *index = element != nullptr ? as<Tuple>(element->slice) : nullptr;
           if (index == nullptr || index->elts.size() < 2 || element->context != Context::Load) {
             return false;
           }
           const auto *whole = as<Slice>(index->elts[0]);
           const auto *step = as<Name>(index->elts[1]);
           return whole != nullptr && whole->lower == nullptr && whole->upper == nullptr && step != nullptr &&
                  step->id == counter->id && is_tracer(site, element->value);
         });
}

// `for t in range(xs.shape[0]): h = cell(h, xs[t])`: each iteration takes the next part of a traced array along the
// axis that it counts, and hands it to what goes on with the state.
bool reads_counted_axis(const Site &site, const For &loop, const Call &range) {
  const auto *counter = as<Name>(loop.target);
  const Expr *last = range.args[range.args.size() > 1 ? 1 : 0];
  const auto *element = as<Subscript>(last);
  const auto *shape = element != nullptr ? as<Attribute>(element->value) : nullptr;
  const auto *array = shape != nullptr ? as<Name>(shape->value) : nullptr;
  if (counter == nullptr || array == nullptr || integer_of(site, element->slice) != std::optional<i64>(0) ||
      (model::kind_of(array) != Kind::JaxArray && !is_tracer(site, array))) {
    return false;
  }
  return std::ranges::any_of(loop.body, [&](const Stmt *statement) {
    const auto *assignment = as<Assign>(statement);
    const auto *call = assignment != nullptr ? as<Call>(assignment->value) : nullptr;
    return call != nullptr && std::ranges::any_of(call->args, [&](const Expr *given) {
             const auto *part = as<Subscript>(given);
             const auto *of = part != nullptr ? as<Name>(part->value) : nullptr;
             const auto *index = part != nullptr ? as<Name>(part->slice) : nullptr;
             return of != nullptr && of->id == array->id && index != nullptr && index->id == counter->id;
           });
  });
}

// `for x in xs: h = cell(h, x); outputs.append(h)`: each element of a traced array, and what the one before gave.
bool goes_over_sequence(const Site &site, const For &loop) {
  const auto *element = as<Name>(loop.target);
  if (element == nullptr || loop.iter->kind != NodeKind::Name || !is_tracer(site, loop.iter)) {
    return false;
  }
  bool collects = false;
  bool carries = false;
  for (const Stmt *statement : loop.body) {
    const auto *assignment = as<Assign>(statement);
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    carries |= target != nullptr && mentions(assignment->value, target->id) && mentions(assignment->value, element->id);
    collects |= any_node(static_cast<const Node *>(statement), [](const Node *part) {
      const auto *call = as<Call>(part);
      return call != nullptr && called_method(*call) == "append";
    });
  }
  return collects && carries;
}

void check(Site &site, const Node &node) {
  const u8 tracers = tracers_at(site);
  if ((tracers & (model::kByJaxJit | model::kByTfFunction)) == 0) {
    return;
  }
  const auto &loop = static_cast<const For &>(node);
  const auto *range = as<Call>(loop.iter);
  if (range != nullptr && called_api(site, *range) == "reversed" && range->args.size() == 1) {
    range = as<Call>(range->args[0]);
  }
  const bool is_jax = (tracers & model::kByJaxJit) != 0;
  if (is_jax && goes_over_sequence(site, loop)) {
    Finding &unrolled =
        report(site, Span{loop.start, loop.iter->end},
               "this loop over an array is unrolled during tracing, so every iteration is compiled separately",
               "use `jax.lax.scan`, which compiles the body once and stacks the results");
    unrolled.tier = site.module->is_test ? Tier::Hint : unrolled.tier;
    return;
  }
  if (range == nullptr || called_api(site, *range) != "range") {
    return;
  }
  const std::optional<i64> iterations = iterations_of(site, *range);
  // What each iteration computes is collected, as `scan` does it: a sequence.
  const auto collects = [&loop] {
    return any_node(loop.body, [](const Node *part) {
      const auto *call = as<Call>(part);
      return call != nullptr && called_method(*call) == "append";
    });
  };
  if (!iterations.has_value() && is_jax && !site.module->is_test && !is_recurrence(loop) &&
      (counts_dimension(*range) || counts_dimension_of_origin(site, *range)) && carries_through_function(site, loop) &&
      collects()) {
    report(site, Span{loop.start, loop.iter->end},
           "this loop over a dimension is unrolled during tracing, so every iteration is compiled separately",
           "use `jax.lax.scan`, which compiles the body once and stacks the results");
    return;
  }
  if (!iterations.has_value() && is_jax && counts_dimension(*range) && is_recurrence(loop)) {
    Finding &unrolled =
        report(site, Span{loop.start, loop.iter->end},
               "this loop over a dimension is unrolled during tracing, so every iteration is compiled separately",
               "use `jax.lax.scan`, which compiles the body once");
    const bool is_certain =
        ((collects() && (site.function->compiled_at != nullptr || reads_counted_axis(site, loop, *range))) ||
         reads_time_axis(site, loop)) &&
        !site.module->is_test;
    unrolled.tier = is_certain ? unrolled.tier : Tier::Hint;
    return;
  }
  if (iterations.value_or(0) < kManyIterations) {
    return;
  }
  const bool has_ops = std::ranges::any_of(site.function->ops, [&loop](const model::OpFact &op) {
    return loop.start <= op.call->start && op.call->end <= loop.end;
  });
  const auto *counter = as<Name>(loop.target);
  const bool has_arithmetic = !has_ops && any_node(loop.body, [&](const Node *part) {
    const auto *operation = as<BinOp>(part);
    const auto *element = as<Subscript>(part);
    // rollout.reward[t] of a parameter of the compiled function
    const Name *array = element != nullptr && counter != nullptr && mentions(element->slice, counter->id)
                            ? model::root_name(element->value)
                            : nullptr;
    if (is_jax && array != nullptr && element->context == Context::Load && is_tracer(site, array)) {
      return true;
    }
    return (operation != nullptr && depends_on_traced_argument(site, operation)) ||
           // cell(inputs[:, t], state): what the iteration takes of a tensor goes into something.
           (element != nullptr && element->context == Context::Load && counter != nullptr &&
            mentions(element->slice, counter->id) && depends_on_traced_argument(site, element->value));
  });
  if (!has_ops && !has_arithmetic && !carries_call(site, loop) && !carries_through_function(site, loop)) {
    return;
  }
  Finding &finding = report(
      site, Span{loop.start, loop.iter->end},
      fmt::format("this loop is unrolled during tracing, so its {} iterations are compiled separately", *iterations),
      is_jax ? "use `jax.lax.fori_loop` or `jax.lax.scan`" : "loop over `tf.range`, which becomes a loop in the graph");
  constexpr i64 kVeryMany = 200; // then tracing alone takes seconds
  if (*iterations < kVeryMany) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kPythonLoopUnderJit = {
    .info = {.code = "DP221",
             .name = "python-loop-under-jit",
             .summary = "a long Python loop inside a function that `jax.jit` or `tf.function` compiles",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Initialization Time, Out of Memory",
             .stage = "Model Building",
             .frameworks = "JAX, TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `for` loop over a `range` of 32 iterations or more, written as a number or the default of a setting, with operations in it or in the function
of the project that computes its next value, in a function that `jax.jit`, `pmap` or
`tf.function` compiles or in one that only such functions call. Under `jax.jit` also a loop over a dimension (`range(x.shape[1])`) whose
iterations read one element each and continue with the previous result, and a loop over the elements of an array that carries a state along
and collects it. Below 200 iterations it is a hint.

## Why it costs

The Python loop runs while the function is traced, so the compiler sees all iterations as straight-line code. Trace time, compile time and
program size grow with the number of iterations.

## Bad

```python
import jax
import jax.numpy as jnp

@jax.jit
def simulate(x):
    for step in range(1000):
        x = x + 0.01 * jnp.sin(x)
    return x
```

## Good

```python
import jax
import jax.numpy as jnp

@jax.jit
def simulate(x):
    return jax.lax.fori_loop(0, 1000, lambda step, x: x + 0.01 * jnp.sin(x), x)
```

## When it is wrong

Unrolling lets the compiler optimize across iterations, so a short loop may be faster that way. Loops of fewer than 32 iterations are not
reported.

## References

- JAX FAQ: jit of functions with loops; JAX documentation "Control flow"
- TensorFlow guide "Better performance with tf.function": loops
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::python_loop_under_jit
