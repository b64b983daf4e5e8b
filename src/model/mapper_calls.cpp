// What do the calls in a mapped function do: of frameworks, of the project, and of what is not known?
#include "model/mapper_examination.h"
#include "python/call.h"
#include "python/children.h"
#include "python/literals.h"

#include <string>

namespace deepperf::model {

using namespace python;

namespace {

// Arguments after the first one say what columns or fields there are.
bool describes_rest(std::string_view api) {
  return api.ends_with(".decode_csv") || api.ends_with(".parse_single_example");
}

// Told once, while the function is traced.
bool is_message(std::string_view name) {
  return name == "print" || name.starts_with("logging.") || name.starts_with("absl.logging.") ||
         name.starts_with("tensorflow.logging.") || name.starts_with("warnings.");
}

// tf.print, tf.debugging.assert_equal and the like: there for who looks for mistakes.
bool is_check(std::string_view name) {
  return name == "tensorflow.print" || name == "tensorflow.Print" || name == "tensorflow.Assert" ||
         name == "tensorflow.control_dependencies" || name.starts_with("tensorflow.assert_") ||
         (name.starts_with("tensorflow.debugging.") &&
          (name.ends_with("Assert") || name.find(".assert_") != std::string_view::npos));
}

bool is_scalar_shape(const Call *call) {
  const Expr *const shape = argument(*call, 0, "shape");
  if (shape == nullptr || (shape->kind != NodeKind::List && shape->kind != NodeKind::Tuple)) {
    return false;
  }
  u32 count = 0;
  for_each_child(shape, [&count](const Node *) { ++count; });
  return count == 0;
}

bool is_negative(const Expr *expr) {
  const auto *number = as<UnaryOp>(expr);
  return number != nullptr && number->op() == UnaryOperator::USub;
}

// expand_dims(x, -1): the same for one example and for many.
bool adds_last_dimension(const Call *call) {
  const Expr *const axis = argument(*call, 1, "axis");
  return axis != nullptr && is_negative(axis);
}

// Python that does no work on the element: at most it runs while the function is traced.
bool is_plain_python(std::string_view name) {
  for (const std::string_view package :
       {"six.", "collections.", "logging.", "absl.", "tensorflow.logging.", "copy.", "typing.", "functools.",
        "os.path.", "math.", "operator.", "itertools.", "warnings."}) {
    if (name.starts_with(package)) {
      return true;
    }
  }
  return name.find('.') == std::string_view::npos; // a builtin
}

} // namespace

void MapperExamination::note_api(const Call *call, const ApiInfo *info, std::string_view name) {
  if (info == nullptr) {
    facts.works |= !is_plain_python(name);
    facts.shares |= call != nullptr && mentions_outside(call);
    return give_up();
  }
  lookups_ += info->has(kText) ? 1 : 0;
  facts.stateful |= info->has(kMutates) && info->has(kGraphState);
  if (info->has(kOp) && info->has(kRandom)) { // Python's own random numbers are drawn once, when it is traced
    facts.random = facts.random == nullptr ? call : facts.random;
  }
  if (info->has(kPython)) {
    facts.python = facts.python == nullptr ? call : facts.python;
  }
  facts.ragged |= name.find(".unique") != std::string_view::npos || name.find("ragged") != std::string_view::npos ||
                  name.find("sparse") != std::string_view::npos || name.ends_with(".boolean_mask") ||
                  name.ends_with(".where") || name.find("non_max_suppression") != std::string_view::npos;
  facts.reads |= info->has(kIo | kDecode) && !info->has(kPython);
  facts.heavy |= info->has(kIo | kDecode | kPython) || name.starts_with("tensorflow.image.resize");
  facts.parses_single |= name.ends_with("parse_single_example");
  facts.parses_batch |= name.ends_with(".parse_example");
  facts.parses_csv |= name.ends_with(".decode_csv");
  facts.cheap &= info->returns != Kind::Dataset; // reading files, or a pipeline of its own
  facts.works |= info->returns == Kind::Dataset;
  if (info->returns == Kind::Dataset) {
    const bool is_memory = name.ends_with(".from_tensor_slices") || name.ends_with(".from_tensors");
    (is_memory ? facts.splits_memory : makes_other_dataset_) = true;
  }
  if (!info->has(kOp | kPython | kIo | kDecode)) {
    facts.vectorisable &= info->has(kSpec | kNoLoop | kCheap) && !info->has(kShapeDependent | kPerExample);
    return;
  }
  ++facts.operations;
  if (is_arithmetic(*info, name)) {
    ++functions_;
  } else {
    const bool is_cheap = info->has(kCheap | kText) && !info->has(kIo | kDecode | kPython | kRandom);
    facts.cheap &= is_cheap;
    facts.works |= !is_cheap;
  }
  const bool has_twin = name.ends_with("parse_single_example");
  facts.vectorisable &=
      has_twin || (info->has(kBatchable) && !info->has(kPerExample | kRandom | kShapeDependent | kIo | kPython));
  takes_one_ |= !has_twin && info->has(kPerExample | kDecode | kIo);
}

// `for step in self.steps: x = step(x)`: one of them may be known, but not which of them run.
bool MapperExamination::calls_loop_variable(const Call *call) const {
  const auto *name = as<Name>(call->func);
  return name != nullptr && std::ranges::find(loop_names_, name->id.id, &Symbol::id) != loop_names_.end();
}

void MapperExamination::visit_call(const Call *call) {
  const Value callee = calls_loop_variable(call) ? Value{} : project_.callee_of(call);
  switch (callee.tag) {
  case Value::Tag::Api:
    note_api_call(call, callee.name());
    if (callee.name().text().ends_with(".where") && call->args.size() < 3) {
      facts.vectorisable = false; // gives indices
    }
    if (!describes_rest(callee.name().text())) {
      require_one_part(call);
    }
    break;
  case Value::Tag::ApiMethod:
    if (callee.receiver().kind == Kind::Dict && call->func->kind == NodeKind::Attribute) {
      visit_entry(call, static_cast<const Attribute *>(call->func)->value);
      break;
    }
    note_api(call, find_method(callee.receiver().kind, callee.name()), callee.name().text());
    facts.stateful |= callee.receiver().kind == Kind::Iterator;
    break;
  case Value::Tag::Function:
  case Value::Tag::Method:
  case Value::Tag::Partial:
    if (callee.tag != Value::Tag::Partial && (callee.function->tracers & kByPython) != 0) {
      run_python(call, callee); // @tf.py_function
    } else {
      callee.tag == Value::Tag::Partial ? examine(callee)
                                        : examine_called(call, *callee.function, callee.is(Value::Tag::Method));
    }
    break;
  case Value::Tag::Instance:
    visit_layer(call, callee);
    break;
  case Value::Tag::Class:
    examine_construction(*callee.type);
    break;
  default:
    visit_unknown_call(call);
  }
  if (callee.is(Value::Tag::Api) && describes_rest(callee.name().text())) {
    if (const Expr *const text = !call->args.empty() ? call->args[0] : argument(*call, 0, "serialized")) {
      visit(text);
    }
    return;
  }
  for (const Expr *arg : call->args) {
    visit(arg);
  }
  for (const Keyword *keyword : call->keywords) {
    const bool counts_dimensions = keyword->name && keyword->name.text() == "axis";
    // From the end they are the same for a batch.
    facts.vectorisable &= !counts_dimensions || is_negative(keyword->value);
    visit(keyword->value);
  }
}

void MapperExamination::note_api_call(const Call *call, Symbol api) {
  const ApiInfo *info = find_api(api);
  const std::string_view name = api.text();
  if (name.ends_with(".parse_example") && !call->args.empty() && call->args[0]->kind == NodeKind::List) {
    makes_batch_of_one_ = true; // parse_example([record])
  }
  if ((name == "functools.reduce" || name == "map") && !call->args.empty()) {
    if (const Value applied = value_of(call->args[0]); applied.is(Value::Tag::Function)) {
      examine(applied);
    }
  }
  if (name == "tensorflow.cond" && call->args.size() == 3) {
    facts.vectorisable = false;
    for (const Expr *branch : {call->args[1], call->args[2]}) {
      examine(value_of(branch));
    }
    return;
  }
  if (name == "tensorflow.vectorized_map" && !call->args.empty()) {
    facts.vectorisable = false;
    return examine(value_of(call->args[0]));
  }
  if (info != nullptr && is_plain_python(name) && !info->has(kOp | kPython)) {
    facts.vectorisable &= is_message(name) || info->has(kSpec | kNoLoop | kCheap);
    return;
  }
  if (name == "tensorflow.device" && !call->args.empty()) {
    if (const StringConstant *device = as_string(call->args[0])) {
      const std::string text = string_value(function_->module->parsed->source, *device);
      facts.on_gpu |= text.find("GPU") != std::string::npos || text.find("gpu") != std::string::npos;
    }
  }
  if (is_check(name)) { // no work of its own, but it runs
    facts.vectorisable = false;
    return;
  }
  if (const Expr *const run = info != nullptr && info->has(kPython) ? argument(*call, 0, "func") : nullptr) {
    note_api(call, info, name);
    return run_python(call, value_of(run));
  }
  if (info != nullptr && info->has(kRandom) && info->has(kOp) && is_scalar_shape(call)) {
    ++facts.operations;
    facts.random = facts.random == nullptr ? call : facts.random;
    facts.vectorisable = false;
    return;
  }
  if (name.ends_with(".expand_dims") && adds_last_dimension(call)) {
    ++facts.operations;
    return;
  }
  note_api(call, info, name);
}

// Methods of whatever object that are known by their name alone.
void MapperExamination::visit_unknown_call(const Call *call) {
  const auto *method = as<Attribute>(call->func);
  if (method == nullptr) {
    return note_work_on_element(call);
  }
  const std::string_view name = method->attr.text();
  if (name == "format" && as_string(method->value) != nullptr) {
    return; // a message, made while the function is traced
  }
  if (name == "items" || name == "keys" || name == "values") {
    return visit(method->value);
  }
  if (name == "pop" || name == "get" || name == "copy" || name == "update" || name == "setdefault") { // of a dict
    return visit_entry(call, method->value);
  }
  if (name == "set_shape" || name == "get_shape" || name == "as_list" || name == "_asdict" || name == "_replace" ||
      name == "is_fully_defined" || name == "assert_has_rank" || name == "with_rank" || name == "iteritems" ||
      name == "merge_with" || name == "concatenate" || name == "is_compatible_with" || name == "append" ||
      name == "extend" || name == "format") {
    facts.vectorisable = false;
    return visit(method->value);
  }
  if (name == "lookup") { // of a table
    ++facts.operations;
    ++lookups_;
    return visit(method->value);
  }
  if (name == "to_tensor") { // of a ragged tensor
    ++facts.operations;
    facts.vectorisable = false;
    visit(method->value);
    return;
  }
  facts.stateful |= name == "get_next";
  note_work_on_element(call);
}

// Something out of sight is done to the element.
void MapperExamination::note_work_on_element(const Call *call) {
  std::unordered_set<u32> names;
  count_locals(call, names);
  facts.works |= !names.empty();
  facts.shares |= mentions_outside(call);
  give_up();
}

// Something that neither is the function's own nor a module, function or number.
bool MapperExamination::mentions_outside(const Node *node) const {
  if (const auto *name = as<Name>(node)) {
    std::unordered_set<u32> own;
    count_locals(name, own);
    const Value value = value_of(name);
    return own.empty() && !value.is(Value::Tag::Api) && !value.is(Value::Tag::Module) &&
           !value.is(Value::Tag::Function) && !value.is(Value::Tag::Class) && !value.is(Value::Tag::Literal);
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || mentions_outside(child); });
  return found;
}

} // namespace deepperf::model
