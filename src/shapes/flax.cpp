// Flax: layers of linen and nnx, and modules that are made for the first input they get.
#include "shapes/flax.h"
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace flax {
namespace {

constexpr Library kJax = Library::Jax;

std::string_view class_of(const Operation &op) {
  const std::string_view api = op.layer != nullptr && op.layer->content.api ? op.layer->content.api.text() : "layer";
  return api.substr(api.rfind('.') + 1);
}

Value array(Operation &op, const Shape &shape, const Tensor *input) {
  return made(op, shape, Dtype::Unknown, {input}, kJax);
}

Value stored(const Object &object, std::string_view name) {
  const auto found = object.content.attributes.find(intern(name).id);
  return found != object.content.attributes.end() ? found->second : Value();
}

// The parameters of a layer are made for the features that init() saw: apply() must bring as many. `in.features_seen`
// is what is being recorded or compared while a module runs.
bool note_features(Operation &op, const Tensor &input, Dim features) {
  FeaturesSeen *const seen = op.in.features_seen;
  if (seen == nullptr || op.layer == nullptr) {
    return true;
  }
  const std::size_t at = seen->next++;
  if (seen->is_recording) {
    seen->layers.emplace_back(op.layer->maker, features);
    return true;
  }
  if (at >= seen->layers.size() || seen->layers[at].first != op.layer->maker ||
      !op.in.terms.differ(seen->layers[at].second, features)) {
    return true;
  }
  if (Problem *problem =
          op.report(Fault::LayerInputSize, fmt::format("{} was initialized for {} features, but gets {} of {}",
                                                       class_of(op), op.in.terms.text(seen->layers[at].second),
                                                       op.in.terms.text(features), op.in.text_of(input)))) {
    op.in.add_chain(*problem, input);
    problem->advice = "init() and apply() need inputs with the same number of features";
  }
  return false;
}

Value call_dense(Operation &op) {
  const Tensor *const input = converted(op, "inputs", kJax);
  if (input == nullptr || !input->shape.is_known() || input->shape.rank() == 0) {
    return array(op, {}, input);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  if (!note_features(op, *input, dims.back())) {
    return array(op, {}, input);
  }
  const Value features = op.arg("features");
  dims.back() = features.is(Tag::Int) ? features.dim() : op.in.as_dim(features);
  return array(op, op.in.heap.shape(dims), input);
}

// nnx.Linear(in_features, out_features)
Value call_linear(Operation &op) {
  const Tensor *const input = converted(op, "inputs", kJax);
  if (input == nullptr || !input->shape.is_known() || input->shape.rank() == 0) {
    return array(op, {}, input);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  const Dim wanted = op.dim("in_features");
  if (op.in.terms.differ(wanted, dims.back())) {
    if (Problem *problem =
            op.report(Fault::LayerInputSize,
                      fmt::format("{} takes {} features, but gets {} of {}", op.short_name(), op.in.terms.text(wanted),
                                  op.in.terms.text(dims.back()), op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = fmt::format("in_features must be {}", op.in.terms.text(dims.back()));
    }
    return array(op, {}, input);
  }
  dims.back() = op.dim("out_features");
  return array(op, op.in.heap.shape(dims), input);
}

// Windows that slide over the dimensions between the batch and the channels, which are last.
std::optional<std::vector<Dim>> slide(Operation &op, const Tensor &input, std::string_view window_name,
                                      std::string_view stride_name, bool steps_by_one) {
  std::vector<Dim> windows;
  if (!op.in.as_dims(op.arg(window_name), windows) || windows.empty() || !input.shape.is_known()) {
    return {};
  }
  const u32 count = static_cast<u32>(windows.size());
  if (input.shape.rank() < count + 1) {
    check_rank_is(op, input, count + 1, false, "its input is [batch, …, channels]");
    return {};
  }
  const Value padding = op.arg("padding");
  const bool is_same = padding.is(Tag::Str) && padding.text() == "SAME";
  const bool is_valid = padding.is(Tag::Str) && padding.text() == "VALID";
  std::vector<Dim> steps;
  const Value given = op.arg(stride_name);
  if (given.is(Tag::None) || (given.is(Tag::Int) && steps_by_one)) {
    steps.assign(count, given.is(Tag::Int) ? given.dim() : Dim::of(1));
  } else if (!op.in.as_dims(given, steps)) {
    return {};
  }
  if (steps.size() == 1) {
    steps.assign(count, steps[0]);
  }
  std::vector<Dim> dims = dims_in(input.shape);
  for (u32 i = 0; i < count; ++i) {
    Dim &dim = dims[dims.size() - 1 - count + i];
    const bool is_known = steps.size() == count && steps[i].is_constant() && steps[i].value > 0 && dim.is_known() &&
                          windows[i].is_constant() && (is_same || is_valid);
    if (!is_known) {
      dim = {};
    } else if (is_same) {
      dim = op.in.terms.floor_divide(op.in.terms.add(dim, Dim::of(steps[i].value - 1)), steps[i]);
    } else {
      dim = op.in.terms.add(op.in.terms.floor_divide(op.in.terms.subtract(dim, windows[i]), steps[i]), Dim::of(1));
      dim = dim.is_constant() && dim.value < 1 ? Dim{} : dim;
    }
  }
  return dims;
}

Value call_conv(Operation &op) {
  const Tensor *const input = converted(op, "inputs", kJax);
  if (input == nullptr) {
    return array(op, {}, nullptr);
  }
  auto dims = slide(op, *input, "kernel_size", "strides", true);
  const bool is_plain = op.arg("kernel_dilation").is_number(1) && op.arg("input_dilation").is_number(1);
  if (!dims || !note_features(op, *input, input->shape.from_end(0))) {
    return array(op, {}, input);
  }
  if (!is_plain) {
    for (std::size_t i = 1; i + 1 < dims->size(); ++i) {
      (*dims)[i] = {};
    }
  }
  dims->back() = op.dim("features");
  return array(op, op.in.heap.shape(*dims), input);
}

// nnx.Conv(in_features, out_features, kernel_size)
Value call_nnx_conv(Operation &op) {
  const Tensor *const input = converted(op, "inputs", kJax);
  if (input == nullptr) {
    return array(op, {}, nullptr);
  }
  auto dims = slide(op, *input, "kernel_size", "strides", true);
  if (!dims) {
    return array(op, {}, input);
  }
  const Dim wanted = op.dim("in_features");
  if (op.in.terms.differ(wanted, dims->back())) {
    if (Problem *problem =
            op.report(Fault::LayerInputSize,
                      fmt::format("{} takes {} channels, but gets {} of {}", op.short_name(), op.in.terms.text(wanted),
                                  op.in.terms.text(dims->back()), op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "the last dimension of its input is that of the channels";
    }
    return array(op, {}, input);
  }
  if (!op.arg("kernel_dilation").is_number(1) || !op.arg("input_dilation").is_number(1)) {
    for (std::size_t i = 1; i + 1 < dims->size(); ++i) {
      (*dims)[i] = {};
    }
  }
  dims->back() = op.dim("out_features");
  return array(op, op.in.heap.shape(*dims), input);
}

Value call_pool(Operation &op) {
  const Tensor *const input = converted(op, "inputs", kJax);
  if (input == nullptr) {
    return array(op, {}, nullptr);
  }
  const auto dims = slide(op, *input, "window_shape", "strides", false);
  return array(op, dims ? op.in.heap.shape(*dims) : Shape{}, input);
}

Value call_same(Operation &op) {
  const Tensor *const input = converted(op, "inputs", kJax);
  return array(op, input != nullptr ? input->shape : Shape{}, input);
}

// Of the call, else of the constructor.
Value option(const Operation &op, std::string_view name) {
  if (op.is_given(name) || op.layer == nullptr) {
    return op.arg(name);
  }
  const std::vector<Value> &made = op.layer->content.args;
  for (std::size_t i = 0; i < op.spec.make.size() && i < made.size(); ++i) {
    if (op.spec.make[i].name.text() == name) {
      return made[i];
    }
  }
  return {};
}

// BatchNorm writes its statistics while it trains, and reads them otherwise.
Value call_batch_norm(Operation &op) {
  const Value given = option(op, "use_running_average");
  const Truth reads = op.in.truth(given);
  const FlaxApply &how = op.in.flax_apply;
  if (how.updates_statistics == Truth::No && reads == Truth::No && !given.is(Tag::None)) {
    if (Problem *problem = op.report(
            Fault::Arity, "BatchNorm updates batch_stats while training, but apply() does not make them mutable")) {
      problem->advice = "pass mutable=[\"batch_stats\"] to apply(), which then returns (output, updates); "
                        "use_running_average=True is for evaluation";
    }
  } else if (how.updates_statistics == Truth::No && how.has_statistics == Truth::No) {
    if (Problem *problem = op.report(Fault::Arity, "BatchNorm reads batch_stats, but apply() does not receive them")) {
      problem->advice = "pass them with the parameters: {\"params\": params, \"batch_stats\": batch_stats}";
    }
  }
  return call_same(op);
}

Value call_dropout(Operation &op) {
  const Value given = option(op, "deterministic");
  const Value rate = op.arg("rate");
  const bool drops = (rate.is(Tag::Float) && rate.small != 0 && rate.real > 0) && !given.is(Tag::None) &&
                     op.in.truth(given) == Truth::No && !op.is_given("rng");
  if (drops && op.in.flax_apply.has_dropout_key == Truth::No) {
    if (Problem *problem = op.report(Fault::Arity, "Dropout needs a random key, but apply() receives none for it")) {
      problem->advice = "pass rngs={\"dropout\": key} to apply(), or deterministic=True for evaluation";
    }
  }
  return call_same(op);
}

Value call_embed(Operation &op) {
  const Tensor *const input = converted(op, "inputs", kJax);
  if (input == nullptr || !input->shape.is_known() || !check_integer(op, *input, "the inputs")) {
    return array(op, {}, input);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  dims.push_back(op.dim("features"));
  return array(op, op.in.heap.shape(dims), input);
}

Value call_attention(Operation &op) {
  const Tensor *const input = converted(op, "inputs", kJax);
  if (input == nullptr || !input->shape.is_known() || input->shape.rank() < 2) {
    return array(op, {}, input);
  }
  const Value given = op.arg("qkv_features");
  const Dim features = given.is(Tag::None) ? input->shape.from_end(0) : op.in.as_dim(given);
  const Dim heads = op.dim("num_heads");
  if (features.is_constant() && heads.is_constant() && heads.value > 0 && features.value % heads.value != 0) {
    if (Problem *problem = op.report(Fault::ImpossibleLayer, fmt::format("{} features cannot be divided among {} heads",
                                                                         features.value, heads.value))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "num_heads must divide the number of features";
    }
    return array(op, {}, input);
  }
  std::vector<Dim> dims = dims_in(input->shape);
  const Value out = op.arg("out_features");
  dims.back() = out.is(Tag::None) ? dims.back() : op.in.as_dim(out);
  return array(op, op.in.heap.shape(dims), input);
}

Value call_sequential(Operation &op) {
  std::vector<Value> layers;
  Value value = op.arg("inputs");
  const Value given = op.arg("layers");
  if (!given.is_sequence() || !op.in.iterate(given, layers)) {
    return {};
  }
  for (const Value &layer : layers) {
    Arguments arguments;
    arguments.positional.push_back(value);
    value = op.in.call(layer, arguments, op.node);
  }
  return value;
}

// ---- Modules of the program's own

// self.param("kernel", initializer, shape)
Value call_param(Operation &op) {
  std::vector<Dim> dims;
  const bool has_shape = !op.rest.empty() && op.rest[0].is_sequence() && op.in.as_dims(op.rest[0], dims);
  const Value initializer = op.arg("init_fn");
  if (initializer.is(Tag::Function)) {
    Arguments arguments;
    arguments.positional = op.rest;
    arguments.positional.insert(arguments.positional.begin(), Value());
    return op.in.call(initializer, arguments, op.node);
  }
  return made(op, has_shape ? op.in.heap.shape(dims) : Shape{}, Dtype::Unknown, {}, kJax);
}

Value run(Operation &op, Object &module, FeaturesSeen *seen, FlaxApply how) {
  FeaturesSeen *const before = op.in.features_seen;
  op.in.features_seen = seen;
  std::swap(op.in.flax_apply, how);
  Arguments arguments;
  arguments.positional = op.rest;
  for (const auto &[name, value] : op.more) {
    const std::string_view text = name.text();
    if (text != "rngs" && text != "mutable" && text != "method") {
      arguments.keywords.emplace_back(name, value);
    }
  }
  const Value value = op.in.call_object(module, arguments, op.node);
  op.in.features_seen = before;
  op.in.flax_apply = how;
  return value;
}

bool has_keyword(const Operation &op, std::string_view name) {
  return std::ranges::any_of(op.more, [&](const auto &item) { return item.first.text() == name; });
}

// model.init(key, x): the parameters.
Value call_init(Operation &op) {
  const Value self = op.arg("self");
  if (!self.is(Tag::Object) || has_keyword(op, "method")) {
    return {};
  }
  const std::size_t place = op.in.new_features();
  FeaturesSeen *const seen = op.in.features_at(place);
  seen->is_recording = true;
  const Value output = run(op, *self.object, seen, {});
  seen->is_recording = false;
  Object *const params = op.in.heap.new_object(nullptr, intern("flax.params"));
  params->content.is_open = true;
  params->content.attributes[intern("*seen").id] = Value::of_int(static_cast<i64>(place));
  const Value value = Value::of(params);
  return op.short_name() == "init_with_output" ? op.in.heap.new_list({output, value}, Tag::Tuple) : value;
}

Value keyword(const Operation &op, std::string_view name) {
  const auto found = std::ranges::find_if(op.more, [&](const auto &item) { return item.first.text() == name; });
  return found != op.more.end() ? found->second : Value::none();
}

// Is this string in the list, or a key of the dictionary? No if there is no list at all.
Truth has_name(const Value &value, std::string_view name) {
  const auto is_it = [&](const Value &item) {
    return item.is(Tag::Str) && item.number != 0 ? (item.text() == name ? Truth::Yes : Truth::No) : Truth::Unknown;
  };
  const auto any = [&](Truth so_far, const Value &item) {
    const Truth one = is_it(item);
    return so_far == Truth::Yes || one == Truth::Yes ? Truth::Yes : one == Truth::Unknown ? one : so_far;
  };
  if (value.is(Tag::None)) {
    return Truth::No;
  }
  if (value.is(Tag::Bool)) {
    return value.truth();
  }
  if (value.is(Tag::Str)) {
    return is_it(value);
  }
  Truth answer = Truth::No;
  if (value.is_sequence()) {
    for (const Value &item : value.list->content.items) {
      answer = any(answer, item);
    }
    return value.list->content.is_open && answer == Truth::No ? Truth::Unknown : answer;
  }
  if (value.is(Tag::Dict)) {
    for (const auto &[key, item] : value.dict->content.items) {
      answer = any(answer, key);
    }
    return value.dict->content.is_open && answer == Truth::No ? Truth::Unknown : answer;
  }
  return Truth::Unknown;
}

FlaxApply how_applied(const Operation &op) {
  if (op.is_open) {
    return {};
  }
  const Value rngs = keyword(op, "rngs");
  FlaxApply how;
  how.updates_statistics = has_name(keyword(op, "mutable"), "batch_stats");
  how.has_statistics =
      op.arg("variables").is(Tag::Dict) ? has_name(op.arg("variables"), "batch_stats") : Truth::Unknown;
  // A key that is given alone serves for everything.
  how.has_dropout_key = rngs.is(Tag::Dict)   ? has_name(rngs, "dropout")
                        : rngs.is(Tag::None) ? Truth::No
                                             : Truth::Unknown;
  return how;
}

// The parameters among what apply() gets: alone, or as {"params": params}.
Value params_in(const Value &variables) {
  if (!variables.is(Tag::Dict)) {
    return variables;
  }
  for (const auto &[key, item] : variables.dict->content.items) {
    if (key.is(Tag::Str) && key.text() == "params") {
      return item;
    }
  }
  return {};
}

Value call_apply(Operation &op) {
  const Value self = op.arg("self");
  const Value params = params_in(op.arg("variables"));
  if (!self.is(Tag::Object) || has_keyword(op, "method")) {
    return {};
  }
  FeaturesSeen *seen = nullptr;
  if (params.is(Tag::Object)) {
    const Value place = stored(*params.object, "*seen");
    seen = place.is(Tag::Int) ? op.in.features_at(static_cast<std::size_t>(place.integer)) : nullptr;
  }
  if (seen != nullptr) {
    seen->next = 0;
  }
  const Value output = run(op, *self.object, seen, how_applied(op));
  return has_keyword(op, "mutable") ? op.in.heap.new_list({output, Value()}, Tag::Tuple) : output;
}

// TrainState.create(apply_fn=model.apply, params=params, tx=optimizer), and of classes that derive from it.
Value call_train_state(Operation &op) {
  Object *const state = op.in.heap.new_object(nullptr, intern("flax.training.train_state.TrainState"));
  ObjectContent &content = state->content;
  content.is_open = true;
  for (const auto &[name, value] : op.more) {
    content.attributes[name.id] = value;
  }
  for (const std::string_view name : {"apply_fn", "params", "tx"}) {
    if (op.is_given(name)) {
      content.attributes[intern(name).id] = op.arg(name);
    }
  }
  return Value::of(state);
}

// state.apply_gradients(grads=grads): parameters of the same sizes.
Value call_same_state(Operation &op) { return op.arg("self"); }

constexpr TransferEntry kTable[] = {
    {"flax_dense", call_dense},
    {"flax_linear", call_linear},
    {"nnx_conv", call_nnx_conv},
    {"flax_conv", call_conv},
    {"flax_pool", call_pool},
    {"flax_same", call_same},
    {"flax_batch_norm", call_batch_norm},
    {"flax_dropout", call_dropout},
    {"flax_train_state", call_train_state},
    {"flax_same_state", call_same_state},
    {"flax_embed", call_embed},
    {"flax_attention", call_attention},
    {"flax_param", call_param},
    {"flax_init", call_init},
    {"flax_sequential", call_sequential},
    {"flax_apply", call_apply},
};

} // namespace
} // namespace flax

void flax_prepare(Interpreter &in, Object &module) {
  FunctionObject *const setup = in.find_method(*module.type, intern("setup"));
  if (setup == nullptr || flax::stored(module, "*prepared").is(Tag::Bool)) {
    return;
  }
  in.heap.change(module).attributes[intern("*prepared").id] = Value::of_bool(true);
  Arguments arguments;
  arguments.positional.push_back(Value::of(&module));
  in.call_function(*setup, arguments, nullptr);
}

std::span<const TransferEntry> flax_transfers() { return flax::kTable; }

} // namespace deepperf::shapes
