#include "model/variance.h"

#include "base/symbol_list.h"
#include "model/bind.h"
#include "model/effects.h"
#include "model/facts.h"
#include "python/children.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::model {

using namespace python;

namespace {

// Attributes that training changes, whoever holds them.
bool is_state(std::string_view attribute) {
  return attribute == "iterations" || attribute == "weights" || attribute == "variables" ||
         attribute == "trainable_variables" || attribute == "trainable_weights" || attribute == "losses" ||
         attribute == "global_step" || attribute == "learning_rate";
}

// `x.device`: where a tensor is and what its elements are, whatever their values.
bool is_place_or_type(const Attribute &attribute) {
  return attribute.attr.text() == "device" || attribute.attr.text() == "dtype";
}

// Does the expression hold a variable in code that runs eagerly? What that holds changes without anything being bound.
bool is_eager_variable(const FunctionInfo &function, const Expr *expr) {
  if (!function.module->may_be_eager()) {
    return false;
  }
  if (kind_of(expr) == Kind::Variable) {
    return true;
  }
  const auto *attribute = as<Attribute>(expr);
  if (attribute == nullptr || attribute->attr.text() == "layers" || attribute->attr.text() == "name") {
    return false;
  }
  switch (kind_of(attribute->value)) { // weights, totals, steps
  case Kind::KerasLayer:
  case Kind::KerasModel:
  case Kind::KerasMetric:
  case Kind::KerasOptimizer:
    return true;
  default:
    return false;
  }
}

// A value that nothing can change in place.
bool is_immutable(const FunctionInfo &function, const Expr *expr) {
  switch (kind_of(expr)) {
  case Kind::Unknown:
    break;
  case Kind::Tensor:
  case Kind::Operation:
  case Kind::Str:
  case Kind::JaxArray:
    return true;
  default:
    return false;
  }
  const auto *name = as<Name>(expr);
  if (name == nullptr) {
    return false;
  }
  const Value *const value = all_values_of(function, name->id); // null: a builtin
  return value == nullptr || (value->known() && !value->is(Value::Tag::Instance) && !value->is(Value::Tag::Tuple) &&
                              !value->is(Value::Tag::Object));
}

class VarianceSearch {
public:
  VarianceSearch(const Project &project, const Loop &loop, const LoopEffects &effects)
      : project_(project), loop_(loop), effects_(effects) {}

  // Of all names that the loop binds once.
  SymbolMap<bool> varying_names() {
    for (const auto &[name, value] : effects_.only_assignments) {
      varies_once_bound(name, value);
    }
    return std::move(known_);
  }

  bool varies(const Node *node) {
    switch (node->kind) {
    case NodeKind::Constant:
      return false;
    case NodeKind::Name:
      return varies_name(static_cast<const Name *>(node));
    case NodeKind::Attribute:
      return varies_attribute(static_cast<const Attribute *>(node));
    case NodeKind::Call: {
      const auto *call = static_cast<const Call *>(node);
      if (!is_pure(project_, *loop_.function, call)) {
        return true;
      }
      // A pure function's name does not matter, but the object of a method does.
      if (const auto *method = as<Attribute>(call->func); method != nullptr && varies(method->value)) {
        return true;
      }
      return std::ranges::any_of(call->args, [this](const Expr *arg) { return varies(arg); }) ||
             std::ranges::any_of(call->keywords, [this](const Keyword *keyword) { return varies(keyword->value); });
    }
    case NodeKind::Await:
    case NodeKind::Yield:
    case NodeKind::YieldFrom:
    case NodeKind::NamedExpr:
    case NodeKind::MagicExpr:
    case NodeKind::InvalidExpr:
    case NodeKind::Lambda:
      return true;
    default: {
      bool found = false;
      for_each_child(node, [&](const Node *child) { found = found || varies(child); });
      return found;
    }
    }
  }

private:
  bool varies_name(const Name *node) {
    const Symbol name = node->id;
    const FunctionInfo &function = *loop_.function;
    if (contains(loop_.mutated, name) || is_eager_variable(function, node)) {
      return true;
    }
    // Graph mode has symbols where eager code has state, so that there only what Python changes counts.
    if (contains(effects_.names, name) ||
        (function.module->may_be_eager() && contains(effects_.handed, name) && !is_immutable(function, node))) {
      return true;
    }
    if (!contains(loop_.assigned, name)) {
      return false;
    }
    // Bound in the loop, but perhaps always to the same: `y = tf.constant(2)` once, at the loop's own level.
    const auto only = effects_.only_assignments.find(name.id);
    if (only == effects_.only_assignments.end()) {
      return true;
    }
    return varies_once_bound(name.id, only->second);
  }

  bool varies_once_bound(u32 name, const Expr *value) {
    if (const auto found = effects_.varies.find(name); found != effects_.varies.end()) {
      return found->second;
    }
    if (const auto found = known_.find(name); found != known_.end()) {
      return found->second;
    }
    known_[name] = true; // as all names that depend on each other do
    const bool result = varies(value);
    known_[name] = result;
    return result;
  }

  bool varies_attribute(const Attribute *node) {
    const Symbol attr = node->attr;
    const FunctionInfo &function = *loop_.function;
    if (is_part_of_package(node)) {
      return false; // tf.math, in a loop that calls tf.math.add()
    }
    if (contains(loop_.attributes, attr) || effects_.everything || contains(effects_.attributes, attr) ||
        is_eager_variable(function, node)) {
      return true;
    }
    const auto *object = as<Name>(node->value);
    if (object != nullptr && contains(loop_.passed, object->id) && is_state(attr.text())) {
      return true;
    }
    if (function.module->may_be_eager()) {
      if ((object != nullptr && contains(effects_.handed, object->id) && !is_immutable(function, object)) ||
          (contains(effects_.handed_attributes, attr) && !is_immutable(function, node))) {
        return true;
      }
    }
    return varies(node->value);
  }

  // A module or function of a framework, by the name of its package.
  [[nodiscard]] bool is_part_of_package(const Attribute *node) const {
    const Expr *root = node;
    while (const auto *attribute = as<Attribute>(root)) {
      root = attribute->value;
    }
    const auto *name = as<Name>(root);
    const Value *const value = name != nullptr ? all_values_of(*loop_.function, name->id) : nullptr;
    return value != nullptr && value->is(Value::Tag::Api) && !value->open;
  }

  const Project &project_;
  const Loop &loop_;
  const LoopEffects &effects_;
  SymbolMap<bool> known_; // while the effects of the loop are worked out
};

using Binding = DependencyFinder::Binding;

// Lists what a function binds its names to.
class BindingList {
public:
  std::vector<Binding> found;

  void add(const Node *node) {
    switch (node->kind) {
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef:
    case NodeKind::Lambda:
      return;
    case NodeKind::Assign: {
      const auto *assignment = static_cast<const Assign *>(node);
      for (const Expr *target : assignment->targets) {
        bind(target, assignment->value);
      }
      break;
    }
    case NodeKind::For: // something else in each iteration
      bind(static_cast<const For *>(node)->target, nullptr);
      break;
    case NodeKind::AugAssign: // what it was before, and something more
      bind(static_cast<const AugAssign *>(node)->target, nullptr);
      break;
    case NodeKind::With:
      for (const WithItem &item : static_cast<const With *>(node)->items) {
        if (item.optional_vars != nullptr) {
          bind(item.optional_vars, item.context_expr);
        }
      }
      break;
    case NodeKind::Call: { // `parts.append(x)`: from here on it holds x as well
      const auto *call = static_cast<const Call *>(node);
      const auto *method = as<Attribute>(call->func);
      const auto *holder = method != nullptr ? as<Name>(method->value) : nullptr;
      if (holder != nullptr && is_mutating_method(method->attr)) {
        for (const Expr *arg : call->args) {
          found.push_back({holder->id, arg});
        }
      }
      if (const auto *received = as<Name>(written_argument(*call))) {
        found.push_back({received->id, nullptr});
      }
      break;
    }
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp:
      // All elements in turn: the result depends on what they are elements of.
      for (const Comprehension *generator : static_cast<const ComprehensionExpr *>(node)->generators) {
        bind(generator->target, generator->iter);
      }
      break;
    default:
      break;
    }
    for_each_child(node, [this](const Node *child) { add(child); });
  }

private:
  void bind(const Node *target, const Expr *value) {
    if (const auto *plain = as<Name>(target)) {
      found.push_back({plain->id, value});
    } else if (const auto *part = as<Subscript>(target)) { // `table[i] = x`
      if (const Name *const holder = root_name(part->value)) {
        found.push_back({holder->id, value});
      }
    } else if (target->kind != NodeKind::Attribute && target->kind != NodeKind::Subscript) {
      for_each_child(target, [&](const Node *child) { bind(child, value); });
    }
  }
};

// Does a decorator keep what the function gave: functools.lru_cache, st.cache_resource?
bool keeps_results(const FunctionInfo &function) {
  const FunctionDef *definition = function.definition();
  return definition != nullptr && std::ranges::any_of(definition->decorators, [&](const Expr *decorator) {
           const auto *call = as<Call>(decorator);
           const auto *name = as<Name>(call != nullptr ? call->func : decorator);
           const Value *const value =
               name != nullptr && function.parent != nullptr ? all_values_of(*function.parent, name->id) : nullptr;
           const std::string_view api =
               value != nullptr && value->is(Value::Tag::Api) ? value->name().text() : std::string_view{};
           const std::string_view text = function.module->parsed->source.part(decorator->start, decorator->end);
           return text.find("cache") != std::string_view::npos || api.find("cache") != std::string_view::npos;
         });
}

// How deep functions of the project are entered, to see what their results depend on.
constexpr u32 kMostEntered = 3;

class DependencySearch {
public:
  DependencySearch(const Project &project, const FunctionInfo &function, const std::vector<Binding> &bindings,
                   u32 depth)
      : project_(project), function_(function), bindings_(bindings), depth_(depth) {}

  Dependencies result;

  void follow(const Node *node) {
    switch (node->kind) {
    case NodeKind::Constant:
      return;
    case NodeKind::Name:
      result.varies |= is_eager_variable(function_, static_cast<const Name *>(node));
      return follow_name(static_cast<const Name *>(node)->id);
    case NodeKind::Attribute: {
      const auto *attribute = static_cast<const Attribute *>(node);
      result.varies |= is_eager_variable(function_, attribute);
      if (is_own_object(function_, attribute->value)) {
        result.attributes.push_back(attribute->attr);
        return;
      }
      if (is_place_or_type(*attribute) && function_.module->torch && attribute->value->kind == NodeKind::Name) {
        return;
      }
      result.attributes_of_others.push_back(attribute->attr);
      return follow(attribute->value);
    }
    case NodeKind::Call: {
      const auto *call = static_cast<const Call *>(node);
      if (follow_result(*call)) {
        return;
      }
      if (!is_pure(project_, function_, call) && !makes_record(*call)) {
        result.varies = true;
        return;
      }
      if (const auto *method = as<Attribute>(call->func)) {
        follow(method->value);
      }
      for (const Expr *arg : call->args) {
        follow(arg);
      }
      for (const Keyword *keyword : call->keywords) {
        follow(keyword->value);
      }
      return;
    }
    case NodeKind::Await:
    case NodeKind::Yield:
    case NodeKind::YieldFrom:
    case NodeKind::NamedExpr:
    case NodeKind::MagicExpr:
    case NodeKind::InvalidExpr:
    case NodeKind::Lambda:
      result.varies = true;
      return;
    default:
      for_each_child(node, [this](const Node *child) { follow(child); });
      return;
    }
  }

private:
  // A dataclass or the like: what is made holds the arguments, and nothing else is done.
  bool makes_record(const Call &call) const {
    const Value callee = project_.callee_of(&call);
    return callee.is(Value::Tag::Class) && callee.alternatives == nullptr && !callee.open &&
           callee.type->kind == Kind::Unknown && std::ranges::all_of(callee.type->mro, [](const ClassInfo *at) {
             return std::ranges::none_of(at->node->body, [](const Stmt *statement) {
               const auto *method = as<FunctionDef>(statement);
               const std::string_view name = method != nullptr ? method->name.text() : std::string_view{};
               return name == "__init__" || name == "__new__" || name == "__post_init__";
             });
           });
  }

  // What the result of a function of the project depends on, where all that it does is to work that out. False if
  // nothing can be said.
  bool follow_result(const Call &call) {
    const Value callee = project_.callee_of(&call);
    const FunctionInfo *const called =
        callee.is(Value::Tag::Function) && callee.alternatives == nullptr && !callee.open ? callee.function : nullptr;
    const FunctionDef *const definition = called != nullptr ? called->definition() : nullptr;
    if (definition == nullptr || depth_ == kMostEntered || called == &function_ || definition->is_async) {
      return false;
    }
    if (keeps_results(*called)) {
      for (const Expr *arg : call.args) {
        follow(arg);
      }
      return true;
    }
    const FunctionChanges &changes = changes_of(*called);
    if (!definition->decorators.empty() || !changes.names.empty() || !changes.attributes.empty()) {
      return false;
    }
    const DependencyFinder finder(project_, *called, depth_ + 1);
    const Dependencies inner = finder.of_results();
    if (inner.varies || !inner.attributes.empty()) {
      return false;
    }
    result.attributes_of_others.insert(result.attributes_of_others.end(), inner.attributes_of_others.begin(),
                                       inner.attributes_of_others.end());
    for (u32 i = 0; i < called->params.size() && i < 64; ++i) {
      const Expr *const given = (inner.params >> i & 1) != 0 ? passed_argument(call, *called, false, i) : nullptr;
      if (given != nullptr) {
        follow(given);
      }
    }
    return true;
  }

  void follow_name(Symbol name) {
    if (result.varies || !seen_.insert(name.id).second) {
      return;
    }
    constexpr std::size_t kMostNames = 64;
    if (seen_.size() > kMostNames) {
      result.varies = true;
      return;
    }
    for (u32 i = 0; i < function_.params.size(); ++i) {
      if (function_.params[i]->name == name) {
        if (i >= 64) {
          result.varies = true;
        } else {
          result.params |= u64{1} << i;
        }
      }
    }
    if (function_.slot_of(name) == FunctionInfo::kNoSlot) {
      return; // a global, or of an outer function
    }
    const auto name_of = [](const Binding &binding) { return binding.name.id; };
    const auto bound = std::ranges::equal_range(bindings_, name.id, {}, name_of);
    constexpr std::size_t kMostBindings = 256; // of one name; what has more is not followed
    if (bound.size() > kMostBindings) {
      result.varies = true;
      return;
    }
    for (auto at = bound.begin(); at != bound.end(); ++at) {
      if (at->value != nullptr) {
        follow(at->value);
      } else {
        result.varies = true;
      }
    }
  }

  const Project &project_;
  const FunctionInfo &function_;
  const std::vector<Binding> &bindings_;
  u32 depth_;
  std::unordered_set<u32> seen_;
};

} // namespace

bool varies(const Project &project, const Loop &loop, const Expr *expr) {
  return VarianceSearch(project, loop, effects_of(project, loop)).varies(expr);
}

void find_varying(const Project &project, const Loop &loop, LoopEffects &effects) {
  effects.varies = VarianceSearch(project, loop, effects).varying_names();
}

DependencyFinder::DependencyFinder(const Project &project, const FunctionInfo &function, u32 depth)
    : project_(project), function_(function), depth_(depth) {
  if (const FunctionDef *definition = function.definition()) {
    BindingList list;
    for (const Stmt *statement : definition->body) {
      list.add(statement);
    }
    bindings_ = std::move(list.found);
    std::ranges::stable_sort(bindings_, {}, [](const Binding &binding) { return binding.name.id; });
  }
}

Dependencies DependencyFinder::of(const Expr *expr) const {
  DependencySearch search(project_, function_, bindings_, depth_);
  search.follow(expr);
  return std::move(search.result);
}

Dependencies DependencyFinder::of_results() const {
  DependencySearch search(project_, function_, bindings_, depth_);
  bool has_result = false;
  const auto visit = [&](auto &&self, const Node *node) -> void {
    switch (node->kind) {
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef:
    case NodeKind::Lambda:
      return;
    case NodeKind::While:
    case NodeKind::Try:
    case NodeKind::Yield:
    case NodeKind::YieldFrom:
      search.result.varies = true;
      return;
    case NodeKind::If: // which result it is
      search.follow(static_cast<const If *>(node)->test);
      break;
    case NodeKind::Return:
      if (const Expr *const value = static_cast<const Return *>(node)->value) {
        has_result = true;
        search.follow(value);
      }
      return;
    default:
      break;
    }
    for_each_child(node, [&](const Node *child) { self(self, child); });
  };
  if (const FunctionDef *definition = function_.definition()) {
    for (const Stmt *statement : definition->body) {
      visit(visit, statement);
    }
  }
  search.result.varies |= !has_result;
  return std::move(search.result);
}

Dependencies dependencies_of(const Project &project, const FunctionInfo &function, const Expr *expr) {
  return DependencyFinder(project, function).of(expr);
}

const Expr *passed_argument(const Call &call, const FunctionInfo &callee, bool bound, u32 index) {
  if (index >= callee.params.size()) {
    return nullptr;
  }
  const u32 position = index - (bound ? 1 : 0);
  if ((index > 0 || !bound) && position < call.args.size()) {
    return call.args[position];
  }
  for (const Keyword *keyword : call.keywords) {
    if (keyword->name == callee.params[index]->name) {
      return keyword->value;
    }
  }
  return nullptr;
}

const Expr *passed_argument(const CallSite &site, u32 index) {
  return passed_argument(*site.call, *site.callee, site.bound, index);
}

} // namespace deepperf::model
