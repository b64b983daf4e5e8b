#include "rules/optax_chain.h"

#include "rules/tables.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::Value;

namespace {

constexpr u32 kMostChainDepth = 4; // of functions that return a transformation

// Optimizers that end with the learning rate: what comes after them gets the finished updates. The `scale_by_…` that
// they consist of do not.
bool is_whole_optimizer(std::string_view api) {
  static constexpr std::string_view kNames[] = {
      "adabelief", "adadelta", "adafactor", "adagrad", "adam",  "adamax", "adamaxw", "adamw",
      "adan",      "amsgrad",  "fromage",   "lamb",    "lars",  "lion",   "nadam",   "nadamw",
      "noisy_sgd", "novograd", "radam",     "rmsprop", "rprop", "sgd",    "sm3",     "yogi"};
  return api.starts_with("optax.") && std::ranges::find(kNames, api.substr(6)) != std::end(kNames);
}

Transformation transformation_named(std::string_view api) {
  if (is_whole_optimizer(api)) {
    return Transformation::Optimizer;
  }
  if (api == "optax.clip_by_global_norm" || api == "optax.clip" || api == "optax.adaptive_grad_clip" ||
      api == "optax.clip_by_block_rms" || api == "optax.zero_nans") {
    return Transformation::Clip;
  }
  return api == "optax.add_decayed_weights" ? Transformation::Decay : Transformation::Unknown;
}

// What all of them are, if that is one thing.
Transformation common_transformation(const std::vector<Transformation> &all) {
  const bool agree = !all.empty() && std::ranges::all_of(all, [&](Transformation one) { return one == all[0]; });
  return agree ? all[0] : Transformation::Unknown;
}

Transformation transformation_of(const model::Project &project, const model::Scope &scope, const Expr *expr, u32 depth);

// What all the functions that a call may run return: `OPTIMIZERS[name](rate)`.
Transformation transformation_returned_by(const model::Project &project, const model::FunctionInfo &function,
                                          u32 depth) {
  const model::Scope inside = model::scope_of(project, function);
  if (const Lambda *lambda = function.lambda()) {
    return transformation_of(project, inside, lambda->body, depth + 1);
  }
  const FunctionDef *definition = function.definition();
  std::vector<Transformation> all;
  if (definition != nullptr) {
    any_node(definition->body, [&](const Node *node) {
      const auto *result = as<Return>(node);
      if (result != nullptr) {
        all.push_back(result->value != nullptr ? transformation_of(project, inside, result->value, depth + 1)
                                               : Transformation::Unknown);
      }
      return false;
    });
  }
  return common_transformation(all);
}

// What a call of it gives.
Transformation transformation_by(const model::Project &project, const Value &function, u32 depth) {
  if (function.is(Value::Tag::Function) || function.is(Value::Tag::Method)) {
    return function.function != nullptr ? transformation_returned_by(project, *function.function, depth)
                                        : Transformation::Unknown;
  }
  return function.is(Value::Tag::Api) ? transformation_named(function.name().text()) : Transformation::Unknown;
}

Transformation transformation_of_call(const model::Project &project, const model::Scope &scope, const Call &call,
                                      u32 depth) {
  std::vector<Transformation> all;
  for (const model::Argument::Given &entry : entries_chosen_by(scope, call.func)) {
    const Value value = entry.expr->kind == NodeKind::Lambda ? Value::of(project.function_at(entry.expr))
                                                             : model::value_of(entry.scope, entry.expr);
    all.push_back(transformation_by(project, value, depth));
  }
  if (!all.empty()) {
    return common_transformation(all);
  }
  const Value callee = project.callee_of(&call);
  for_each_alternative(callee, [&](const Value &one) { all.push_back(transformation_by(project, one, depth)); });
  return callee.open ? Transformation::Unknown : common_transformation(all);
}

Transformation transformation_of(const model::Project &project, const model::Scope &scope, const Expr *expr,
                                 u32 depth) {
  if (depth > kMostChainDepth) {
    return Transformation::Unknown;
  }
  if (const auto *call = as<Call>(expr)) {
    return transformation_of_call(project, scope, *call, depth);
  }
  const std::vector<model::Argument::Given> written = model::written_as(scope, expr);
  std::vector<Transformation> all;
  for (const model::Argument::Given &given : written) {
    all.push_back(given.expr == expr ? Transformation::Unknown
                                     : transformation_of(project, given.scope, given.expr, depth + 1));
  }
  return common_transformation(all);
}

struct Chain {
  std::vector<const Expr *> parts;
};

// `steps = [optax.adam(rate)]`, `steps.append(optax.clip(1.0))`, … `optax.chain(*steps)`: all that happens to the list
// in its function before the chain. False if something happens to it that is not understood.
bool read_chain_list(const Block &body, Symbol name, u32 until, Chain &chain) {
  bool is_understood = true;
  bool is_made = false;
  std::vector<const Node *> seen; // uses of the name that were understood
  any_node(body, [&](const Node *node) {
    if (node->start >= until) {
      return false;
    }
    const auto *assignment = as<Assign>(node);
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    if (target != nullptr && target->id == name) {
      const auto *list = as<List>(assignment->value);
      is_understood &= list != nullptr && !is_made; // made twice: in branches
      is_made = true;
      for (const Expr *one : list != nullptr ? list->elts : Array<Expr *>{}) {
        is_understood &= one->kind != NodeKind::Starred;
        chain.parts.push_back(one);
      }
      seen.push_back(target);
    }
    const auto *increment = as<AugAssign>(node);
    const auto *grown = increment != nullptr ? as<Name>(increment->target) : nullptr;
    if (grown != nullptr && grown->id == name) {
      const auto *more = as<List>(increment->value);
      is_understood &= more != nullptr;
      for (const Expr *one : more != nullptr ? more->elts : Array<Expr *>{}) {
        chain.parts.push_back(one);
      }
      seen.push_back(grown);
    }
    const auto *call = as<Call>(node);
    const auto *receiver = call != nullptr ? as<Name>(receiver_of(*call)) : nullptr;
    if (receiver != nullptr && receiver->id == name) {
      const std::string_view method = called_method(*call);
      if (method == "append" && call->args.size() == 1) {
        chain.parts.push_back(call->args[0]);
      } else if (method == "insert" && call->args.size() == 2 && is_constant(call->args[0], ConstantKind::Int)) {
        chain.parts.insert(chain.parts.begin(), call->args[1]);
      } else {
        is_understood = false;
      }
      seen.push_back(receiver);
    }
    const auto *use = as<Name>(node);
    is_understood &= use == nullptr || use->id != name || std::ranges::find(seen, node) != seen.end();
    return false;
  });
  return is_understood && is_made;
}

Chain parts_of_chain(const Site &site, const Call &call) {
  Chain chain;
  for (const Expr *given : call.args) {
    const auto *starred = as<Starred>(given);
    if (starred == nullptr) {
      chain.parts.push_back(given);
      continue;
    }
    const auto *name = as<Name>(starred->value);
    const auto *list = as<List>(starred->value);
    const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
    const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
    if (list != nullptr) {
      chain.parts.insert(chain.parts.end(), list->elts.begin(), list->elts.end());
    } else if (name == nullptr || !read_chain_list(body, name->id, call.start, chain)) {
      return {};
    }
  }
  return chain;
}

} // namespace

std::vector<ChainPart> chain_of(const Site &site, const Call &call) {
  std::vector<ChainPart> parts;
  for (const Expr *part : parts_of_chain(site, call).parts) {
    parts.push_back({part, transformation_of(site.project, scope_of(site), part, 0)});
  }
  return parts;
}

} // namespace deepperf::rules
