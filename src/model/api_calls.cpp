// Calls of frameworks, of their methods, and of their objects.
#include "base/known_names.h"
#include "model/call_arguments.h"

#include <algorithm>
#include <array>

namespace deepperf::model {

using namespace python;

namespace {

// What a DataLoader gave: its `call` is the one that made the loader.
bool is_batch(const Value &value) {
  static const Symbol kLoader = canonical_name("torch.utils.data.DataLoader");
  return value.is_kind(Kind::TorchTensor) && value.maker() != nullptr && value.name() == kLoader;
}

// What a function becomes when it is given to the API.
u8 tracer_of(Symbol api, const ApiInfo &info) {
  if (info.has(kPython)) {
    return kByPython;
  }
  if (api.text() == "torch.compile") {
    return kByTorch;
  }
  return !info.has(kCompiles) ? 0 : api.text().starts_with("tensorflow.") ? kByTfFunction : kByJaxJit;
}

bool is_function(const Value &value) { return value.is(Value::Tag::Function) || value.is(Value::Tag::Method); }

} // namespace

Value Transfer::mapper_of(const ApiInfo &info, const Arguments &arguments) {
  return info.has(kMaps | kInterleaves | kFlatMaps | kFilters)
             ? arguments.named(0, info.has(kFilters) ? "predicate" : "map_func")
             : Value{};
}

// Command lines that are described by classes: what a parser makes of them are objects of these.
Value Transfer::parsed_objects(std::string_view api, const Arguments &arguments) {
  const auto object_of = [](const Value &type) {
    return type.is(Value::Tag::Class) ? Value::of(type.type, Value::Tag::Object) : Value{};
  };
  if (api == "tyro.cli" || api == "simple_parsing.parse" || api == "pyrallis.parse" || api == "draccus.parse") {
    return object_of(arguments.named(0, "config_class"));
  }
  if (!api.starts_with("transformers.") || !api.ends_with("HfArgumentParser")) {
    return {};
  }
  const Value types = arguments.named(0, "dataclass_types");
  std::vector<Value> objects;
  if (types.is(Value::Tag::Tuple) && !types.uniform) {
    for (u32 i = 0; i < types.number; ++i) {
      objects.push_back(object_of(types.items[i]));
    }
  } else {
    objects.push_back(object_of(types));
  }
  return make_bound(Value::Tag::Partial, {}, tuple_of(objects), arena_); // whose methods give the objects
}

// What zip(*rows) gives for rows of the same parts: a tuple of columns.
Value Transfer::transposed(const Value &rows) {
  const Value row = rows.is(Value::Tag::Tuple) && rows.uniform && !rows.open ? element_of(rows) : Value{};
  if (!row.is(Value::Tag::Tuple) || row.uniform || row.alternatives != nullptr) {
    return rows.is_bottom() ? rows : Value{};
  }
  std::vector<Value> columns;
  for (u32 i = 0; i < row.number; ++i) {
    columns.push_back(make_uniform(row.open ? join(row.items[i], Value{}) : row.items[i]));
  }
  return tuple_of(columns);
}

// A loader hands the items of its dataset, a list of them at a time, to the function that makes a batch of them.
void Transfer::pass_items(const Call *call, const Arguments &arguments) {
  static const Symbol kCollate = intern("collate_fn");
  static const Symbol kItem = intern("__getitem__");
  const Value dataset = arguments.named(0, "dataset");
  Value collate = arguments.named(~0U, "collate_fn");
  for (u32 i = 0; i < call->keywords.size() && !collate.known(); ++i) { // **options
    const Value options = !call->keywords[i]->name ? arguments.at(call->args.size() + i) : Value{};
    const Value *const entry = has_entries(options) ? find_entry(options, kCollate) : nullptr;
    collate = entry != nullptr ? *entry : collate;
  }
  if (!dataset.is(Value::Tag::Object) || !collate.known()) {
    return;
  }
  const Value item = member_of(dataset.type, kItem);
  if (!item.is(Value::Tag::Function)) {
    return;
  }
  const Value items = make_uniform(returns_of(*item.function));
  for_each_alternative(collate, [&](const Value &one) {
    const Value called = one.is(Value::Tag::Object)    ? member_of(one.type, known::sym_call_method)
                         : one.is(Value::Tag::Partial) ? one.receiver()
                                                       : one;
    const bool is_bound = one.is(Value::Tag::Object) || (called.is(Value::Tag::Method) && !called.function->is_static);
    const u32 place = is_bound ? 1 : 0;
    if (is_function(called) && place < called.function->params.size() &&
        called.function->params[place]->param_kind() <= ParamKind::Regular) {
      contribute(Contribution::Target::Parameter, called.function->index, place, items);
    }
  });
}

namespace {

// Another one of the same kind: who made the first one did not make this.
Value copy_of(const Value &value, const Call *call, Symbol copier) {
  if (value.is(Value::Tag::Object) && value.alternatives == nullptr) {
    return value;
  }
  if (!value.is(Value::Tag::Instance) || (value.kind != Kind::TorchModule && value.kind != Kind::HfModel)) {
    return value.is_bottom() ? value : Value{};
  }
  // A model of its own, with weights that no optimizer of the other one has.
  Value copy = Value::made_by(value.kind, call, copier);
  copy.device = value.device;
  copy.output = value.output;
  return copy;
}

} // namespace

Value Transfer::call_api(const Call *call, const Value &callee, const Arguments &arguments) {
  const std::string_view name = callee.name().text();
  if (name == "super") {
    return call_super();
  }
  if (const Value parsed = parsed_objects(name, arguments); parsed.known()) {
    return parsed;
  }
  const ApiInfo *info = find_api(callee.name());
  if (info == nullptr) {
    return {};
  }
  if (!call->keywords.empty() && (name == "dict" || name == "collections.OrderedDict" ||
                                  name == "types.SimpleNamespace" || name == "argparse.Namespace")) {
    if (const Value record = record_of_keywords(call, arguments); record.known()) {
      return record;
    }
  }
  if (info->returns == Kind::TorchDataLoader && !call->keywords.empty()) {
    pass_items(call, arguments);
  }
  if (name == "collections.namedtuple") {
    return Value::made_by(Kind::NamedTuple, call, callee.name());
  }
  const Value first = arguments.first();
  if (name == "getattr" && call->args.size() >= 2) { // getattr(torch.optim, "AdamW")
    const Symbol attr = name_of_key(call->args[1], arguments.at(1));
    return attr && !first.is_unknown() ? attribute_of(first, attr) : Value{};
  }
  if (info->has(kTraces | kPython | kMaps | kFlatMaps | kInterleaves)) {
    for (u32 i = 0; i < arguments.size(); ++i) {
      mark_traced(arguments.at(i), tracer_of(callee.name(), *info));
    }
  }
  if (info->has(kLoss) || (info->returns == Kind::KerasModel && !info->has(kIo))) {
    note_arguments(call, arguments);
  }
  if (info->has(kCompiles) && is_function(first)) {
    mark(first.function).compiled_at = call;
  }
  if (name == "zip" && call->args.size() == 1 && call->args[0]->kind == NodeKind::Starred) { // zip(*pairs)
    const Value columns = transposed(peek(static_cast<const Starred *>(call->args[0])->value));
    if (!columns.is_unknown()) {
      return columns;
    }
  }
  if (name == "jax.lax.psum" && !call->args.empty() && is_constant(call->args[0], ConstantKind::Int)) {
    return Value::instance(Kind::Number); // how many devices there are along the axis is known while tracing
  }
  if (name == "range" && !call->args.empty()) {
    return make_uniform(Value::instance(Kind::Number));
  }
  if ((name == "enumerate" || name == "zip") && !call->args.empty()) {
    std::vector<Value> parts;
    if (name == "enumerate") {
      parts.push_back(Value::instance(Kind::Number));
    }
    for (u32 i = 0; i < call->args.size(); ++i) {
      parts.push_back(element_of(arguments.at(i)));
    }
    return make_uniform(tuple_of(parts));
  }
  if (name == "sum" && call->args.size() == 1) { // of tensors, a tensor
    const Value element = element_of(first);
    const bool is_tensor = element.is_kind(Kind::TorchTensor) || element.is_kind(Kind::JaxArray);
    return is_tensor && !element.open && !element.container ? combine(element, element) : Value{};
  }
  if (info->has(kPassesOn) && !first.is_kind(Kind::Dataset)) {
    return first;
  }
  if ((name == "copy.deepcopy" || name == "copy.copy") && call->args.size() == 1) {
    return copy_of(first, call, callee.name());
  }
  if (name == "next" && first.is_kind(Kind::TorchDataLoader)) {
    return element_of(first);
  }
  if (name == "functools.partial" && !first.is_unknown()) {
    pass_bound(call, first, arguments);
    return first.is_bottom() ? first : make_bound(Value::Tag::Partial, {}, first, arena_);
  }
  if (info->has(kTraces) && is_function(first)) {
    return info->returns == Kind::Function ? first : Value::instance(info->returns);
  }
  if (info->has(kStage) && !info->has(kSource)) { // what Dataset.apply takes
    Value transform;
    transform.tag = Value::Tag::Transform;
    const std::array<Value, 2> parts = {Value::made_by(Kind::Unknown, call, callee.name()),
                                        mapper_of(*info, arguments)};
    transform.items = arena_.copy(parts.data(), parts.size()).items;
    transform.number = callee.number;
    return transform;
  }
  if (info->returns == Kind::Dataset) {
    Value dataset = add_stage(call, Value{}, info, callee.name(), mapper_of(*info, arguments));
    dataset.container = info->has(kContainerOf);
    return dataset;
  }
  if (info->returns == Kind::Unknown) {
    const bool sets_grad = name.ends_with(".set_grad_enabled") && call->args.size() == 1;
    current_->switches_grad |=
        sets_grad && around_.discarded == call && !is_constant(call->args[0], ConstantKind::True);
    return sets_grad && is_constant(call->args[0], ConstantKind::False) ? Value::instance(Kind::NoGrad) : Value{};
  }
  Value result = torch_result(*info, call, arguments, callee.name(), {});
  if (info->output == Output::FirstArgument) {
    result.output = module_output(first);
  }
  return result;
}

Value Transfer::call_api_method(const Call *call, const Value &callee, const Arguments &arguments) {
  const Value &receiver = callee.receiver();
  if (receiver.alternatives == nullptr) {
    return method_result(call, callee.name(), receiver, arguments);
  }
  Value joined = Value::bottom();
  for_each_alternative(
      receiver, [&](const Value &one) { joined = join(joined, method_result(call, callee.name(), one, arguments)); });
  return joined;
}

Value Transfer::method_result(const Call *call, Symbol name, const Value &receiver, const Arguments &arguments) {
  if (receiver.is_kind(Kind::NoGrad) && name.text() == "__enter__") { // without `with`: until the function ends
    current_->switches_grad = true;
  }
  const ApiInfo *info = find_method(receiver.kind, name);
  if (info == nullptr) {
    return {};
  }
  const Value first = arguments.first();
  const std::string_view method = name.text();
  if (method == "pipe" && first.is(Value::Tag::Function)) {
    return returns_of(*first.function);
  }
  if (receiver.kind == Kind::KerasModel && receiver.is(Value::Tag::Instance) && receiver.maker() != nullptr &&
      recording()) {
    if (method == "add" || method == "pop") {
      const Expr *layer = call->args.empty() ? nullptr : call->args[0];
      current_->layers.push_back({call, layer, first, current_, around_.branch, receiver.maker()});
    } else if (method == "compile") {
      current_->compiled.emplace_back(receiver.maker(), call);
    } else if (method == "fit") {
      note_arguments(call, arguments);
    }
  }
  if (recording() && info->has(kSessionRun) && !call->args.empty()) {
    note_fetched_operators(call->args[0]);
  }
  if (recording() && info->has(kMoves) && is_batch(receiver)) {
    current_->moved.emplace_back(receiver.maker(), call);
  }
  if (info->has(kPassesOn)) { // Accelerator.prepare(model, optimizer, loader): what goes in comes out, wrapped
    return passed_on(call, arguments);
  }
  if (receiver.kind == Kind::Dataset) {
    if (info->has(kApplies)) {
      return apply_to_dataset(receiver, arguments);
    }
    if (info->has(kStage) || info->returns == Kind::Dataset) {
      return add_stage(call, receiver, info, name, mapper_of(*info, arguments));
    }
  }
  if (info->returns == Kind::Unknown) {
    return {};
  }
  if (info->returns == Kind::Dataset) {
    return add_stage(call, Value{}, info, name, {});
  }
  if (receiver.kind == Kind::ArgumentParser) { // a group of its options, or what it parsed: by the parser it belongs to
    const Value made = Value::made_by(info->returns, receiver.maker(), receiver.name());
    const std::array<Value, 2> parts = {made, Value{}};
    return info->has(kContainerOf) ? tuple_of(parts) : made; // parse_known_args()
  }
  const bool is_itself =
      info->returns == Kind::TorchModule || info->returns == Kind::HfPipeline || info->returns == Kind::TorchMetric;
  if (is_itself && info->has(kMutates)) { // to(), eval(), …: the module itself
    Value module = receiver;
    module.kind = module.is(Value::Tag::Object) || module.is(Value::Tag::Super) ? Kind::Unknown : module.kind;
    module.device = info->has(kMoves) ? u8{kOnGpu} : module.device;
    return module;
  }
  Value result = torch_result(*info, call, arguments, name, receiver);
  if (receiver.kind == Kind::HfDataset && info->returns == Kind::HfDataset) {
    result.container |= receiver.container; // map() of a DatasetDict maps all splits
  }
  return result;
}

namespace {

// What Accelerate wraps a model in is a module around it, and has none of its methods.
Value wrapped(Value value) {
  value.kind = value.is_kind(Kind::HfModel) ? Kind::TorchModule : value.kind;
  return value;
}

} // namespace

Value Transfer::passed_on(const Call *call, const Arguments &arguments) {
  const auto is_starred = [](const Expr *argument) { return argument->kind == NodeKind::Starred; };
  if (call->args.empty() || std::ranges::any_of(call->args, is_starred)) {
    return {};
  }
  if (call->args.size() == 1) {
    return wrapped(arguments.first());
  }
  std::vector<Value> parts;
  for (u32 i = 0; i < call->args.size(); ++i) {
    parts.push_back(wrapped(arguments.at(i)));
  }
  return tuple_of(parts);
}

// An object of a framework is called: a layer, a model, a loss.
Value Transfer::call_instance(const Call *call, const Value &callee, const Arguments &arguments) {
  current_->own_effects = true;
  if (callee.kind == Kind::TorchModule || callee.kind == Kind::TorchLoss) {
    return call_torch_module(call, callee, arguments);
  }
  if (callee.kind == Kind::NamedTuple && callee.maker() != nullptr) {
    return named_tuple(callee.maker(), call, arguments);
  }
  if (callee.kind == Kind::HfModel) {
    Value output = Value::made_by(Kind::HfOutput, call, callee.name());
    output.grad = around_.no_grad ? kNoGradient : kGradient;
    output.device = callee.device;
    return output;
  }
  if (callee.kind == Kind::KerasLoss) {
    note_arguments(call, arguments);
  }
  if (callee.kind == Kind::KerasLayer || callee.kind == Kind::KerasModel) {
    static const ApiInfo kCalls{.returns = Kind::Tensor, .traits = kOp | kGraphState};
    note_call_traits(kCalls, call, known::sym_call, false);
  }
  if (callee.kind == Kind::KerasLayer || callee.kind == Kind::KerasModel || callee.kind == Kind::KerasLoss) {
    return Value::made_by(Kind::Tensor, call, callee.name());
  }
  return {};
}

} // namespace deepperf::model
