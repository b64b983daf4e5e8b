#include "model/constants.h"

#include "base/known_names.h"
#include "model/classes.h"
#include "model/definitions.h"
#include "model/variance.h"
#include "python/call.h"
#include "python/literals.h"

#include <algorithm>
#include <cmath>

namespace deepperf::model {

using namespace python;

namespace {

using Given = Argument::Given;
using Maybe = std::optional<ConstantValue>;

// How far a question is followed, so that none takes long: `x = x.y` leads to itself.
constexpr u32 kMostDepth = 20;
constexpr u32 kMostSteps = 400;
constexpr std::size_t kMostSources = 32;
constexpr std::size_t kMostStores = 256; // to attributes of one name, of whatever objects

// Everything that an expression may be, as far as it is written down.
struct Sources {
  std::vector<Given> given;
  std::vector<ConstantValue> presets; // that no expression stands for: False of `action="store_true"`
  bool unknown = false;
};

struct DictEntry {
  std::string key;
  Given value;
  bool maybe = false;
};

struct DictView {
  std::vector<DictEntry> entries;
  bool unknown = false; // there may be other entries, or other values
};

// ---- Arithmetic -----------------------------------------------------------------------------------------------------

// `64 * 7 * 7`; nothing where it does not fit.
std::optional<i64> folded(Operator op, i64 left, i64 right) {
  i64 result = 0;
  switch (op) {
  case Operator::Add:
    return __builtin_add_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  case Operator::Sub:
    return __builtin_sub_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  case Operator::Mult:
    return __builtin_mul_overflow(left, right, &result) ? std::nullopt : std::optional(result);
  case Operator::FloorDiv:
    return left >= 0 && right > 0 ? std::optional(left / right) : std::nullopt;
  case Operator::Mod:
    return left >= 0 && right > 0 ? std::optional(left % right) : std::nullopt;
  case Operator::Pow:
    if (right < 0) {
      return std::nullopt;
    }
    for (result = 1; right > 0; --right) {
      if (__builtin_mul_overflow(result, left, &result) || right > 62) {
        return std::nullopt;
      }
    }
    return result;
  default:
    return std::nullopt;
  }
}

std::optional<double> folded(Operator op, double left, double right) {
  switch (op) {
  case Operator::Add:
    return left + right;
  case Operator::Sub:
    return left - right;
  case Operator::Mult:
    return left * right;
  case Operator::Div:
    return right != 0 ? std::optional(left / right) : std::nullopt;
  case Operator::Pow:
    return std::pow(left, right);
  default:
    return std::nullopt;
  }
}

Maybe folded(Operator op, const ConstantValue &left, const ConstantValue &right) {
  Maybe result;
  if (left.as_integer().has_value() && right.as_integer().has_value() && op != Operator::Div) {
    if (const auto whole = folded(op, left.integer, right.integer)) {
      result = ConstantValue::of(*whole);
    } else if (op == Operator::Pow && right.integer < 0 && left.integer != 0) { // 10 ** -3
      result = ConstantValue::of(std::pow(static_cast<double>(left.integer), static_cast<double>(right.integer)));
    }
  } else if (left.as_number().has_value() && right.as_number().has_value()) {
    if (const auto number = folded(op, *left.as_number(), *right.as_number())) {
      result = ConstantValue::of(*number);
    }
  } else if (left.as_string().has_value() && right.as_string().has_value() && op == Operator::Add) {
    result = ConstantValue::of(left.text + right.text);
  }
  if (result.has_value()) {
    result->overridable = left.overridable || right.overridable;
  }
  return result;
}

Maybe literal_value(const Module &module, const Constant &constant) {
  const Source &source = module.parsed->source;
  const std::string_view text = source.part(constant.start, constant.end);
  switch (constant.constant_kind()) {
  case ConstantKind::None:
    return ConstantValue::none();
  case ConstantKind::True:
    return ConstantValue::of(true);
  case ConstantKind::False:
    return ConstantValue::of(false);
  case ConstantKind::Int:
    if (const auto value = int_value(text)) {
      return ConstantValue::of(*value);
    }
    return std::nullopt;
  case ConstantKind::Float:
    return ConstantValue::of(float_value(text));
  case ConstantKind::Str:
    return ConstantValue::of(string_value(source, static_cast<const StringConstant &>(constant)));
  default:
    return std::nullopt;
  }
}

bool are_related(const ClassInfo &a, const ClassInfo &b) {
  return std::ranges::find(a.mro, &b) != a.mro.end() || std::ranges::find(b.mro, &a) != b.mro.end();
}

// What `class A: name = value` writes.
const Expr *class_default(const ClassInfo &type, Symbol name) {
  const Expr *found = nullptr;
  for (const Stmt *statement : type.node->body) {
    if (const auto *plain = as<Assign>(statement)) {
      const auto *target = plain->targets.size() == 1 ? as<Name>(plain->targets[0]) : nullptr;
      found = target != nullptr && target->id == name ? plain->value : found;
    } else if (const auto *annotated = as<AnnAssign>(statement)) {
      const auto *target = as<Name>(annotated->target);
      found = target != nullptr && target->id == name && annotated->value != nullptr ? annotated->value : found;
    }
  }
  return found;
}

// The place of a field in the arguments of a class that makes its __init__ from annotations; nothing if it is none.
std::optional<u32> field_place(const ClassInfo &type, Symbol name) {
  u32 place = 0;
  for (const Stmt *statement : type.node->body) {
    const auto *annotated = as<AnnAssign>(statement);
    const auto *target = annotated != nullptr ? as<Name>(annotated->target) : nullptr;
    if (target != nullptr && target->id == name) {
      return place;
    }
    place += target != nullptr ? 1 : 0;
  }
  return std::nullopt;
}

void add_derived(const ClassInfo &type, std::vector<const ClassInfo *> &into) {
  for (const ClassInfo *derived : type.subclasses) {
    if (into.size() < kMostSources && std::ranges::find(into, derived) == into.end()) {
      into.push_back(derived);
      add_derived(*derived, into);
    }
  }
}

class Evaluator {
public:
  explicit Evaluator(const Project &project) : project_(project), index_(definitions_of(project)) {}

  Maybe constant(const Scope &at, const Expr *expr, u32 depth = 0) {
    if (expr == nullptr || depth > kMostDepth || ++steps_ > kMostSteps) {
      return std::nullopt;
    }
    switch (expr->kind) {
    case NodeKind::Constant:
      return literal_value(*at.module, *static_cast<const Constant *>(expr));
    case NodeKind::UnaryOp:
      return unary(at, *static_cast<const UnaryOp *>(expr), depth);
    case NodeKind::BinOp: {
      const auto *operation = static_cast<const BinOp *>(expr);
      const Maybe left = constant(at, operation->left, depth + 1);
      const Maybe right = left.has_value() ? constant(at, operation->right, depth + 1) : std::nullopt;
      return right.has_value() ? folded(operation->op(), *left, *right) : std::nullopt;
    }
    case NodeKind::BoolOp:
      return either(at, *static_cast<const BoolOp *>(expr), depth);
    case NodeKind::Call:
      if (const Maybe value = computed(at, *static_cast<const Call *>(expr), depth)) {
        return value;
      }
      [[fallthrough]];
    case NodeKind::Name:
    case NodeKind::Attribute:
    case NodeKind::Subscript:
    case NodeKind::IfExp:
    case NodeKind::NamedExpr: {
      const Sources found = sources(at, expr, depth);
      return joined(found.given, found.presets, found.unknown, depth);
    }
    default:
      return std::nullopt;
    }
  }

  // The one value that all of them have.
  Maybe joined(const std::vector<Given> &given, const std::vector<ConstantValue> &presets, bool unknown, u32 depth) {
    if (unknown || given.size() + presets.size() > kMostSources) {
      return std::nullopt;
    }
    Maybe result;
    const auto add = [&result](ConstantValue value) {
      if (result.has_value()) {
        value.overridable |= result->overridable;
        if (!result->same_as(value)) {
          return false;
        }
      }
      result = std::move(value);
      return true;
    };
    for (const Given &one : given) {
      Maybe value = constant(one.scope, one.expr, depth + 1);
      if (!value.has_value()) {
        return std::nullopt;
      }
      value->overridable |= one.overridable;
      if (!add(std::move(*value))) {
        return std::nullopt;
      }
    }
    for (const ConstantValue &preset : presets) {
      if (!add(preset)) {
        return std::nullopt;
      }
    }
    return result;
  }

  Argument argument(const Scope &at, const Call &call, u32 position, std::string_view keyword, u32 depth = 0) {
    Argument result;
    if (depth > kMostDepth || ++steps_ > kMostSteps) {
      result.unknown = true;
      return result;
    }
    const auto starred =
        std::ranges::find_if(call.args, [](const Expr *arg) { return arg->kind == NodeKind::Starred; });
    if (position < static_cast<u32>(starred - call.args.begin())) {
      result.given.push_back({at, call.args[position]});
      return result;
    }
    if (const Keyword *written = keyword_argument(call, keyword)) {
      result.given.push_back({at, written->value});
      return result;
    }
    result.unknown = starred != call.args.end() && position != ~0U;
    for (const Keyword *hidden : call.keywords) {
      if (!hidden->name) {
        DictView view;
        dict(at, hidden->value, false, depth + 1, view);
        take(view, keyword, result);
      }
    }
    if (result.given.empty() && !result.unknown) {
      add_partial(at, call, position, keyword, depth, result);
    }
    result.may_be_absent |= result.given.empty();
    return result;
  }

  // What the expression stands for, behind names, attributes and the like.
  void written(const Scope &at, const Expr *expr, bool overridable, u32 depth, Sources &into) {
    if (expr == nullptr || depth > kMostDepth || ++steps_ > kMostSteps) {
      into.unknown = true;
      return;
    }
    switch (expr->kind) {
    case NodeKind::Name:
    case NodeKind::Attribute:
    case NodeKind::Subscript:
    case NodeKind::IfExp:
    case NodeKind::NamedExpr: {
      const Sources found = sources(at, expr, depth);
      into.unknown |= found.unknown;
      into.presets.insert(into.presets.end(), found.presets.begin(), found.presets.end());
      for (const Given &one : found.given) {
        written(one.scope, one.expr, overridable || one.overridable, depth + 1, into);
      }
      return;
    }
    default:
      into.given.push_back({at, expr, overridable});
    }
  }

private:
  // ---- Operators and calls
  Maybe unary(const Scope &at, const UnaryOp &operation, u32 depth) {
    Maybe value = constant(at, operation.operand, depth + 1);
    if (!value.has_value()) {
      return std::nullopt;
    }
    switch (operation.op()) {
    case UnaryOperator::Not: {
      ConstantValue negated = ConstantValue::of(!value->is_true());
      negated.overridable = value->overridable;
      return negated;
    }
    case UnaryOperator::USub:
      if (!value->as_number().has_value()) {
        return std::nullopt;
      }
      value->integer = -value->integer;
      value->number = -value->number;
      return value;
    case UnaryOperator::UAdd:
      return value->as_number().has_value() ? value : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  Maybe either(const Scope &at, const BoolOp &operation, u32 depth) {
    Maybe value;
    bool overridable = false;
    for (const Expr *part : operation.values) {
      value = constant(at, part, depth + 1);
      if (!value.has_value()) {
        return std::nullopt;
      }
      overridable |= value->overridable;
      if (value->is_true() == (operation.op() == BoolOperator::Or)) {
        break;
      }
    }
    if (value.has_value()) {
      value->overridable = overridable;
    }
    return value;
  }

  std::string_view api_of(const Call &call) const {
    const Value callee = project_.callee_of(&call);
    return callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
  }

  Maybe computed(const Scope &at, const Call &call, u32 depth) {
    const std::string_view api = api_of(call);
    if (api == "int" || api == "float" || api == "bool" || api == "str") {
      const Maybe value = call.args.size() == 1 ? constant(at, call.args[0], depth + 1) : std::nullopt;
      if (!value.has_value()) {
        return std::nullopt;
      }
      Maybe result;
      if (api == "int" && value->as_number().has_value() && std::abs(*value->as_number()) < 1e15) {
        result = ConstantValue::of(static_cast<i64>(*value->as_number()));
      } else if (api == "float" && value->as_number().has_value()) {
        result = ConstantValue::of(*value->as_number());
      } else if (api == "bool") {
        result = ConstantValue::of(value->is_true());
      } else if (api == "str" && value->as_string().has_value()) {
        result = value;
      }
      if (result.has_value()) {
        result->overridable = value->overridable;
      }
      return result;
    }
    if ((api == "min" || api == "max") && call.args.size() >= 2 && call.keywords.empty()) {
      Maybe best;
      bool overridable = false;
      for (const Expr *arg : call.args) {
        const Maybe value = constant(at, arg, depth + 1);
        if (!value.has_value() || !value->as_number().has_value()) {
          return std::nullopt;
        }
        overridable |= value->overridable;
        if (!best.has_value() ||
            (api == "min" ? *value->as_number() < *best->as_number() : *value->as_number() > *best->as_number())) {
          best = value;
        }
      }
      best->overridable = overridable;
      return best;
    }
    return std::nullopt;
  }

  // ---- One step back: what a name, attribute, entry or the like was set to
  Sources sources(const Scope &at, const Expr *expr, u32 depth) {
    Sources result;
    if (depth > kMostDepth || ++steps_ > kMostSteps) {
      result.unknown = true;
      return result;
    }
    switch (expr->kind) {
    case NodeKind::Name:
      name_sources(at, static_cast<const Name *>(expr)->id, depth, result);
      break;
    case NodeKind::Attribute:
      attribute_sources(at, *static_cast<const Attribute *>(expr), depth, result);
      break;
    case NodeKind::Subscript: {
      const auto *subscript = static_cast<const Subscript *>(expr);
      const StringConstant *key = as_string(subscript->slice);
      if (key == nullptr) {
        result.unknown = true;
      } else {
        entry_sources(at, subscript->value, string_value(at.module->parsed->source, *key), nullptr, depth, result);
      }
      break;
    }
    case NodeKind::IfExp: {
      const auto *conditional = static_cast<const IfExp *>(expr);
      const Maybe test = constant(at, conditional->test, depth + 1);
      const bool is_settled = test.has_value() && !test->overridable;
      if (!is_settled || test->is_true()) {
        result.given.push_back({at, conditional->body});
      }
      if (!is_settled || !test->is_true()) {
        result.given.push_back({at, conditional->orelse});
      }
      break;
    }
    case NodeKind::NamedExpr:
      result.given.push_back({at, static_cast<const NamedExpr *>(expr)->value});
      break;
    case NodeKind::Call:
      call_sources(at, *static_cast<const Call *>(expr), depth, result);
      break;
    default:
      result.unknown = true;
      break;
    }
    result.unknown |= result.given.empty() && result.presets.empty();
    return result;
  }

  // `field(default=4)`, `typer.Option(4)`, `config.get("workers", 4)`.
  void call_sources(const Scope &at, const Call &call, u32 depth, Sources &into) {
    const std::string_view api = api_of(call);
    const bool is_field = api == "dataclasses.field" || api == "attr.ib" || api == "attr.field" || api == "attrs.field";
    if (is_field || api == "typer.Option" || api == "typer.Argument" || api == "pydantic.Field") {
      if (const Expr *value = argument_in(call, is_field ? ~0U : 0, "default")) {
        into.given.push_back({at, value, true});
      }
      return;
    }
    if (called_method(call) == "get" && !call.args.empty() && call.args.size() <= 2) {
      if (const StringConstant *key = as_string(call.args[0])) {
        entry_sources(at, receiver_of(call), string_value(at.module->parsed->source, *key),
                      call.args.size() == 2 ? call.args[1] : nullptr, depth, into);
      }
      return;
    }
    const Value callee = project_.callee_of(&call);
    const bool is_function = callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method);
    const Value result = is_function ? callee.function->returns : Value{};
    if (result.is(Value::Tag::Literal) && result.number != 0 && !result.open && !result.none) {
      for (const Module &module : project_.modules) {
        if (module.file.value + 1 == result.number) {
          into.given.push_back({{&project_, &module, module.body}, result.expr});
        }
      }
    }
  }

  static const Expr *argument_in(const Call &call, u32 position, std::string_view keyword) {
    return position == ~0U
               ? (keyword_argument(call, keyword) != nullptr ? keyword_argument(call, keyword)->value : nullptr)
               : python::argument(call, position, keyword);
  }

  void name_sources(const Scope &at, Symbol name, u32 depth, Sources &into) {
    for (const FunctionInfo *scope = at.function; scope != nullptr; scope = scope->parent) {
      const u32 slot = scope->slot_of(name);
      if (slot == FunctionInfo::kNoSlot) {
        continue;
      }
      for (u32 i = 0; i < scope->params.size(); ++i) {
        if (scope->params[i]->name == name) {
          parameter_sources(*scope, i, depth, into);
        }
      }
      into.unknown |= scope->outer_stores.contains(slot);
      const auto found = index_.bindings.find(scope);
      if (found != index_.bindings.end()) {
        const auto [first, last] = std::ranges::equal_range(found->second, name.id, {},
                                                            [](const Binding &binding) { return binding.name.id; });
        for (auto binding = first; binding != last; ++binding) {
          if (binding->import != nullptr) {
            import_sources(*scope, *binding, depth, into);
          } else if (binding->value != nullptr) {
            into.given.push_back({scope_of(project_, *scope), binding->value});
          } else {
            into.unknown = true;
          }
        }
      }
      return;
    }
    into.unknown = true;
  }

  void import_sources(const FunctionInfo &scope, const Binding &binding, u32 depth, Sources &into) {
    const auto target = scope.module->import_targets.find(binding.import);
    const Module *const from = target != scope.module->import_targets.end() ? target->second : nullptr;
    if (from == nullptr || from->body == nullptr || depth + 1 > kMostDepth) {
      into.unknown = true;
      return;
    }
    name_sources({&project_, from, from->body}, binding.imported, depth + 1, into);
  }

  // Tests choose what suits a test.
  [[nodiscard]] std::vector<const CallSite *> callers_of(const FunctionInfo &function) const {
    std::vector<const CallSite *> callers;
    for (const CallSite *site : function.called_by) {
      const bool is_by_test = site->caller->module->is_test || site->caller->is_test;
      if (!is_by_test || function.module->is_test) {
        callers.push_back(site);
      }
    }
    return callers;
  }

  // What callers pass, else its default.
  void parameter_sources(const FunctionInfo &function, u32 index, u32 depth, Sources &into) {
    const Param &param = *function.params[index];
    if (param.param_kind() == ParamKind::VarArgs || param.param_kind() == ParamKind::KwArgs) {
      into.unknown = true;
      return;
    }
    if (const CallPlace option = click_option(function, param.name); option.call != nullptr) {
      option_sources(option, into);
      return;
    }
    const std::vector<const CallSite *> callers = callers_of(function);
    bool takes_default = callers.empty();
    if (callers.size() > kMostSources) {
      into.unknown = true;
      return;
    }
    for (const CallSite *site : callers) {
      if (site->caller == &function) {
        continue; // passes on what it was given
      }
      const u32 shift = site->bound ? 1 : 0;
      if (index < shift) {
        into.unknown = true;
        return;
      }
      const bool by_position = param.param_kind() <= ParamKind::Regular;
      const Argument passed =
          argument(scope_of(project_, *site->caller), *site->call, by_position ? index - shift : ~0U,
                   param.name ? param.name.text() : "", depth + 1);
      into.unknown |= passed.unknown;
      into.given.insert(into.given.end(), passed.given.begin(), passed.given.end());
      takes_default |= passed.may_be_absent;
    }
    if (takes_default) {
      if (param.default_value == nullptr) {
        into.unknown = true;
      } else {
        const FunctionInfo *const around = function.parent != nullptr ? function.parent : &function;
        into.given.push_back({scope_of(project_, *around), param.default_value, true});
      }
    }
  }

  // `@click.option("--workers", default=4)` above the function.
  [[nodiscard]] CallPlace click_option(const FunctionInfo &function, Symbol name) const {
    const FunctionDef *definition = function.definition();
    const FunctionInfo *const around = function.parent != nullptr ? function.parent : &function;
    if (definition == nullptr || !name) {
      return {};
    }
    const auto found = index_.options.find(name.id);
    if (found != index_.options.end()) {
      for (const Expr *decorator : definition->decorators) {
        for (const CallPlace &option : found->second) {
          if (option.call == decorator) {
            return {around, option.call};
          }
        }
      }
    }
    return {};
  }

  // The default of add_argument(…), DEFINE_…(…) or click.option(…).
  void option_sources(const CallPlace &option, Sources &into) {
    const Scope at = scope_of(project_, *option.function);
    if (called_name(*option.call).starts_with("DEFINE_")) {
      if (const Expr *value = python::argument(*option.call, 1, "default")) {
        into.given.push_back({at, value, true});
      } else {
        into.unknown = true;
      }
      return;
    }
    if (const Keyword *value = keyword_argument(*option.call, "default")) {
      into.given.push_back({at, value->value, true});
      return;
    }
    const Keyword *const action = keyword_argument(*option.call, "action");
    const Keyword *const flag = keyword_argument(*option.call, "is_flag");
    ConstantValue preset = ConstantValue::none();
    if (action != nullptr) {
      const StringConstant *const text = as_string(action->value);
      const std::string kind = text != nullptr ? string_value(at.module->parsed->source, *text) : std::string{};
      if (kind == "store_true" || kind == "store_false") {
        preset = ConstantValue::of(kind == "store_false");
      } else if (kind != "store") {
        into.unknown = true;
        return;
      }
    } else if (flag != nullptr && is_constant(flag->value, ConstantKind::True)) {
      preset = ConstantValue::of(false);
    }
    for (const Keyword *keyword : option.call->keywords) {
      into.unknown |= !keyword->name;
    }
    preset.overridable = true;
    into.presets.push_back(preset);
  }

  // `args.workers` of what argparse parsed.
  void parsed_sources(const Value &parsed, Symbol name, Sources &into) {
    const auto is_same_parser = [&parsed](const Value &parser) {
      bool found = parser.is_unknown();
      for_each_alternative(parser, [&](const Value &one) {
        for_each_alternative(parsed, [&](const Value &other) { found |= one.call == other.call; });
      });
      return found;
    };
    const auto options = index_.options.find(name.id);
    if (options == index_.options.end()) {
      into.unknown = true;
      return;
    }
    for (const CallPlace &option : options->second) {
      if (is_same_parser(value_of(scope_of(project_, *option.function), receiver_of(*option.call)))) {
        option_sources(option, into);
      }
    }
    const auto stores = index_.attribute_stores.find(name.id);
    if (stores != index_.attribute_stores.end()) {
      for (const AttributeStore &store : stores->second) {
        const Value object = value_of(scope_of(project_, *store.function), store.object);
        into.unknown |=
            object.is_unknown() || object.is_kind(Kind::ArgumentNamespace) || object.is_kind(Kind::ArgumentParser);
      }
    }
  }

  void attribute_sources(const Scope &at, const Attribute &attribute, u32 depth, Sources &into) {
    const Value owner = value_of(at, attribute.value);
    if (owner.is(Value::Tag::Module)) {
      if (owner.module->body != nullptr) {
        name_sources({&project_, owner.module, owner.module->body}, attribute.attr, depth + 1, into);
      }
      return;
    }
    if (owner.is_kind(Kind::ArgumentNamespace)) {
      return parsed_sources(owner, attribute.attr, into);
    }
    if (owner.is(Value::Tag::Api) && owner.name().text().ends_with("flags.FLAGS")) {
      const auto flags = index_.flags.find(attribute.attr.id);
      if (flags != index_.flags.end()) {
        for (const CallPlace &flag : flags->second) {
          option_sources(flag, into);
        }
      }
      return;
    }
    bool is_object = false;
    for_each_alternative(owner, [&](const Value &one) {
      if (one.is(Value::Tag::Object) || one.is(Value::Tag::Class)) {
        is_object = true;
        class_sources(*one.type, attribute.attr, depth, into);
      } else {
        into.unknown = true;
      }
    });
    if (is_object) {
      into.unknown |= owner.open;
      return;
    }
    // self.hparams.workers of Lightning: what __init__ was given.
    if (const auto *holder = as<Attribute>(attribute.value); holder != nullptr && holder->attr.text() == "hparams") {
      if (const Value object = value_of(at, holder->value); object.is(Value::Tag::Object)) {
        if (const FunctionInfo *init = find_method_of(*object.type, known::sym_init)) {
          for (u32 i = 0; i < init->params.size(); ++i) {
            if (init->params[i]->name == attribute.attr) {
              parameter_sources(*init, i, depth, into);
              return;
            }
          }
        }
      }
    }
    if (attribute.attr.text() == "value" &&
        attribute.value->kind == NodeKind::Name) { // _LR = DEFINE_float(…); _LR.value
      const Sources flags = sources(at, attribute.value, depth + 1);
      for (const Given &one : flags.given) {
        const auto *call = as<Call>(one.expr);
        if (call != nullptr && called_name(*call).starts_with("DEFINE_")) {
          option_sources({one.scope.function, call}, into);
        } else {
          into.unknown = true;
        }
      }
      into.unknown |= flags.unknown;
      return;
    }
    entry_sources(at, attribute.value, attribute.attr.text(), nullptr, depth, into); // a dictionary with attributes
  }

  // What objects of the class have: stored to them, passed where a dataclass is made, or written in the class.
  void class_sources(const ClassInfo &type, Symbol name, u32 depth, Sources &into) {
    bool is_stored = false;
    const auto stores = index_.attribute_stores.find(name.id);
    if (stores != index_.attribute_stores.end() && stores->second.size() > kMostStores) {
      into.unknown = true;
      return;
    }
    if (stores != index_.attribute_stores.end()) {
      for (const AttributeStore &store : stores->second) {
        const Value object = value_of(scope_of(project_, *store.function), store.object);
        into.unknown |= object.is_unknown();
        for_each_alternative(object, [&](const Value &one) {
          if ((one.is(Value::Tag::Object) || one.is(Value::Tag::Class)) && are_related(*one.type, type)) {
            is_stored = true;
            into.unknown |= store.value == nullptr;
            into.given.push_back({scope_of(project_, *store.function), store.value});
          }
        });
      }
    }
    for (const ClassInfo *holder : type.mro) {
      const Expr *value = class_default(*holder, name);
      const std::optional<u32> place = field_place(*holder, name);
      if (value == nullptr && !place.has_value()) {
        continue;
      }
      const bool is_field = place.has_value() && find_method_of(type, known::sym_init) == nullptr;
      bool takes_default = !is_field;
      if (is_field) {
        takes_default = construction_sources(type, *holder, *place, name, depth, into);
      }
      if (takes_default && value != nullptr) {
        const FunctionInfo *const around = holder->scope != nullptr ? holder->scope : holder->module->body;
        into.given.push_back({scope_of(project_, *around), value, is_field});
      } else if (takes_default && !is_stored) {
        into.unknown = true;
      }
      return;
    }
  }

  // Fields that are passed where objects are made; true if one of them takes the default, or nobody makes one.
  bool construction_sources(const ClassInfo &type, const ClassInfo &holder, u32 place, Symbol name, u32 depth,
                            Sources &into) {
    bool takes_default = true;
    bool is_first = true;
    std::vector<const ClassInfo *> related(type.mro.begin(), type.mro.end());
    add_derived(type, related);
    for (const ClassInfo *made : related) {
      const auto places = index_.constructions.find(made);
      if (places == index_.constructions.end()) {
        continue;
      }
      for (const CallPlace &construction : places->second) {
        // Fields of base classes come first, and how many they are is not counted here.
        const u32 position = &holder == made && holder.mro.size() == 1 ? place : ~0U;
        const Argument passed =
            argument(scope_of(project_, *construction.function), *construction.call, position, name.text(), depth + 1);
        into.unknown |= passed.unknown || (position == ~0U && !construction.call->args.empty());
        into.given.insert(into.given.end(), passed.given.begin(), passed.given.end());
        takes_default = (takes_default && !is_first) || passed.may_be_absent;
        is_first = false;
      }
    }
    return takes_default;
  }

  // ---- Dictionaries
  void entry_sources(const Scope &at, const Expr *dictionary, std::string_view key, const Expr *otherwise, u32 depth,
                     Sources &into) {
    DictView view;
    dict(at, dictionary, false, depth + 1, view);
    Argument found;
    take(view, key, found);
    into.unknown |= found.unknown || (found.given.empty() && view.unknown);
    into.given.insert(into.given.end(), found.given.begin(), found.given.end());
    if (otherwise != nullptr && (found.given.empty() || found.may_be_absent)) {
      into.given.push_back({at, otherwise});
    }
  }

  static void take(const DictView &view, std::string_view key, Argument &into) {
    bool is_certain = false;
    bool found = false;
    for (const DictEntry &entry : view.entries) {
      if (entry.key == key) {
        into.given.push_back(entry.value);
        is_certain |= !entry.maybe;
        found = true;
      }
    }
    into.may_be_absent |= found && !is_certain;
    into.unknown |= view.unknown;
  }

  // What is known of the entries of a dictionary. `maybe`: it is one of several, or filled on some paths only.
  void dict(const Scope &at, const Expr *expr, bool maybe, u32 depth, DictView &view) {
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

  void add_entry(const Scope &at, const Expr *key, const Expr *value, bool maybe, u32 depth, DictView &view) {
    const Maybe name = constant(at, key, depth + 1);
    if (!name.has_value() || !name->as_string().has_value() || value == nullptr) {
      view.unknown = true;
      return;
    }
    view.entries.push_back({name->text, {at, value}, maybe});
  }

  void add_keywords(const Scope &at, const Call &call, bool maybe, u32 depth, DictView &view) {
    for (const Keyword *keyword : call.keywords) {
      if (keyword->name) {
        view.entries.push_back({std::string(keyword->name.text()), {at, keyword->value}, maybe});
      } else {
        dict(at, keyword->value, maybe, depth + 1, view);
      }
    }
  }

  void dict_of_call(const Scope &at, const Call &call, bool maybe, u32 depth, DictView &view) {
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

  // `d["x"] = 1`, `d.update(x=1)`, wherever they stand.
  void add_changes(const Scope &at, const Expr *expr, u32 depth, DictView &view) {
    const std::vector<DictChange> *changes = nullptr;
    Symbol name;
    if (const auto *plain = as<Name>(expr)) {
      const FunctionInfo *owner = at.function;
      while (owner != nullptr && owner->slot_of(plain->id) == FunctionInfo::kNoSlot) {
        owner = owner->parent;
      }
      const auto found = index_.dict_changes.find(owner);
      changes = found != index_.dict_changes.end() ? &found->second : nullptr;
      name = plain->id;
    } else if (const auto *attribute = as<Attribute>(expr)) {
      const auto found = index_.attribute_dict_changes.find(attribute->attr.id);
      changes = found != index_.attribute_dict_changes.end() ? &found->second : nullptr;
      name = attribute->attr;
    }
    if (changes == nullptr) {
      return;
    }
    for (const DictChange &change : *changes) {
      if (change.name != name) {
        continue;
      }
      const Scope there = scope_of(project_, *change.function);
      if (change.update == nullptr) {
        add_entry(there, change.key, change.value, change.conditional, depth, view);
        continue;
      }
      const Call &call = *change.update;
      const std::string_view method = called_method(call);
      if (method == "update") {
        if (!call.args.empty()) {
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
  void forget(const Scope &at, const Call &call, u32 depth, DictView &view) {
    const Maybe key = call.args.empty() ? std::nullopt : constant(at, call.args[0], depth + 1);
    view.unknown |= !key.has_value() || !key->as_string().has_value();
  }

  // The entries of a `**kwargs` parameter; false if the name is none.
  bool add_passed(const Scope &at, Symbol name, u32 depth, DictView &view) {
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

  // `make = functools.partial(DataLoader, num_workers=4)`, then `make(data)`.
  void add_partial(const Scope &at, const Call &call, u32 position, std::string_view keyword, u32 depth,
                   Argument &into) {
    if (!project_.callee_of(&call).is(Value::Tag::Partial)) {
      return;
    }
    Sources made;
    written(at, call.func, false, depth + 1, made);
    into.unknown |= made.unknown || made.given.size() != 1;
    for (const Given &one : made.given) {
      const auto *partial = as<Call>(one.expr);
      if (partial == nullptr || api_of(*partial) != "functools.partial") {
        into.unknown = true;
        continue;
      }
      const Argument passed = argument(one.scope, *partial, position == ~0U ? ~0U : position + 1, keyword, depth + 1);
      into.unknown |= passed.unknown;
      into.given.insert(into.given.end(), passed.given.begin(), passed.given.end());
    }
  }

  const Project &project_;
  const Definitions &index_;
  u32 steps_ = 0;
};

} // namespace

std::optional<ConstantValue> constant_of(const Scope &scope, const Expr *expr) {
  if (const auto *constant = as<Constant>(expr)) {
    return literal_value(*scope.module, *constant);
  }
  return Evaluator(*scope.project).constant(scope, expr);
}

Argument argument_of(const Scope &scope, const Call &call, u32 position, std::string_view keyword) {
  return Evaluator(*scope.project).argument(scope, call, position, keyword);
}

std::optional<ConstantValue> constant_of(const Project &project, const Argument &argument,
                                         const ConstantValue &otherwise) {
  std::vector<ConstantValue> presets;
  if (argument.may_be_absent || argument.given.empty()) {
    presets.push_back(otherwise);
  }
  return Evaluator(project).joined(argument.given, presets, argument.unknown, 0);
}

std::vector<Argument::Given> written_as(const Scope &scope, const Expr *expr) {
  Sources found;
  Evaluator(*scope.project).written(scope, expr, false, 0, found);
  if (found.unknown || !found.presets.empty()) {
    return {};
  }
  return std::move(found.given);
}

} // namespace deepperf::model
