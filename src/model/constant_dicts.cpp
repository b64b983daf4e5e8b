// Which entries does a dictionary have: as it is written, changed, merged, copied, or passed as `**kwargs`?
#include "model/constant_evaluator.h"
#include "python/call.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

void ConstantEvaluator::entry_sources(const Scope &at, const Expr *dictionary, std::string_view key,
                                      const Expr *otherwise, u32 depth, Sources &into) {
  DictView view;
  dict(at, dictionary, false, depth + 1, view);
  Argument found;
  take(view, key, depth, found);
  into.unknown |= found.unknown || (found.given.empty() && view.unknown);
  into.given.insert(into.given.end(), found.given.begin(), found.given.end());
  if (otherwise != nullptr && (found.given.empty() || found.may_be_absent)) {
    into.given.push_back({at, otherwise});
  }
}

// `EXPERIMENTS[name]`: one of the entries, if all of them are written down.
void ConstantEvaluator::any_entry_sources(const Scope &at, const Subscript &entry, u32 depth, Sources &into) {
  const NodeKind key = entry.slice->kind;
  if (key == NodeKind::Slice || key == NodeKind::Tuple || key == NodeKind::Constant || key == NodeKind::UnaryOp) {
    into.unknown = true; // of a list or tensor
    return;
  }
  DictView view;
  dict(at, entry.value, false, depth + 1, view);
  into.unknown |= view.unknown || view.entries.empty() || !view.objects.empty() || view.entries.size() > kMostSources;
  for (const DictEntry &one : view.entries) {
    into.given.push_back(one.value);
  }
}

namespace {

// The field of that name of a class that makes its __init__ from annotations; none if it has no such field.
Symbol field_named(const ClassInfo &type, std::string_view name) {
  for (const ClassInfo *holder : type.mro) {
    for (const Stmt *statement : holder->node->body) {
      const auto *annotated = as<AnnAssign>(statement);
      const auto *target = annotated != nullptr ? as<Name>(annotated->target) : nullptr;
      if (target != nullptr && target->id.text() == name) {
        return target->id;
      }
    }
  }
  return {};
}

} // namespace

void ConstantEvaluator::take(const DictView &view, std::string_view key, u32 depth, Argument &into) {
  bool is_certain = false;
  bool found = false;
  for (const DictEntry &entry : view.entries) {
    if (entry.key == key) {
      into.given.push_back(entry.value);
      into.given.back().overridable |= view.overridable;
      is_certain |= !entry.maybe;
      found = true;
    }
  }
  for (const FieldsOf &object : view.objects) {
    const Symbol field = field_named(*object.type, key);
    if (field && depth < kMostDepth) {
      Sources values;
      class_sources(*object.type, field, depth + 1, values);
      into.unknown |= values.unknown || !values.presets.empty() || values.given.empty();
      into.given.insert(into.given.end(), values.given.begin(), values.given.end());
      is_certain |= !object.maybe;
      found = true;
    }
  }
  into.may_be_absent |= found && !is_certain;
  into.unknown |= view.unknown;
}

// What is known of the entries of a dictionary. `maybe`: it is one of several, or filled on some paths only.
void ConstantEvaluator::dict(const Scope &at, const Expr *expr, bool maybe, u32 depth, DictView &view) {
  if (expr == nullptr || depth > kMostDepth || ++steps_ > kMostSteps) {
    view.unknown = true;
    return;
  }
  switch (expr->kind) {
  case NodeKind::Dict:
    for (const DictItem &item : static_cast<const Dict *>(expr)->items) {
      if (item.key == nullptr) {
        dict(at, item.value, maybe, depth + 1, view);
      } else {
        add_entry(at, item.key, item.value, maybe, depth, view);
      }
    }
    return;
  case NodeKind::Call:
    return dict_of_call(at, *static_cast<const Call *>(expr), maybe, depth, view);
  case NodeKind::BinOp: {
    const auto *operation = static_cast<const BinOp *>(expr);
    if (operation->op() != Operator::BitOr) {
      break;
    }
    dict(at, operation->left, maybe, depth + 1, view);
    return dict(at, operation->right, maybe, depth + 1, view);
  }
  case NodeKind::Name:
  case NodeKind::Attribute:
    if (const auto *fields = as<Attribute>(expr); fields != nullptr && fields->attr.text() == "__dict__") {
      if (const Value object = value_of(at, fields->value); object.is(Value::Tag::Object) && !object.open) {
        view.objects.push_back({object.type, maybe});
        return;
      }
    }
    [[fallthrough]];
  case NodeKind::Subscript:
  case NodeKind::IfExp: {
    add_changes(at, expr, depth, view);
    if (const auto *name = as<Name>(expr); name != nullptr && add_passed(at, name->id, depth, view)) {
      return;
    }
    const Sources found = sources(at, expr, depth + 1);
    view.unknown |= found.unknown || !found.presets.empty();
    for (const Given &one : found.given) {
      dict(one.scope, one.expr, maybe || found.given.size() > 1, depth + 1, view);
    }
    return;
  }
  default:
    break;
  }
  view.unknown = true;
}

void ConstantEvaluator::add_entry(const Scope &at, const Expr *key, const Expr *value, bool maybe, u32 depth,
                                  DictView &view) {
  const Maybe name = constant(at, key, depth + 1);
  if (!name.has_value() || !name->as_string().has_value() || value == nullptr) {
    view.unknown = true;
    return;
  }
  view.entries.push_back({name->text, {at, value}, maybe});
}

void ConstantEvaluator::add_keywords(const Scope &at, const Call &call, bool maybe, u32 depth, DictView &view) {
  for (const Keyword *keyword : call.keywords) {
    if (keyword->name) {
      view.entries.push_back({std::string(keyword->name.text()), {at, keyword->value}, maybe});
    } else {
      dict(at, keyword->value, maybe, depth + 1, view);
    }
  }
}

void ConstantEvaluator::dict_of_call(const Scope &at, const Call &call, bool maybe, u32 depth, DictView &view) {
  const std::string_view api = api_of(call);
  if (api == "dict" || api == "types.SimpleNamespace" || api == "argparse.Namespace" || api.ends_with(".EasyDict") ||
      api.ends_with("OmegaConf.create") || api.ends_with(".ConfigDict")) {
    if (!call.args.empty()) {
      dict(at, call.args[0], maybe, depth + 1, view);
    }
    return add_keywords(at, call, maybe, depth, view);
  }
  if ((api == "copy.copy" || api == "copy.deepcopy") && call.args.size() == 1) {
    return dict(at, call.args[0], maybe, depth + 1, view);
  }
  if (called_method(call) == "copy" && call.args.empty()) {
    return dict(at, receiver_of(call), maybe, depth + 1, view);
  }
  if (api == "dataclasses.field" || api == "attr.ib" || api == "attr.field" || api == "attrs.field" ||
      api == "pydantic.Field") {
    Sources found;
    call_sources(at, call, depth, found);
    view.unknown |= found.given.empty();
    for (const Given &one : found.given) {
      dict(one.scope, one.expr, maybe, depth + 1, view);
    }
    return;
  }
  if (add_fields(at, call, maybe, view)) {
    return;
  }
  const Value callee = project_.callee_of(&call);
  const FunctionInfo *const function =
      callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method) ? callee.function : nullptr;
  const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
  // A function that does nothing but return one.
  const auto *result =
      definition != nullptr && !definition->body.empty() ? as<Return>(definition->body.back()) : nullptr;
  if (result == nullptr) {
    view.unknown = true;
    return;
  }
  dict(scope_of(project_, *function), result->value, maybe, depth + 1, view);
}

// `asdict(settings)`, `vars(settings)`, `settings.model_dump()`: the fields of an object; false if it is none of these.
bool ConstantEvaluator::add_fields(const Scope &at, const Call &call, bool maybe, DictView &view) {
  const std::string_view api = api_of(call);
  const std::string_view method = called_method(call);
  const bool is_function =
      call.args.size() == 1 && call.keywords.empty() &&
      (api == "dataclasses.asdict" || api == "attr.asdict" || api == "attrs.asdict" || api == "vars");
  const bool is_method = call.args.empty() && call.keywords.empty() && project_.callee_of(&call).is_unknown() &&
                         (method == "model_dump" || method == "_asdict" || method == "dict" || method == "to_dict" ||
                          method == "asdict" || method == "as_dict");
  if (!is_function && !is_method) {
    return false;
  }
  const Value object = value_of(at, is_function ? call.args[0] : receiver_of(call));
  if (!object.is(Value::Tag::Object) || object.open) {
    return false;
  }
  view.objects.push_back({object.type, maybe});
  return true;
}

// `json.loads(path.read_text())`, `yaml.safe_load(file)`, `vars(args)`: what a user wrote.
bool ConstantEvaluator::is_read_from_file(const Expr *expr) const {
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const std::string_view api = api_of(*call);
  return api == "json.load" || api == "json.loads" || api == "vars" || api == "OmegaConf.load" ||
         api == "omegaconf.OmegaConf.load" ||
         (api.starts_with("yaml.") && api.find("load") != std::string_view::npos) ||
         ((api.starts_with("toml.") || api.starts_with("tomllib.") || api.starts_with("tomli.")) &&
          api.find("load") != std::string_view::npos);
}

// `d["x"] = 1`, `d.update(x=1)`, wherever they stand.
void ConstantEvaluator::add_changes(const Scope &at, const Expr *expr, u32 depth, DictView &view) {
  std::span<const DictChange> changes;
  if (const auto *plain = as<Name>(expr)) {
    const FunctionInfo *owner = at.function;
    while (owner != nullptr && owner->slot_of(plain->id) == FunctionInfo::kNoSlot) {
      owner = owner->parent;
    }
    changes = index_.dict_changes_of(owner, plain->id);
  } else if (const auto *attribute = as<Attribute>(expr)) {
    const auto found = index_.attribute_dict_changes.find(attribute->attr.id);
    changes = found != index_.attribute_dict_changes.end() ? std::span(found->second) : changes;
  }
  if (changes.size() > kMostChanges) { // many may ask for a dictionary that is changed many times
    view.unknown = true;
    return;
  }
  for (const DictChange &change : changes) {
    const Scope there = scope_of(project_, *change.function);
    if (change.update == nullptr) {
      add_entry(there, change.key, change.value, change.conditional, depth, view);
      continue;
    }
    const Call &call = *change.update;
    const std::string_view method = called_method(call);
    if (method == "update") {
      if (!call.args.empty() && change.conditional && is_read_from_file(call.args[0])) {
        view.overridable = true; // what is written down are the defaults of a user's file
      } else if (!call.args.empty()) {
        dict(there, call.args[0], change.conditional, depth + 1, view);
      }
      add_keywords(there, call, change.conditional, depth, view);
    } else if (method == "setdefault" && call.args.size() == 2) {
      add_entry(there, call.args[0], call.args[1], true, depth, view);
    } else {
      forget(there, call, depth, view); // pop
    }
  }
}

// `d.pop("x")`: perhaps it is not there any more.
void ConstantEvaluator::forget(const Scope &at, const Call &call, u32 depth, DictView &view) {
  const Maybe key = call.args.empty() ? std::nullopt : constant(at, call.args[0], depth + 1);
  view.unknown |= !key.has_value() || !key->as_string().has_value();
}

// The entries of a `**kwargs` parameter; false if the name is none.
bool ConstantEvaluator::add_passed(const Scope &at, Symbol name, u32 depth, DictView &view) {
  const FunctionInfo *function = at.function;
  while (function != nullptr && function->slot_of(name) == FunctionInfo::kNoSlot) {
    function = function->parent;
  }
  if (function == nullptr || function->params.empty()) {
    return false;
  }
  const auto param = std::ranges::find_if(function->params, [name](const Param *one) {
    return one->name == name && one->param_kind() == ParamKind::KwArgs;
  });
  if (param == function->params.end()) {
    return false;
  }
  const std::vector<const CallSite *> callers = callers_of(*function);
  view.unknown |= callers.empty() || callers.size() > kMostSources;
  for (std::size_t i = 0; i < callers.size() && !view.unknown; ++i) {
    DictView passed;
    add_keywords(scope_of(project_, *callers[i]->caller), *callers[i]->call, callers.size() > 1, depth, passed);
    view.unknown |= passed.unknown;
    view.objects.insert(view.objects.end(), passed.objects.begin(), passed.objects.end());
    for (DictEntry &entry : passed.entries) {
      const bool is_named = std::ranges::any_of(
          function->params, [&](const Param *one) { return one->name && one->name.text() == entry.key; });
      if (!is_named) {
        view.entries.push_back(std::move(entry));
      }
    }
  }
  return true;
}

} // namespace deepperf::model
