#include "rules/thin.h"

#include "base/arena.h"
#include "model/bind.h"
#include "model/variance.h"
#include "python/children.h"
#include "rules/answers.h"
#include "rules/repetition.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;

namespace {

constexpr std::size_t kMostCalls = 16; // of a function that has more, no call is looked through

// Where copies are in memory, so that nobody has to look for other nodes among them.
struct CopiedRange {
  const Node *first = nullptr;
  const Node *last = nullptr;
};
thread_local CopiedRange copied;

bool is_in_range(const Node *node) {
  return copied.first != nullptr && !std::less<const Node *>()(node, copied.first) &&
         !std::less<const Node *>()(copied.last, node);
}

// Where rules look.
thread_local const Site *looking = nullptr;

// All copies that were made for a project, and what they were made from.
struct Copies {
  mutable Arena nodes;
  mutable std::unordered_map<const Node *, const Node *> originals;
};

const Copies &copies_of(const Site &site) {
  return site.memory.recall<Copies>(&site.project, [] { return Copies{}; });
}

// ---- Which functions are thin ---------------------------------------------------------------------------------------

struct ThinBody {
  const Expr *value = nullptr;
};

bool is_docstring(const Stmt *statement) {
  const auto *expression = as<ExprStmt>(statement);
  return expression != nullptr && is_constant(expression->value, ConstantKind::Str);
}

const Expr *evaluated_by(const Stmt *statement) {
  const auto *returned = as<Return>(statement);
  const auto *expression = as<ExprStmt>(statement);
  return returned != nullptr ? returned->value : expression != nullptr ? expression->value : nullptr;
}

// Only what is copied below, and has no names of its own.
bool can_be_copied(const Node *node) {
  switch (node->kind) {
  case NodeKind::Constant:
    return true;
  case NodeKind::Name:
  case NodeKind::BoolOp:
  case NodeKind::BinOp:
  case NodeKind::UnaryOp:
  case NodeKind::Compare:
  case NodeKind::Call:
  case NodeKind::Keyword:
  case NodeKind::Attribute:
  case NodeKind::Subscript:
  case NodeKind::Slice:
  case NodeKind::Starred:
  case NodeKind::List:
  case NodeKind::Tuple:
  case NodeKind::Dict:
  case NodeKind::IfExp:
  case NodeKind::JoinedStr:
    break;
  case NodeKind::FormattedValue:
    if (static_cast<const FormattedValue *>(node)->format_spec != nullptr) {
      return false;
    }
    break;
  default:
    return false;
  }
  bool can = true;
  for_each_child(node, [&can](const Node *child) { can = can && can_be_copied(child); });
  return can;
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
  const Expr *const value = evaluated_by(*first);
  return {value != nullptr && value->kind != NodeKind::Constant && value->kind != NodeKind::Name && can_be_copied(value)
              ? value
              : nullptr};
}

// Asked of nearly every call that a search comes to: what most functions are not is seen at once.
const Expr *body_of(const Site &site, const FunctionInfo &function) {
  constexpr u32 kMostStatements = 2; // with the docstring
  const FunctionDef *const definition = function.definition();
  if (definition == nullptr || definition->body.empty() || definition->body.size() > kMostStatements ||
      !definition->decorators.empty() || evaluated_by(definition->body.back()) == nullptr) {
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

class Copying {
public:
  Copying(const Site &site, const model::CallSite &call, const Call &place)
      : copies_(copies_of(site)), call_(call), place_(place) {}

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
    return is_shared ? nullptr : copy(body);
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

  template <class T> T *made_of(const T &original) {
    T *const node = copies_.nodes.make<T>(original);
    node->start = place_.start;
    node->end = place_.end;
    copies_.originals.emplace(node, &original);
    copied.first = copied.first == nullptr || std::less<const Node *>()(node, copied.first) ? node : copied.first;
    copied.last = std::less<const Node *>()(copied.last, node) ? node : copied.last;
    return node;
  }

  // Parts of a tree are not const there, and nobody who sees a tree of the model changes it.
  Expr *copy(const Expr *expr) { return const_cast<Expr *>(copied_or_given(expr)); }

  Array<Expr *> copy(const Array<Expr *> &list) {
    std::vector<Expr *> parts;
    for (const Expr *part : list) {
      parts.push_back(copy(part));
    }
    return copies_.nodes.copy(parts.data(), parts.size());
  }

  const Expr *copied_or_given(const Expr *expr) {
    if (expr == nullptr) {
      return nullptr;
    }
    switch (expr->kind) {
    case NodeKind::Name: {
      const auto &name = static_cast<const Name &>(*expr);
      const Given *const given = given_for(name.id);
      return given != nullptr ? given->value : made_of(name);
    }
    case NodeKind::BoolOp: {
      auto *node = made_of(static_cast<const BoolOp &>(*expr));
      node->values = copy(node->values);
      return node;
    }
    case NodeKind::BinOp: {
      auto *node = made_of(static_cast<const BinOp &>(*expr));
      node->left = copy(node->left);
      node->right = copy(node->right);
      return node;
    }
    case NodeKind::UnaryOp: {
      auto *node = made_of(static_cast<const UnaryOp &>(*expr));
      node->operand = copy(node->operand);
      return node;
    }
    case NodeKind::Compare: {
      auto *node = made_of(static_cast<const Compare &>(*expr));
      node->left = copy(node->left);
      std::vector<CompareItem> rest(node->rest.begin(), node->rest.end());
      for (CompareItem &item : rest) {
        item.right = copy(item.right);
      }
      node->rest = copies_.nodes.copy(rest.data(), rest.size());
      return node;
    }
    case NodeKind::Call:
      return copy_call(static_cast<const Call &>(*expr));
    case NodeKind::Attribute: {
      auto *node = made_of(static_cast<const Attribute &>(*expr));
      node->value = copy(node->value);
      return node;
    }
    case NodeKind::Subscript: {
      auto *node = made_of(static_cast<const Subscript &>(*expr));
      node->value = copy(node->value);
      node->slice = copy(node->slice);
      return node;
    }
    case NodeKind::Slice: {
      auto *node = made_of(static_cast<const Slice &>(*expr));
      node->lower = copy(node->lower);
      node->upper = copy(node->upper);
      node->step = copy(node->step);
      return node;
    }
    case NodeKind::Starred: {
      auto *node = made_of(static_cast<const Starred &>(*expr));
      node->value = copy(node->value);
      return node;
    }
    case NodeKind::List: {
      auto *node = made_of(static_cast<const List &>(*expr));
      node->elts = copy(node->elts);
      return node;
    }
    case NodeKind::Tuple: {
      auto *node = made_of(static_cast<const Tuple &>(*expr));
      node->elts = copy(node->elts);
      return node;
    }
    case NodeKind::Dict: {
      auto *node = made_of(static_cast<const Dict &>(*expr));
      std::vector<DictItem> items(node->items.begin(), node->items.end());
      for (DictItem &item : items) {
        item.key = copy(item.key);
        item.value = copy(item.value);
      }
      node->items = copies_.nodes.copy(items.data(), items.size());
      return node;
    }
    case NodeKind::IfExp: {
      auto *node = made_of(static_cast<const IfExp &>(*expr));
      node->test = copy(node->test);
      node->body = copy(node->body);
      node->orelse = copy(node->orelse);
      return node;
    }
    case NodeKind::JoinedStr: {
      auto *node = made_of(static_cast<const JoinedStr &>(*expr));
      node->values = copy(node->values);
      return node;
    }
    case NodeKind::FormattedValue: {
      auto *node = made_of(static_cast<const FormattedValue &>(*expr));
      node->value = copy(node->value);
      return node;
    }
    default:
      return expr; // a constant, whose value is what is written at its place
    }
  }

  const Expr *copy_call(const Call &call) {
    Call *const node = made_of(call);
    node->func = copy(node->func);
    node->args = copy(node->args);
    std::vector<Keyword *> keywords;
    for (const Keyword *keyword : call.keywords) {
      Keyword *const part = made_of(*keyword);
      part->value = copy(part->value);
      keywords.push_back(part);
    }
    node->keywords = copies_.nodes.copy(keywords.data(), keywords.size());
    return node;
  }

  const Copies &copies_;
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
  return site.memory.recall<CopyAtCall>(&place, [&] { return CopyAtCall{Copying(site, call, place).of(body)}; }).value;
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
    copied = {};
  }
}

const Node *original_of(const Site &site, const Node *node) {
  if (!is_in_range(node)) {
    return node;
  }
  const Copies &copies = copies_of(site);
  const auto known = copies.originals.find(node);
  return known != copies.originals.end() ? known->second : node;
}

} // namespace deepperf::rules
