#include "rules/tracers.h"

#include "base/name_table.h"
#include "model/variance.h"
#include "rules/origins.h"
#include "rules/static_arguments.h"
#include "rules/tracing.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

bool is_function(const Value &value) { return value.is(Value::Tag::Function) || value.is(Value::Tag::Method); }

class TracerSearch {
public:
  explicit TracerSearch(const Site &site) : site_(site), project_(site.project) {}

  bool is_tracer(const FunctionInfo &function, const Expr *expr, u32 depth = 0) {
    if (expr == nullptr || depth > kMostDepth || ++steps_ > kMostSteps) {
      return false;
    }
    const auto holds = [&](const Expr *part) { return is_tracer(function, part, depth + 1); };
    switch (expr->kind) {
    case NodeKind::Name:
      return is_traced_name(function, *static_cast<const Name *>(expr), depth);
    case NodeKind::Attribute: {
      static const NameTable kParts({"T", "mT", "real", "imag", "at", "params", "opt_state", "step", "batch_stats"});
      const auto *attribute = static_cast<const Attribute *>(expr);
      return kParts.has(attribute->attr) && holds(attribute->value);
    }
    case NodeKind::Subscript:
      return holds(static_cast<const Subscript *>(expr)->value);
    case NodeKind::Starred:
      return holds(static_cast<const Starred *>(expr)->value);
    case NodeKind::BinOp:
      return holds(static_cast<const BinOp *>(expr)->left) || holds(static_cast<const BinOp *>(expr)->right);
    case NodeKind::UnaryOp:
      return holds(static_cast<const UnaryOp *>(expr)->operand);
    case NodeKind::IfExp:
      return holds(static_cast<const IfExp *>(expr)->body) && holds(static_cast<const IfExp *>(expr)->orelse);
    case NodeKind::Compare: {
      const auto *compare = static_cast<const Compare *>(expr);
      return compare->rest.size() == 1 && compare->rest[0].op <= CompareOperator::GtE &&
             (holds(compare->left) || holds(compare->rest[0].right));
    }
    case NodeKind::Call:
      return is_traced_result(function, *static_cast<const Call *>(expr), depth);
    default:
      return false;
    }
  }

private:
  static constexpr u32 kMostDepth = 12;
  static constexpr u32 kMostSteps = 2000;

public:
  // Is the function, or one around it, traced by jax.jit whenever it runs?
  static bool is_jitted(const FunctionInfo *function) {
    for (; function != nullptr; function = function->parent) {
      if ((function->tracers & model::kByPython) != 0) {
        return false;
      }
      if ((function->tracers & model::kByJaxJit) != 0) {
        return true;
      }
    }
    return false;
  }

private:
  // All that the function has bound the name to, when it first comes to the place, has to be a tracer.
  bool is_traced_name(const FunctionInfo &function, const Name &place, u32 depth) {
    const Symbol name = place.id;
    const FunctionInfo *owner = &function;
    while (owner != nullptr && owner->slot_of(name) == FunctionInfo::kNoSlot) {
      owner = owner->parent;
    }
    if (owner == nullptr || !is_jitted(owner)) {
      return false; // a constant of an outer scope
    }
    bool found = false;
    for (u32 i = 0; i < owner->params.size() && i < 64; ++i) {
      if (owner->params[i]->name == name) {
        found = (traced_parameters(*owner, depth + 1) >> i & 1U) != 0;
        if (!found) {
          return false;
        }
      }
    }
    const FunctionDef *definition = owner->definition();
    bool other = false;
    if (definition != nullptr) {
      any_node(definition->body, [&](const Node *node) {
        if (owner == &function && node->start > place.start) {
          return false;
        }
        if (const auto *assignment = as<Assign>(node)) {
          for (const Expr *target : assignment->targets) {
            note_binding(*owner, target, assignment->value, name, depth, found, other);
          }
        } else if (const auto *loop = as<For>(node)) {
          note_binding(*owner, loop->target, loop->iter, name, depth, found, other);
        } else if (const auto *annotated = as<AnnAssign>(node); annotated != nullptr && annotated->value != nullptr) {
          note_binding(*owner, annotated->target, annotated->value, name, depth, found, other);
        }
        return other;
      });
    }
    return found && !other;
  }

  void note_binding(const FunctionInfo &owner, const Expr *target, const Expr *value, Symbol name, u32 depth,
                    bool &found, bool &other) {
    if (const auto *plain = as<Name>(target)) {
      if (plain->id == name) {
        // `x = x * 2`: what it is made of besides itself does not matter.
        const bool goes_on = found && mentions(value, name);
        const bool traced = goes_on || is_tracer(owner, value, depth + 1);
        (traced ? found : other) = true;
      }
      return;
    }
    const auto *tuple = as<Tuple>(target);
    const auto *values = as<Tuple>(value);
    for (u32 i = 0; tuple != nullptr && i < tuple->elts.size(); ++i) {
      const bool is_pair = values != nullptr && values->elts.size() == tuple->elts.size();
      note_binding(owner, tuple->elts[i], is_pair ? values->elts[i] : value, name, depth, found, other);
    }
  }

  bool is_traced_result(const FunctionInfo &function, const Call &call, u32 depth) {
    static const NameTable kMethods({"sum",     "mean",   "max",     "min",      "reshape", "astype", "transpose",
                                     "squeeze", "ravel",  "flatten", "dot",      "std",     "var",    "argmax",
                                     "argmin",  "any",    "all",     "clip",     "set",     "add",    "multiply",
                                     "prod",    "cumsum", "round",   "swapaxes", "take",    "repeat", "conj"});
    if (!is_jitted(&function)) {
      return false;
    }
    const auto holds = [&](const Expr *part) { return is_tracer(function, part, depth + 1); };
    const Value callee = project_.callee_of(&call);
    if (callee.is(Value::Tag::Api)) { // also of constants: what runs under jit is part of the compiled program
      const ApiInfo *info = find_api(callee.name());
      const std::string_view api = callee.name().text();
      if (numpy_on_tracer(api) != NumpyOnTracer::Unknown) {
        return std::ranges::any_of(call.args, holds);
      }
      if (api == "jax.lax.psum" && !call.args.empty() && is_constant(call.args[0], ConstantKind::Int)) {
        return false; // the number of devices along an axis
      }
      return info != nullptr && info->returns == Kind::JaxArray && info->has(kOp) &&
             (api.starts_with("jax.") || std::ranges::any_of(call.args, holds));
    }
    if (is_gradient(function, call.func)) {
      return true;
    }
    if (is_function(callee)) {
      return returns_tracer(*callee.function, depth + 1);
    }
    const auto *method = as<Attribute>(call.func);
    if (method == nullptr) {
      return false;
    }
    const std::string_view name = method->attr.text();
    if (name == "apply" || name == "apply_fn") { // of a Flax module or train state
      return std::ranges::any_of(call.args,
                                 [&](const Expr *arg) { return holds(arg) || has_traced_entry(function, arg, depth); });
    }
    return kMethods.has(method->attr) && holds(method->value);
  }

  // jax.grad(f), jax.value_and_grad(f), also under a name: what they give under jit are tracers.
  bool is_gradient(const FunctionInfo &function, const Expr *expr) {
    const auto *made = as<Call>(expr);
    if (expr->kind == NodeKind::Name) {
      const std::vector<model::Argument::Given> written = model::written_as(model::scope_of(project_, function), expr);
      made = written.size() == 1 ? as<Call>(written.front().expr) : nullptr;
    }
    const Value callee = made != nullptr ? project_.callee_of(made) : Value{};
    const std::string_view api = callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
    return api == "jax.grad" || (api == "jax.value_and_grad" && keyword_argument(*made, "has_aux") == nullptr);
  }

  // {"params": params}
  bool has_traced_entry(const FunctionInfo &function, const Expr *expr, u32 depth) {
    const auto *dict = as<Dict>(expr);
    return dict != nullptr && std::ranges::any_of(dict->items, [&](const DictItem &item) {
             return is_tracer(function, item.value, depth + 1);
           });
  }

  bool returns_tracer(const FunctionInfo &function, u32 depth) {
    if (depth > kMostDepth || !is_jitted(&function)) {
      return false;
    }
    if (const Lambda *lambda = function.lambda()) {
      return is_tracer(function, lambda->body, depth + 1);
    }
    const FunctionDef *definition = function.definition();
    u32 results = 0;
    u32 traced = 0;
    if (definition != nullptr) {
      any_node(definition->body, [&](const Node *node) {
        const auto *result = as<Return>(node);
        if (result != nullptr) {
          ++results;
          traced += is_tracer(function, result->value, depth + 1) ? 1 : 0;
        }
        return false;
      });
    }
    return results > 0 && results == traced;
  }

  u64 traced_parameters(const FunctionInfo &function, u32 depth) {
    if (const auto known = parameters_.find(&function); known != parameters_.end()) {
      return known->second;
    }
    parameters_[&function] = 0; // until it is known: functions that call themselves
    const u64 bits = depth > kMostDepth ? 0 : find_traced_parameters(function, depth);
    parameters_[&function] = bits;
    return bits;
  }

  u64 find_traced_parameters(const FunctionInfo &function, u32 depth) {
    if (function.params.empty() || function.params.size() > 63 || !is_jitted(&function)) {
      return 0;
    }
    u64 plain = 0; // without `self`, `*args` and what has a default
    for (u32 i = 0; i < function.params.size(); ++i) {
      const Param &param = *function.params[i];
      const bool is_self = i == 0 && function.type != nullptr && !function.is_static;
      if (!is_self && param.default_value == nullptr && param.name && param.param_kind() != ParamKind::VarArgs &&
          param.param_kind() != ParamKind::KwArgs) {
        plain |= u64{1} << i;
      }
    }
    if (function.compiled_at != nullptr) {
      return compiled_parameters(function, plain);
    }
    if (const std::vector<HandedTo> &handed = handed_to(site_, function); !handed.empty()) {
      u64 bits = plain;
      for (const HandedTo &one : handed) {
        bits &= handed_parameters(function, one, depth);
      }
      return function.called_by.empty() ? bits : bits & passed_parameters(function, plain, depth);
    }
    return passed_parameters(function, plain, depth);
  }

  u64 compiled_parameters(const FunctionInfo &function, u64 plain) {
    const Site there = site_around(site_, function);
    const auto *made = as<Call>(function.compiled_at);
    const Expr *compiler = made != nullptr ? made->func : function.compiled_at;
    const Value value = value_of(there, compiler);
    const std::string_view api = value.is(Value::Tag::Api) ? value.name().text() : std::string_view{};
    // Equinox and NNX trace the arrays in what they are passed, and nobody tells us which arguments are arrays.
    if (api.starts_with("equinox.") || api.starts_with("flax.nnx.")) {
      return 0;
    }
    const StaticParameters fixed = static_parameters(site_, function);
    return fixed.unknown ? 0 : plain & ~fixed.bits;
  }

  // What a transformation passes to its function: what it differentiates, maps over or loops over.
  u64 handed_parameters(const FunctionInfo &function, const HandedTo &handed, u32 depth) {
    const FunctionInfo *caller = project_.caller_of(handed.transform);
    if (caller == nullptr || !is_jitted(caller)) {
      return 0;
    }
    const bool is_method = function.type != nullptr && !function.is_static;
    const u32 first = is_method ? 1 : 0;
    u64 bits = 0;
    if (handed.api.ends_with("grad")) {
      bits = keyword_argument(*handed.transform, "argnums") == nullptr && handed.transform->args.size() == 1
                 ? u64{1} << first
                 : 0;
    } else if (handed.api == "jax.lax.scan" || handed.api == "jax.lax.fori_loop" ||
               handed.api == "jax.lax.while_loop") {
      bits = ~u64{0};
    } else if (handed.api.ends_with("vmap")) {
      bits =
          handed.transform->args.size() == 1 && keyword_argument(*handed.transform, "in_axes") == nullptr ? ~u64{0} : 0;
    }
    for (u32 i = 0; handed.outer != nullptr && i < handed.outer->args.size(); ++i) {
      if (handed.outer->args[i]->kind == NodeKind::Starred) {
        break;
      }
      if (i + first < 63 && is_tracer(*caller, handed.outer->args[i], depth + 1)) {
        bits |= u64{1} << (i + first);
      }
    }
    return bits;
  }

  // What all callers pass as tracers.
  u64 passed_parameters(const FunctionInfo &function, u64 plain, u32 depth) {
    constexpr std::size_t kMostCallers = 24;
    if (function.called_by.empty() || function.called_by.size() > kMostCallers) {
      return 0;
    }
    u64 bits = 0;
    for (u32 i = 0; i < function.params.size(); ++i) {
      const bool is_traced =
          (plain >> i & 1U) != 0 && std::ranges::all_of(function.called_by, [&](const model::CallSite *site) {
            return site->caller == &function || is_tracer(*site->caller, passed_for(*site, i), depth + 1);
          });
      bits |= is_traced ? u64{1} << i : 0;
    }
    return bits;
  }

  // The argument for a parameter, or the `*values` that it is one of.
  static const Expr *passed_for(const model::CallSite &site, u32 index) {
    const u32 position = index - (site.bound ? 1 : 0);
    for (u32 i = 0; i < site.call->args.size() && i <= position; ++i) {
      if (site.call->args[i]->kind == NodeKind::Starred) {
        return site.call->args[i];
      }
    }
    return model::passed_argument(site, index);
  }

  const Site &site_;
  const model::Project &project_;
  std::unordered_map<const FunctionInfo *, u64> parameters_;
  u32 steps_ = 0;
};

} // namespace

bool is_tracer(const Site &site, const Expr *expr) {
  return site.function != nullptr && site.module->jax && TracerSearch(site).is_tracer(*site.function, expr);
}

bool is_outer_constant(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const FunctionInfo *owner = name != nullptr ? site.function : nullptr;
  while (owner != nullptr && owner->slot_of(name->id) == FunctionInfo::kNoSlot) {
    owner = owner->parent;
  }
  return owner != nullptr && owner != site.function && !TracerSearch::is_jitted(owner);
}

NumpyOnTracer numpy_on_tracer(std::string_view api) {
  static const NameTable kFailing(
      {"numpy.sqrt",       "numpy.exp",        "numpy.log",         "numpy.log1p",        "numpy.expm1",
       "numpy.sin",        "numpy.cos",        "numpy.tan",         "numpy.tanh",         "numpy.abs",
       "numpy.maximum",    "numpy.sign",       "numpy.minimum",     "numpy.power",        "numpy.where",
       "numpy.asarray",    "numpy.array",      "numpy.stack",       "numpy.floor",        "numpy.concatenate",
       "numpy.ceil",       "numpy.square",     "numpy.matmul",      "numpy.linalg.norm",  "numpy.absolute",
       "numpy.dot",        "numpy.einsum",     "numpy.linalg.inv",  "numpy.linalg.solve", "numpy.linalg.eigh",
       "numpy.linalg.svd", "numpy.linalg.det", "numpy.tensordot",   "numpy.outer",        "numpy.hstack",
       "numpy.vstack",     "numpy.isnan",      "numpy.isfinite",    "numpy.logical_and",  "numpy.logical_or",
       "numpy.fft.fft",    "numpy.arctan2",    "numpy.log2",        "numpy.log10",        "numpy.exp2",
       "numpy.linalg.eig", "numpy.add",        "numpy.linalg.pinv", "numpy.percentile",   "numpy.median",
       "numpy.subtract",   "numpy.multiply",   "numpy.divide",      "numpy.interp",       "numpy.linalg.cholesky"});
  static const NameTable kWorking({"numpy.sum",    "numpy.mean",   "numpy.max",       "numpy.min",     "numpy.amax",
                                   "numpy.amin",   "numpy.prod",   "numpy.std",       "numpy.var",     "numpy.any",
                                   "numpy.all",    "numpy.argmax", "numpy.argmin",    "numpy.reshape", "numpy.squeeze",
                                   "numpy.ravel",  "numpy.repeat", "numpy.transpose", "numpy.cumsum",  "numpy.clip",
                                   "numpy.argsort"});
  if (!api.starts_with("numpy.")) {
    return NumpyOnTracer::Unknown;
  }
  const Symbol name = intern(api);
  return kFailing.has(name) ? NumpyOnTracer::Fails : kWorking.has(name) ? NumpyOnTracer::Works : NumpyOnTracer::Unknown;
}

} // namespace deepperf::rules
