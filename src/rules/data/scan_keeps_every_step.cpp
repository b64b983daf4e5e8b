#include "rules/origin_bindings.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules::scan_keeps_every_step {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

// The function that scan runs: a name, a method, a lambda, or one of these in partial() or jax.checkpoint().
const FunctionInfo *body_of(const Site &site, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 3;
  if (expr == nullptr || depth > kMostDepth) {
    return nullptr;
  }
  if (expr->kind == NodeKind::Lambda) {
    return site.project.function_at(expr);
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(site, *call);
    const bool wraps = api == "functools.partial" || api == "jax.checkpoint" || api == "jax.remat" || api == "jax.jit";
    return wraps && !call->args.empty() ? body_of(site, call->args[0], depth + 1) : nullptr;
  }
  const Value value = value_of(site, expr);
  if ((value.is(Value::Tag::Function) || value.is(Value::Tag::Method)) && !value.open) {
    return value.function;
  }
  const auto *name = as<Name>(expr);
  return name != nullptr ? body_of(site, last_assigned(site, *name), depth + 1) : nullptr;
}

// What it returns at its end: the carry, and what scan stacks.
const Tuple *result_of(const FunctionInfo &body) {
  const Expr *result = nullptr;
  if (const auto *lambda = as<Lambda>(body.node)) {
    result = lambda->body;
  } else if (const FunctionDef *definition = body.definition(); definition != nullptr && !definition->body.empty()) {
    const auto *statement = as<Return>(definition->body.back());
    result = statement != nullptr ? statement->value : nullptr;
  }
  const auto *pair = as<Tuple>(result);
  return pair != nullptr && pair->elts.size() == 2 ? pair : nullptr;
}

std::vector<const Expr *> parts_of(const Expr *expr) {
  const auto *tuple = as<Tuple>(expr);
  return tuple != nullptr ? std::vector<const Expr *>(tuple->elts.begin(), tuple->elts.end())
                          : std::vector<const Expr *>{expr};
}

// The part of the stacked result that the carry has as well: its number in a tuple, or kAnyElement for all of it.
struct Kept {
  const Expr *expr = nullptr;
  i32 part = OriginPart::kAnyElement;
  std::size_t carried = 0; // its number in the carry
  bool of_several = false; // the carry has others
};

Kept kept_twice(const Site &there, const Tuple &result) {
  const std::vector<const Expr *> carried = parts_of(result.elts[0]);
  const std::vector<const Expr *> stacked = parts_of(result.elts[1]);
  const bool is_tuple = result.elts[1]->kind == NodeKind::Tuple;
  for (std::size_t i = 0; i < stacked.size(); ++i) {
    if (stacked[i]->kind != NodeKind::Name && stacked[i]->kind != NodeKind::Attribute &&
        stacked[i]->kind != NodeKind::Call) {
      continue;
    }
    for (std::size_t k = 0; k < carried.size(); ++k) {
      if (text_of(there, carried[k]) == text_of(there, stacked[i])) {
        return {stacked[i], is_tuple ? static_cast<i32>(i) : OriginPart::kAnyElement, k, carried.size() > 1};
      }
    }
  }
  return {};
}

// New parameters: what DP281 tells of.
bool is_update(const Site &site, const FunctionInfo &body, const Expr *expr) {
  bool found = false;
  visit_origins(site, body, expr, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    const Site there = site_of_origin(site, *origin.function);
    const std::string_view api = call != nullptr ? called_api(there, *call) : std::string_view{};
    found |= api == "optax.apply_updates" || api == "equinox.apply_updates" ||
             (call != nullptr && called_method(*call) == "apply_gradients");
    return Onward::Stop;
  });
  return found;
}

// Is it one number, or a key? A thousand of them take no memory to speak of.
bool is_small(const Site &site, const FunctionInfo &function, const Expr *init, const Kept &kept) {
  std::vector<OriginPart> path;
  if (kept.of_several) {
    path.push_back({.key = {}, .index = static_cast<i32>(kept.carried)});
  }
  bool small = false;
  visit_origins(site, function, init,
                [&](const Origin &origin) {
                  const auto *call = as<Call>(origin.expr);
                  const Site there = site_of_origin(site, *origin.function);
                  const std::string_view api = call != nullptr ? called_api(there, *call) : std::string_view{};
                  const auto *shape = call != nullptr && !call->args.empty() ? as<Tuple>(call->args[0]) : nullptr;
                  small |= origin.expr->kind == NodeKind::Constant || origin.expr->kind == NodeKind::UnaryOp ||
                           api.starts_with("jax.random.split") || api.starts_with("jax.random.PRNGKey") ||
                           api.starts_with("jax.random.key") || api.starts_with("jax.numpy.int") ||
                           api.starts_with("jax.numpy.float") ||
                           ((api == "jax.numpy.array" || api == "jax.numpy.asarray") && !call->args.empty() &&
                            call->args[0]->kind == NodeKind::Constant) ||
                           (shape != nullptr && shape->elts.empty()); // jnp.zeros(())
                  return Onward::Stop;
                },
                {.path = path});
  return small;
}

bool is_minus_one(const Expr *expr) {
  const auto *negative = as<UnaryOp>(expr);
  const auto *number =
      negative != nullptr && negative->op() == UnaryOperator::USub ? as<Constant>(negative->operand) : nullptr;
  return number != nullptr && number->constant_kind() == ConstantKind::Int && number->end == number->start + 1;
}

// `xs[-1]`, `xs[-1, …]`
bool takes_last(const Subscript &element) {
  const auto *several = as<Tuple>(element.slice);
  return is_minus_one(several != nullptr && !several->elts.empty() ? several->elts[0] : element.slice);
}

struct Reads {
  u32 all = 0;
  u32 last = 0;
};

struct ReadNames {
  std::unordered_map<u32, Reads> of;
};

void add_read(const Node *node, ReadNames &names) {
  const auto *use = as<Name>(node);
  if (use != nullptr && use->context == Context::Load) {
    ++names.of[use->id.id].all;
  }
  const auto *element = as<Subscript>(node);
  const auto *of = element != nullptr ? as<Name>(element->value) : nullptr;
  if (of != nullptr && takes_last(*element)) {
    ++names.of[of->id.id].last;
  }
  // jax.tree.map(lambda leaf: leaf[-1], xs)
  const auto *call = as<Call>(node);
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  const auto *lambda = call != nullptr && call->args.size() == 2 ? as<Lambda>(call->args[0]) : nullptr;
  const auto *leaf = lambda != nullptr ? as<Subscript>(lambda->body) : nullptr;
  const auto *tree = lambda != nullptr ? as<Name>(call->args[1]) : nullptr;
  if ((method == "map" || method == "tree_map") && leaf != nullptr && takes_last(*leaf) && tree != nullptr) {
    ++names.of[tree->id.id].last;
  }
}

// How the function reads the name: only its last element, or more?
Reads reads_of(const Site &site, const FunctionInfo &function, Symbol name) {
  const ReadNames &names = site.memory.recall<ReadNames>(&function, [&] {
    ReadNames found;
    const auto look_at = [&](const Node *node) {
      add_read(node, found);
      return false;
    };
    if (const FunctionDef *definition = function.definition()) {
      any_node_inside(definition, look_at);
    } else if (function.node == nullptr) {
      for (const Stmt *statement : function.module->parsed->tree.body) {
        any_node_inside(static_cast<const Node *>(statement), look_at);
      }
    }
    return found;
  });
  const auto known = names.of.find(name.id);
  return known != names.of.end() ? known->second : Reads{};
}

// Is nothing but the last step read of that part of what the call stacks?
bool is_last_wanted(const Site &site, const FunctionInfo &function, const Call &call, const Kept &kept) {
  Reads reads;
  for (const OriginBinding *binding : bindings_of_value(site, function, &call)) {
    const std::vector<OriginPart> &path = binding->path;
    if (path.empty()) {
      return false; // bound as a whole
    }
    if (path[0].index != 1) {
      continue;
    }
    const bool is_exact =
        kept.part == OriginPart::kAnyElement ? path.size() == 1 : path.size() == 2 && path[1].index == kept.part;
    if (path.size() == 1 && !is_exact) {
      return false; // a tuple under one name
    }
    if (is_exact) {
      const Reads one = reads_of(site, function, binding->name);
      reads.all += one.all;
      reads.last += one.last;
    }
  }
  return reads.last > 0 && reads.last == reads.all;
}

// `jax.lax.scan(body, x, ts)[1][-1]`
bool is_taken_at_once(const Site &site) {
  const std::size_t count = site.ancestors.size();
  const auto *second = count >= 2 ? as<Subscript>(site.ancestors[count - 1]) : nullptr;
  const auto *last = second != nullptr ? as<Subscript>(site.ancestors[count - 2]) : nullptr;
  return last != nullptr && takes_last(*last) && integer_of(site, second->slice) == std::optional<i64>(1);
}

void check(Site &site, const Call &call) {
  if (call.args.empty() || site.module->is_test || site.function == nullptr) {
    return;
  }
  const FunctionInfo *body = body_of(site, call.args[0]);
  const Tuple *result = body != nullptr ? result_of(*body) : nullptr;
  if (result == nullptr) {
    return;
  }
  Site there = site_of_origin(site, *body);
  const Kept kept = kept_twice(there, *result);
  const Expr *init = argument(call, 1, "init");
  if (kept.expr == nullptr || init == nullptr || is_small(site, *site.function, init, kept)) {
    return;
  }
  bool is_last = is_taken_at_once(site) || is_last_wanted(site, *site.function, call, kept);
  if (!is_last && !site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::Return) {
    is_last = !site.function->called_by.empty() && !site.function->passed &&
              std::ranges::all_of(site.function->called_by, [&](const model::CallSite *caller) {
                return is_last_wanted(site, *caller->caller, *caller->call, kept);
              });
  }
  if (!is_last || is_update(site, *body, kept.expr)) {
    return;
  }
  Finding &finding = report(there, *kept.expr,
                            fmt::format("`jax.lax.scan` keeps `{}` of every step, although only the last one is read",
                                        text_of(there, kept.expr)),
                            "return `None` here, and read the last one from the carry that `scan` returns");
  finding.notes.push_back({site.module->file, call.span(), "the scan"});
}

} // namespace

extern constinit const Rule kScanKeepsEveryStep = {
    .info = {.code = "DP454",
             .name = "scan-keeps-every-step",
             .summary = "a `jax.lax.scan` that stacks its carry for all steps, of which only the last is read",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Out of Memory, Abnormal GPU Memory Usage",
             .stage = "Training, Evaluation",
             .frameworks = "JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A body of `jax.lax.scan` that returns its carry, or a part of it, as its second result too, where the program reads nothing but the last
element of what `scan` stacks.

## Why it costs

`scan` allocates the stacked result for all steps at once. A sampler of 1000 steps holds 1000 batches of images to return one, and in a
function that is differentiated or written back to the host all of them are kept. The carry that `scan` returns already is the last one.

## Bad

```python
import jax
import jax.numpy as jnp


def sample(params, x):
    def body(x, t):
        x = x - 0.01 * jnp.tanh(x @ params) * t
        return x, x

    _, xs = jax.lax.scan(body, x, jnp.arange(1000))
    return xs[-1]
```

## Good

```python
import jax
import jax.numpy as jnp


def sample(params, x):
    def body(x, t):
        return x - 0.01 * jnp.tanh(x @ params) * t, None

    x, _ = jax.lax.scan(body, x, jnp.arange(1000))
    return x
```

## When it is wrong

Where the carry is small, or the scan has a few steps only.

## References

- JAX documentation of `jax.lax.scan`
)"},
    .calls = "jax.lax.scan haiku.scan",
    .on_call = check};

} // namespace deepperf::rules::scan_keeps_every_step
