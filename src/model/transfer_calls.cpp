// Calls: which function runs, and with what.
#include "base/known_names.h"
#include "base/name_table.h"
#include "model/call_arguments.h"
#include "model/classes.h"
#include "model/name_traits.h"
#include "model/overrides.h"
#include "python/call.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

// What frame.pipe(make_dataset) of pandas gives.
FunctionInfo *piped(std::string_view method, const Value &first) {
  return method == "pipe" && first.is(Value::Tag::Function) ? first.function : nullptr;
}

// MMEngine, or MMCV before it.
bool imports_engine_of_openmmlab(const Module &module) {
  return std::ranges::any_of(module.parsed->imports, [](const ImportRef &import) {
    const std::string_view name = import.module.text();
    return name.starts_with("mmengine") || name.starts_with("mmcv");
  });
}

} // namespace

Value Transfer::eval_call(const Call *call) {
  const Value callee = eval(call->func);
  if (recording()) {
    project_.callees[call->fact] = callee;
  }
  // `results.append(x)` of a list: what it holds grows.
  const auto *method = as<Attribute>(call->func);
  if (method != nullptr && method->attr == known::sym_append && call->args.size() == 1 && !callee.known() &&
      !callee.is_bottom()) {
    const Expr *const outer_stored = std::exchange(around_.stored, call->args[0]);
    const Value added = eval(call->args[0]);
    around_.stored = outer_stored;
    grow(method->value, added, layer_output(added));
    current_->own_effects = true;
    return {};
  }
  if (method != nullptr && call->args.size() <= 2 && !callee.known() && !callee.is_bottom()) {
    change_list(*method, *call);
  }
  // What the call does where it stands is noted before what its arguments do.
  bool makes_variable = false;
  for_each_alternative(callee, [&](const Value &one) {
    const ApiInfo *info = nullptr;
    if (one.is(Value::Tag::Api)) {
      info = find_api(one.name());
    } else if (one.is(Value::Tag::ApiMethod)) {
      info = find_method(one.receiver().kind, one.name());
    }
    if (info != nullptr) {
      note_call_traits(*info, call, one.name(), one.v1);
      makes_variable |= one.is(Value::Tag::Api) && info->has(kVariable);
    }
  });
  const bool outer_initial = around_.initial_value;
  around_.initial_value |= makes_variable;
  const Arguments arguments(*this, call);
  around_.initial_value = outer_initial;
  if (callee.is_bottom()) {
    return callee;
  }
  if (!callee.is(Value::Tag::Api)) {
    forget_last_layers(*call, arguments);
  }
  Value result = Value::bottom();
  bool is_called = false;
  const bool was_by_type = around_.by_type;
  around_.by_type |= callee.alternatives != nullptr && callee.alternatives->count > 1;
  for_each_alternative(callee, [&](const Value &one) {
    if (!one.is(Value::Tag::Literal)) {
      is_called = true;
      result = join(result, apply(call, one, arguments));
    }
  });
  around_.by_type = was_by_type;
  if (!is_called) {
    return apply_unknown(call, arguments);
  }
  return callee.open ? join(result, Value{}) : result;
}

// A function that is given a list may add a layer to it.
void Transfer::forget_last_layers(const Call &call, const Arguments &arguments) {
  for (u32 i = 0; i < call.args.size(); ++i) {
    const Value given = arguments.at(i);
    if (call.args[i]->kind == NodeKind::Name && given.is(Value::Tag::Tuple) && given.output != Output::Unknown) {
      Value list = given;
      list.output = Output::Unknown;
      rebind(call.args[i], list);
    }
  }
}

// `layers.extend(more)`, and what else changes a list so that another element may be its last one.
void Transfer::change_list(const Attribute &method, const Call &call) {
  static const NameTable kChanges({"extend", "insert", "pop", "remove", "reverse", "clear"});
  if (!kChanges.has(method.attr)) {
    return;
  }
  Value list = peek(method.value);
  if (!list.is(Value::Tag::Tuple) || has_entries(list)) {
    return;
  }
  const bool adds = (method.attr.text() == "extend" && call.args.size() == 1) || method.attr.text() == "insert";
  const Value more = adds ? peek(call.args[call.args.size() - 1]) : Value{};
  if (adds && method.attr.text() == "insert") {
    grow(method.value, more);
  } else if (adds && more.is(Value::Tag::Tuple) && more.alternatives == nullptr) {
    grow(method.value, element_of_tuple(more, arena_), more.output);
  } else if (adds && !more.is_bottom()) {
    grow(method.value, element_of(more)); // perhaps of something unknown
  } else if (list.output != Output::Unknown) {
    list.output = Output::Unknown;
    rebind(method.value, list);
  }
}

Value Transfer::apply(const Call *call, const Value &callee, const Arguments &arguments) {
  switch (callee.tag) {
  case Value::Tag::Api:
    return call_api(call, callee, arguments);
  case Value::Tag::ApiMethod:
    return call_api_method(call, callee, arguments);
  case Value::Tag::Function:
    return call_function(call, callee.function, false, arguments);
  case Value::Tag::Method:
    return call_method(call, callee.function, arguments);
  case Value::Tag::Partial:
    return apply_partial(call, callee, arguments);
  case Value::Tag::Class:
    return construct(call, callee.type, arguments);
  case Value::Tag::Object:
    return call_object(call, callee, arguments);
  case Value::Tag::Instance:
    return call_instance(call, callee, arguments);
  default:
    return apply_unknown(call, arguments);
  }
}

Value Transfer::apply_partial(const Call *call, const Value &callee, const Arguments &arguments) {
  Value result = Value::bottom();
  const Value inner = callee.receiver();
  for_each_alternative(inner, [&](const Value &one) {
    const ApiInfo *const info = one.is(Value::Tag::Api) ? find_api(one.name()) : nullptr;
    if (info != nullptr && info->has(kTraces) && call->args.size() == 1) { // partial(jax.jit, …)(f)
      const Value function = arguments.first();
      mark_traced(function, info->has(kPython) ? kByPython : kByJaxJit);
      result = join(result, function);
    } else if (one.is(Value::Tag::Function) || one.is(Value::Tag::Method)) {
      result = join(result, returns_of(*one.function));
    } else if (one.is(Value::Tag::Tuple)) { // the objects that HfArgumentParser parsed
      result = join(result, one);
    } else if (one.is(Value::Tag::Class)) { // which arguments it gets is not followed
      result = join(result, Value::of(one.type, Value::Tag::Object));
    } else if (info != nullptr && info->returns != Kind::Unknown && info->returns != Kind::Dataset) {
      result = join(result, Value::made_by(info->returns, call, one.name()));
    } else {
      result = join(result, Value{});
    }
  });
  return result.is_bottom() && !inner.is_bottom() ? missing(result) : result;
}

// `entries.items()` or `entries.values()` of a dictionary whose entries are alike.
Value Transfer::entries_of(const Value &dictionary, bool with_keys) {
  if (!dictionary.is(Value::Tag::Tuple) || !dictionary.uniform || dictionary.open) {
    return {};
  }
  const Value pair[] = {Value{}, element_of(dictionary)};
  Value entries = make_uniform(with_keys ? tuple_of(pair) : pair[1]);
  entries.few = dictionary.few;
  return entries;
}

// A call of something that nobody tells us. Some methods tell by their names what they do.
Value Transfer::apply_unknown(const Call *call, const Arguments &arguments) {
  current_->own_effects = true; // who knows what it does
  const auto *method = as<Attribute>(call->func);
  if (method == nullptr) {
    return {};
  }
  if (module_->torch) { // softmax(), sigmoid(), …: nothing but a tensor has them
    const ApiInfo *info = find_method(Kind::TorchTensor, method->attr);
    if (info != nullptr && info->output != Output::Unknown && info->output != Output::Same) {
      return torch_result(*info, call, arguments, method->attr, {});
    }
  }
  // Which a class gets from libraries: it gives an object of the class.
  static const NameTable kMakers({"from_pretrained", "load_from_checkpoint"});
  if (kMakers.has(method->attr)) {
    const Value type = peek(method->value);
    return type.is(Value::Tag::Class) && type.alternatives == nullptr && !type.open
               ? Value::of(type.type, Value::Tag::Object)
               : Value{};
  }
  const std::string_view name = method->attr.text();
  if (const Value mapped = map_of_assumed_dataset(call, *method, arguments.named(0, "map_func")); mapped.known()) {
    return mapped;
  }
  if (FunctionInfo *const function = piped(name, arguments.first())) {
    return returns_of(*function);
  }
  if ((name == "items" || name == "values") && call->args.empty() && call->keywords.empty()) {
    return entries_of(eval(method->value), name == "items");
  }
  static const NameTable kOfRecords({"get", "pop", "setdefault", "update", "copy"});
  if (kOfRecords.has(method->attr)) {
    const Value record = eval(method->value);
    if (is_uniform(record)) {
      return call_record_method(call, *method, record, arguments);
    }
  }
  if (name == "run" && module_->tensorflow && is_named_session(method->value)) {
    static const ApiInfo kRun{.traits = kSessionRun};
    note_call_traits(kRun, call, method->attr, false);
    if (recording() && !call->args.empty()) {
      note_fetched_operators(call->args[0]);
    }
  } else if (((name == "backward" || name == "manual_backward") && module_->torch) ||
             (name == "apply_gradients" && module_->jax && keyword_argument(*call, "grads") != nullptr) ||
             (name == "update_params" && !call->args.empty() && imports_engine_of_openmmlab(*module_))) {
    // backward() of whatever it is: scaler.scale(loss), accelerator, an element of a dictionary; a TrainState of Flax;
    // an OptimWrapper, which does backward(), step() and zero_grad() in one
    note_step();
  } else if (name == "as_default" && module_->tensorflow && is_named_graph(method->value)) {
    enter_graph_of(method->value);
  } else if (name == "get_next" && call->args.empty() && module_->tensorflow) {
    static const ApiInfo kNext{.returns = Kind::Tensor, .traits = kOp | kGraphState | kRandom};
    note_call_traits(kNext, call, method->attr, false);
  } else if ((name == "assign" || name == "assign_add" || name == "assign_sub") && module_->tensorflow) {
    static const ApiInfo kAssign{.returns = Kind::Operation, .traits = kOp | kGraphState};
    note_call_traits(kAssign, call, method->attr, false);
  }
  return {};
}

// Keeps what the arguments are, for rules that ask what goes into a loss or a model.
void Transfer::note_arguments(const Call *call, const Arguments &arguments) {
  if (!recording()) {
    return;
  }
  u32 index = 0;
  for (const Expr *arg : call->args) {
    current_->arguments.emplace_back(arg, arguments.at(index++));
  }
  for (const Keyword *keyword : call->keywords) {
    current_->arguments.emplace_back(keyword->value, arguments.at(index++));
  }
}

// `beam.FlatMap(f)`: Beam runs f in many places at once.
void Transfer::note_beam(const Call *call, const Value &first) {
  static const NameTable kRunners({"FlatMap", "ParDo", "Map"});
  const auto *method = as<Attribute>(call->func);
  if (method == nullptr || call->args.empty() || !kRunners.has(method->attr)) {
    return;
  }
  const Name *root = root_name(method->value);
  if (method->attr.text() != "Map" || (root != nullptr && has_trait(root->id, kSaysBeam))) {
    mark_parallel(first);
  }
}

// ---- Functions of the project ---------------------------------------------------------------------------------------

// What is passed, for the solver to join with what other callers pass.
void Transfer::pass_arguments(const Call *call, FunctionInfo *function, bool bound, const Arguments &arguments) {
  const u32 count = function->params.size();
  u64 given = 0; // of the first ones
  bool is_complete = true;
  const auto pass = [&](u32 place, const Value &value) {
    given |= place < 64 ? u64{1} << place : 0;
    contribute(Contribution::Target::Parameter, function->index, place, value);
  };
  u32 position = bound ? 1 : 0;
  u32 index = 0;
  for (const Expr *arg : call->args) {
    const Value value = arguments.at(index++);
    const auto *starred = as<Starred>(arg);
    const Value listed = starred != nullptr ? peek(starred->value) : Value{};
    if (listed.is(Value::Tag::Tuple) && !listed.uniform && listed.alternatives == nullptr && !listed.open) {
      for (u32 i = 0; i < listed.number && position < count; ++i) { // build(*parts)
        if (function->params[position]->param_kind() <= ParamKind::Regular) {
          pass(position++, listed.items[i]);
        }
      }
    } else if (starred != nullptr) {
      is_complete = false;
      for (; position < count && function->params[position]->param_kind() <= ParamKind::Regular; ++position) {
        pass(position, value.is_bottom() ? value : Value{});
      }
      position = count;
    } else if (position < count && function->params[position]->param_kind() <= ParamKind::Regular) {
      pass(position++, value);
    }
  }
  for (const Keyword *keyword : call->keywords) {
    const Value value = arguments.at(index++);
    const bool is_record = !keyword->name && is_uniform(value) && !value.open;
    is_complete = is_complete && (keyword->name || (is_record && other_entries(value).is_bottom()));
    if (const u32 place = function->place_of_param(keyword->name); place != FunctionInfo::kNoParam) {
      pass(place, value);
    }
    for (u32 k = 0; is_record && k < entry_count(value); ++k) { // **settings
      const u32 place = function->place_of_param(entry_at(value, k).name);
      if (place != FunctionInfo::kNoParam) {
        pass(place, entry_at(value, k).value);
      }
    }
  }
  pass_rest(call, *function, bound ? 1 : 0, arguments);
  read(units_.of_function(*function));
  for (u32 i = bound ? 1 : 0; i < count && i < 64; ++i) {
    if ((given >> i & 1U) != 0 || function->params[i]->param_kind() == ParamKind::VarArgs ||
        function->params[i]->param_kind() == ParamKind::KwArgs) {
      continue;
    }
    if (!is_complete) {
      contribute(Contribution::Target::Parameter, function->index, i, Value{}); // perhaps in **kwargs
    } else if (function->params[i]->default_value != nullptr) {
      contribute(Contribution::Target::Parameter, function->index, i, function->defaults[i]);
    }
  }
}

// What `*rest` and `**options` of the function get, from the parameter on.
void Transfer::pass_rest(const Call *call, const FunctionInfo &function, u32 first, const Arguments &arguments) {
  const auto place_of = [&function](ParamKind kind) {
    const auto at =
        std::ranges::find_if(function.params, [kind](const Param *one) { return one->param_kind() == kind; });
    return at != function.params.end() ? static_cast<u32>(at - function.params.begin()) : FunctionInfo::kNoParam;
  };
  const u32 rest = place_of(ParamKind::VarArgs);
  if (rest != FunctionInfo::kNoParam && first + call->args.size() > rest) {
    constexpr u32 kMostItems = 8;
    std::vector<Value> items;
    bool is_known = true;
    for (u32 i = rest - first; i < call->args.size(); ++i) {
      is_known &= call->args[i]->kind != NodeKind::Starred && !arguments.at(i).is_bottom();
      items.push_back(arguments.at(i));
    }
    if (is_known && items.size() <= kMostItems) {
      contribute(Contribution::Target::Parameter, function.index, rest, tuple_of(items));
    } else if (std::ranges::none_of(items, [](const Value &one) { return one.is_bottom(); })) {
      contribute(Contribution::Target::Parameter, function.index, rest, Value{});
    }
  }
  const u32 options = place_of(ParamKind::KwArgs);
  if (options == FunctionInfo::kNoParam || call->keywords.empty()) {
    return;
  }
  std::vector<Entry> entries;
  Value others = Value::bottom();
  const auto add = [&](Symbol name, const Value &value) {
    if (function.place_of_param(name) == FunctionInfo::kNoParam && !value.is_bottom()) {
      entries.push_back({name, value});
    }
  };
  for (u32 i = 0; i < call->keywords.size(); ++i) {
    const Value value = arguments.at(call->args.size() + i);
    if (call->keywords[i]->name) {
      add(call->keywords[i]->name, value);
      continue;
    }
    for (u32 k = 0; k < entry_count(value); ++k) {
      add(entry_at(value, k).name, entry_at(value, k).value);
    }
    others = join(others, is_uniform(value) ? other_entries(value) : value.is_bottom() ? value : Value{});
  }
  if (!entries.empty() && entries.size() <= kMostEntries) {
    contribute(Contribution::Target::Parameter, function.index, options, make_record(entries, others, arena_));
  }
}

// `functools.partial(function, tokenizer=tokenizer)`: what it binds, whoever calls the result with the rest.
void Transfer::pass_bound(const Call *call, const Value &callee, const Arguments &arguments) {
  if (!callee.is(Value::Tag::Function) && !callee.is(Value::Tag::Method)) {
    return;
  }
  FunctionInfo *const function = callee.function;
  const u32 first = callee.is(Value::Tag::Method) && !function->is_static ? 1 : 0;
  for (u32 i = 1; i < call->args.size() && first + i - 1 < function->params.size(); ++i) {
    if (call->args[i]->kind == NodeKind::Starred) {
      break;
    }
    contribute(Contribution::Target::Parameter, function->index, first + i - 1, arguments.at(i));
  }
  for (u32 k = 0; k < call->keywords.size(); ++k) {
    if (const u32 place = function->place_of_param(call->keywords[k]->name); place != FunctionInfo::kNoParam) {
      contribute(Contribution::Target::Parameter, function->index, place, arguments.at(call->args.size() + k));
    }
  }
}

Value Transfer::call_function(const Call *call, FunctionInfo *function, bool bound, const Arguments &arguments) {
  pass_arguments(call, function, bound, arguments);
  return enter_function(call, function, bound);
}

// `self.step()`: where the class leaves it open what that does, those that derive from it say so.
Value Transfer::call_method(const Call *call, FunctionInfo *function, const Arguments &arguments) {
  const Value result = call_function(call, function, !function->is_static, arguments);
  const auto *method = as<Attribute>(call->func);
  const bool is_own = method != nullptr && is_own_object(*current_, method->value);
  if (!is_own || !is_abstract(*function)) {
    return result;
  }
  constexpr std::size_t kMostOverrides = 2;
  Value joined = Value::bottom();
  bool found = false;
  if (function->type != nullptr) {
    read(units_.of_class(*function->type));
  }
  for (FunctionInfo *override : overrides_of(*function, kMostOverrides)) {
    found = true;
    joined = join(joined, call_function(call, override, !override->is_static, arguments));
  }
  return found ? joined : result;
}

// The call runs the function: what that does is done here.
Value Transfer::enter_function(const Call *call, FunctionInfo *function, bool bound) {
  if (recording()) {
    CallSite site;
    site.call = call;
    site.caller = current_;
    site.callee = function;
    site.loop = around_.loop;
    site.once = around_.once;
    site.in_tape = around_.in_tape;
    site.bound = bound;
    site.no_grad = around_.no_grad;
    site.maybe_no_grad = around_.maybe_no_grad;
    site.by_type = around_.by_type;
    site.eager_test = around_.eager_test;
    site.conditional = around_.conditional;
    add_event(Event::Kind::Call, call, static_cast<u32>(current_->calls.size()));
    current_->calls.push_back(site);
  }
  result_.has_ops |= function->has_ops;
  return returns_of(*function);
}

Value Transfer::construct(const Call *call, ClassInfo *type, const Arguments &arguments) {
  const Value init = member_of(type, known::sym_init);
  if (init.is(Value::Tag::Function)) {
    call_function(call, init.function, true, arguments);
  } else {
    store_fields(call, type, arguments);
  }
  return Value::of(type, Value::Tag::Object);
}

// An object of the project is called: __call__, or what a framework's __call__ leads to.
Value Transfer::call_object(const Call *call, const Value &callee, const Arguments &arguments) {
  const Kind kind = callee.type->kind;
  const Value method = member_of(callee.type, known::sym_call_method);
  if (method.is(Value::Tag::Function)) {
    return call_function(call, method.function, true, arguments);
  }
  const bool is_torch = kind == Kind::TorchModule || kind == Kind::TorchLoss;
  const bool is_keras = kind == Kind::KerasModel || kind == Kind::KerasLayer || kind == Kind::KerasLoss;
  Value result;
  if (is_torch || is_keras) {
    const Value inner = member_of(callee.type, is_torch ? known::sym_forward : known::sym_call);
    if (inner.is(Value::Tag::Function)) {
      result = call_function(call, inner.function, true, arguments);
    }
  }
  if (is_torch) {
    if (result.is_unknown() || result.is(Value::Tag::None)) {
      result = Value::instance(Kind::TorchTensor);
      result.container = true;
    }
    return with_gradient_of_module(result, callee.device);
  }
  return is_keras && !result.is_kind(Kind::Tensor) && !result.is_bottom() ? Value::instance(Kind::Tensor) : result;
}

// super() and super(Type, self).
Value Transfer::call_super() const {
  for (const FunctionInfo *function = current_; function != nullptr; function = function->parent) {
    if (function->type != nullptr) {
      return Value::of(function->type, Value::Tag::Super);
    }
  }
  return {};
}

} // namespace deepperf::model
