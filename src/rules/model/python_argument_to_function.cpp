#include "rules/tracing.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules {

using namespace python;

namespace {

// The name of the Python number that a loop counts with: `i` of `for i in range(n)` and of `for i, x in enumerate(xs)`.
Symbol counter_of(const Site &site, const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  const auto *iterated = statement != nullptr ? as<Call>(statement->iter) : nullptr;
  if (iterated == nullptr) {
    return {};
  }
  const std::string_view api = called_api(site, *iterated);
  const Expr *target = statement->target;
  if (api == "enumerate") {
    const auto *pair = as<Tuple>(target);
    target = pair != nullptr && pair->elts.size() == 2 ? pair->elts[0] : nullptr;
  } else if (api != "range" && api != "xrange") {
    return {};
  }
  const auto *name = as<Name>(target);
  return name != nullptr ? name->id : Symbol{};
}

// `i`, `i + 1`, `-i`: still a Python number.
bool is_number_from(const Expr *expr, Symbol counter) {
  if (const auto *name = as<Name>(expr)) {
    return name->id == counter;
  }
  if (const auto *operation = as<BinOp>(expr)) {
    const bool left = is_number_from(operation->left, counter);
    const bool right = is_number_from(operation->right, counter);
    return (left || operation->left->kind == NodeKind::Constant) &&
           (right || operation->right->kind == NodeKind::Constant) && (left || right);
  }
  const auto *unary = as<UnaryOp>(expr);
  return unary != nullptr && is_number_from(unary->operand, counter);
}

// tf.function(…, input_signature=…) makes tensors of its arguments.
bool has_signature(const model::FunctionInfo &function) {
  const auto *made = as<Call>(function.compiled_at);
  return made != nullptr && (keyword_argument(*made, "input_signature") != nullptr || has_hidden_arguments(*made));
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.fact == 0 || !site.module->tensorflow) {
    return;
  }
  const model::FunctionInfo *callee =
      call.args.empty() && call.keywords.empty() ? nullptr : called_function(site, call);
  if (callee == nullptr || callee->compiled_at == nullptr || (callee->tracers & model::kByTfFunction) == 0 ||
      is_traced(site) || has_signature(*callee)) {
    return;
  }
  for (const model::Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    const Symbol counter = loop->tiny ? Symbol{} : counter_of(site, *loop);
    if (!counter || !runs_every_turn(site, *loop)) {
      continue;
    }
    const auto is_counter = [counter](const Expr *arg) { return is_number_from(arg, counter); };
    const auto *const arg = std::ranges::find_if(call.args, is_counter);
    const auto *const keyword =
        std::ranges::find_if(call.keywords, [&](const Keyword *given) { return is_counter(given->value); });
    const Expr *given = arg != call.args.end() ? *arg : keyword != call.keywords.end() ? (*keyword)->value : nullptr;
    if (given == nullptr) {
      continue;
    }
    Finding &finding =
        report(site, *given,
               fmt::format("{} is another Python number in every turn, so that {} is traced again every time",
                           text_of(site, given), callee->name ? callee->name.text() : "the tf.function"),
               fmt::format("pass a tensor: tf.constant({})", text_of(site, given)));
    add_note(finding, site, *loop->node, "the loop");
    return;
  }
}

} // namespace

extern constinit const Rule kPythonArgumentToFunction = {
    .info = {.code = "DP207",
             .name = "python-argument-to-function",
             .summary = "a Python number that changes in a loop is passed to a tf.function",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Increasing Time Over Time, Memory Leak",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .tier = Tier::Hint,
             .posts = "55711115",
             .documentation = R"(## What it finds

A call of a `tf.function` in a loop over `range` or `enumerate` that passes the loop's counter, or a sum or the like of it.

## Why it costs

`tf.function` keeps one graph for each Python value that it is passed, and one for all tensors of a shape and type. A number that
is new in every turn means a new trace in every turn: tens of milliseconds to seconds each, and a graph that stays in memory.

## Bad

```python
import tensorflow as tf

@tf.function
def train_step(batch, step):
    return tf.cast(step, tf.float32) * tf.reduce_mean(batch)

for step, batch in enumerate(dataset):
    train_step(batch, step)
```

## Good

```python
import tensorflow as tf

@tf.function
def train_step(batch, step):
    return tf.cast(step, tf.float32) * tf.reduce_mean(batch)

for step, batch in enumerate(dataset):
    train_step(batch, tf.constant(step, tf.int64))
```

## When it is wrong

Where the number decides the shape of what is computed, it has to be traced. A function with an `input_signature` makes a tensor of it and
is left alone; so are loops of ten turns and below.

## References

- TensorFlow guide "Better performance with tf.function": passing Python arguments
- Stack Overflow 55711115, from the study
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules
