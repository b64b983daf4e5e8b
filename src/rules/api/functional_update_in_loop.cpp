#include "model/classes.h"
#include "rules/tracing.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::functional_update_in_loop {

using namespace python;

namespace {

// `x.at[i].set(v)`: the array and the index; nothing if it is something else.
struct Update {
  const Expr *array = nullptr;
  const Expr *index = nullptr;
};

Update jax_update(const Call &call) {
  const std::string_view method = called_method(call);
  const bool changes = method == "set" || method == "add" || method == "multiply" || method == "min" || method == "max";
  const auto *element = changes ? as<Subscript>(receiver_of(call)) : nullptr;
  const auto *at = element != nullptr ? as<Attribute>(element->value) : nullptr;
  return at != nullptr && at->attr.text() == "at" ? Update{at->value, element->slice} : Update{};
}

// `x = tf.tensor_scatter_nd_update(x, [[i]], [v])`
Update tensorflow_update(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  const bool is_update = api.starts_with("tensorflow.tensor_scatter_nd_") && call.args.size() >= 2;
  const bool is_looked_up = is_update && any_node(static_cast<const Node *>(call.args[1]), [](const Node *node) {
                              return node->kind == NodeKind::Subscript; // scatter-loop reports those
                            });
  return is_update && !is_looked_up ? Update{call.args[0], call.args[1]} : Update{};
}

// The loop that counts with the index; null if there is none, or it is short.
const model::Loop *counting_loop(const Site &site, const Expr *index) {
  for (const model::Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    const auto *statement = as<For>(loop->node);
    if (statement == nullptr || loop->few_iterations || loop->iterations == model::Iterations::Few) {
      continue;
    }
    const auto *call = as<Call>(statement->iter);
    const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
    const bool counts = api == "range" || api == "enumerate" || api == "reversed";
    const bool is_index = any_node(index, [&](const Node *node) {
      const auto *name = as<Name>(node);
      return name != nullptr && mentions(statement->target, name->id);
    });
    if (counts && is_index) {
      return loop;
    }
  }
  return nullptr;
}

// Only a single element or row is set, not a slice of many.
bool is_one_element(const Expr *index) {
  return !any_node(index, [](const Node *node) { return node->kind == NodeKind::Slice; }) ||
         index->kind == NodeKind::Tuple;
}

// `i`, `t + 1`, `(i, j)`, `[[i]]`
bool is_scalar(const Expr *index) {
  return !any_node(index, [](const Node *node) {
    const auto *constant = as<Constant>(node);
    return node->kind == NodeKind::Slice || node->kind == NodeKind::Call ||
           (constant != nullptr && constant->constant_kind() == ConstantKind::Ellipsis);
  });
}

// Over `range(len(x))`, `range(x.shape[0])`, `reversed(…)` of one, or over many numbers: not over channels or clusters
// under a name.
bool is_as_long_as_data(const Site &site, const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  constexpr i64 kMany = 50;
  return any_node(static_cast<const Node *>(statement->iter), [&](const Node *node) {
    const auto *attribute = as<Attribute>(node);
    const auto *name = as<Name>(node);
    const bool is_length =
        (attribute != nullptr && attribute->attr.text() == "shape") || (name != nullptr && name->id.text() == "len");
    const Expr *value = name != nullptr ? last_assigned(site, *name) : nullptr;
    const bool is_named_length = value != nullptr && any_node(static_cast<const Node *>(value), [](const Node *part) {
                                   const auto *shape = as<Attribute>(part);
                                   const auto *function = as<Name>(part);
                                   return (shape != nullptr && shape->attr.text() == "shape") ||
                                          (function != nullptr && function->id.text() == "len");
                                 });
    const bool is_many =
        node->kind <= NodeKind::Slice && integer_of(site, static_cast<const Expr *>(node)).value_or(0) >= kMany;
    return is_length || is_named_length || is_many;
  });
}

// ---- A buffer that a method writes ----------------------------------------------------------------------------------

constexpr i64 kLargeBuffer = 10'000; // rows

// Is it an array that is made with so many rows: `jnp.zeros((CAPACITY, width))`, or a dictionary of such?
bool is_large(const Site &site, const model::Scope &scope, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  const std::vector<model::Argument::Given> written = expr->kind == NodeKind::Call || expr->kind == NodeKind::Dict
                                                          ? std::vector<model::Argument::Given>{{scope, expr}}
                                                          : model::written_as(scope, expr);
  return depth < kMostDepth && std::ranges::any_of(written, [&](const model::Argument::Given &given) {
           if (const auto *dictionary = as<Dict>(given.expr)) {
             return std::ranges::any_of(dictionary->items, [&](const DictItem &item) {
               return is_large(site, given.scope, item.value, depth + 1);
             });
           }
           const auto *call = as<Call>(given.expr);
           const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
           if (api != "jax.numpy.zeros" && api != "jax.numpy.empty" && api != "jax.numpy.ones" &&
               api != "jax.numpy.full") {
             return false;
           }
           const Expr *shape = call->args.empty() ? nullptr : call->args[0];
           const auto *tuple = as<Tuple>(shape);
           const Expr *rows = tuple != nullptr && !tuple->elts.empty() ? tuple->elts[0] : shape;
           const std::optional<model::ConstantValue> size =
               rows != nullptr ? model::constant_of(given.scope, rows) : std::nullopt;
           return size.has_value() && size->as_integer().value_or(0) >= kLargeBuffer;
         });
}

// What an attribute of self starts as: what the constructor assigns to it.
const Expr *initial_of(const model::ClassInfo &type, Symbol attribute) {
  const Expr *found = nullptr;
  for (const Stmt *statement : type.node->body) {
    const auto *method = as<FunctionDef>(statement);
    if (method == nullptr || method->name.text() != "__init__") {
      continue;
    }
    any_node(method->body, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *target =
          assignment != nullptr && assignment->targets.size() == 1 ? as<Attribute>(assignment->targets[0]) : nullptr;
      const auto *object = target != nullptr ? as<Name>(target->value) : nullptr;
      const bool is_it = object != nullptr && object->id.text() == "self" && target->attr == attribute;
      found = is_it ? assignment->value : found;
      return false;
    });
  }
  return found;
}

// `self.obs` and `self.store["obs"]`
Symbol attribute_of_self(const Expr *expr) {
  const auto *entry = as<Subscript>(expr);
  const auto *attribute = as<Attribute>(entry != nullptr ? entry->value : expr);
  const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  return object != nullptr && object->id.text() == "self" ? attribute->attr : Symbol{};
}

// `x.at[i].set(v)` in the code of a function that is not compiled, also in a lambda that tree_map gets; null if there
// is none.
const Call *updates_one_row(const Node *node) {
  const Call *found = nullptr;
  any_node_inside(node, [&](const Node *part) {
    const auto *call = as<Call>(part);
    const Update update = call != nullptr ? jax_update(*call) : Update{};
    found = update.array != nullptr && is_scalar(update.index) ? call : found;
    return found != nullptr;
  });
  return found;
}

// `self.obs = self.obs.at[self.next].set(obs)`, or `self.store = insert(self.store, …)` with a function that does it,
// in a method that a long loop calls: without jax.jit and donation each call copies the whole buffer.
void check_buffer(Site &site, const Assign &assignment, const Call &call) {
  const Symbol attribute = attribute_of_self(assignment.targets[0]);
  if (!attribute || site.type == nullptr || site.function == nullptr || is_traced(site) || !context_of(site).repeated) {
    return;
  }
  const Call *update = nullptr;
  const Update direct = jax_update(call);
  if (direct.array != nullptr) {
    const bool is_same = text_of(site, direct.array) == text_of(site, assignment.targets[0]);
    update = is_same && is_scalar(direct.index) ? &call : nullptr;
  } else if (const model::FunctionInfo *helper = called_function(site, call)) {
    const bool is_given = std::ranges::any_of(
        call.args, [&](const Expr *given) { return text_of(site, given) == text_of(site, assignment.targets[0]); });
    const bool is_plain = helper->compiled_at == nullptr && !helper->traced && helper->definition() != nullptr &&
                          helper->definition()->decorators.empty();
    update = is_given && is_plain ? updates_one_row(helper->definition()) : nullptr;
  }
  const Expr *initial = update != nullptr ? initial_of(*site.type, attribute) : nullptr;
  const model::FunctionInfo *constructor =
      initial != nullptr ? model::find_method_of(*site.type, intern("__init__")) : nullptr;
  if (constructor == nullptr || !is_large(site, model::scope_of(site.project, *constructor), initial)) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("every call copies all of `{}` to change one row, because no `jax.jit` with donation "
                         "contains the update",
                         text_of(site, assignment.targets[0])),
             "put the update into a function under `jax.jit(…, donate_argnums=(0,))`, or keep the buffer in NumPy");
  if (update != &call) {
    const model::FunctionInfo *helper = called_function(site, call);
    finding.notes.push_back({helper->module->file, update->span(), "one row is changed here"});
  }
  finding.notes.push_back({constructor->module->file, initial->span(), "the buffer"});
  finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 1);
}

void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *call = as<Call>(assignment.value);
  if (call == nullptr || assignment.targets.size() != 1 || site.module->is_test ||
      (!site.module->jax && !site.module->tensorflow)) {
    return;
  }
  if (site.module->jax) {
    check_buffer(site, assignment, *call);
  }
  const Update update = site.module->jax && jax_update(*call).array != nullptr ? jax_update(*call)
                        : site.module->tensorflow                              ? tensorflow_update(site, *call)
                                                                               : Update{};
  if (update.array == nullptr || text_of(site, update.array) != text_of(site, assignment.targets[0]) ||
      !is_one_element(update.index) || is_traced(site)) {
    return;
  }
  const model::Loop *loop = counting_loop(site, update.index);
  if (loop == nullptr || !runs_every_iteration(site, *loop)) {
    return;
  }
  const PlaceContext context = context_of(site);
  const std::string_view array = text_of(site, update.array);
  Finding &finding = report(
      site, *call, fmt::format("every iteration copies all of `{}` to change one part of it", array),
      "collect the values in a list and stack them, compute them for all indices at once, or use `jax.lax.scan`");
  if (!site.module->jax) {
    finding.advice = "collect the values in a list and call `tf.stack`, or use a `tf.TensorArray`";
  }
  add_note(finding, site, *loop->node, "the loop");
  finding.notes.back().span.end = std::min(finding.notes.back().span.end, finding.notes.back().span.start + 3);
  const bool is_proved =
      site.module->jax && !context.callers_unknown && is_scalar(update.index) && is_as_long_as_data(site, *loop);
  finding.tier = is_proved ? finding.tier : Tier::Hint;
}

} // namespace

extern constinit const Rule kFunctionalUpdateInLoop = {
    .info = {.code = "DP121",
             .name = "functional-update-in-loop",
             .summary = "a JAX array or TensorFlow tensor that is copied in every iteration to change one element",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "JAX, TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`x = x.at[i].set(value)` or `x = tf.tensor_scatter_nd_update(x, [[i]], [value])` in a Python loop over the index, in code that nothing
compiles. Also a buffer of 10,000 rows or more in an attribute, of which a method that a loop calls changes one row, itself or with a helper
function, outside `jax.jit`.

## Why it costs

Arrays of JAX and tensors of TensorFlow cannot be changed in place. Outside of compiled code each update creates a new array and copies all
of the old one, so a loop over n elements moves n² numbers, and launches at least one operation for each of them.

## Bad

```python
import jax.numpy as jnp


def discounted(rewards, gamma):
    returns = jnp.zeros_like(rewards)
    total = 0.0
    for t in reversed(range(len(rewards))):
        total = rewards[t] + gamma * total
        returns = returns.at[t].set(total)
    return returns
```

## Good

```python
import jax
import jax.numpy as jnp


def discounted(rewards, gamma):
    def step(total, reward):
        total = reward + gamma * total
        return total, total

    return jax.lax.scan(step, 0.0, rewards, reverse=True)[1]
```

## When it is wrong

Where the loop has a few iterations. Under `jax.jit` XLA updates in place, but a Python loop is unrolled there: see DP221.

## References

- JAX documentation, "Sharp bits": in-place updates
- TensorFlow API documentation, `tf.tensor_scatter_nd_update`
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::functional_update_in_loop
