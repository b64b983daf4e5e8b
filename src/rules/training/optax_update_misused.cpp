#include "base/name_table.h"
#include "rules/jax.h"
#include "rules/optax_chain.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/thin.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace deepperf::rules::optax_update_misused {

using namespace python;

namespace {

// Does the optimizer read the parameters, as weight decay does?
bool needs_parameters(const Site &site, const Expr *expr, const model::Scope &scope, u32 depth) {
  constexpr u32 kMostDepth = 4;
  std::vector<model::Argument::Given> written = model::written_as(scope, expr);
  if (written.empty() && expr->kind == NodeKind::Call) {
    written.push_back({scope, expr});
  }
  constexpr std::size_t kMostWritten = 64;
  return depth < kMostDepth && !written.empty() && written.size() <= kMostWritten &&
         std::ranges::all_of(written, [&](const model::Argument::Given &given) {
           const auto *call = as<Call>(given.expr);
           const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
           if (api == "optax.chain") {
             return std::ranges::any_of(call->args, [&](const Expr *arg) {
               return arg->kind != NodeKind::Starred && needs_parameters(site, arg, given.scope, depth + 1);
             });
           }
           return api == "optax.adamw" || api == "optax.lamb" || api == "optax.lars" || api == "optax.lion" ||
                  api == "optax.add_decayed_weights" || api == "optax.nadamw" || api == "optax.adafactor";
         });
}

void check_update(Site &site, const Call &call) {
  if (!site.module->jax || site.module->is_test || call.args.size() != 2 || !call.keywords.empty() ||
      call.args[1]->kind == NodeKind::Starred || call.args[0]->kind == NodeKind::Starred) {
    return;
  }
  const Expr *optimizer = receiver_of(call);
  if (optimizer != nullptr && needs_parameters(site, optimizer, scope_of(site), 0)) {
    report(site, call, "weight decay needs the parameters, and `update()` without them raises an error",
           fmt::format("pass them: `{}({}, {}, params)`", text_of(site, call.func), text_of(site, call.args[0]),
                       text_of(site, call.args[1])));
  }
}

// Is the name what jax.grad or value_and_grad gave?
bool is_gradient(const Site &site, const Block &body, Symbol name, u32 before) {
  bool found = false;
  bool other = false;
  any_node(body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    if (assignment == nullptr || assignment->start > before) {
      return false;
    }
    for (const Expr *target : assignment->targets) {
      if (!mentions(target, name)) {
        continue;
      }
      const auto *call = as<Call>(run_by(assignment->value));
      const auto *transform = call != nullptr ? as<Call>(call->func) : nullptr;
      const std::string_view api = transform != nullptr ? called_api(site, *transform) : std::string_view{};
      (api == "jax.grad" || api == "jax.value_and_grad" ? found : other) = true;
    }
    return false;
  });
  return found && !other;
}

void check_apply(Site &site, const Call &call) {
  const auto *given = call.args.size() == 2 ? as<Name>(call.args[1]) : nullptr;
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (given == nullptr || site.module->is_test || definition == nullptr ||
      !is_gradient(site, definition->body, given->id, call.start)) {
    return;
  }
  const Call *update = nullptr;
  any_node(definition->body, [&](const Node *node) {
    const auto *one = as<Call>(node);
    const auto *first = one != nullptr && one->args.size() >= 2 ? as<Name>(one->args[0]) : nullptr;
    const bool is_update = first != nullptr && called_method(*one) == "update" && first->id == given->id;
    update = is_update ? one : update;
    return false;
  });
  if (update == nullptr) {
    return;
  }
  Finding &finding = report(site, *given,
                            fmt::format("`{}` are the gradients, so `apply_updates()` adds them without a learning "
                                        "rate, in the direction that increases the loss",
                                        given->id.text()),
                            "pass the updates that `update()` returned");
  add_note(finding, site, *update, "the updates");
}

// ---- A chain that never negates
// --------------------------------------------------------------------------------------

enum class Sign : u8 { Unknown, Kept, Negated };

Sign sign_of_rate(const Site &site, const Expr *rate, u32 depth);

Sign sign_of_schedule(const Site &site, const Expr *schedule, u32 depth);

// Of a schedule under a name, or of what a function returns.
Sign sign_of_origin(const Site &site, const Expr *schedule, u32 depth) {
  const Expr *made = nullptr;
  const model::FunctionInfo *function = nullptr;
  bool is_other = false;
  visit_origins(site, *site.function, schedule, [&](const Origin &origin) {
    is_other |= origin.parameter_of == nullptr && made != nullptr && made != origin.expr;
    made = origin.parameter_of == nullptr ? origin.expr : made;
    function = origin.parameter_of == nullptr ? origin.function : function;
    return origin.parameter_of != nullptr ? Onward::Through : Onward::Stop;
  });
  const bool is_known = made != nullptr && made != schedule && !is_other &&
                        (made->kind == NodeKind::Call || made->kind == NodeKind::Lambda);
  return is_known ? sign_of_schedule(site_of_origin(site, *function), made, depth + 1) : Sign::Unknown;
}

// Of a schedule: what `optax.cosine_decay_schedule(3e-4, steps)` gives is positive, `lambda step: -rate(step)`
// negative.
Sign sign_of_schedule(const Site &site, const Expr *schedule, u32 depth) {
  constexpr u32 kMostDepth = 4;
  if (schedule == nullptr || depth > kMostDepth) {
    return Sign::Unknown;
  }
  if (const auto *lambda = as<Lambda>(schedule)) {
    const model::FunctionInfo *const function = site.project.function_at(lambda);
    return function != nullptr ? sign_of_rate(site_of_origin(site, *function), lambda->body, depth + 1) : Sign::Unknown;
  }
  if (const auto *call = as<Call>(schedule)) {
    const std::string_view api = called_api(site, *call);
    const bool is_schedule = api.starts_with("optax.") && api.ends_with("schedule");
    if (is_schedule && has_hidden_arguments(*call)) {
      return Sign::Unknown;
    }
    if (!is_schedule) {
      return called_function(site, *call) != nullptr ? sign_of_origin(site, schedule, depth) : Sign::Unknown;
    }
    const bool is_negative = any_node(call, [](const Node *node) {
      const auto *minus = as<UnaryOp>(node);
      return minus != nullptr && minus->op() == UnaryOperator::USub;
    });
    const Expr *const first = call->args.empty() && !call->keywords.empty() ? call->keywords[0]->value
                              : call->args.empty()                          ? nullptr
                                                                            : call->args[0];
    return is_negative || first == nullptr || sign_of_rate(site, first, depth + 1) == Sign::Negated ? Sign::Unknown
                                                                                                    : Sign::Kept;
  }
  return sign_of_origin(site, schedule, depth);
}

// Of a number, or of what a call of a schedule gives.
Sign sign_of_rate(const Site &site, const Expr *rate, u32 depth) {
  if (const auto *minus = as<UnaryOp>(rate); minus != nullptr && minus->op() == UnaryOperator::USub) {
    return Sign::Negated;
  }
  if (const auto value = setting_of(site, rate); value.has_value() && value->as_number().has_value()) {
    return *value->as_number() < 0 ? Sign::Negated : *value->as_number() > 0 ? Sign::Kept : Sign::Unknown;
  }
  const auto *call = as<Call>(rate);
  return call != nullptr ? sign_of_schedule(site, call->func, depth) : Sign::Unknown;
}

// What a part of a chain does to the sign of an update.
Sign sign_of_part(const Site &site, const Call &part, bool &is_rate) {
  static const NameTable kKeeps({"optax.scale_by_adam",
                                 "optax.scale_by_rms",
                                 "optax.scale_by_rss",
                                 "optax.scale_by_stddev",
                                 "optax.scale_by_lion",
                                 "optax.scale_by_radam",
                                 "optax.scale_by_amsgrad",
                                 "optax.scale_by_adamax",
                                 "optax.scale_by_belief",
                                 "optax.scale_by_yogi",
                                 "optax.scale_by_novograd",
                                 "optax.scale_by_trust_ratio",
                                 "optax.scale_by_factored_rms",
                                 "optax.trace",
                                 "optax.ema",
                                 "optax.identity",
                                 "optax.clip",
                                 "optax.clip_by_global_norm",
                                 "optax.clip_by_block_rms",
                                 "optax.adaptive_grad_clip",
                                 "optax.add_decayed_weights",
                                 "optax.zero_nans",
                                 "optax.centralize",
                                 "optax.add_noise",
                                 "optax.normalize_by_update_norm"});
  const std::string_view api = called_api(site, part);
  static const NameTable kNegates({"optax.adam", "optax.adamw", "optax.sgd", "optax.rmsprop", "optax.adagrad",
                                   "optax.lion", "optax.lamb", "optax.nadam", "optax.radam", "optax.adafactor",
                                   "optax.scale_by_learning_rate"});
  if (!api.empty() && kNegates.has(intern(api))) {
    is_rate = true;
    const Expr *const rate = argument(part, 0, "learning_rate");
    const Sign sign = rate != nullptr ? sign_of_rate(site, rate, 0) : Sign::Unknown;
    // A rate that is not known is positive; schedules of it, too.
    return has_hidden_arguments(part) || sign == Sign::Negated || argument(part, 9, "flip_sign") != nullptr
               ? Sign::Unknown
               : Sign::Negated;
  }
  if (api == "optax.scale_by_schedule") {
    is_rate = true;
    return sign_of_schedule(site, argument(part, 0, "step_size_fn"), 0);
  }
  if (api == "optax.scale") {
    is_rate = true;
    const Expr *const factor = argument(part, 0, "step_size");
    return factor != nullptr ? sign_of_rate(site, factor, 0) : Sign::Unknown;
  }
  return !api.empty() && kKeeps.has(intern(api)) ? Sign::Kept : Sign::Unknown;
}

// The call of Optax that a part of a chain is, perhaps under a name or in a function; no function if it is not one.
struct MadePart {
  const model::FunctionInfo *function = nullptr;
  const Call *call = nullptr;
};

MadePart made_part(const Site &site, const ChainPart &part) {
  MadePart found;
  bool is_other = false;
  visit_origins(site, *part.function, part.expr, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    const auto *call = as<Call>(origin.expr);
    is_other |= call == nullptr || (found.call != nullptr && found.call != call);
    found = {origin.function, call};
    return Onward::Stop;
  });
  return is_other ? MadePart{} : found;
}

// The transformations that others contain: what a chain does alone is not known of them.
struct Contained {
  std::unordered_set<const Expr *> calls;
};

const Contained &contained_transformations(const Site &site) {
  return site.memory.recall<Contained>(&site.project, [&] {
    Contained found;
    const auto look = [&](const Node *node) {
      const auto *call = as<Call>(node);
      const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
      const model::FunctionInfo *const function = call != nullptr ? site.project.caller_of(call) : nullptr;
      if (!callee.is(model::Value::Tag::Api) || !callee.name().text().starts_with("optax.") || function == nullptr) {
        return false;
      }
      const auto follow = [&](const Expr *given) {
        if (given->kind == NodeKind::Constant) {
          return;
        }
        visit_origins(site, *function, given, [&](const Origin &origin) {
          found.calls.insert(origin.expr);
          return origin.expr->kind == NodeKind::Call ? Onward::Stop : Onward::Through;
        });
      };
      for (const Expr *given : call->args) {
        follow(given);
      }
      for (const Keyword *given : call->keywords) {
        follow(given->value);
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
}

// `optax.chain(scale_by_adam(), scale_by_schedule(rate))`: updates that point uphill, because nothing negates them.
void check_chain(Site &site, const Call &call) {
  if (site.is_copy) { // the call itself is checked where it stands
    return;
  }
  if (site.function == nullptr || site.module->is_test || !call.keywords.empty() ||
      !project_has_word(site, {"apply_updates", "apply_gradients", "Optimizer"}) ||
      project_has_word_in_any_case(site, {"maximi", "ascent", "ascend", "adversar", "attack", "reward"})) {
    return;
  }
  const std::vector<Chain> chains = chains_of(site, call);
  MadePart rate;
  bool is_double = false;
  for (const Chain &chain : chains) {
    MadePart in_chain;
    u32 negations = 0;
    for (const ChainPart &part : chain) {
      const MadePart made = made_part(site, part);
      bool is_rate = false;
      const Sign sign = made.call != nullptr ? sign_of_part(site_of_origin(site, *made.function), *made.call, is_rate)
                                             : Sign::Unknown;
      if (sign == Sign::Unknown) {
        return;
      }
      negations += sign == Sign::Negated ? 1 : 0;
      in_chain = is_rate ? made : in_chain;
    }
    if (in_chain.call == nullptr || negations % 2 != 0) {
      return;
    }
    rate = in_chain;
    is_double = negations != 0;
  }
  if (rate.call == nullptr || contained_transformations(site).calls.contains(&call)) {
    return;
  }
  Site there = site_of_origin(site, *rate.function);
  const bool is_schedule = called_api(there, *rate.call) == "optax.scale_by_schedule";
  Finding &finding =
      is_double
          ? report(there, *rate.call,
                   "this negates the updates a second time, so `apply_updates()` adds the gradient and the loss grows",
                   "omit it: the optimizer and `scale_by_learning_rate` already negate")
          : report(
                there, *rate.call,
                "nothing in this chain negates the updates, so `apply_updates()` adds the gradient and the loss grows",
                is_schedule ? "use `optax.scale_by_learning_rate(schedule)`, which multiplies by the negative rate"
                            : "use `optax.scale_by_learning_rate(rate)`, or a negative factor");
  add_note(finding, site, *call.func, "the chain");
}

void check(Site &site, const Call &call) {
  if (called_api(site, call) == "optax.chain") {
    check_chain(site, call);
    return;
  }
  if (called_method(call) == "update") {
    check_update(site, call);
  }
  if (called_api(site, call) == "optax.apply_updates") {
    check_apply(site, call);
  }
}

} // namespace

extern constinit const Rule kOptaxUpdateMisused = {
    .info = {.code = "DP950",
             .name = "optax-update-misused",
             .summary =
                 "an Optax update without the parameters that it needs, or updates in the direction of the gradient",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`update(grads, state)` of an Optax optimizer with weight decay (`adamw`, `lamb`, `lion`, `add_decayed_weights`, also inside `optax.chain`), without
the parameters as third argument; `optax.apply_updates(params, grads)` where `update()` has returned updates; and an `optax.chain`
that scales the updates by a positive learning rate and negates them nowhere, or twice.

## Why it is wrong

Weight decay is computed from the parameters, and Optax raises an error without them. Gradients that are applied directly increase
the loss: `apply_updates` adds, and only the optimizer turns gradients into descending steps. The transformations that `optax.adam` consists of,
such as `scale_by_adam`, keep the sign, and `scale_by_schedule` multiplies by what the schedule returns; `scale_by_learning_rate` negates.

## Bad

```python
import jax
import jax.numpy as jnp
import optax

tx = optax.adamw(1e-3)


@jax.jit
def step(params, state, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state
```

## Good

```python
import jax
import jax.numpy as jnp
import optax

tx = optax.adamw(1e-3)


@jax.jit
def step(params, state, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state
```

## When it is wrong

Where the objective is maximized; projects that mention it are not reported.

## References

- Optax documentation of `GradientTransformation`
)"},
    .calls = "*.update optax.apply_updates optax.chain",
    .on_call = check};

} // namespace deepperf::rules::optax_update_misused
