#include "rules/symbolic.h"

#include "base/name_table.h"
#include "base/steps.h"
#include "model/classes.h"
#include "model/variance.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

struct TracedFunctions : std::unordered_map<const FunctionInfo *, TracedFunction> {};

class TracedSearch {
public:
  TracedSearch(const Site &site, bool is_eager) : project_(site.project), is_eager_(is_eager) {}

  void visit(const Node *node, const FunctionInfo *function, const model::Module &module) {
    if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda) {
      const FunctionInfo *inner = project_.function_at(node);
      function = inner != nullptr ? inner : function;
    }
    if (const auto *call = as<Call>(node)) {
      look_at(*call, *function, module);
    }
    for_each_child(node, [&](const Node *child) {
      if (child->kind != NodeKind::Name && child->kind != NodeKind::Constant) {
        visit(child, function, module);
      }
    });
  }

  // Losses and metrics as classes.
  void visit_classes() {
    for (const model::ClassInfo &type : project_.classes) {
      const bool is_loss = type.kind == Kind::KerasLoss;
      if (is_eager_ || type.node == nullptr || (!is_loss && type.kind != Kind::KerasMetric)) {
        continue;
      }
      const FunctionInfo *method = model::find_method_of(type, intern(is_loss ? "call" : "update_state"));
      if (method != nullptr) {
        found.try_emplace(method, TracedFunction{type.node, type.module, is_loss ? "loss" : "metric"});
      }
    }
  }

  void visit_stages() {
    for (const model::Stage &stage : project_.stages) {
      if (stage.info == nullptr || stage.call == nullptr || !stage.info->has(kMaps) || stage.module == nullptr) {
        continue;
      }
      Value mapper = stage.mapper;
      if (mapper.is(Value::Tag::Partial)) {
        continue; // what it fills in are plain values
      }
      if (is_function(mapper)) {
        found.try_emplace(mapper.function, TracedFunction{stage.call, stage.module, "map"});
      }
    }
  }

  TracedFunctions found;

private:
  static bool is_function(const Value &value) {
    return (value.is(Value::Tag::Function) || value.is(Value::Tag::Method)) && value.function != nullptr;
  }

  void add(const Expr *expr, const FunctionInfo &function, const model::Module &module, const Call &call,
           std::string_view as) {
    if (expr == nullptr) {
      return;
    }
    if (const auto *list = python::as<List>(expr)) {
      std::ranges::for_each(list->elts, [&](const Expr *one) { add(one, function, module, call, as); });
    } else if (const auto *tuple = python::as<Tuple>(expr)) {
      std::ranges::for_each(tuple->elts, [&](const Expr *one) { add(one, function, module, call, as); });
    } else if (const auto *dict = python::as<Dict>(expr)) {
      std::ranges::for_each(dict->items, [&](const DictItem &one) { add(one.value, function, module, call, as); });
    } else if (const auto *each = python::as<DictComp>(expr)) {
      add(each->value, function, module, call, as);
    } else if (expr->kind == NodeKind::Lambda) {
      const FunctionInfo *inner = project_.function_at(expr);
      if (inner != nullptr) {
        found.try_emplace(inner, TracedFunction{&call, &module, as});
      }
    } else {
      const Value value = model::value_of(model::scope_of(project_, function), expr);
      if (is_function(value)) {
        found.try_emplace(value.function, TracedFunction{&call, &module, as});
      }
    }
  }

  void look_at(const Call &call, const FunctionInfo &function, const model::Module &module) {
    const Value callee = project_.callee_of(&call);
    if (callee.is(Value::Tag::Api)) {
      if (callee.name().text().ends_with("keras.layers.Lambda") && !call.args.empty()) {
        add(call.args[0], function, module, call, "Lambda layer");
      }
      return;
    }
    if (called_method(call) != "compile" || is_eager_ || keyword_argument(call, "run_eagerly") != nullptr) {
      return;
    }
    const bool is_model = callee.is(Value::Tag::ApiMethod) && callee.kind == Kind::KerasModel;
    if (!is_model && keyword_argument(call, "loss") == nullptr && keyword_argument(call, "metrics") == nullptr) {
      return;
    }
    add(argument(call, 1, "loss"), function, module, call, "loss");
    add(argument(call, 2, "metrics"), function, module, call, "metric");
    const Keyword *weighted = keyword_argument(call, "weighted_metrics");
    add(weighted != nullptr ? weighted->value : nullptr, function, module, call, "metric");
  }

  const model::Project &project_;
  bool is_eager_;
};

const TracedFunctions &traced_functions(const Site &site) {
  return site.memory.recall<TracedFunctions>(&site.project, [&] {
    const SharedWork shared;
    const bool is_eager = project_has_word(site, {"run_eagerly", "run_functions_eagerly"});
    TracedSearch search(site, is_eager);
    for (const model::Module &module : site.project.modules) {
      const bool is_wanted = module.tensorflow && module.parsed != nullptr && module.body != nullptr;
      for (const Stmt *statement : is_wanted ? module.parsed->tree.body : Block{}) {
        search.visit(statement, module.body, module);
      }
    }
    search.visit_classes();
    search.visit_stages();
    return std::move(search.found);
  });
}

// What a function assigns to a name, in the order of its code.
struct Bound {
  u32 start = 0;
  const Expr *value = nullptr; // null: what a loop takes from something
};

struct BoundNames {
  std::unordered_map<u32, std::vector<Bound>> of;

  void add(const Expr *target, u32 start, const Expr *value) {
    if (const auto *plain = as<Name>(target)) {
      of[plain->id.id].push_back({start, value});
    } else if (const auto *tuple = as<Tuple>(target)) {
      for (const Expr *part : tuple->elts) {
        add(part, start, value);
      }
    }
  }
};

BoundNames find_bound(const FunctionDef &definition) {
  BoundNames found;
  any_node(definition.body, [&](const Node *node) {
    if (const auto *assignment = as<Assign>(node)) {
      for (const Expr *target : assignment->targets) {
        found.add(target, node->start, assignment->value);
      }
    } else if (const auto *loop = as<For>(node)) {
      any_node_inside(loop->target, [&](const Node *part) {
        if (const auto *name = as<Name>(part)) {
          found.of[name->id.id].push_back({node->start, nullptr});
        }
        return false;
      });
    }
    return false;
  });
  return found;
}

class SymbolicSearch {
public:
  explicit SymbolicSearch(const Site &site) : site_(site), all_(traced_functions(site)) {}

  bool is_symbolic(const FunctionInfo &function, const Expr *expr, u32 depth = 0) {
    if (expr == nullptr || depth > kMostDepth || ++steps_ > kMostSteps) {
      return false;
    }
    const auto holds = [&](const Expr *part) { return is_symbolic(function, part, depth + 1); };
    switch (expr->kind) {
    case NodeKind::Name:
      return is_symbolic_name(function, *static_cast<const Name *>(expr), depth);
    case NodeKind::Subscript:
      return holds(static_cast<const Subscript *>(expr)->value);
    case NodeKind::BinOp:
      return holds(static_cast<const BinOp *>(expr)->left) || holds(static_cast<const BinOp *>(expr)->right);
    case NodeKind::UnaryOp:
      return holds(static_cast<const UnaryOp *>(expr)->operand);
    case NodeKind::Compare: {
      const auto *compare = static_cast<const Compare *>(expr);
      return compare->rest.size() == 1 && compare->rest[0].op <= CompareOperator::GtE &&
             (holds(compare->left) || holds(compare->rest[0].right));
    }
    case NodeKind::Call:
      return is_symbolic_result(function, *static_cast<const Call *>(expr), depth);
    default:
      return false;
    }
  }

private:
  static constexpr u32 kMostDepth = 10;
  static constexpr u32 kMostSteps = 1000;

  bool is_symbolic_result(const FunctionInfo &function, const Call &call, u32 depth) {
    const auto holds = [&](const Expr *part) { return is_symbolic(function, part, depth + 1); };
    const Value callee = site_.project.callee_of(&call);
    if (callee.is(Value::Tag::Api)) {
      const std::string_view api = callee.name().text();
      const ApiInfo *info = find_api(callee.name());
      return (api.starts_with("tensorflow.") || api.starts_with("keras.") || api.starts_with("numpy.")) &&
             (info == nullptr || info->returns == Kind::Tensor || info->returns == Kind::NumpyArray) &&
             std::ranges::any_of(call.args, holds);
    }
    static const NameTable kMethods({"round", "clip", "reshape", "astype", "flatten", "sum", "mean", "max", "min"});
    const auto *method = as<Attribute>(call.func);
    return method != nullptr && kMethods.has(method->attr) && holds(method->value);
  }

  bool is_symbolic_name(const FunctionInfo &function, const Name &place, u32 depth) {
    const Symbol name = place.id;
    const FunctionInfo *owner = &function;
    while (owner != nullptr && owner->slot_of(name) == FunctionInfo::kNoSlot) {
      owner = owner->parent;
    }
    if (owner == nullptr || owner->node == nullptr || (owner->tracers & model::kByPython) != 0) {
      return false;
    }
    bool found = false;
    for (u32 i = 0; i < owner->params.size() && i < 64; ++i) {
      if (owner->params[i]->name == name) {
        found = is_symbolic_parameter(*owner, i, depth + 1);
        if (!found) {
          return false;
        }
      }
    }
    for (const Bound &bound : bound_to(*owner, name)) {
      if (owner == &function && bound.start > place.start) {
        break;
      }
      if (bound.value == nullptr || !is_symbolic(*owner, bound.value, depth + 1)) {
        return false;
      }
      found = true;
    }
    return found;
  }

  std::span<const Bound> bound_to(const FunctionInfo &function, Symbol name) const {
    const FunctionDef *const definition = function.definition();
    if (definition == nullptr) {
      return {};
    }
    const BoundNames &names =
        site_.memory.recall<BoundNames>(definition, [definition] { return find_bound(*definition); });
    const auto known = names.of.find(name.id);
    return known != names.of.end() ? std::span<const Bound>(known->second) : std::span<const Bound>();
  }

  bool is_symbolic_parameter(const FunctionInfo &function, u32 index, u32 depth) {
    const Param &param = *function.params[index];
    const bool is_self = index == 0 && function.type != nullptr && !function.is_static;
    if (is_self || param.default_value != nullptr || param.param_kind() == ParamKind::VarArgs ||
        param.param_kind() == ParamKind::KwArgs) {
      return false;
    }
    constexpr std::size_t kMostCallers = 12;
    const bool is_traced = all_.contains(&function);
    if (!is_traced && (function.called_by.empty() || function.passed || function.called_by.size() > kMostCallers)) {
      return false;
    }
    const auto is_own = [&](const model::CallSite *site) { return site->caller == &function; };
    if (!is_traced && std::ranges::all_of(function.called_by, is_own)) {
      return false;
    }
    return std::ranges::all_of(function.called_by, [&](const model::CallSite *site) {
      return is_own(site) || is_symbolic(*site->caller, model::passed_argument(*site, index), depth + 1);
    });
  }

  const Site &site_;
  const TracedFunctions &all_;
  u32 steps_ = 0;
};

} // namespace

const TracedFunction *traced_by_keras(const Site &site) {
  const TracedFunctions &all = traced_functions(site);
  for (const FunctionInfo *function = site.function; function != nullptr; function = function->parent) {
    if ((function->tracers & model::kByPython) != 0) {
      return nullptr;
    }
    if (const auto found = all.find(function); found != all.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

bool is_symbolic(const Site &site, const Expr *expr) {
  return site.function != nullptr && site.module->tensorflow && !traced_functions(site).empty() &&
         SymbolicSearch(site).is_symbolic(*site.function, expr);
}

} // namespace deepperf::rules
