#include "rules/tracing.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::python_argument_to_function {

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

// Names that a loop counts with: by its head, or by `step += 1` of a number that begins as a constant.
struct Counters {
  std::vector<Symbol> names;

  [[nodiscard]] bool has(Symbol name) const { return std::ranges::find(names, name) != names.end(); }
};

bool begins_as_constant(const Site &site, const Name *name) {
  bool is_literal = false;
  bool is_other = false;
  for_each_alternative(value_of(site, name), [&](const model::Value &one) {
    (one.is(model::Value::Tag::Literal) || one.is_kind(Kind::Number) ? is_literal : is_other) = true;
  });
  return is_literal && !is_other;
}

// `beta = min(1.0, beta + 1e-5)`, `lr *= 0.99`: a number of Python that the one before and constants give.
bool is_next_number(const Site &site, const Expr *expr, Symbol name, bool &mentions_it) {
  if (const auto *plain = as<Name>(expr)) {
    mentions_it |= plain->id == name;
    return plain->id == name || number_of(site, expr).has_value();
  }
  if (const auto *operation = as<BinOp>(expr)) {
    return is_next_number(site, operation->left, name, mentions_it) &&
           is_next_number(site, operation->right, name, mentions_it);
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(site, *call);
    return (api == "min" || api == "max" || api.starts_with("math.")) && call->keywords.empty() &&
           std::ranges::all_of(call->args,
                               [&](const Expr *arg) { return is_next_number(site, arg, name, mentions_it); });
  }
  return number_of(site, expr).has_value();
}

// Is the first value of the name, before the loop, a number that is written down?
bool starts_as_number(const Site &site, const model::Loop &loop, const Name &name) {
  const Block scope = site.function != nullptr && site.function->definition() != nullptr
                          ? site.function->definition()->body
                          : site.module->parsed->tree.body;
  bool is_number = false;
  bool is_other = false;
  any_node(scope, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    if (assignment == nullptr || assignment->start >= loop.node->start) {
      return false;
    }
    for (const Expr *target : assignment->targets) {
      const auto *bound = as<Name>(target);
      if (bound != nullptr && bound->id == name.id) {
        (number_of(site, assignment->value).has_value() ? is_number : is_other) = true;
      }
    }
    return false;
  });
  return is_number && !is_other;
}

Counters counters_of(const Site &site, const model::Loop &loop) {
  return site.memory.recall<Counters>(&loop, [&] {
    Counters counters;
    if (const Symbol counter = counter_of(site, loop)) {
      counters.names.push_back(counter);
    }
    const auto *statement = as<For>(loop.node);
    const auto *repeated = as<While>(loop.node);
    if (statement == nullptr && repeated == nullptr) {
      return counters;
    }
    for (const Stmt *one : statement != nullptr ? statement->body : repeated->body) {
      const auto *assignment = as<Assign>(one);
      const auto *next =
          assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
      bool goes_on = false;
      if (next != nullptr && is_next_number(site, assignment->value, next->id, goes_on) && goes_on &&
          starts_as_number(site, loop, *next)) {
        counters.names.push_back(next->id);
      }
      const auto *increment = as<AugAssign>(one);
      const auto *name = increment != nullptr ? as<Name>(increment->target) : nullptr;
      const bool is_step = name != nullptr && (is_constant(increment->value, ConstantKind::Int) ||
                                               is_constant(increment->value, ConstantKind::Float));
      if (is_step && (begins_as_constant(site, name) || starts_as_number(site, loop, *name))) {
        counters.names.push_back(name->id);
      }
    }
    return counters;
  });
}

// Arithmetic of numbers and of what the function was passed: it gives a number if it was passed numbers.
bool is_arithmetic(const Site &site, const model::FunctionInfo &function, const Expr *expr) {
  const auto both = [&](const Expr *left, const Expr *right) {
    return is_arithmetic(site, function, left) && is_arithmetic(site, function, right);
  };
  if (const auto *operation = as<BinOp>(expr)) {
    return both(operation->left, operation->right);
  }
  if (const auto *unary = as<UnaryOp>(expr)) {
    return is_arithmetic(site, function, unary->operand);
  }
  if (const auto *choice = as<IfExp>(expr)) {
    return both(choice->body, choice->orelse);
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(site, *call);
    return (api.starts_with("math.") || api == "min" || api == "max" || api == "float" || api == "int" ||
            api == "round" || api == "abs") &&
           std::ranges::all_of(call->args, [&](const Expr *arg) { return is_arithmetic(site, function, arg); });
  }
  if (expr->kind == NodeKind::Attribute) { // math.pi
    const model::Value value = model::value_of(model::scope_of(site.project, function), expr);
    return value.is(model::Value::Tag::Api) && value.name().text().starts_with("math.");
  }
  const auto *name = as<Name>(expr);
  return is_constant(expr, ConstantKind::Int) || is_constant(expr, ConstantKind::Float) ||
         (name != nullptr &&
          std::ranges::any_of(function.params, [name](const Param *param) { return param->name == name->id; }));
}

struct GivesNumber {
  bool answer = false;
};

// `def cosine(step, total): … return base * (1 + math.cos(…))`: all that it returns is arithmetic.
bool gives_number(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *definition = function.definition();
  if (definition == nullptr || function.compiled_at != nullptr || !definition->decorators.empty()) {
    return false;
  }
  return site.memory
      .recall<GivesNumber>(&function,
                           [&] {
                             u32 results = 0;
                             u32 numbers = 0;
                             any_node(definition->body, [&](const Node *node) {
                               if (const auto *result = as<Return>(node)) {
                                 ++results;
                                 numbers +=
                                     result->value != nullptr && is_arithmetic(site, function, result->value) ? 1 : 0;
                               }
                               return false;
                             });
                             return GivesNumber{results > 0 && results == numbers};
                           })
      .answer;
}

// `i`, `i + 1`, `-i`, `schedule(i)`: still a Python number.
bool is_number_from(const Site &site, const Expr *expr, const Counters &counters) {
  if (const auto *name = as<Name>(expr)) {
    return counters.has(name->id);
  }
  if (const auto *operation = as<BinOp>(expr)) {
    const bool left = is_number_from(site, operation->left, counters);
    const bool right = is_number_from(site, operation->right, counters);
    return (left || operation->left->kind == NodeKind::Constant) &&
           (right || operation->right->kind == NodeKind::Constant) && (left || right);
  }
  if (const auto *call = as<Call>(expr)) {
    const model::FunctionInfo *function = called_function(site, *call);
    const auto is_from = [&](const Expr *arg) { return is_number_from(site, arg, counters); };
    const std::string_view api = called_api(site, *call);
    const bool is_number = api == "float" || api == "int" || api.starts_with("math.") ||
                           (function != nullptr && gives_number(site, *function));
    return is_number && std::ranges::any_of(call->args, is_from);
  }
  const auto *unary = as<UnaryOp>(expr);
  return unary != nullptr && is_number_from(site, unary->operand, counters);
}

// tf.function(…, input_signature=…) makes tensors of its arguments.
bool has_signature(const model::FunctionInfo &function) {
  const auto *made = as<Call>(function.compiled_at);
  return made != nullptr && (keyword_argument(*made, "input_signature") != nullptr || has_hidden_arguments(*made));
}

// Is the argument at the position, or of that name, one that jax.jit compiles the function again for?
bool is_static(const Site &site, const model::FunctionInfo &function, u32 position, std::string_view name) {
  const auto *made = as<Call>(function.compiled_at);
  if (made == nullptr) {
    return false;
  }
  const auto holds = [&](const char *keyword, auto is_it) {
    const Keyword *const given = keyword_argument(*made, keyword);
    if (given == nullptr) {
      return false;
    }
    const auto *tuple = as<Tuple>(given->value);
    const auto *list = as<List>(given->value);
    if (tuple == nullptr && list == nullptr) {
      return is_it(static_cast<const Expr *>(given->value));
    }
    return std::ranges::any_of(tuple != nullptr ? tuple->elts : list->elts, is_it);
  };
  const bool by_number =
      holds("static_argnums", [&](const Expr *one) { return integer_of(site, one) == std::optional<i64>(position); });
  return by_number || (!name.empty() && holds("static_argnames", [&](const Expr *one) {
           return string_of(site, one) == std::optional(std::string(name));
         }));
}

std::string_view parameter_at(const model::FunctionInfo &function, u32 position) {
  return position < function.params.size() ? function.params[position]->name.text() : std::string_view{};
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.fact == 0 || (!site.module->tensorflow && !site.module->jax)) {
    return;
  }
  const model::FunctionInfo *callee =
      call.args.empty() && call.keywords.empty() ? nullptr : called_function(site, call);
  if (callee == nullptr || callee->compiled_at == nullptr || is_traced(site)) {
    return;
  }
  const bool is_jax = (callee->tracers & model::kByJaxJit) != 0;
  if (!is_jax && ((callee->tracers & model::kByTfFunction) == 0 || has_signature(*callee))) {
    return;
  }
  for (const model::Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    const Counters counters = loop->tiny ? Counters{} : counters_of(site, *loop);
    if (counters.names.empty() || !runs_every_turn(site, *loop)) {
      continue;
    }
    const auto is_counter = [&](const Expr *arg) { return is_number_from(site, arg, counters); };
    const Expr *given = nullptr;
    for (u32 i = 0; i < call.args.size() && given == nullptr; ++i) {
      const bool is_method = callee->type != nullptr && !callee->is_static;
      const u32 position = i + (is_method ? 1 : 0);
      if (is_counter(call.args[i]) &&
          (!is_jax || is_static(site, *callee, position, parameter_at(*callee, position)))) {
        given = call.args[i];
      }
    }
    for (const Keyword *keyword : call.keywords) {
      constexpr u32 kNoPosition = ~0U;
      if (given == nullptr && keyword->name && is_counter(keyword->value) &&
          (!is_jax || is_static(site, *callee, kNoPosition, keyword->name.text()))) {
        given = keyword->value;
      }
    }
    if (given == nullptr) {
      continue;
    }
    if (is_jax) {
      Finding &finding =
          report(site, *given,
                 fmt::format("`{}` is another number in every iteration and a static argument of `{}`, so JAX compiles "
                             "the function again every time",
                             text_of(site, given), callee->name ? callee->name.text() : "jax.jit"),
                 "pass it as an ordinary argument, which is traced; if a shape depends on it, pad to a fixed shape");
      add_note(finding, site, *loop->node, "the loop");
      return;
    }
    Finding &finding =
        report(site, *given,
               fmt::format("`{}` is a different Python number in every iteration, so `{}` is traced again every time",
                           text_of(site, given), callee->name ? callee->name.text() : "tf.function"),
               fmt::format("pass a tensor: `tf.constant({})`", text_of(site, given)));
    add_note(finding, site, *loop->node, "the loop");
    return;
  }
}

} // namespace

extern constinit const Rule kPythonArgumentToFunction = {
    .info = {.code = "DP207",
             .name = "python-argument-to-function",
             .summary = "a Python number that changes in a loop is passed to a `tf.function`",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Increasing Time Over Time, Memory Leak",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .posts = "55711115",
             .documentation = R"(## What it finds

A call of a `tf.function` in a loop over `range` or `enumerate` that passes the loop's counter or a value computed from it. Also a number
that the loop changes itself (`step += 1`, `beta = min(1.0, beta + 1e-5)`), and what a function of the project computes from such numbers by arithmetic alone. Likewise such a number as a static argument of a function under `jax.jit`.

## Why it costs

`tf.function` keeps one graph for each Python value that it is passed, but a single graph for all tensors of one shape and dtype. A number
that is new in every iteration causes a new trace in every iteration, and each graph stays in memory.

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

Where the number determines a shape, it has to be traced. A function with an `input_signature` converts the number to a tensor and is not
reported; neither are loops of up to ten iterations.

## References

- TensorFlow guide "Better performance with tf.function": passing Python arguments
- Stack Overflow 55711115, from the study
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::python_argument_to_function
