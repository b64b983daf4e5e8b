// tf.data: the stages of pipelines.
#include "model/call_arguments.h"
#include "model/classes.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

// The call adds a stage to a pipeline, or begins one; from then on the Dataset is known by the call.
Value Transfer::add_stage(const Call *call, const Value &previous, const ApiInfo *info, Symbol method,
                          const Value &mapper) {
  StageFact stage;
  stage.call = call;
  stage.info = info;
  stage.method = method;
  stage.previous = previous;
  if (mapper.known() || mapper.alternatives != nullptr) {
    // `ds.map(Augment(size))` calls the object.
    FunctionInfo *const called =
        mapper.is(Value::Tag::Object) ? find_method_of(*mapper.type, intern("__call__")) : nullptr;
    const Value function = called != nullptr ? Value::of(called, Value::Tag::Method) : mapper;
    stage.mapper = mapper;
    mark_traced(function, 0);
    mark_parallel(function);
  }
  if (recording()) {
    current_->stages.push_back(stage);
  }
  return Value::made_by(Kind::Dataset, call, method);
}

// dataset.apply(…)
Value Transfer::apply_to_dataset(const Value &dataset, const Arguments &arguments) {
  const Value first = arguments.first();
  if (first.is(Value::Tag::Transform)) {
    return add_stage(first.items[0].maker(), dataset, find_api(first.name()), first.name(), first.items[1]);
  }
  if (first.is(Value::Tag::Function) || first.is(Value::Tag::Method)) {
    const u32 position = first.is(Value::Tag::Method) && !first.function->is_static ? 1 : 0;
    if (position < first.function->params.size()) { // the Dataset itself
      contribute(Contribution::Target::Parameter, first.function->index, position, dataset);
    }
    const Value result = returns_of(*first.function);
    return result.is_unknown() ? Value::instance(Kind::Dataset) : result;
  }
  return first.is_bottom() ? first : Value::instance(Kind::Dataset);
}

// `ds.map(f)` of something that nobody tells us: what has the name of a Dataset is one, if f is made of TensorFlow's
// operations.
Value Transfer::map_of_assumed_dataset(const Call *call, const Attribute &method, const Value &mapped) {
  if (!module_->tensorflow || method.attr.text() != "map" || !is_named_dataset(method.value)) {
    return {};
  }
  const Value function = mapped.is(Value::Tag::Partial) ? mapped.receiver() : mapped;
  if (!function.is(Value::Tag::Function) && !function.is(Value::Tag::Method)) {
    return {};
  }
  read(units_.of_function(*function.function));
  return function.function->has_ops
             ? add_stage(call, Value{}, find_method(Kind::Dataset, method.attr), method.attr, mapped)
             : Value{};
}

} // namespace deepperf::model
