#include "model/definitions.h"

#include "base/known_names.h"
#include "base/steps.h"
#include "model/bind.h"
#include "model/lattice.h"
#include "model/lookup.h"
#include "python/call.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace deepperf::model {

using namespace python;

namespace {

// The attribute that `add_argument("-j", "--num-workers")` fills; empty if it cannot be read.
std::string destination_of(const Source &source, const Call &call) {
  if (const Keyword *keyword = keyword_argument(call, "dest")) {
    const StringConstant *text = as_string(keyword->value);
    return text != nullptr ? string_value(source, *text) : std::string{};
  }
  std::string chosen;
  for (const Expr *argument : call.args) {
    const StringConstant *text = as_string(argument);
    std::string option = text != nullptr ? string_value(source, *text) : std::string{};
    if (option.starts_with("--")) {
      chosen = option.substr(2);
      break;
    }
    if (chosen.empty()) {
      chosen = option.substr(option.starts_with("-") ? 1 : 0);
    }
  }
  std::ranges::replace(chosen, '-', '_');
  return chosen;
}

class Collector {
public:
  Collector(const Project &project, Definitions &into) : project_(project), into_(into) {
    for (const auto &type : project.classes) {
      class_names_.insert(type.name.id);
    }
  }

  void module(const Module &module) {
    module_ = &module;
    function_ = module.body;
    for (const Stmt *statement : module.parsed->tree.body) {
      visit(statement);
    }
  }

private:
  void bind(Symbol name, const Expr *value, const ImportFrom *import = nullptr, Symbol imported = {}) {
    if (!in_class_ && function_ != nullptr) {
      into_.bindings[function_].push_back({name, value, import, imported});
    }
  }

  // `value` is null for what is not written down.
  void assign(const Expr *target, const Expr *value) {
    switch (target->kind) {
    case NodeKind::Name:
      bind(static_cast<const Name *>(target)->id, value);
      return;
    case NodeKind::Attribute: {
      const auto *attribute = static_cast<const Attribute *>(target);
      into_.attribute_stores[attribute->attr.id].push_back({function_, attribute->value, value});
      return;
    }
    case NodeKind::Subscript: {
      const auto *subscript = static_cast<const Subscript *>(target);
      change_dict(subscript->value, {.key = subscript->slice, .value = value});
      return;
    }
    case NodeKind::Starred:
      return assign(static_cast<const Starred *>(target)->value, nullptr);
    case NodeKind::Tuple:
    case NodeKind::List: {
      const Array<Expr *> targets = elements(target);
      const Array<Expr *> values = value != nullptr ? elements(value) : Array<Expr *>{};
      const auto is_starred = [](const Expr *expr) { return expr->kind == NodeKind::Starred; };
      const bool fits = values.size() == targets.size() && std::ranges::none_of(values, is_starred) &&
                        std::ranges::none_of(targets, is_starred);
      const bool has_star = std::ranges::any_of(targets, is_starred);
      for (u32 i = 0; i < targets.size(); ++i) {
        const auto *attribute = as<Attribute>(targets[i]);
        if (attribute != nullptr && !fits && value != nullptr && !has_star) {
          into_.attribute_stores[attribute->attr.id].push_back(
              {.function = function_, .object = attribute->value, .unpacked = value, .index = i});
        } else {
          assign(targets[i], fits ? values[i] : nullptr);
        }
      }
      return;
    }
    default:
      return;
    }
  }

  static Array<Expr *> elements(const Expr *expr) {
    return expr->kind == NodeKind::Tuple  ? static_cast<const Tuple *>(expr)->elts
           : expr->kind == NodeKind::List ? static_cast<const List *>(expr)->elts
                                          : Array<Expr *>{};
  }

  void change_dict(const Expr *dict, DictChange change) {
    change.function = function_;
    change.conditional = branches_ > 0;
    if (const auto *name = as<Name>(dict)) {
      change.name = name->id;
      into_.dict_changes[owner_of(name->id)].push_back(change);
    } else if (const auto *attribute = as<Attribute>(dict)) {
      change.name = attribute->attr;
      note_change(attribute->attr);
      into_.attribute_dict_changes[attribute->attr.id].push_back(change);
    }
  }

  // What a constructor does to its own attributes is part of how they are made.
  void note_change(Symbol attribute) {
    if (function_ == nullptr || function_->name != known::sym_init) {
      into_.changed_attributes.insert(attribute.id);
    }
  }

  // The function whose name it is.
  [[nodiscard]] const FunctionInfo *owner_of(Symbol name) const {
    for (const FunctionInfo *scope = function_; scope != nullptr; scope = scope->parent) {
      if (scope->slot_of(name) != FunctionInfo::kNoSlot) {
        return scope;
      }
    }
    return function_;
  }

  void note_call(const Call &call) {
    const std::string_view method = called_method(call);
    const Source &source = module_->parsed->source;
    if (method == "add_argument") {
      if (const std::string destination = destination_of(source, call); !destination.empty()) {
        into_.options[intern(destination).id].push_back({function_, &call});
      }
    } else if (called_name(call).starts_with("DEFINE_") && !call.args.empty()) {
      if (const StringConstant *name = as_string(call.args[0])) {
        into_.flags[intern(string_value(source, *name)).id].push_back({function_, &call});
      }
    } else if (method == "set_defaults") {
      for (const Keyword *keyword : call.keywords) {
        if (keyword->name) {
          into_.attribute_stores[keyword->name.id].push_back({function_, receiver_of(call), keyword->value});
        }
      }
    } else if (method == "update" || method == "setdefault" || method == "pop") {
      change_dict(receiver_of(call), {.update = &call});
    } else if (called_name(call) == "setattr" && call.args.size() == 3) {
      if (const StringConstant *name = as_string(call.args[1])) {
        into_.attribute_stores[intern(string_value(source, *name)).id].push_back(
            {function_, call.args[0], call.args[2]});
      } else {
        hand_on_classes_of(call.args[0]);
      }
    } else if (called_name(call) == "replace" && call.args.size() == 1) { // dataclasses.replace(config, field=value)
      for (const Keyword *keyword : call.keywords) {
        if (keyword->name) {
          into_.attribute_stores[keyword->name.id].push_back({function_, call.args[0], keyword->value});
        } else {
          hand_on_classes_of(call.args[0]);
        }
      }
    }
    const auto *changed = as<Attribute>(receiver_of(call));
    if (changed != nullptr && is_mutating_method(as<Attribute>(call.func)->attr)) {
      note_change(changed->attr);
    }
    if (call.fact != 0) {
      for_each_alternative(project_.callee_of(&call), [&](const Value &callee) {
        if (callee.is(Value::Tag::Class)) {
          into_.constructions[callee.type].push_back({function_, &call});
        } else if (callee.is(Value::Tag::Api) && callee.name().text() == "functools.partial") {
          note_partial(call);
        }
      });
    }
  }

  void note_partial(const Call &call) {
    if (function_ == nullptr || call.args.empty()) {
      return;
    }
    const Value wrapped = value_of(scope_of(project_, *function_), call.args[0]);
    if ((wrapped.is(Value::Tag::Function) || wrapped.is(Value::Tag::Method)) && wrapped.alternatives == nullptr) {
      into_.partials[wrapped.function->name.id].push_back({function_, &call});
    }
  }

  // Any field of such an object may be changed.
  void hand_on_classes_of(const Expr *object) {
    if (function_ != nullptr) {
      for_each_alternative(value_of(scope_of(project_, *function_), object), [&](const Value &one) {
        if (one.is(Value::Tag::Object)) {
          into_.classes_handed_on[one.type->name.id].push_back({function_, nullptr});
        }
      });
    }
  }

  void note_class_name(Symbol name) {
    if (class_names_.contains(name.id)) {
      into_.classes_handed_on[name.id].push_back({function_, nullptr});
    }
  }

  // Of a call the name that it calls, and all annotations, hand nothing on.
  static bool is_plain_mention(const Node *parent, const Node *child) {
    if (const auto *call = as<Call>(parent)) {
      return call->func == child;
    }
    if (const auto *parameter = as<Param>(parent)) {
      return parameter->annotation == child;
    }
    const auto *definition = as<FunctionDef>(parent);
    return definition != nullptr && definition->returns == child;
  }

  void visit_children(const Node *node) {
    for_each_child(node, [&](const Node *child) {
      const bool is_name = child->kind == NodeKind::Name || child->kind == NodeKind::Attribute;
      if (!is_name || !is_plain_mention(node, child)) {
        return visit(child);
      }
      if (const auto *attribute = as<Attribute>(child)) { // config.Settings()
        visit(attribute->value);
      }
    });
  }

  void inside(const Node *node, const FunctionInfo *function, bool in_class) {
    const FunctionInfo *const outer = std::exchange(function_, function);
    const bool was_in_class = std::exchange(in_class_, in_class);
    const u32 branches = std::exchange(branches_, 0);
    visit_children(node);
    function_ = outer;
    in_class_ = was_in_class;
    branches_ = branches;
  }

  void visit(const Node *node) {
    switch (node->kind) {
    case NodeKind::FunctionDef: {
      const auto *definition = static_cast<const FunctionDef *>(node);
      bind(definition->name, nullptr);
      const FunctionInfo *const function = project_.function_at(node);
      return inside(node, function != nullptr ? function : function_, false);
    }
    case NodeKind::Lambda: {
      const FunctionInfo *const function = project_.function_at(node);
      return inside(node, function != nullptr ? function : function_, false);
    }
    case NodeKind::ClassDef:
      bind(static_cast<const ClassDef *>(node)->name, nullptr);
      return inside(node, function_, true);
    case NodeKind::Assign: {
      const auto *statement = static_cast<const Assign *>(node);
      for (const Expr *target : statement->targets) {
        assign(target, statement->value);
      }
      return visit(statement->value);
    }
    case NodeKind::AnnAssign: {
      const auto *statement = static_cast<const AnnAssign *>(node);
      if (statement->value != nullptr) {
        assign(statement->target, statement->value);
        visit(statement->value);
      }
      return;
    }
    case NodeKind::NamedExpr: {
      const auto *named = static_cast<const NamedExpr *>(node);
      assign(named->target, named->value);
      return visit(named->value);
    }
    case NodeKind::AugAssign: {
      const auto *statement = static_cast<const AugAssign *>(node);
      if (const auto *attribute = as<Attribute>(statement->target)) {
        into_.attribute_stores[attribute->attr.id].push_back(
            {.function = function_, .object = attribute->value, .increment = statement->value});
        note_change(attribute->attr);
      } else {
        assign(statement->target, nullptr);
      }
      return visit(statement->value);
    }
    case NodeKind::ImportFrom: {
      const auto *import = static_cast<const ImportFrom *>(node);
      for (const Alias *alias : import->names) {
        bind(alias->asname ? alias->asname : alias->name, nullptr, import, alias->name);
        if (alias->asname && alias->asname != alias->name) {
          note_class_name(alias->name);
        }
      }
      return;
    }
    case NodeKind::Name: // bound by a loop, a `with`, a comprehension
    case NodeKind::Attribute:
      if (node->context == Context::Store) { // `del` ends what a name holds, and gives it nothing else
        assign(static_cast<const Expr *>(node), nullptr);
      } else {
        const auto *attribute = as<Attribute>(node);
        note_class_name(attribute != nullptr ? attribute->attr : static_cast<const Name *>(node)->id);
      }
      break;
    case NodeKind::ExceptHandler:
      if (const auto *handler = static_cast<const ExceptHandler *>(node); handler->name) {
        bind(handler->name, nullptr);
      }
      break;
    case NodeKind::MatchAs:
      if (const auto *pattern = static_cast<const MatchAs *>(node); pattern->name) {
        bind(pattern->name, nullptr);
      }
      break;
    case NodeKind::Call:
      note_call(*static_cast<const Call *>(node));
      break;
    default:
      break;
    }
    const bool is_branch = node->kind == NodeKind::If || node->kind == NodeKind::For || node->kind == NodeKind::While ||
                           node->kind == NodeKind::Try || node->kind == NodeKind::Match;
    branches_ += is_branch ? 1 : 0;
    visit_children(node);
    branches_ -= is_branch ? 1 : 0;
  }

  const Project &project_;
  Definitions &into_;
  const Module *module_ = nullptr;
  const FunctionInfo *function_ = nullptr;
  bool in_class_ = false;
  u32 branches_ = 0;
  std::unordered_set<u32> class_names_;
};

} // namespace

std::span<const DictChange> Definitions::dict_changes_of(const FunctionInfo *function, Symbol name) const {
  const auto found = dict_changes.find(function);
  if (found == dict_changes.end()) {
    return {};
  }
  return std::ranges::equal_range(found->second, name.id, {}, [](const DictChange &change) { return change.name.id; });
}

const Definitions &definitions_of(const Project &project) {
  if (const Definitions *const known = project.definitions.get_local()) {
    return *known;
  }
  const std::scoped_lock lock(project.work_once);
  if (const Definitions *const known = project.definitions.get_local()) {
    return *known;
  }
  const SharedWork shared;
  const ReadPause pause;
  auto made = std::make_unique<Definitions>();
  Collector collector(project, *made);
  for (const Module &module : project.modules) {
    if (module.parsed != nullptr && module.body != nullptr) {
      collector.module(module);
    }
  }
  for (auto &[function, bindings] : made->bindings) {
    std::ranges::stable_sort(bindings, {}, [](const Binding &binding) { return binding.name.id; });
  }
  for (auto &[function, changes] : made->dict_changes) {
    std::ranges::stable_sort(changes, {}, [](const DictChange &change) { return change.name.id; });
  }
  return project.definitions.set(std::move(made));
}

} // namespace deepperf::model
