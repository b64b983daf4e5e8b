#include "rules/origins.h"

#include "model/classes.h"
#include "model/definitions.h"
#include "model/variance.h"
#include "rules/origin_bindings.h"
#include "rules/origin_frames.h"
#include "rules/tables.h"
#include "rules/tree.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

constexpr u32 kMostSteps = 1500;
constexpr u32 kMostDepth = 48;
constexpr std::size_t kMostCallers = 8;

using Frame = OriginFrame;

bool is_project_function(const Value &value) { return value.is(Value::Tag::Function) || value.is(Value::Tag::Method); }

bool is_gradient_api(std::string_view api) {
  return api == "jax.grad" || api == "haiku.grad" || api == "equinox.filter_grad" || api == "flax.nnx.grad";
}

bool is_value_and_gradient_api(std::string_view api) {
  return api == "jax.value_and_grad" || api == "haiku.value_and_grad" || api == "equinox.filter_value_and_grad" ||
         api == "flax.nnx.value_and_grad";
}

// What calls the function with the same arguments, or with parts of them.
bool is_wrapper_api(std::string_view api) {
  static constexpr std::string_view kWrappers[] = {"jax.jit",
                                                   "jax.pmap",
                                                   "jax.vmap",
                                                   "jax.checkpoint",
                                                   "jax.remat",
                                                   "equinox.filter_jit",
                                                   "flax.nnx.jit",
                                                   "equinox.filter_vmap",
                                                   "equinox.filter_pmap",
                                                   "tensorflow.function",
                                                   "functools.partial",
                                                   "haiku.remat"};
  return std::ranges::find(kWrappers, api) != std::end(kWrappers);
}

class OriginSearch {
public:
  OriginSearch(const Site &site, OriginVisitor visit, bool thorough = false, bool enters_models = false)
      : site_(site), project_(site.project), visitor_(visit), thorough_(thorough), enters_models_(enters_models) {}

  void follow(const FunctionInfo &function, const Expr *expr, std::vector<OriginPart> path, const Frame *frame,
              u32 depth) {
    if (expr == nullptr || depth > kMostDepth || ++steps_ > kMostSteps) {
      complete = false;
      return;
    }
    switch (expr->kind) {
    case NodeKind::Name:
      return follow_name(function, *static_cast<const Name *>(expr), std::move(path), frame, depth);
    case NodeKind::Attribute:
      return follow_attribute(function, *static_cast<const Attribute *>(expr), std::move(path), frame, depth);
    case NodeKind::Subscript:
      return follow_element(function, *static_cast<const Subscript *>(expr), std::move(path), frame, depth);
    case NodeKind::NamedExpr:
      return follow(function, static_cast<const NamedExpr *>(expr)->value, std::move(path), frame, depth + 1);
    case NodeKind::Starred:
      return follow(function, static_cast<const Starred *>(expr)->value, std::move(path), frame, depth + 1);
    case NodeKind::IfExp:
      is_only = is_only && (!is_reached(function, *static_cast<const IfExp *>(expr)->body, frame) ||
                            !is_reached(function, *static_cast<const IfExp *>(expr)->orelse, frame));
      for (const Expr *one : {static_cast<const IfExp *>(expr)->body, static_cast<const IfExp *>(expr)->orelse}) {
        if (is_reached(function, *one, frame)) {
          follow(function, one, path, frame, depth + 1);
        }
      }
      return;
    case NodeKind::Tuple:
      return follow_elements(function, static_cast<const Tuple *>(expr)->elts, std::move(path), frame, depth);
    case NodeKind::List:
      return follow_elements(function, static_cast<const List *>(expr)->elts, std::move(path), frame, depth);
    case NodeKind::Dict:
      return follow_entries(function, *static_cast<const Dict *>(expr), std::move(path), frame, depth);
    case NodeKind::Call:
      return follow_call(function, *static_cast<const Call *>(expr), std::move(path), frame, depth);
    case NodeKind::ListComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp:
      if (!path.empty()) {
        const auto &made = *static_cast<const ComprehensionExpr *>(expr);
        path.erase(path.begin());
        return follow(function, made.value != nullptr ? made.value : made.elt, std::move(path), frame, depth + 1);
      }
      [[fallthrough]];
    default: {
      if (!asks(Origin{.function = &function, .expr = expr, .path = std::move(path)}, frame, depth)) {
        return;
      }
      for_each_child(expr, [&](const Node *child) {
        if (const auto *operand = as_expr(child)) {
          follow(function, operand, {}, frame, depth + 1);
        }
      });
    }
    }
  }

  void follow_results(const FunctionInfo &callee, std::vector<OriginPart> path, const Frame *frame, u32 depth) {
    if (const Lambda *lambda = callee.lambda()) {
      return follow(callee, lambda->body, std::move(path), frame, depth + 1);
    }
    const FunctionDef *definition = callee.definition();
    if (definition == nullptr) {
      complete = false;
      return;
    }
    for (const FunctionInfo *at : active_) {
      if (at == &callee) {
        return; // it calls itself
      }
    }
    active_.push_back(&callee);
    u32 results = 0;
    any_node(definition->body, [&](const Node *node) {
      if (!is_reached(callee, *node, frame)) {
        return false;
      }
      results += node->kind == NodeKind::Return ? 1 : 0;
      is_only = is_only && results <= 1;
      if (const auto *result = as<Return>(node); result != nullptr && result->value != nullptr) {
        follow(callee, result->value, path, frame, depth + 1);
      } else if (const auto *yield = as<Yield>(node); yield != nullptr && yield->value != nullptr) {
        std::vector<OriginPart> rest = path;
        if (!rest.empty()) {
          rest.erase(rest.begin());
        }
        follow(callee, yield->value, std::move(rest), frame, depth + 1);
      }
      return false;
    });
    active_.pop_back();
  }

  bool complete = true;
  bool is_only = true; // no step had several ways

private:
  Onward visit_(const Origin &origin) {
    origin.level = level_;
    return visitor_(origin);
  }

  // Does the visitor want to see all that it is made of? What it chose is followed here.
  bool asks(const Origin &origin, const Frame *frame, u32 depth) {
    const Onward onward = visit_(origin);
    ++level_;
    for (u32 i = 0; onward == Onward::Next && i < origin.next.size(); ++i) {
      follow(*origin.function, origin.next[i], {}, frame, depth + 1);
    }
    --level_;
    return onward == Onward::Through;
  }

  // Not in a branch that the call leaves out which led into the function.
  static bool is_reached(const FunctionInfo &function, const Node &node, const Frame *frame) {
    return frame == nullptr || frame->callee != &function || frame->reaches(node);
  }

  static const Expr *as_expr(const Node *node) {
    return node->kind < NodeKind::FunctionDef ? static_cast<const Expr *>(node) : nullptr;
  }

  [[nodiscard]] model::Scope scope(const FunctionInfo &function) const { return model::scope_of(project_, function); }

  void follow_elements(const FunctionInfo &function, const Array<Expr *> &elements, std::vector<OriginPart> path,
                       const Frame *frame, u32 depth) {
    const i32 index = path.empty() ? OriginPart::kAnyElement : path.front().index;
    if (!path.empty()) {
      path.erase(path.begin());
    }
    const bool has_star = std::ranges::any_of(elements, [](const Expr *e) { return e->kind == NodeKind::Starred; });
    for (u32 i = 0; i < elements.size(); ++i) {
      if (index == OriginPart::kAnyElement || has_star || static_cast<i32>(i) == index) {
        follow(function, elements[i], path, frame, depth + 1);
      }
    }
  }

  void follow_entries(const FunctionInfo &function, const Dict &dict, std::vector<OriginPart> path, const Frame *frame,
                      u32 depth) {
    const Symbol key = path.empty() ? Symbol{} : path.front().key;
    std::vector<OriginPart> rest = path;
    if (!rest.empty()) {
      rest.erase(rest.begin());
    }
    const Site there = site_of_origin(site_, function);
    // Later entries replace earlier ones.
    u32 first = 0;
    for (u32 i = 0; key && i < dict.items.size(); ++i) {
      const Expr *name = dict.items[i].key;
      first = name != nullptr && string_of(there, name) == std::string(key.text()) ? i : first;
    }
    for (u32 i = first; i < dict.items.size(); ++i) {
      const DictItem &item = dict.items[i];
      if (item.key == nullptr) {
        follow(function, item.value, path, frame, depth + 1);
        continue;
      }
      const std::optional<std::string> name = key ? string_of(there, item.key) : std::nullopt;
      if (!key || !name.has_value() || *name == key.text()) {
        follow(function, item.value, rest, frame, depth + 1);
      }
    }
  }

  void follow_element(const FunctionInfo &function, const Subscript &element, std::vector<OriginPart> path,
                      const Frame *frame, u32 depth) {
    const Site there = site_of_origin(site_, function);
    const bool is_slice = element.slice->kind == NodeKind::Slice || element.slice->kind == NodeKind::Tuple;
    if (!is_slice) {
      OriginPart part;
      if (const std::optional<i64> index = integer_of(there, element.slice)) {
        part.index = static_cast<i32>(std::clamp<i64>(*index, OriginPart::kAnyElement, 1000));
      } else if (const std::optional<std::string> key = string_of(there, element.slice)) {
        part.key = intern(*key);
      }
      path.insert(path.begin(), part);
    } else if (visit_({.function = &function, .expr = &element, .path = path}) == Onward::Stop) {
      return;
    }
    follow(function, element.value, std::move(path), frame, depth + 1);
  }

  void follow_name(const FunctionInfo &function, const Name &name, std::vector<OriginPart> path, const Frame *frame,
                   u32 depth) {
    const FunctionInfo *owner = &function;
    while (owner != nullptr && owner->slot_of(name.id) == FunctionInfo::kNoSlot) {
      owner = owner->parent;
    }
    if (owner == nullptr) {
      leaf(function, name, std::move(path));
      return;
    }
    if (thorough_ && visit_({.function = owner, .expr = &name, .path = path}) == Onward::Stop) {
      return;
    }
    bool is_settled = false;
    bool found = follow_entry_changes(*owner, name.id, path, depth);
    const std::vector<const OriginBinding *> bindings =
        bindings_before(site_, *owner, name.id, owner == &function ? name.start : ~0U, is_settled, thorough_);
    if (bindings.size() > kMostBindings) {
      complete = false;
      return;
    }
    for (const OriginBinding *binding : bindings) {
      if (!is_reached(*owner, *binding->value, frame)) {
        continue;
      }
      is_only = is_only && !found;
      found = true;
      if (thorough_ ? !ways_.insert(way_of(*binding, frame, path)).second
                    : !visited_.insert({binding, frame}).second && path.empty()) {
        continue;
      }
      std::vector<OriginPart> inner = binding->path;
      inner.insert(inner.end(), path.begin(), path.end());
      follow(*owner, binding->value, std::move(inner), frame, depth + 1);
    }
    if (is_settled) {
      return;
    }
    if (const u32 param = owner->place_of_param(name.id); param != FunctionInfo::kNoParam) {
      return follow_parameter(*owner, param, name, std::move(path), frame, depth);
    }
    if (!found) {
      leaf(function, name, std::move(path));
    }
  }

  // What is followed a second time gives nothing new: the same binding, part and call.
  static u64 way_of(const OriginBinding &binding, const Frame *frame, const std::vector<OriginPart> &path) {
    u64 way =
        std::hash<const void *>{}(&binding) * 31 + std::hash<const void *>{}(frame != nullptr ? frame->call : nullptr);
    for (const OriginPart &part : path) {
      way = way * 1000003 + part.key.id * 31 + static_cast<u32>(part.index);
    }
    return way;
  }

  // `options["rate"] = 0.1`: what is put into a dictionary or list through the name, if an entry of it is asked for.
  bool follow_entry_changes(const FunctionInfo &owner, Symbol name, const std::vector<OriginPart> &path, u32 depth) {
    if (path.empty()) {
      return false;
    }
    const model::Definitions &definitions = model::definitions_of(project_);
    const std::span<const model::DictChange> changes = definitions.dict_changes_of(&owner, name);
    if (changes.size() > kMostBindings) {
      complete = false;
      return true;
    }
    bool found = false;
    for (const model::DictChange &change : changes) {
      found |= follow_entry_change(change, path, depth);
    }
    return found;
  }

  bool follow_entry_change(const model::DictChange &change, const std::vector<OriginPart> &path, u32 depth) {
    if (change.value == nullptr || change.function == nullptr || !stored_.insert(change.value).second) {
      return change.value != nullptr;
    }
    const Site there = site_of_origin(site_, *change.function);
    const std::optional<std::string> key =
        path.front().key && change.key != nullptr ? string_of(there, change.key) : std::nullopt;
    if (!key.has_value() || *key == path.front().key.text()) {
      follow(*change.function, change.value, {path.begin() + 1, path.end()}, nullptr, depth + 1);
    }
    return true;
  }

  void leaf(const FunctionInfo &function, const Expr &expr, std::vector<OriginPart> path) {
    if (visit_({.function = &function, .expr = &expr, .path = std::move(path)}) != Onward::Stop) {
      complete = false;
    }
  }

  void follow_parameter(const FunctionInfo &owner, u32 index, const Name &name, std::vector<OriginPart> path,
                        const Frame *frame, u32 depth) {
    const Origin origin{.function = &owner, .expr = &name, .path = path, .parameter_of = &owner, .parameter = index};
    if (visit_(origin) == Onward::Stop) {
      return;
    }
    const Frame *at = frame;
    while (at != nullptr && at->callee != &owner) {
      at = at->outer;
    }
    const ParamKind kind = owner.params[index]->param_kind();
    const auto take = [&](const Call &call, const FunctionInfo &caller, bool bound, const Frame *outer) {
      if (kind == ParamKind::VarArgs) {
        return take_rest(call, caller, index - (bound ? 1 : 0), path, outer, depth);
      }
      if (kind == ParamKind::KwArgs) {
        return take_keywords(call, caller, path, outer, depth);
      }
      if (take_unpacked(call, caller, owner, bound, index, path, outer, depth)) {
        return;
      }
      const Expr *given = model::passed_argument(call, owner, bound, index);
      if (given != nullptr) {
        follow(caller, given, path, outer, depth + 1);
      } else if (owner.params[index]->default_value != nullptr) {
        follow(owner.parent != nullptr ? *owner.parent : *owner.module->body, owner.params[index]->default_value, path,
               outer, depth + 1);
      } else {
        complete = false;
      }
    };
    if (at != nullptr) {
      return take(*at->call, *at->caller, at->bound, at->outer);
    }
    if (owner.called_by.empty() || owner.called_by.size() > kMostCallers) {
      complete = false;
      return;
    }
    if (!entered_.insert(owner.params[index]).second) {
      return;
    }
    is_only = is_only && owner.called_by.size() == 1;
    for (const model::CallSite *caller : owner.called_by) {
      take(*caller->call, *caller->caller, caller->bound, nullptr);
    }
  }

  // `*values` of a call that passes so many arguments before them
  void take_rest(const Call &call, const FunctionInfo &caller, u32 first, const std::vector<OriginPart> &path,
                 const Frame *outer, u32 depth) {
    const i32 index = path.empty() ? OriginPart::kAnyElement : path.front().index;
    const std::vector<OriginPart> rest(path.begin() + (path.empty() ? 0 : 1), path.end());
    const bool has_star =
        std::ranges::any_of(call.args, [](const Expr *given) { return given->kind == NodeKind::Starred; });
    for (u32 i = has_star ? 0 : first; i < call.args.size(); ++i) {
      if (index == OriginPart::kAnyElement || has_star || static_cast<i32>(i - first) == index) {
        follow(caller, call.args[i], rest, outer, depth + 1);
      }
    }
  }

  // The argument of `f(*batch)` or `f(**feed())`: an element or entry of what is unpacked. False if it is passed
  // itself.
  bool take_unpacked(const Call &call, const FunctionInfo &caller, const FunctionInfo &owner, bool bound, u32 index,
                     std::vector<OriginPart> path, const Frame *outer, u32 depth) {
    const u32 position = index - (bound && index > 0 ? 1 : 0);
    for (u32 i = 0; i < call.args.size() && i <= position; ++i) {
      if (call.args[i]->kind == NodeKind::Starred) {
        const bool is_last = i + 1 == call.args.size();
        path.insert(path.begin(),
                    OriginPart{.key = {}, .index = is_last ? static_cast<i32>(position - i) : OriginPart::kAnyElement});
        follow(caller, call.args[i], std::move(path), outer, depth + 1);
        return true;
      }
    }
    const Symbol name = owner.params[index]->name;
    const bool is_given =
        position < call.args.size() ||
        std::ranges::any_of(call.keywords, [name](const Keyword *keyword) { return keyword->name == name; });
    const auto unpacked = std::ranges::find_if(call.keywords, [](const Keyword *keyword) { return !keyword->name; });
    if (is_given || unpacked == call.keywords.end() || !name) {
      return false;
    }
    path.insert(path.begin(), OriginPart{.key = name});
    follow(caller, (*unpacked)->value, std::move(path), outer, depth + 1);
    return true;
  }

  // `**settings` of a call: the keyword that is asked for
  void take_keywords(const Call &call, const FunctionInfo &caller, const std::vector<OriginPart> &path,
                     const Frame *outer, u32 depth) {
    const Symbol key = path.empty() ? Symbol{} : path.front().key;
    const std::vector<OriginPart> rest(path.begin() + (path.empty() ? 0 : 1), path.end());
    for (const Keyword *keyword : call.keywords) {
      if (!keyword->name) {
        follow(caller, keyword->value, path, outer, depth + 1);
      } else if (!key || keyword->name == key) {
        follow(caller, keyword->value, rest, outer, depth + 1);
      }
    }
  }

  void follow_attribute(const FunctionInfo &function, const Attribute &attribute, std::vector<OriginPart> path,
                        const Frame *frame, u32 depth) {
    const Value object = model::value_of(scope(function), attribute.value);
    if (thorough_ && visit_({.function = &function, .expr = &attribute, .path = path}) == Onward::Stop) {
      return;
    }
    if (object.is(Value::Tag::Object)) {
      bool found = false;
      const model::Definitions &definitions = model::definitions_of(project_);
      const auto stores = definitions.attribute_stores.find(attribute.attr.id);
      if (stores != definitions.attribute_stores.end() && stores->second.size() <= 2 * kMostCallers) {
        for (const model::AttributeStore &store : stores->second) {
          const Value holder = model::value_of(scope(*store.function), store.object);
          if (!holder.is(Value::Tag::Object) || !is_same_family(*holder.type, *object.type)) {
            continue;
          }
          if (store.value != nullptr || (store.increment != nullptr && thorough_)) {
            const Expr *value = store.value != nullptr ? store.value : store.increment;
            is_only = is_only && !found;
            found = true;
            if (stored_.insert(value).second || !path.empty()) {
              follow(*store.function, value, path, nullptr, depth + 1);
            }
          } else if (store.unpacked != nullptr) {
            found = true;
            if (stored_.insert(store.object).second) {
              std::vector<OriginPart> inner = path;
              inner.insert(inner.begin(), OriginPart{.key = {}, .index = static_cast<i32>(store.index)});
              follow(*store.function, store.unpacked, std::move(inner), nullptr, depth + 1);
            }
          }
        }
      }
      const auto changes = definitions.attribute_dict_changes.find(attribute.attr.id);
      for (u32 i = 0; !path.empty() && changes != definitions.attribute_dict_changes.end() &&
                      i < changes->second.size() && i < 2 * kMostCallers;
           ++i) {
        const FunctionInfo *by = changes->second[i].function;
        if (by != nullptr && by->type != nullptr && is_same_family(*by->type, *object.type)) {
          found |= follow_entry_change(changes->second[i], path, depth);
        }
      }
      if (found) {
        return;
      }
    }
    if (object.is(Value::Tag::Module) || object.is(Value::Tag::Api)) {
      leaf(function, attribute, std::move(path));
      return;
    }
    // The object itself may be made where we can see it: Carry(params, state).params
    if (visit_({.function = &function, .expr = &attribute, .path = path}) == Onward::Stop) {
      return;
    }
    path.insert(path.begin(), OriginPart{.key = attribute.attr});
    follow(function, attribute.value, std::move(path), frame, depth + 1);
  }

  static bool is_same_family(const model::ClassInfo &a, const model::ClassInfo &b) {
    return std::ranges::find(a.mro, &b) != a.mro.end() || std::ranges::find(b.mro, &a) != b.mro.end();
  }

  void enter(const FunctionInfo &callee, const Call &call, const FunctionInfo &caller, bool bound,
             std::vector<OriginPart> path, const Frame *frame, u32 depth) {
    frames_.push_back({.outer = frame, .call = &call, .caller = &caller, .callee = &callee, .bound = bound});
    frames_.back().unreached = unreached_parts(project_, frames_.back());
    follow_results(callee, std::move(path), &frames_.back(), depth);
  }

  // The argument of `Carry(params, state)` for a field.
  const Expr *field_argument(const model::ClassInfo &type, const Call &call, Symbol field) {
    if (const Keyword *given = keyword_argument(call, field.text())) {
      return given->value;
    }
    u32 place = 0;
    for (const Stmt *statement : type.node->body) {
      const auto *declared = as<AnnAssign>(statement);
      const auto *name = declared != nullptr ? as<Name>(declared->target) : nullptr;
      if (name == nullptr) {
        continue;
      }
      if (name->id == field) {
        return place < call.args.size() && !has_hidden_arguments(call) ? call.args[place] : declared->value;
      }
      ++place;
    }
    return nullptr;
  }

  static bool is_flax_module(const model::ClassInfo &type) {
    return std::ranges::any_of(type.mro, [](const model::ClassInfo *one) {
      return std::ranges::any_of(one->bases, [](const Value &base) {
        return base.is(Value::Tag::Api) &&
               (base.name().text() == "flax.linen.Module" || base.name().text() == "flax.nnx.Module");
      });
    });
  }

  // What a call of an object runs, if it is one of a plain class. Models are more than their functions: only if wanted.
  [[nodiscard]] const FunctionInfo *called_object_method(const Value &callee) const {
    if (!callee.is(Value::Tag::Object)) {
      return nullptr;
    }
    const model::ClassInfo &type = *callee.type;
    const bool is_keras = enters_models_ && (type.kind == Kind::KerasModel || type.kind == Kind::KerasLayer);
    const bool is_plain = type.kind == Kind::Unknown && type.bases.empty();
    if (!is_keras && !is_plain && !(enters_models_ && is_flax_module(type))) {
      return nullptr;
    }
    const FunctionInfo *method = model::find_method_of(type, intern(is_keras ? "call" : "__call__"));
    return method != nullptr && method->definition() != nullptr ? method : nullptr;
  }

  // `model.apply(variables, x)` of Flax: what its `__call__` returns. Whose arguments are which is not followed.
  bool follow_applied(const Call &call, const FunctionInfo &function, const std::vector<OriginPart> &path, u32 depth) {
    const Expr *receiver = enters_models_ && called_method(call) == "apply" ? receiver_of(call) : nullptr;
    const Value object = receiver != nullptr ? model::value_of(scope(function), receiver) : Value{};
    const FunctionInfo *method = object.is(Value::Tag::Object) && is_flax_module(*object.type)
                                     ? model::find_method_of(*object.type, intern("__call__"))
                                     : nullptr;
    if (method == nullptr || method->definition() == nullptr) {
      return false;
    }
    follow_results(*method, path, nullptr, depth);
    return true;
  }

  void follow_call(const FunctionInfo &function, const Call &call, std::vector<OriginPart> path, const Frame *frame,
                   u32 depth) {
    const Value callee = project_.callee_of(&call);
    // The engine takes jax.grad(f)(x) for a call of f.
    if (!callee.is(Value::Tag::Api) && function.module->jax && follow_transformed(function, call, path, frame, depth)) {
      return;
    }
    bool entered = false;
    bool is_all = callee.alternatives == nullptr || !callee.open;
    for_each_alternative(callee, [&](const Value &one) {
      if (is_project_function(one) && one.function->definition() != nullptr) {
        entered = true;
        enter(*one.function, call, function, one.is(Value::Tag::Method), path, frame, depth);
      } else if (is_project_function(one)) {
        entered = true;
        enter(*one.function, call, function, false, path, frame, depth);
      } else if (const FunctionInfo *method = called_object_method(one)) {
        entered = true;
        enter(*method, call, function, true, path, frame, depth);
      } else if (one.is(Value::Tag::Class) && !path.empty() && path.front().key) {
        const Expr *given = field_argument(*one.type, call, path.front().key);
        if (given != nullptr) {
          entered = true;
          follow(function, given, {path.begin() + 1, path.end()}, frame, depth + 1);
        }
      } else {
        is_all = false;
      }
    });
    if (entered) {
      complete &= is_all;
      return;
    }
    const std::string_view api = callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
    if (api == "jax.lax.scan" && follow_scan(function, call, path, frame, depth)) {
      return;
    }
    if ((api == "tuple" || api == "list" || api == "iter" || api == "next") && call.args.size() == 1) {
      if (api == "next") {
        path.insert(path.begin(), OriginPart{});
      }
      return follow(function, call.args[0], std::move(path), frame, depth + 1);
    }
    if (const std::vector<const FunctionInfo *> chosen = functions_chosen_by(project_, scope(function), call.func);
        api.empty() && !chosen.empty()) {
      for (const FunctionInfo *one : chosen) {
        enter(*one, call, function, false, path, frame, depth);
      }
      return;
    }
    if (follow_replaced(function, call, api, path, frame, depth) || follow_applied(call, function, path, depth)) {
      return;
    }
    if (!asks(Origin{.function = &function, .expr = &call, .path = std::move(path)}, frame, depth)) {
      return;
    }
    if (const Expr *receiver = api.empty() ? receiver_of(call) : nullptr) {
      follow(function, receiver, {}, frame, depth + 1);
    } else if (api.empty() && callee.is_unknown()) {
      follow(function, call.func, {}, frame, depth + 1);
    }
    for (const Expr *given : call.args) {
      follow(function, given, {}, frame, depth + 1);
    }
    for (const Keyword *keyword : call.keywords) {
      follow(function, keyword->value, {}, frame, depth + 1);
    }
  }

  // A field of `state.replace(step=…)`, `TrainState.create(key=…)` or dict(key=…): what is given for it, or the one of
  // the object that is copied.
  bool follow_replaced(const FunctionInfo &function, const Call &call, std::string_view api,
                       const std::vector<OriginPart> &path, const Frame *frame, u32 depth) {
    if (path.empty() || !path.front().key) {
      return false;
    }
    const std::string_view method = api.empty() ? called_method(call) : std::string_view{};
    const bool is_copy = method == "replace" || method == "_replace" || method == "apply_gradients";
    if (!is_copy && method != "create" && api != "dict" && api != "dataclasses.replace") {
      return false;
    }
    if (const Keyword *given = keyword_argument(call, path.front().key.text())) {
      follow(function, given->value, {path.begin() + 1, path.end()}, frame, depth + 1);
      return true;
    }
    const Expr *copied = is_copy                                              ? receiver_of(call)
                         : api == "dataclasses.replace" && !call.args.empty() ? call.args[0]
                                                                              : nullptr;
    const bool has_more = std::ranges::any_of(call.keywords, [](const Keyword *keyword) { return !keyword->name; });
    if (copied == nullptr || has_more) {
      return false;
    }
    follow(function, copied, path, frame, depth + 1);
    return true;
  }

  const FunctionInfo *function_of(const FunctionInfo &at, const Expr *expr) {
    if (expr->kind == NodeKind::Lambda) {
      return project_.function_at(expr);
    }
    const Value value = model::value_of(scope(at), expr);
    return is_project_function(value) ? value.function : nullptr;
  }

  // (carry, outputs) = jax.lax.scan(body, start, inputs)
  bool follow_scan(const FunctionInfo &function, const Call &call, const std::vector<OriginPart> &path,
                   const Frame *frame, u32 depth) {
    const FunctionInfo *body = call.args.size() >= 2 ? function_of(function, call.args[0]) : nullptr;
    if (body == nullptr || path.empty()) {
      return false;
    }
    if (path.front().index == 0) {
      follow(function, call.args[1], {path.begin() + 1, path.end()}, frame, depth + 1);
    }
    follow_results(*body, path, frame, depth);
    return true;
  }

  // value_and_grad(f)(x), also where `value_and_grad(f)` has a name
  bool follow_transformed(const FunctionInfo &function, const Call &call, const std::vector<OriginPart> &path,
                          const Frame *frame, u32 depth) {
    model::Scope there = scope(function);
    const auto *made = as<Call>(call.func);
    if (made == nullptr) {
      const std::vector<model::Argument::Given> written = model::written_as(there, call.func);
      made = written.size() == 1 ? as<Call>(written.front().expr) : nullptr;
      there = made != nullptr ? written.front().scope : there;
    }
    const Value transform = made != nullptr ? project_.callee_of(made) : Value{};
    if (!transform.is(Value::Tag::Api) || made->args.empty() || there.function == nullptr) {
      return false;
    }
    const std::string_view api = transform.name().text();
    const FunctionInfo *inner = function_of(*there.function, made->args[0]);
    const bool gives_value = is_value_and_gradient_api(api);
    if (gives_value || is_gradient_api(api)) {
      const Site at = site_of_origin(site_, *there.function);
      const Keyword *aux = keyword_argument(*made, "has_aux");
      const bool has_aux = aux != nullptr && bool_of(at, aux->value).value_or(true);
      const i32 part = path.empty() ? OriginPart::kAnyElement : path.front().index;
      std::vector<OriginPart> rest(path.begin() + (path.empty() ? 0 : 1), path.end());
      const bool asks_gradient = gives_value ? part != 0 : !has_aux || part != 1;
      const bool asks_value = gives_value ? part <= 0 : has_aux && part != 0;
      if (asks_gradient) {
        visit_({.function = &function, .expr = &call, .path = path, .is_gradient = true, .differentiated = inner});
      }
      if (asks_value && inner != nullptr) {
        if (!gives_value) {
          rest.insert(rest.begin(), OriginPart{.key = {}, .index = 1});
        }
        enter(*inner, call, function, inner->type != nullptr && !inner->is_static, std::move(rest), frame, depth);
      } else if (asks_value) {
        complete = false;
      }
      return true;
    }
    if (!is_wrapper_api(api) || inner == nullptr) {
      return false;
    }
    if (api == "functools.partial" && made->args.size() > 1) {
      return false;
    }
    enter(*inner, call, function, inner->type != nullptr && !inner->is_static, path, frame, depth);
    return true;
  }

  struct Key {
    const OriginBinding *binding;
    const Frame *frame;
    friend bool operator==(const Key &, const Key &) = default;
  };
  struct Hash {
    std::size_t operator()(const Key &key) const {
      return std::hash<const void *>{}(key.binding) ^ (std::hash<const void *>{}(key.frame) * 31);
    }
  };

  const Site &site_;
  const model::Project &project_;
  OriginVisitor visitor_;
  u32 level_ = 0;
  bool thorough_;
  bool enters_models_;
  std::deque<Frame> frames_;
  std::vector<const FunctionInfo *> active_;
  std::unordered_set<Key, Hash> visited_;
  std::unordered_set<u64> ways_;
  std::unordered_set<const Param *> entered_;
  std::unordered_set<const Expr *> stored_;
  u32 steps_ = 0;
};

} // namespace

Site site_of_origin(const Site &site, const FunctionInfo &function) {
  Site there{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  there.module = function.module;
  there.function = &function;
  there.type = function.type;
  if (function.node != nullptr) {
    there.ancestors = {function.node};
  }
  return there;
}

bool visit_origins(const Site &site, const FunctionInfo &function, const Expr *expr, OriginVisitor visit,
                   OriginOptions options) {
  OriginSearch search(site, visit, options.thorough, options.enters_models);
  search.follow(function, expr, std::move(options.path), nullptr, 0);
  return search.complete;
}

bool visit_origins_in_call(const Site &site, const model::CallSite &call, const Expr *expr, OriginVisitor visit,
                           bool *is_only) {
  OriginSearch search(site, visit);
  Frame frame{.call = call.call, .caller = call.caller, .callee = call.callee, .bound = call.bound};
  frame.unreached = unreached_parts(site.project, frame);
  search.follow(*call.callee, expr, {}, &frame, 0);
  if (is_only != nullptr) {
    *is_only = search.is_only;
  }
  return search.complete;
}

bool visit_result_origins(const Site &site, const FunctionInfo &function, std::vector<OriginPart> path,
                          OriginVisitor visit) {
  OriginSearch search(site, visit);
  search.follow_results(function, std::move(path), nullptr, 0);
  return search.complete;
}

} // namespace deepperf::rules
