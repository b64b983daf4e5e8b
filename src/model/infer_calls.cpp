#include "base/known_names.h"
#include "base/name_table.h"
#include "model/bind.h"
#include "model/facts.h"
#include "model/infer.h"
#include "model/name_traits.h"
#include "model/overrides.h"
#include "model/variance.h"

#include "python/children.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

// What a DataLoader gave: its `call` is the one that made the loader.
bool is_batch(const Value &value) {
  static const Symbol kLoader = canonical_name("torch.utils.data.DataLoader");
  return value.is_kind(Kind::TorchTensor) && value.call != nullptr && value.name() == kLoader;
}

// What frame.pipe(make_dataset) of pandas gives.
Value piped(std::string_view method, const Value &first) {
  return method == "pipe" && first.is(Value::Tag::Function) ? first.function->returns : Value{};
}

} // namespace

// The values of a call's arguments: each is evaluated once, when this is made.
class Inference::Arguments {
public:
  Arguments(Inference &owner, const Call *call) : owner_(owner), call_(call), first_(owner.items_.size()) {
    for (const Expr *arg : call->args) {
      add(arg);
    }
    for (const Keyword *keyword : call->keywords) {
      add(keyword->value);
    }
    owner_.note_beam(call, at(0));
  }
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;
  ~Arguments() { owner_.items_.resize(first_); }

  // Of the positional ones and the keywords behind them; unknown if there are not so many.
  [[nodiscard]] Value at(u32 index) const { return index < size() ? owner_.items_[first_ + index] : Value{}; }
  [[nodiscard]] u32 size() const { return call_->args.size() + call_->keywords.size(); }
  [[nodiscard]] Value first() const { return call_->args.empty() ? Value{} : at(0); }
  [[nodiscard]] Value last() const { return call_->args.empty() ? Value{} : at(call_->args.size() - 1); }

  // By its position or its name.
  [[nodiscard]] Value named(u32 position, std::string_view keyword) const {
    if (position < call_->args.size() && call_->args[position]->kind != NodeKind::Starred) {
      return at(position);
    }
    for (u32 i = 0; i < call_->keywords.size(); ++i) {
      if (call_->keywords[i]->name && call_->keywords[i]->name.text() == keyword) {
        return at(call_->args.size() + i);
      }
    }
    return {};
  }

private:
  void add(const Expr *arg) {
    const Value value = owner_.eval(arg);
    owner_.note_passed(value);
    owner_.items_.push_back(value);
  }

  Inference &owner_;
  const Call *call_;
  std::size_t first_;
};

void Inference::eval_arguments(const Call *call) { const Arguments evaluated(*this, call); }

// `beam.FlatMap(f)`: Beam runs f in many places at once.
void Inference::note_beam(const Call *call, const Value &first) {
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

// The function is one that other machinery runs for many elements.
void Inference::mark_parallel(const Value &value) {
  if (value.is(Value::Tag::Partial)) {
    mark_parallel(value.receiver());
  } else if (value.is(Value::Tag::Function) || value.is(Value::Tag::Method)) {
    value.function->in_parallel = true;
  } else if (value.is(Value::Tag::Object)) { // beam.ParDo(ProcessFn())
    const Value process = member_of(value.type, known::sym_process);
    if (process.is(Value::Tag::Function)) {
      process.function->in_parallel = true;
    }
  }
}

// Keeps what the arguments are, for rules that ask what goes into a loss or a model.
void Inference::note_arguments(const Call *call, const Arguments &arguments) {
  if (!recording_) {
    return;
  }
  u32 index = 0;
  for (const Expr *arg : call->args) {
    project_.argument_values[arg] = arguments.at(index++);
  }
  for (const Keyword *keyword : call->keywords) {
    project_.argument_values[keyword->value] = arguments.at(index++);
  }
}

namespace {

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

} // namespace

Value Inference::eval_call(const Call *call) {
  const Value callee = eval(call->func);
  if (recording_ && callee.known()) {
    call->fact = static_cast<u32>(project_.callees.size());
    project_.callees.push_back(callee);
    project_.callers.push_back(current_->index);
  }
  switch (callee.tag) {
  case Value::Tag::Api:
    return call_api(call, callee);
  case Value::Tag::ApiMethod:
    return call_api_method(call, callee);
  case Value::Tag::Function:
    return call_function(call, callee.function, false);
  case Value::Tag::Method:
    return call_method(call, callee.function);
  case Value::Tag::Partial: {
    const Arguments arguments(*this, call);
    const Value inner = callee.receiver();
    const ApiInfo *const traces = inner.is(Value::Tag::Api) ? find_api(inner.name()) : nullptr;
    if (traces != nullptr && traces->has(kTraces) && call->args.size() == 1) { // partial(jax.jit, …)(f)
      const Value function = arguments.first();
      mark_traced(function, tracer_of(inner.name(), *traces));
      return function;
    }
    if (inner.is(Value::Tag::Function) || inner.is(Value::Tag::Method)) {
      evaluate(*inner.function);
      return inner.function->returns;
    }
    return {};
  }
  case Value::Tag::Class:
    return construct(call, callee.type);
  case Value::Tag::Object:
    return call_object(call, callee);
  case Value::Tag::Instance:
    return call_instance(call, callee);
  default:
    break;
  }
  if (const auto *method = as<Attribute>(call->func);
      method != nullptr && method->attr == known::sym_append && call->args.size() == 1) {
    const Expr *const outer_stored = std::exchange(around_.stored, call->args[0]);
    const Value added = eval(call->args[0]);
    around_.stored = outer_stored;
    grow(method->value, added);
    current_->effects = true;
    return {};
  }
  const Arguments arguments(*this, call);
  current_->effects = true; // who knows what it does
  if (const auto *method = as<Attribute>(call->func)) {
    if (module_->torch) { // softmax(), sigmoid(), …: nothing but a tensor has them
      const ApiInfo *info = find_method(Kind::TorchTensor, method->attr);
      if (info != nullptr && info->output != Output::Unknown && info->output != Output::Same) {
        return torch_result(*info, call, arguments, method->attr, {});
      }
    }
    const std::string_view name = method->attr.text();
    if (const Value mapped = map_of_assumed_dataset(call, *method, arguments.named(0, "map_func")); mapped.known()) {
      return mapped;
    }
    if (const Value result = piped(name, arguments.first()); result.known()) {
      return result;
    }
    if (name == "run" && module_->tensorflow && is_named_session(method->value)) {
      static const ApiInfo kRun{.traits = kSessionRun};
      note_call_traits(kRun, call, method->attr, false);
      if (recording_ && !call->args.empty()) {
        note_fetched_operators(call->args[0]);
      }
    } else if ((name == "backward" || name == "manual_backward") && module_->torch) {
      note_step(); // of whatever it is: scaler.scale(loss), accelerator, an element of a dictionary
    } else if (name == "as_default" && module_->tensorflow && is_named_graph(method->value)) {
      enter_graph_of(method->value);
    } else if (name == "get_next" && call->args.empty() && module_->tensorflow) {
      static const ApiInfo kNext{.returns = Kind::Tensor, .traits = kOp | kGraphState | kRandom};
      note_call_traits(kNext, call, method->attr, false);
    } else if ((name == "assign" || name == "assign_add" || name == "assign_sub") && module_->tensorflow) {
      static const ApiInfo kAssign{.returns = Kind::Operation, .traits = kOp | kGraphState};
      note_call_traits(kAssign, call, method->attr, false);
    }
  }
  return {};
}

namespace {

// Keras' own operations may be those of another backend, and be mapped over data of another library.
bool is_of_tensorflow(const OpFact &op) {
  return op.api.text().starts_with("tensorflow.") && !op.api.text().starts_with("tensorflow.keras.");
}

// Does the function execute operations of TensorFlow, itself or in what it calls?
bool computes(const FunctionInfo &function) {
  const auto has_ops = [](const FunctionInfo &at) { return std::ranges::any_of(at.ops, is_of_tensorflow); };
  return has_ops(function) ||
         std::ranges::any_of(function.calls, [&](const CallSite &site) { return has_ops(*site.callee); });
}

} // namespace

// `ds.map(f)` of something that nobody tells us: what has the name of a Dataset is one, if f is made of TensorFlow's
// operations.
Value Inference::map_of_assumed_dataset(const Call *call, const Attribute &method, const Value &mapped) {
  if (!module_->tensorflow || method.attr.text() != "map" || !is_named_dataset(method.value)) {
    return {};
  }
  const Value function = mapped.is(Value::Tag::Partial) ? mapped.receiver() : mapped;
  if (!function.is(Value::Tag::Function) && !function.is(Value::Tag::Method)) {
    return {};
  }
  evaluate(*function.function);
  return computes(*function.function) ? add_stage(call, 0, find_method(Kind::Dataset, method.attr), method.attr, mapped)
                                      : Value{};
}

// An object of the project is called: __call__, or what a framework's __call__ leads to.
Value Inference::call_object(const Call *call, const Value &callee) {
  const Kind kind = callee.type->kind;
  const Value method = member_of(callee.type, known::sym_call_method);
  if (method.is(Value::Tag::Function)) {
    return call_function(call, method.function, true);
  }
  const bool is_torch = kind == Kind::TorchModule || kind == Kind::TorchLoss;
  const bool is_keras = kind == Kind::KerasModel || kind == Kind::KerasLayer || kind == Kind::KerasLoss;
  Value result;
  if (is_torch || is_keras) {
    const Value inner = member_of(callee.type, is_torch ? known::sym_forward : known::sym_call);
    if (inner.is(Value::Tag::Function)) {
      result = call_function(call, inner.function, true);
    } else {
      eval_arguments(call);
    }
  } else {
    eval_arguments(call);
  }
  if (is_torch) {
    if (!result.known()) {
      result = Value::instance(Kind::TorchTensor);
      result.container = true;
    }
    result.grad = result.is_kind(Kind::TorchTensor) && !around_.no_grad;
    return result;
  }
  return is_keras && !result.is_kind(Kind::Tensor) ? Value::instance(Kind::Tensor) : result;
}

// An object of a framework is called: a layer, a model, a loss.
Value Inference::call_instance(const Call *call, const Value &callee) {
  const Arguments arguments(*this, call);
  current_->effects = true;
  if (callee.kind == Kind::TorchModule || callee.kind == Kind::TorchLoss) {
    Value result = Value::made_by(Kind::TorchTensor, call, callee.name());
    result.grad = !around_.no_grad;
    result.gpu = callee.gpu;
    result.output = callee.output != Output::Same ? callee.output : arguments.first().output;
    // Of a model that we know nothing of, and of the layers that return pairs, the result may be a tuple.
    const std::string_view name = callee.name() ? callee.name().text() : std::string_view{};
    const bool is_layer = name.starts_with("torch.nn.") && !name.ends_with("Parallel");
    const bool gives_pair = name.ends_with("LSTM") || name.ends_with("GRU") || name.ends_with("RNN") ||
                            name.ends_with("MultiheadAttention") || name.ends_with("LSTMCell");
    result.container =
        callee.kind == Kind::TorchModule && (gives_pair || (!is_layer && result.output == Output::Unknown));
    return result;
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

// What calling a module gives.
Output Inference::module_output(const Value &module) {
  if (!module.is(Value::Tag::Object)) {
    return module.output;
  }
  const Value forward = module.type->kind == Kind::TorchModule ? member_of(module.type, known::sym_forward) : Value{};
  if (!forward.is(Value::Tag::Function)) {
    return Output::Unknown;
  }
  evaluate(*forward.function);
  return forward.function->returns.is_kind(Kind::TorchTensor) ? forward.function->returns.output : Output::Unknown;
}

// What the last layer gives that a call of Sequential is made of, also in an OrderedDict of names and layers.
Output Inference::layers_output(const Call *call, const Arguments &arguments) {
  if (call->args.empty() || !call->keywords.empty() || call->args.back()->kind == NodeKind::Starred) {
    return Output::Unknown;
  }
  const Expr *const last = call->args.back();
  if (const auto *dict = as<Call>(last); dict != nullptr && dict->args.size() == 1 && call->args.size() == 1) {
    if (const auto *items = as<List>(dict->args[0]); items != nullptr && !items->elts.empty()) {
      const auto *pair = as<Tuple>(items->elts.back());
      if (pair != nullptr && pair->elts.size() == 2) {
        return module_output(peek(pair->elts[1]));
      }
    }
  }
  return module_output(arguments.last());
}

// What a PyTorch function or method gives: with a gradient if something that goes in has one.
Value Inference::torch_result(const ApiInfo &info, const Call *call, const Arguments &arguments, Symbol name,
                              const Value &receiver) {
  Value result = Value::made_by(info.returns, call, name);
  result.container = info.has(kContainerOf);
  result.output = info.output;
  if (info.output == Output::LastArgument) {
    result.output = layers_output(call, arguments);
  } else if (info.output == Output::Same && info.returns != Kind::TorchModule) {
    result.output = receiver.known() ? receiver.output : arguments.first().output;
  }
  if (info.returns != Kind::TorchTensor) {
    result.gpu = receiver.gpu || info.has(kMoves);
    return result;
  }
  const std::string_view text = name.text();
  const bool is_pair = text == "max" || text == "min" || text == "median" || text == "mode";
  if (is_pair && receiver.known() && (!call->args.empty() || !call->keywords.empty())) {
    result.container = true; // values and indices
  }
  result.grad = receiver.grad;
  result.gpu = receiver.gpu || info.has(kMoves);
  for (u32 i = 0; i < call->args.size(); ++i) {
    const Value value = arguments.at(i);
    result.grad |= value.grad;
    result.gpu |= value.gpu && value.is_kind(Kind::TorchTensor);
  }
  for (const Keyword *keyword : call->keywords) {
    const std::string_view given = keyword->name ? keyword->name.text() : std::string_view{};
    const auto *constant = as<Constant>(keyword->value);
    if (given == "requires_grad" && constant != nullptr && constant->constant_kind() == ConstantKind::True) {
      result.grad = true;
    }
    result.gpu |= given == "device";
  }
  result.grad |= text == "torch.nn.Parameter";
  result.grad = result.grad && !around_.no_grad && !info.has(kNoGrads);
  return result;
}

// A training step is made here.
void Inference::note_step() {
  current_->trains = true;
  if (around_.loop != nullptr) {
    around_.loop->steps = around_.loop->trains = true;
  } else {
    current_->steps = true;
  }
}

// The call runs a session, itself or through what it calls.
void Inference::note_session_run(const Call *call) {
  if (!around_.by_type) { // for other callers than this one, perhaps
    current_->runs_session = true;
    current_->session_run = current_->session_run == nullptr ? call : current_->session_run;
  }
  if (around_.loop != nullptr && !around_.loop->runs_session) {
    around_.loop->runs_session = true;
    around_.loop->session_run = call;
  }
}

// `sess.run(x + 1)`: an operator on a tensor is an operation too. Only what is fetched is sure to be meant as one.
void Inference::note_fetched_operators(const Expr *fetches) {
  if (fetches->kind == NodeKind::List || fetches->kind == NodeKind::Tuple) {
    for_each_child(fetches, [this](const Node *child) { note_fetched_operators(static_cast<const Expr *>(child)); });
    return;
  }
  const auto is_tensor = [](const Expr *expr) {
    return kind_of(expr) == Kind::Tensor || kind_of(expr) == Kind::Variable;
  };
  // x[:, i] takes a part of several dimensions: no list or dict can do that.
  const auto is_slice_of_tensor = [](const Subscript *subscript) {
    const auto *index = subscript != nullptr ? as<Tuple>(subscript->slice) : nullptr;
    return index != nullptr &&
           std::ranges::any_of(index->elts, [](const Expr *part) { return as<Slice>(part) != nullptr; });
  };
  // -x and x > 0, but not `not x` and `x is None`.
  const auto is_operation = [&](const Expr *expr) {
    if (const auto *binary = as<BinOp>(expr)) {
      return is_tensor(binary->left) || is_tensor(binary->right);
    }
    if (const auto *unary = as<UnaryOp>(expr)) {
      return unary->op() != UnaryOperator::Not && is_tensor(unary->operand);
    }
    const auto *compare = as<Compare>(expr);
    return compare != nullptr && compare->rest.size() == 1 && is_tensor(compare->left) &&
           compare->rest[0].op >= CompareOperator::Lt && compare->rest[0].op <= CompareOperator::GtE;
  };
  const auto *subscript = as<Subscript>(fetches);
  // variable.read_value(), distribution.sample(), of whatever holds it. A variable's value() was made with it.
  const auto *call = as<Call>(fetches);
  const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
  const std::string_view name = method != nullptr ? method->attr.text() : std::string_view{};
  const bool reads = method != nullptr && !project_.callee_of(call).known() &&
                     (name == "sample" || name == "log_prob" || name == "entropy" || name == "read_value");
  if (!is_operation(fetches) && (subscript == nullptr || !is_tensor(subscript->value)) &&
      !is_slice_of_tensor(subscript) && !reads) {
    return;
  }
  OpFact fact;
  fact.call = fetches;
  fact.api = reads ? method->attr : known::sym_operation;
  fact.traits = kOp;
  fact.loop = around_.loop;
  fact.in_tape = around_.in_tape;
  fact.by_type = around_.by_type;
  current_->ops.push_back(fact);
}

void Inference::note_graph_made() {
  current_->makes_graph = true;
  if (around_.loop != nullptr) {
    around_.loop->makes_graph = true;
  }
}

// `with self.graph.as_default():`, here or in a method of the holder. That is another graph in each turn only where the
// holder is another one; where it comes from outside, the callers know.
void Inference::enter_graph_of(const Expr *holder) {
  const Name *const root = root_name(holder);
  if (root == nullptr) {
    return;
  }
  for (Loop *loop = around_.loop; loop != nullptr; loop = loop->parent) {
    if (std::ranges::binary_search(loop->assigned, root->id.id, {}, &Symbol::id)) {
      current_->makes_graph = true;
      loop->makes_graph = true;
      return;
    }
  }
  const auto param = std::ranges::find(current_->params, root->id, &Param::name);
  const auto index = static_cast<u32>(param - current_->params.begin());
  if (index == current_->params.size()) {
    // A name of the function's own may stand for another graph in each call.
    current_->makes_graph |= current_->node != nullptr && current_->slot_of(root->id) != FunctionInfo::kNoSlot;
    return;
  }
  const auto *attribute = as<Attribute>(holder);
  if (attribute != nullptr && index == 0 &&
      std::ranges::find(current_->attribute_stores, attribute->attr) != current_->attribute_stores.end()) {
    note_graph_made(); // self.graph = graph, a few lines before
  } else if (index < 64) {
    current_->graph_params |= u64{1} << index;
  }
}

// Notes down what a call of a framework does where it stands.
void Inference::note_call_traits(const ApiInfo &info, const Call *call, Symbol api, bool v1) {
  const bool makes_layer = info.returns == Kind::KerasLayer || info.returns == Kind::KerasModel ||
                           info.returns == Kind::Optimizer || info.returns == Kind::KerasOptimizer;
  if (info.has(kVariable) || makes_layer) {
    current_->makes_variables = true;
  }
  if (info.has(kVariable | kRandom | kIo | kPython | kMutates | kSessionRun | kSession | kGraphState)) {
    current_->effects = true;
  }
  if (info.has(kGraphScope) && api.text().starts_with("tensorflow.")) {
    note_graph_made();
    current_->new_graph = true;
    if (around_.loop != nullptr) {
      around_.loop->new_graph = true;
    }
  } else if (const auto *method = info.has(kGraphScope) ? as<Attribute>(call->func) : nullptr) {
    enter_graph_of(method->value);
  }
  module_->v1 |= info.has(kV1) || v1 || info.has(kSession);
  module_->v2 |= info.has(kV2);
  // Keras reads values through a session in graph mode only.
  const bool in_session = !api.text().starts_with("tensorflow.keras.backend.") || module_->v1;
  if (info.has(kSessionRun) && in_session && !around_.eager_test) {
    note_session_run(call);
  }
  // An optimizer that takes a closure (LBFGS) makes many evaluations at once: no small step.
  if (info.has(kStep) && (call->args.empty() || api.text() != "step")) {
    note_step();
  }
  if (recording_ && info.has(kOp) && !info.has(kSpec | kNoLoop)) {
    OpFact fact;
    fact.call = call;
    fact.api = api;
    fact.traits = info.traits;
    fact.loop = around_.loop;
    fact.v1 = v1;
    fact.in_tape = around_.in_tape;
    fact.once = around_.once;
    fact.initial_value = around_.initial_value;
    fact.target = around_.assigned == call ? around_.target : Symbol{};
    fact.stored = around_.stored != nullptr && around_.stored->start <= call->start && call->end <= around_.stored->end;
    fact.discarded = around_.discarded == call;
    fact.by_type = around_.by_type;
    fact.scope = around_.scope;
    current_->ops.push_back(fact);
  }
}

Value Inference::call_api(const Call *call, const Value &callee) {
  const std::string_view name = callee.name().text();
  const ApiInfo *info = find_api(callee.name());
  if (info == nullptr) {
    eval_arguments(call);
    if (name == "super") {
      if (current_->type != nullptr) {
        for (const Value &base : current_->type->bases) {
          if (base.is(Value::Tag::Class)) {
            return Value::of(base.type, Value::Tag::Object);
          }
        }
        if (current_->type->kind != Kind::Unknown) {
          return Value::instance(current_->type->kind);
        }
      }
    }
    return {};
  }
  note_call_traits(*info, call, callee.name(), callee.v1);
  const bool outer_initial = around_.initial_value;
  around_.initial_value |= info->has(kVariable);
  const Arguments arguments(*this, call);
  const Value first = arguments.first();
  if (info->has(kTraces | kPython | kMaps | kFlatMaps | kInterleaves)) {
    for (u32 i = 0; i < arguments.size(); ++i) {
      mark_traced(arguments.at(i), tracer_of(callee.name(), *info));
    }
  }
  if (info->has(kLoss) || (info->returns == Kind::KerasModel && !info->has(kIo))) {
    note_arguments(call, arguments);
  }
  if (info->has(kCompiles) && (first.is(Value::Tag::Function) || first.is(Value::Tag::Method))) {
    first.function->compiled_at = call;
  }
  around_.initial_value = outer_initial;
  if ((name == "enumerate" || name == "zip") && !call->args.empty()) {
    std::vector<Value> parts;
    if (name == "enumerate") {
      parts.emplace_back();
    }
    for (u32 i = 0; i < call->args.size(); ++i) {
      parts.push_back(element_of(arguments.at(i)));
    }
    return make_uniform(make_tuple(parts, false));
  }
  if (info->has(kPassesOn) && !first.is_kind(Kind::Dataset)) {
    return first;
  }
  if (name == "next" && first.is_kind(Kind::TorchDataLoader)) {
    return element_of(first);
  }
  if (name == "functools.partial" && first.known()) {
    Value partial;
    partial.tag = Value::Tag::Partial;
    partial.items = project_.values.copy(&first, 1).items;
    return partial;
  }
  if (info->has(kTraces) && (first.is(Value::Tag::Function) || first.is(Value::Tag::Method))) {
    return info->returns == Kind::Function ? first : Value::instance(info->returns);
  }
  if (info->has(kStage) && !info->has(kSource)) { // what Dataset.apply takes
    Value transform;
    transform.tag = Value::Tag::Transform;
    transform.transform = project_.values.make<TransformCall>(call, mapper_of(*info, arguments));
    transform.number = callee.number;
    return transform;
  }
  if (info->returns == Kind::Dataset) {
    Value dataset = add_stage(call, 0, info, callee.name(), mapper_of(*info, arguments));
    dataset.container = info->has(kContainerOf);
    return dataset;
  }
  if (info->returns == Kind::Unknown) {
    const bool sets_grad = name.ends_with(".set_grad_enabled") && call->args.size() == 1;
    const auto *constant = sets_grad ? as<Constant>(call->args[0]) : nullptr;
    return constant != nullptr && constant->constant_kind() == ConstantKind::False ? Value::instance(Kind::NoGrad)
                                                                                   : Value{};
  }
  Value result = torch_result(*info, call, arguments, callee.name(), {});
  if (info->output == Output::FirstArgument) {
    result.output = module_output(first);
  }
  return result;
}

Value Inference::mapper_of(const ApiInfo &info, const Arguments &arguments) {
  return info.has(kMaps | kInterleaves | kFlatMaps | kFilters)
             ? arguments.named(0, info.has(kFilters) ? "predicate" : "map_func")
             : Value{};
}

Value Inference::add_stage(const Call *call, u32 previous, const ApiInfo *info, Symbol method, const Value &mapper) {
  Stage stage;
  stage.previous = previous;
  stage.info = info;
  stage.method = method;
  stage.call = call;
  stage.module = module_;
  stage.function = current_;
  if (mapper.known()) {
    stage.mapper = mapper;
    mark_traced(mapper, 0);
    mark_parallel(mapper);
  }
  project_.stages.push_back(stage);
  return Value::instance(Kind::Dataset, static_cast<u32>(project_.stages.size() - 1));
}

Value Inference::call_api_method(const Call *call, const Value &callee) {
  const Value &receiver = callee.receiver();
  const ApiInfo *info = find_method(receiver.kind, callee.name());
  if (info == nullptr) {
    eval_arguments(call);
    return {};
  }
  note_call_traits(*info, call, callee.name(), false);
  const Arguments arguments(*this, call);
  const Value first = arguments.first();
  if (const Value result = piped(callee.name().text(), first); result.known()) {
    return result;
  }
  if (receiver.kind == Kind::KerasModel && receiver.call != nullptr && recording_) {
    const std::string_view method = callee.name().text();
    if (method == "add" || method == "pop") {
      const Expr *layer = call->args.empty() ? nullptr : call->args[0];
      project_.added_layers[receiver.call].push_back({call, layer, first, current_, around_.branch});
    } else if (method == "compile") {
      const auto [known, is_new] = project_.compiled_models.try_emplace(receiver.call, call);
      known->second = is_new || known->second == call ? call : nullptr;
    } else if (method == "fit") {
      note_arguments(call, arguments);
    }
  }
  if (recording_ && info->has(kSessionRun) && !call->args.empty()) {
    note_fetched_operators(call->args[0]);
  }
  if (recording_ && info->has(kMoves) && is_batch(receiver)) {
    project_.moved_batches.emplace(receiver.call, MovedBatch{module_, current_, call});
  }
  if (receiver.kind == Kind::Dataset) {
    if (info->has(kApplies)) {
      if (first.is(Value::Tag::Transform)) {
        const TransformCall &made = *first.transform;
        return add_stage(made.call, receiver.stage(), find_api(first.name()), first.name(), made.mapper);
      }
      if (first.is(Value::Tag::Function) || first.is(Value::Tag::Method)) {
        const u32 position = first.is(Value::Tag::Method) && !first.function->is_static ? 1 : 0;
        if (position < first.function->arguments.size()) { // the Dataset itself
          Value &known = first.function->arguments[position];
          known = join(known, receiver);
        }
        evaluate(*first.function);
        return first.function->returns.known() ? first.function->returns : Value::instance(Kind::Dataset);
      }
      return Value::instance(Kind::Dataset);
    }
    if (info->has(kStage) || info->returns == Kind::Dataset) {
      return add_stage(call, receiver.stage(), info, callee.name(), mapper_of(*info, arguments));
    }
  }
  if (info->returns == Kind::Unknown) {
    return {};
  }
  if (info->returns == Kind::Dataset) {
    return add_stage(call, 0, info, callee.name(), {});
  }
  if (info->returns == Kind::TorchModule && info->has(kMutates)) { // to(), eval(), …: the module itself
    Value module = receiver;
    module.kind = module.is(Value::Tag::Object) ? Kind::Unknown : module.kind;
    module.gpu |= info->has(kMoves);
    return module;
  }
  return torch_result(*info, call, arguments, callee.name(), receiver);
}

Value Inference::call_function(const Call *call, FunctionInfo *function, bool bound) {
  // What is passed, joined with what other callers pass.
  u32 position = bound ? 1 : 0;
  for (const Expr *arg : call->args) {
    const Value value = eval(arg);
    note_passed(value);
    if (arg->kind == NodeKind::Starred) {
      position = static_cast<u32>(function->arguments.size());
    } else if (position < function->arguments.size()) {
      Value &known = function->arguments[position];
      known = join(known, value);
      ++position;
    }
  }
  for (const Keyword *keyword : call->keywords) {
    const Value value = eval(keyword->value);
    note_passed(value);
    for (u32 i = 0; i < function->params.size(); ++i) {
      if (keyword->name && function->params[i]->name == keyword->name) {
        function->arguments[i] = join(function->arguments[i], value);
      }
    }
  }
  return run_function(call, function, bound);
}

// `self.step()`: where the class leaves it open what that does, those that derive from it say so.
Value Inference::call_method(const Call *call, FunctionInfo *function) {
  const Value result = call_function(call, function, !function->is_static);
  const auto *method = as<Attribute>(call->func);
  const auto *object = method != nullptr ? as<Name>(method->value) : nullptr;
  const bool is_own = object != nullptr && !current_->params.empty() && current_->type != nullptr &&
                      object->id == current_->params[0]->name;
  if (!is_own || !is_abstract(*function)) {
    return result;
  }
  constexpr std::size_t kMostOverrides = 2;
  Value joined = result;
  for (FunctionInfo *override : overrides_of(*function, kMostOverrides)) {
    joined = join(joined, run_function(call, override, !override->is_static));
  }
  return joined;
}

// The call runs the function: what that does is done here.
Value Inference::run_function(const Call *call, FunctionInfo *function, bool bound) {
  if (recording_) {
    CallSite site;
    site.call = call;
    site.caller = current_;
    site.callee = function;
    site.loop = around_.loop;
    site.once = around_.once;
    site.in_tape = around_.in_tape;
    site.bound = bound;
    site.no_grad = around_.no_grad;
    site.by_type = around_.by_type;
    current_->calls.push_back(site);
  }
  evaluate(*function);
  current_->effects |= function->effects || function->traced || function->state == FunctionInfo::State::Running;
  if (function->runs_session && !around_.eager_test) {
    note_session_run(call);
  }
  current_->makes_variables |= function->makes_variables;
  if (function->steps) {
    note_step();
  } else if (function->trains) {
    current_->trains = true;
    if (around_.loop != nullptr) {
      around_.loop->trains = true;
    }
  }
  if (function->makes_graph) {
    note_graph_made();
  }
  if (function->graph_params != 0) {
    const CallSite site{.call = call, .callee = function, .bound = bound};
    const auto *method = as<Attribute>(call->func);
    for (u32 i = 0; i < 64 && i < function->params.size(); ++i) {
      const bool enters = (function->graph_params >> i & 1U) != 0;
      const Expr *const holder = !enters                                ? nullptr
                                 : i == 0 && bound && method != nullptr ? method->value
                                                                        : passed_argument(site, i);
      if (holder != nullptr) {
        enter_graph_of(holder);
      }
    }
  }
  if (function->new_graph) {
    current_->new_graph = true;
    if (around_.loop != nullptr) {
      around_.loop->new_graph = true;
    }
  }
  if (function->type != nullptr && function->type == current_->type) {
    current_->attribute_stores.insert(current_->attribute_stores.end(), function->attribute_stores.begin(),
                                      function->attribute_stores.end());
    std::ranges::sort(current_->attribute_stores, {}, &Symbol::id);
    current_->attribute_stores.erase(std::unique(current_->attribute_stores.begin(), current_->attribute_stores.end()),
                                     current_->attribute_stores.end());
  }
  return function->returns;
}

Value Inference::construct(const Call *call, ClassInfo *type) {
  const Value init = member_of(type, known::sym_init);
  if (init.is(Value::Tag::Function)) {
    call_function(call, init.function, true);
  } else {
    eval_arguments(call);
  }
  return Value::of(type, Value::Tag::Object);
}

} // namespace deepperf::model
