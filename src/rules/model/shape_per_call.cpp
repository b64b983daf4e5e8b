#include "base/symbol_list.h"
#include "model/classes.h"
#include "model/overrides.h"
#include "model/variance.h"
#include "rules/jax.h"
#include "rules/origins.h"
#include "rules/step_number.h"
#include "rules/thin.h"
#include "rules/tracing.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules::shape_per_call {

using namespace python;
using model::Value;

namespace {

// Why an argument has another shape in each iteration, and where that is seen.
struct NewShape {
  const Node *place = nullptr;
  std::string_view why;
  const model::Module *module = nullptr; // of the place, if it is not in the loop
};

bool is_call_of(const Site &site, const Call &call, std::initializer_list<std::string_view> names) {
  const std::string_view api = called_api(site, call);
  const std::string_view last = api.substr(api.rfind('.') + 1);
  return !api.empty() && std::ranges::find(names, last) != names.end();
}

// Is it a name that the loop's head or body binds again in each iteration?
bool mentions_assigned(const model::Loop &loop, const Expr *expr) {
  return expr != nullptr && any_node(expr, [&](const Node *node) {
           const auto *name = as<Name>(node);
           return name != nullptr && contains(loop.assigned, name->id);
         });
}

bool is_counter(const Site &site, const model::Loop &loop, const Expr *expr) {
  const auto *statement = as<For>(loop.node);
  const auto *range = statement != nullptr ? as<Call>(statement->iter) : nullptr;
  const std::string_view api = range != nullptr ? called_api(site, *range) : std::string_view{};
  return expr != nullptr && (api == "range" || api == "enumerate") && any_node(expr, [&](const Node *node) {
           const auto *name = as<Name>(node);
           return name != nullptr && mentions(statement->target, name->id);
         });
}

// `x[:t + 1]`, `x[:, t:]`: one end moves with the counter, and the other one stays.
bool has_growing_slice(const Site &site, const model::Loop &loop, const Subscript &part) {
  const auto grows = [&](const Expr *index) {
    const auto *slice = as<Slice>(index);
    if (slice == nullptr || slice->step != nullptr) {
      return false;
    }
    const bool upper = is_counter(site, loop, slice->upper);
    const bool lower = is_counter(site, loop, slice->lower);
    const Expr *other = upper ? slice->lower : slice->upper;
    return upper != lower && !mentions_assigned(loop, other);
  };
  const auto *tuple = as<Tuple>(part.slice);
  return tuple != nullptr ? std::ranges::any_of(tuple->elts, grows) : grows(part.slice);
}

// What a loop makes longer, by name: the first assignment that does something else ends it.
struct GrowingNames {
  struct Growth {
    const Node *place = nullptr;
    bool is_over = false;
  };
  std::unordered_map<u32, Growth> of_name;
};

// `tokens = jnp.concatenate([tokens, new])` in the loop, of a name that begins before it.
const Node *growth_of(const Site &site, const model::Loop &loop, const Name &name) {
  const GrowingNames &growing = site.memory.recall<GrowingNames>(&loop, [&] {
    const auto *statement = as<For>(loop.node);
    const auto *repeated = as<While>(loop.node);
    GrowingNames found;
    const Block body = statement != nullptr ? statement->body : repeated != nullptr ? repeated->body : Block{};
    any_node(body, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *target =
          assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
      if (target == nullptr) {
        return false;
      }
      GrowingNames::Growth &growth = found.of_name[target->id.id];
      if (!growth.is_over) {
        const auto *call = as<Call>(run_by(assignment->value));
        const bool joins =
            call != nullptr && is_call_of(site, *call, {"concatenate", "append", "hstack", "vstack", "concat"});
        growth.place = joins && !call->args.empty() && mentions(call->args[0], target->id) ? node : nullptr;
        growth.is_over = !joins;
      }
      return false;
    });
    return found;
  });
  const auto found = growing.of_name.find(name.id.id);
  return found != growing.of_name.end() ? found->second.place : nullptr;
}

// `max(len(x) for x in batch)`: as long as the longest of what this iteration has.
// `min(512, …)` of that has as many values below the limit.
bool is_longest(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call != nullptr && called_api(site, *call) == "min" && call->args.size() == 2) {
    return std::ranges::any_of(call->args, [&](const Expr *arg) { return is_longest(site, arg); });
  }
  return call != nullptr && called_api(site, *call) == "max" && call->args.size() == 1 &&
         any_node(call->args[0], [](const Node *node) {
           const auto *name = as<Name>(node);
           return name != nullptr && name->id.text() == "len";
         });
}

// `np.zeros((len(ids), width))` with a width that each batch determines.
const Node *width_of_batch(const Site &site, const model::Loop &loop, const Call &made) {
  if (!is_call_of(site, made, {"zeros", "ones", "full", "empty"}) || made.args.empty()) {
    return nullptr;
  }
  const Node *found = nullptr;
  any_node(made.args[0], [&](const Node *node) {
    const auto *name = as<Name>(node);
    const Expr *value = name != nullptr ? last_assigned(site, *name) : nullptr;
    if (value != nullptr && is_longest(site, value) && loop.node->start < value->start && value->end < loop.node->end) {
      found = value;
    }
    return found != nullptr;
  });
  return found;
}

// `jnp.array([vocabulary[word] for word in text.split()])` of a text that the loop gives.
const Node *words_of_text(const Site &site, const model::Loop &loop, const Call &made) {
  const auto *list = made.args.empty() ? nullptr : as<ListComp>(made.args[0]);
  if (list == nullptr || list->generators.size() != 1 || !is_call_of(site, made, {"array", "asarray", "constant"})) {
    return nullptr;
  }
  const auto *words = as<Call>(list->generators[0]->iter);
  const std::string_view method = words != nullptr ? called_method(*words) : std::string_view{};
  const bool splits = method == "split" || method == "tokenize" || method == "encode";
  return splits && mentions_assigned(loop, words) ? words : nullptr;
}

// ---- What a loader gives --------------------------------------------------------------------------------------------

struct AssignedOnce {
  std::unordered_map<u32, const Expr *> of_name; // null if it is assigned several times
};

// What a function assigns to a name, if that is one thing.
const Expr *assigned_in(const Site &site, const FunctionDef &definition, Symbol name) {
  const AssignedOnce &all = site.memory.recall<AssignedOnce>(&definition, [&] {
    AssignedOnce found;
    any_node(definition.body, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      for (const Expr *target : assignment != nullptr ? assignment->targets : Array<Expr *>{}) {
        if (const auto *bound = as<Name>(target)) {
          const auto [known, is_new] = found.of_name.try_emplace(bound->id.id, assignment->value);
          known->second = is_new ? known->second : nullptr;
        }
      }
      return false;
    });
    return found;
  });
  const auto found = all.of_name.find(name.id);
  return found != all.of_name.end() ? found->second : nullptr;
}

// Follows what a generator or collate function gives to the array in it that is as wide as the batch needs.
class BatchWidth {
public:
  explicit BatchWidth(const Site &site) : site_(site) {}

  const model::Module *module = nullptr; // where it was found

  // `part`: of a tuple which element, `key`: of a dictionary which entry; both may be missing.
  struct Path {
    std::optional<u32> part;
    std::string key;
  };

  const Node *of(const model::FunctionInfo &function, const Expr *expr, const Path &path, u32 depth = 0) {
    constexpr u32 kMostDepth = 6;
    const FunctionDef *definition = function.definition();
    if (expr == nullptr || definition == nullptr || depth > kMostDepth) {
      return nullptr;
    }
    if (const auto *tuple = as<Tuple>(expr)) {
      if (path.part.has_value()) {
        return *path.part < tuple->elts.size() ? of(function, tuple->elts[*path.part], {{}, path.key}, depth + 1)
                                               : nullptr;
      }
      const Node *found = nullptr; // the whole batch is passed on
      for (const Expr *element : tuple->elts) {
        found = found == nullptr ? of(function, element, path, depth + 1) : found;
      }
      return found;
    }
    if (const auto *dict = as<Dict>(expr)) {
      const Node *found = nullptr;
      for (const DictItem &item : dict->items) {
        const bool is_meant =
            path.key.empty() ? !path.part.has_value() : item.key != nullptr && string_of(site_, item.key) == path.key;
        found = found == nullptr && is_meant ? of(function, item.value, {}, depth + 1) : found;
      }
      return found;
    }
    if (const auto *name = as<Name>(expr)) {
      return of(function, assigned_in(site_, *definition, name->id), path, depth + 1);
    }
    const auto *call = as<Call>(expr);
    if (call == nullptr) {
      return nullptr;
    }
    if (const model::FunctionInfo *callee = called_function(site_, *call)) {
      return returned_by(*callee, path, depth + 1);
    }
    return made_by(function, *call, depth);
  }

  // All that the function returns or yields, where that is one expression.
  const Node *returned_by(const model::FunctionInfo &function, const Path &path, u32 depth = 0) {
    const FunctionDef *definition = function.definition();
    const Expr *given = nullptr;
    u32 count = 0;
    if (definition != nullptr) {
      any_node(definition->body, [&](const Node *node) {
        const auto *result = as<Return>(node);
        const auto *yielded = as<Yield>(node);
        if ((result != nullptr && result->value != nullptr) || yielded != nullptr) {
          given = result != nullptr ? result->value : yielded->value;
          ++count;
        }
        return false;
      });
    }
    return count == 1 ? of(function, given, path, depth + 1) : nullptr;
  }

private:
  // np.zeros((len(rows), longest)), pad_sequences(batch), np.pad(x, (0, longest - len(x))) in np.stack([…])
  const Node *made_by(const model::FunctionInfo &function, const Call &call, u32 depth) {
    const std::string_view api = called_api(site_, call);
    const std::string_view last = api.substr(api.rfind('.') + 1);
    if (last == "pad_sequences") {
      module = function.module;
      return keyword_argument(call, "maxlen") == nullptr && call.args.size() == 1 ? &call : nullptr;
    }
    if ((last == "asarray" || last == "array" || last == "stack" || last == "device_put") && !call.args.empty()) {
      if (const auto *list = as<ListComp>(call.args[0])) {
        return longest_in(function, list->elt);
      }
      return of(function, call.args[0], {}, depth + 1);
    }
    const bool is_array = last == "zeros" || last == "ones" || last == "full" || last == "empty";
    return is_array && !call.args.empty() ? longest_in(function, call.args[0]) : nullptr;
  }

  // A name or expression in it that is the length of the longest element.
  const Node *longest_in(const model::FunctionInfo &function, const Expr *expr) {
    const Node *found = nullptr;
    module = function.module;
    any_node(expr, [&](const Node *node) {
      const auto *name = as<Name>(node);
      const Expr *value = name != nullptr ? assigned_in(site_, *function.definition(), name->id) : nullptr;
      const auto *direct = as<Call>(node);
      if (value != nullptr && is_longest(site_, value)) {
        found = value;
      } else if (direct != nullptr && is_longest(site_, direct)) {
        found = direct;
      }
      return found != nullptr;
    });
    return found;
  }

  const Site &site_;
};

// The generator, `__iter__` or collate function that gives the loop its batches.
const model::FunctionInfo *batches_of(const Site &site, const Expr *over) {
  const auto *name = as<Name>(over);
  const Expr *made = name != nullptr ? last_assigned(site, *name) : over;
  const auto *call = as<Call>(made);
  if (const model::FunctionInfo *generator = call != nullptr ? called_function(site, *call) : nullptr) {
    return generator;
  }
  const Value value = value_of(site, over);
  if (value.is(Value::Tag::Object)) {
    return model::find_method_of(*value.type, intern("__iter__"));
  }
  if (value.is_kind(Kind::TorchDataLoader) && value.maker() != nullptr) {
    const Keyword *collate = keyword_argument(*value.maker(), "collate_fn");
    const Value function = collate != nullptr ? value_of(site_of(site, *value.maker()), collate->value) : Value{};
    return function.is(Value::Tag::Function) || function.is(Value::Tag::Method) ? function.function : nullptr;
  }
  return nullptr;
}

// The place of a name in a target: `tokens` of `step, (tokens, labels)` is part 0 of what is enumerated.
std::optional<u32> part_of_target(const Expr *target, Symbol name) {
  const auto *tuple = as<Tuple>(target);
  for (u32 i = 0; tuple != nullptr && i < tuple->elts.size(); ++i) {
    const auto *plain = as<Name>(tuple->elts[i]);
    if (plain != nullptr && plain->id == name) {
      return i;
    }
  }
  return std::nullopt;
}

NewShape width_from_loader(const Site &site, const model::Loop &loop, const Expr *argument) {
  const auto *statement = as<For>(loop.node);
  const auto *head = statement != nullptr ? as<Call>(statement->iter) : nullptr;
  const Expr *over = statement != nullptr ? iterated_by(site, loop) : nullptr;
  const Expr *target = statement != nullptr ? statement->target : nullptr;
  const auto *pair = as<Tuple>(target);
  if (head != nullptr && called_api(site, *head) == "enumerate" && pair != nullptr && pair->elts.size() == 2) {
    target = pair->elts[1];
  }
  const auto *entry = as<Subscript>(argument);
  const auto *name = as<Name>(entry != nullptr ? entry->value : argument);
  if (name == nullptr || target == nullptr || !mentions(target, name->id)) {
    return {};
  }
  // for step, batch in zip(range(steps), batches)
  if (head != nullptr && called_api(site, *head) == "zip" && pair != nullptr &&
      pair->elts.size() == head->args.size()) {
    for (u32 i = 0; i < pair->elts.size(); ++i) {
      if (mentions(pair->elts[i], name->id)) {
        over = head->args[i];
        target = pair->elts[i];
      }
    }
  }
  if (over == nullptr) {
    return {};
  }
  const model::FunctionInfo *batches = batches_of(site, over);
  if (batches == nullptr) {
    return {};
  }
  BatchWidth::Path path;
  path.part = part_of_target(target, name->id);
  if (entry != nullptr) {
    if (const std::optional<std::string> key = string_of(site, entry->slice)) {
      path.key = *key;
    } else if (const std::optional<i64> index = integer_of(site, entry->slice); index.value_or(-1) >= 0) {
      path.part = static_cast<u32>(*index);
    }
  }
  BatchWidth search(site);
  const Node *width = search.returned_by(*batches, path);
  return {width, "its width is that of the longest element of the batch", search.module};
}

// The same wherever the array is made: in a method, a named tuple or dictionary, a function that another one calls.
class WidthOrigins {
public:
  WidthOrigins(const Site &site, const model::Loop &loop) : site_(site), loop_(loop) {}

  NewShape of(const Expr *argument) {
    visit_origins(site_, *site_.function, argument, [this](const Origin &origin) { return visit(origin); });
    return found_;
  }

private:
  // Arrays, and the sizes of their shapes, in one search: what a function gets as a size depends on who calls it.
  Onward visit(const Origin &origin) {
    if (found_.place != nullptr) {
      return Onward::Stop;
    }
    if (origin.parameter_of != nullptr || origin.expr->kind == NodeKind::Attribute) {
      return Onward::Through;
    }
    if (const auto *sum = as<BinOp>(origin.expr)) {
      const bool is_shifted = sum->op() == Operator::Add || sum->op() == Operator::Sub;
      return is_shifted ? Onward::Through : Onward::Stop; // rounded up, there are only a few
    }
    const auto *call = as<Call>(origin.expr);
    if (call == nullptr) {
      return Onward::Stop;
    }
    const Site there = site_of_origin(site_, *origin.function);
    if (site_.project.callee_of(call).is(Value::Tag::Class)) {
      return Onward::Through; // Batch(tokens, mask)
    }
    const std::string_view api = called_api(there, *call);
    const std::string_view last = api.substr(api.rfind('.') + 1);
    if (last == "asarray" || last == "array" || last == "device_put" || last == "stack" || api == "min" ||
        api == "int") {
      return Onward::Through;
    }
    const bool is_padding = last == "pad" && call->args.size() > 1;
    const bool is_filled = last == "zeros" || last == "ones" || last == "full" || last == "empty";
    if (is_padding || (is_filled && !call->args.empty())) {
      origin.next.push_back(is_padding ? call->args[1] : call->args[0]);
      return Onward::Next;
    }
    const bool is_maximum = api == "max" && call->args.size() == 1;
    const Expr *of = is_maximum ? call->args[0] : called_method(*call) == "max" ? receiver_of(*call) : nullptr;
    // A class may fill in another way to pad its batches, and its objects come here as well.
    constexpr std::size_t kMostOverrides = 8;
    if (origin.function->type != nullptr && !model::overrides_of(*origin.function, kMostOverrides).empty()) {
      return Onward::Stop;
    }
    if (origin.level > 0 && (is_longest(there, call) || holds_lengths(*origin.function, of)) &&
        runs_inside(loop_, *origin.function, *call)) {
      found_ = {call, "its width is that of the longest element of the batch", origin.function->module};
    }
    return Onward::Stop;
  }

  // `[len(x) for x in batch]`
  bool holds_lengths(const model::FunctionInfo &function, const Expr *expr) {
    bool holds = false;
    if (expr != nullptr) {
      visit_origins(site_, function, expr, [&holds](const Origin &origin) {
        const auto *list = as<ListComp>(origin.expr);
        const auto *length = list != nullptr ? as<Call>(list->elt) : nullptr;
        holds |= length != nullptr && called_name(*length) == "len";
        const auto *call = as<Call>(origin.expr);
        const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
        return name == "array" || name == "asarray" || name == "list" ? Onward::Through : Onward::Stop;
      });
    }
    return holds;
  }

  const Site &site_;
  const model::Loop &loop_;
  NewShape found_;
};

// `tokenizer(texts, padding=True)`: as wide as the longest text of the batch. With `pad_to_multiple_of` there are few
// widths.
NewShape width_from_tokenizer(const Site &site, const model::Loop &loop, const Expr *argument) {
  const auto *entry = as<Subscript>(argument);
  const auto *field = as<Attribute>(argument);
  const auto *name = as<Name>(entry != nullptr ? entry->value : field != nullptr ? field->value : nullptr);
  const Expr *made = name != nullptr ? last_assigned(site, *name) : nullptr;
  const auto *call = as<Call>(made);
  if (call == nullptr || !contains(loop.node, call) || !site.project.callee_of(call).is_kind(Kind::HfTokenizer) ||
      keyword_argument(*call, "pad_to_multiple_of") != nullptr) {
    return {};
  }
  const Keyword *padding = keyword_argument(*call, "padding");
  const bool is_longest = padding != nullptr && (bool_of(site, padding->value) == true ||
                                                 string_of(site, padding->value) == std::string("longest"));
  return is_longest ? NewShape{padding, "its width is that of the longest text of the batch"} : NewShape{};
}

NewShape new_shape_of(const Site &site, const model::Loop &loop, const Expr *argument) {
  if (const NewShape given = width_from_tokenizer(site, loop, argument); given.place != nullptr) {
    return given;
  }
  if (const NewShape given = width_from_loader(site, loop, argument); given.place != nullptr) {
    return given;
  }
  if (const NewShape given = WidthOrigins(site, loop).of(argument); given.place != nullptr) {
    return given;
  }
  const auto *name = as<Name>(argument);
  if (name != nullptr) {
    if (const Node *growth = growth_of(site, loop, *name)) {
      return {growth, "it grows here in every iteration"};
    }
  }
  const Expr *value = name != nullptr ? last_assigned(site, *name) : argument;
  const bool is_in_loop = value != nullptr && loop.node->start <= value->start && value->end <= loop.node->end;
  if (!is_in_loop) {
    return {};
  }
  if (const auto *call = as<Call>(value)) {
    if (const Node *width = width_of_batch(site, loop, *call)) {
      return {width, "its width is that of the longest element of the batch"};
    }
    if (const Node *words = words_of_text(site, loop, *call)) {
      return {words, "it is as long as this text"};
    }
    // jnp.asarray(x[:t])
    const bool converts = is_call_of(site, *call, {"asarray", "array", "constant", "convert_to_tensor"});
    return converts && !call->args.empty() ? new_shape_of(site, loop, call->args[0]) : NewShape{};
  }
  const auto *part = as<Subscript>(value);
  return part != nullptr && has_growing_slice(site, loop, *part)
             ? NewShape{part, "the slice has a different length in every iteration"}
             : NewShape{};
}

// What compiles the callee for each shape: jax.jit, or a tf.function without a signature.
std::string_view compiler_of(const Site &site, const Call &call) {
  if (runs_compiled_jax(site.project, call)) {
    return "jax.jit";
  }
  const model::FunctionInfo *callee = called_function(site, call);
  if (callee == nullptr || callee->compiled_at == nullptr || (callee->tracers & model::kByTfFunction) == 0) {
    return {};
  }
  const auto *made = as<Call>(callee->compiled_at);
  const bool takes_any = made != nullptr && (keyword_argument(*made, "input_signature") != nullptr ||
                                             keyword_argument(*made, "reduce_retracing") != nullptr ||
                                             keyword_argument(*made, "experimental_relax_shapes") != nullptr);
  return takes_any ? std::string_view{} : "tf.function";
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.fact == 0 || call.args.empty() || (!site.module->jax && !site.module->tensorflow) || site.module->is_test ||
      site.function == nullptr || is_traced(site)) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  const bool is_comprehension =
      loop != nullptr && (loop->node->kind == NodeKind::ListComp || loop->node->kind == NodeKind::GeneratorExp);
  if (loop == nullptr || loop->few_iterations ||
      (loop->node->kind != NodeKind::For && loop->node->kind != NodeKind::While && !is_comprehension)) {
    return;
  }
  const std::string_view compiler = compiler_of(site, call);
  if (compiler.empty()) {
    return;
  }
  for (const Expr *argument : call.args) {
    const NewShape shape = new_shape_of(site, *loop, argument);
    if (shape.place == nullptr) {
      continue;
    }
    Finding &finding = report(
        site, *argument,
        fmt::format("`{}` has a new shape in every iteration, so `{}` compiles `{}` again for it",
                    text_of(site, argument), compiler, text_of(site, call.func)),
        compiler == "jax.jit"
            ? "pad to a fixed length, or to a few lengths (powers of two), and pass a mask or the real length"
            : "pad to a fixed length, or give the `tf.function` an `input_signature` with `None` for that dimension");
    if (contains(loop->node, shape.place)) {
      add_note(finding, site, *shape.place, std::string(shape.why));
    } else if (shape.module != nullptr) {
      finding.notes.push_back({shape.module->file, shape.place->span(), std::string(shape.why)});
    }
    return;
  }
}

} // namespace

extern constinit const Rule kShapePerCall = {
    .info = {.code = "DP224",
             .name = "shape-per-call",
             .summary = "a compiled function that is called with a different shape in every iteration",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Memory Leak",
             .stage = "Training",
             .frameworks = "JAX, TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A call in a loop of a function that `jax.jit` or `tf.function` compiles, with an array whose shape is new each time: a slice up to the loop's
counter (`x[:t + 1]`), an array that the loop appends to, one that is as wide as the longest element of the batch, also where a generator or
`collate_fn` creates it, or one of the words of a text.

## Why it costs

Compiled code is for one shape. For each new shape the function is traced and compiled again, which takes seconds for a large model, and all
versions stay in memory.

## Bad

```python
import jax
import jax.numpy as jnp


@jax.jit
def score(params, tokens):
    return jnp.sum(params[tokens])


def decode(params, tokens):
    scores = []
    for t in range(1, 512):
        scores.append(score(params, tokens[:t]))
    return scores
```

## Good

```python
import jax
import jax.numpy as jnp


@jax.jit
def score(params, tokens, length):
    return jnp.sum(jnp.where(jnp.arange(512) < length, params[tokens], 0))


def decode(params, tokens):
    scores = []
    for t in range(1, 512):
        scores.append(score(params, tokens, t))
    return scores
```

## When it is wrong

Where there are only a few different shapes, and the loop runs long after all of them have been compiled.

## References

- JAX documentation, "Just-in-time compilation": caching
- TensorFlow guide "Better performance with tf.function": controlling retracing
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::shape_per_call
