#include "rules/thin.h"

#include "model/bind.h"
#include "model/variance.h"
#include "python/children.h"
#include "rules/answers.h"
#include "rules/copies.h"
#include "rules/repetition.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;

namespace {

constexpr std::size_t kMostCalls = 16; // of a function that has more, no call is looked through

// Where rules look.
thread_local const Site *looking = nullptr;

// ---- Which functions are thin ---------------------------------------------------------------------------------------

struct ThinBody {
  const Expr *value = nullptr;
};

bool is_docstring(const Stmt *statement) {
  const auto *expression = as<ExprStmt>(statement);
  return expression != nullptr && is_constant(expression->value, ConstantKind::Str);
}

// What the function gives back, or evaluates.
const Expr *value_of_last(const Stmt *statement) {
  const auto *returned = as<Return>(statement);
  const auto *expression = as<ExprStmt>(statement);
  return returned != nullptr ? returned->value : expression != nullptr ? expression->value : nullptr;
}

ThinBody find_body(const FunctionDef &definition) {
  const auto first = definition.body.begin() + (is_docstring(definition.body.front()) ? 1 : 0);
  const bool has_plain_params = std::ranges::all_of(definition.params, [](const Param *param) {
    return param->pattern == nullptr && param->param_kind() != ParamKind::VarArgs &&
           param->param_kind() != ParamKind::KwArgs;
  });
  if (definition.body.end() - first != 1 || !definition.decorators.empty() || definition.is_async ||
      !has_plain_params) {
    return {};
  }
  const Expr *const value = value_of_last(*first);
  return {value != nullptr && value->kind != NodeKind::Constant && value->kind != NodeKind::Name && can_be_copied(value)
              ? value
              : nullptr};
}

// Asked of nearly every call that a search comes to: what most functions are not is seen at once.
const Expr *body_of(const Site &site, const FunctionInfo &function) {
  constexpr u32 kMostStatements = 2; // with the docstring
  const FunctionDef *const definition = function.definition();
  if (definition == nullptr || definition->body.empty() || definition->body.size() > kMostStatements ||
      !definition->decorators.empty() || value_of_last(definition->body.back()) == nullptr) {
    return nullptr;
  }
  return site.memory.recall<ThinBody>(&function, [definition] { return find_body(*definition); }).value;
}

// ---- Copies ---------------------------------------------------------------------------------------------------------

// What each parameter stands for in one call.
struct Given {
  const Param *param = nullptr;
  const Expr *value = nullptr;
  u32 uses = 0;
};

bool is_path(const Expr *expr) {
  while (true) {
    if (const auto *attribute = as<Attribute>(expr)) {
      expr = attribute->value;
    } else {
      return expr->kind == NodeKind::Name || expr->kind == NodeKind::Constant;
    }
  }
}

class CopyingCall {
public:
  CopyingCall(const Site &site, const model::CallSite &call, const Call &place)
      : site_(site), call_(call), place_(place) {}

  // Null if it cannot be done.
  const Expr *of(const Expr *body) {
    const FunctionInfo &function = *call_.callee;
    for (u32 i = 0; i < function.params.size(); ++i) {
      const bool is_object = i == 0 && call_.bound;
      const Expr *value = is_object ? object_of(call_) : model::passed_argument(call_, i);
      const Expr *const otherwise = function.params[i]->default_value;
      if (value == nullptr && otherwise != nullptr && otherwise->kind == NodeKind::Constant) {
        value = otherwise;
      }
      given_.push_back({function.params[i], value});
    }
    if (!is_understood(body)) {
      return nullptr;
    }
    // What is computed once must not be seen twice.
    const bool is_shared =
        std::ranges::any_of(given_, [](const Given &one) { return one.uses > 1 && !is_path(one.value); });
    const auto replace = [this](const Name &name) -> const Expr * {
      const Given *const given = given_for(name.id);
      return given != nullptr ? given->value : nullptr;
    };
    return is_shared ? nullptr : copy_of(site_, body, replace, &place_);
  }

private:
  Given *given_for(Symbol name) {
    const auto found = std::ranges::find_if(given_, [name](const Given &one) { return one.param->name == name; });
    return found != given_.end() ? &*found : nullptr;
  }

  // Is each name a parameter that is known, or the same where the call stands?
  bool is_understood(const Node *node) {
    if (const auto *name = as<Name>(node)) {
      if (Given *const given = given_for(name->id)) {
        ++given->uses;
        return given->value != nullptr && name->context == Context::Load;
      }
      for (const FunctionInfo *at = call_.caller; at != nullptr && at->node != nullptr; at = at->parent) {
        if (at->slot_of(name->id) != FunctionInfo::kNoSlot) {
          return false;
        }
      }
      return true;
    }
    bool is_understood = true;
    for_each_child(node, [&](const Node *child) { is_understood = is_understood && this->is_understood(child); });
    return is_understood;
  }

  const Site &site_;
  const model::CallSite &call_;
  const Call &place_;
  std::vector<Given> given_;
};

struct CopyAtCall {
  const Expr *value = nullptr;
};

// `self.step(x)` of a method that is called step, or `step(x)`: not through what jax.jit made of it, and not of another
// object, whose attributes are not those that are known where the call stands.
bool is_called_itself(const model::CallSite &call) {
  const FunctionInfo &function = *call.callee;
  if (const auto *method = as<Attribute>(call.call->func)) {
    return method->attr == function.name && (!call.bound || model::is_own_object(*call.caller, method->value));
  }
  const auto *name = as<Name>(call.call->func);
  return name != nullptr && name->id == function.name && !call.bound;
}

// `place` is the call itself, or its copy.
const Expr *copy_for(const Site &site, const model::CallSite &call, const Call &place) {
  const FunctionInfo &callee = *call.callee;
  const Expr *const body = body_of(site, callee);
  if (body == nullptr || answers::called_function(site, place) != &callee || !is_called_itself(call) || call.by_type ||
      call.caller->module != callee.module || call.caller == &callee || has_hidden_arguments(place)) {
    return nullptr;
  }
  return site.memory.recall<CopyAtCall>(&place, [&] { return CopyAtCall{CopyingCall(site, call, place).of(body)}; })
      .value;
}

// What stands for a call of a function of the project, whichever it is.
const Expr *copy_known(const Site &site, const Call &call) {
  const FunctionInfo *const function = answers::called_function(site, call);
  if (function == nullptr || function->module != site.module || body_of(site, *function) == nullptr ||
      function->called_by.size() > kMostCalls) {
    return nullptr;
  }
  const auto known = std::ranges::find_if(function->called_by,
                                          [&call](const model::CallSite *one) { return one->call->fact == call.fact; });
  return known != function->called_by.end() ? copy_for(site, **known, call) : nullptr;
}

} // namespace

bool is_thin(const Site &site, const FunctionInfo &function) { return body_of(site, function) != nullptr; }

const Expr *copy_at(const Site &site, const model::CallSite &call) { return copy_for(site, call, *call.call); }

const Expr *run_by(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  // Calls in copies are left alone: functions that call each other would be copied without end.
  if (call == nullptr || call->fact == 0 || original_of(site, call) != call) {
    return expr;
  }
  // Most calls are of APIs, and searches come to all calls again and again: nothing is copied before this is known.
  const model::Value::Tag tag = (site.project.callees.data() + call->fact)->tag;
  if (tag != model::Value::Tag::Function && tag != model::Value::Tag::Method) {
    return expr;
  }
  const Expr *const copy = copy_known(site, *call);
  return copy != nullptr ? copy : expr;
}

const Expr *copy_in_place(const Node *node) {
  if (node->kind != NodeKind::Call || looking == nullptr) {
    return nullptr;
  }
  const auto *call = static_cast<const Call *>(node);
  const Expr *const copy = run_by(*looking, call);
  return copy != call ? copy : nullptr;
}

const Expr *run_by(const Expr *expr) { return looking != nullptr ? run_by(*looking, expr) : expr; }

void look_from(const Site *site) {
  looking = site;
  if (site == nullptr) {
    forget_copies();
  }
}

} // namespace deepperf::rules
