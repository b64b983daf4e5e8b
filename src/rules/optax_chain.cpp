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
  const std::string_view api = callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
  if ((api == "optax.masked" || api == "optax.apply_if_finite" || api == "optax.MultiSteps" || api == "optax.flatten" ||
       api == "optax.with_extra_args_support") &&
      !call.args.empty()) {
    return transformation_of(project, scope, call.args[0], depth + 1);
  }
  if (api == "optax.chain") { // one inside another
    const bool has_optimizer = std::ranges::any_of(call.args, [&](const Expr *part) {
      return transformation_of(project, scope, part, depth + 1) == Transformation::Optimizer;
    });
    return has_optimizer ? Transformation::Optimizer : Transformation::Unknown;
  }
  if (const auto *made = as<Call>(call.func)) { // optax.inject_hyperparams(optax.adamw)(…)
    const Value wrapper = project.callee_of(made);
    if (wrapper.is(Value::Tag::Api) && wrapper.name().text() == "optax.inject_hyperparams" && !made->args.empty()) {
      return transformation_by(project, model::value_of(scope, made->args[0]), depth + 1);
    }
  }
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

struct ListParts {
  std::vector<const Expr *> parts;
};

// `steps = [optax.adam(rate)]`, `steps.append(optax.clip(1.0))`, … `optax.chain(*steps)`: all that happens to the list
// in its function before the chain. False if something happens to it that is not understood.
bool read_chain_list(const Block &body, Symbol name, u32 until, ListParts &chain) {
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

// The lists that an expression may be, each with its elements in their order.
class ChainSearch {
public:
  explicit ChainSearch(const model::Project &project) : project_(project) {}

  // False if there is one that is not understood.
  bool lists_of(const model::FunctionInfo &function, const Expr *expr, u32 depth, std::vector<Chain> &into) {
    if (depth > kMostChainDepth || expr == nullptr) {
      return false;
    }
    if (const auto *list = as<List>(expr)) {
      return add_elements(function, list->elts, depth, into);
    }
    if (const auto *tuple = as<Tuple>(expr)) {
      return add_elements(function, tuple->elts, depth, into);
    }
    if (const auto *choice = as<IfExp>(expr)) {
      return lists_of(function, choice->body, depth + 1, into) && lists_of(function, choice->orelse, depth + 1, into);
    }
    if (const auto *sum = as<BinOp>(expr); sum != nullptr && sum->op() == Operator::Add) {
      std::vector<Chain> first;
      std::vector<Chain> second;
      return lists_of(function, sum->left, depth + 1, first) && lists_of(function, sum->right, depth + 1, second) &&
             add_products(first, second, into);
    }
    if (const auto *name = as<Name>(expr)) {
      const FunctionDef *definition = function.definition();
      ListParts parts;
      if (read_chain_list(definition != nullptr ? definition->body : function.module->parsed->tree.body, name->id,
                          expr->start, parts)) {
        Chain chain;
        for (const Expr *part : parts.parts) {
          chain.push_back({.expr = part, .function = &function});
        }
        into.push_back(std::move(chain));
        return true;
      }
      if (function.slot_of(name->id) != model::FunctionInfo::kNoSlot && !function.has_param(name->id)) {
        return false; // something else happens to it
      }
    }
    if (const auto *call = as<Call>(expr)) {
      return lists_of_call(function, *call, depth, into);
    }
    const std::vector<model::Argument::Given> written = model::written_as(model::scope_of(project_, function), expr);
    return !written.empty() && std::ranges::all_of(written, [&](const model::Argument::Given &given) {
      return given.expr != expr && given.scope.function != nullptr &&
             lists_of(*given.scope.function, given.expr, depth + 1, into);
    });
  }

  bool add_elements(const model::FunctionInfo &function, const Array<Expr *> &elements, u32 depth,
                    std::vector<Chain> &into) {
    std::vector<Chain> all = {Chain{}};
    for (const Expr *element : elements) {
      std::vector<Chain> next;
      if (const auto *star = as<Starred>(element)) {
        if (!lists_of(function, star->value, depth + 1, next)) {
          return false;
        }
      } else {
        next.push_back({{.expr = element, .function = &function}});
      }
      std::vector<Chain> longer;
      if (!add_products(all, next, longer)) {
        return false;
      }
      all = std::move(longer);
    }
    into.insert(into.end(), all.begin(), all.end());
    return into.size() <= kMostChains;
  }

private:
  static constexpr std::size_t kMostChains = 16;

  static bool add_products(const std::vector<Chain> &first, const std::vector<Chain> &second,
                           std::vector<Chain> &into) {
    for (const Chain &one : first) {
      for (const Chain &other : second) {
        Chain both = one;
        both.insert(both.end(), other.begin(), other.end());
        into.push_back(std::move(both));
      }
    }
    return into.size() <= kMostChains;
  }

  bool lists_of_call(const model::FunctionInfo &function, const Call &call, u32 depth, std::vector<Chain> &into) {
    const Value callee = project_.callee_of(&call);
    const std::string_view api = callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
    if ((api == "tuple" || api == "list") && call.args.size() == 1) {
      return lists_of(function, call.args[0], depth + 1, into);
    }
    std::vector<const model::FunctionInfo *> functions =
        functions_chosen_by(project_, model::scope_of(project_, function), call.func);
    bool is_other = callee.open;
    for_each_alternative(callee, [&](const Value &one) {
      const bool is_function = one.is(Value::Tag::Function) || one.is(Value::Tag::Method);
      if (is_function && std::ranges::find(functions, one.function) == functions.end()) {
        functions.push_back(one.function);
      }
      is_other |= !is_function;
    });
    return !functions.empty() && !is_other && std::ranges::all_of(functions, [&](const model::FunctionInfo *one) {
      return lists_returned_by(*one, depth + 1, into);
    });
  }

  bool lists_returned_by(const model::FunctionInfo &function, u32 depth, std::vector<Chain> &into) {
    if (const Lambda *lambda = function.lambda()) {
      return lists_of(function, lambda->body, depth, into);
    }
    const FunctionDef *definition = function.definition();
    if (definition == nullptr) {
      return false;
    }
    Chain yielded;
    bool is_understood = true;
    bool returns = false;
    any_node(definition->body, [&](const Node *node) {
      if (const auto *result = as<Return>(node); result != nullptr && result->value != nullptr) {
        returns = true;
        is_understood &= lists_of(function, result->value, depth, into);
      } else if (const auto *yield = as<Yield>(node); yield != nullptr && yield->value != nullptr) {
        yielded.push_back({.expr = yield->value, .function = &function});
      }
      return false;
    });
    if (!yielded.empty()) {
      into.push_back(std::move(yielded));
      returns = true;
    }
    return is_understood && returns;
  }

  const model::Project &project_;
};

} // namespace

std::vector<Chain> chains_of(const Site &site, const Call &call) {
  std::vector<Chain> chains;
  if (site.function == nullptr || !ChainSearch(site.project).add_elements(*site.function, call.args, 0, chains)) {
    return {};
  }
  for (Chain &chain : chains) {
    for (ChainPart &part : chain) {
      part.what = transformation_of(site.project, model::scope_of(site.project, *part.function), part.expr, 0);
    }
  }
  return chains;
}

} // namespace deepperf::rules
