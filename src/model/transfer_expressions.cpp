// Names, operators, displays, subscripts and comprehensions.
#include "model/facts.h"
#include "model/name_traits.h"
#include "model/transfer.h"

#include "base/known_names.h"
#include "base/name_table.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

constexpr u8 kElsewhere = 255; // instead of a slot: see slot_at

// Unknown also where it may be a container of the kind.
Kind kind_of_one(const Value &value) {
  if (value.is(Value::Tag::Instance)) {
    return !value.container || value.kind == Kind::Variable ? value.kind : Kind::Unknown;
  }
  return value.is(Value::Tag::Object) ? value.type->kind : Kind::Unknown;
}

// An object of the project's own module class, or one of PyTorch's: a module.
Kind common_kind(const Value &value) {
  if (value.alternatives == nullptr || value.known()) {
    return kind_of_one(value);
  }
  Kind common = Kind::Unknown;
  bool is_first = true;
  for_each_alternative(value, [&](const Value &one) {
    const Kind kind = kind_of_one(one);
    common = is_first || kind == common ? kind : Kind::Unknown;
    is_first = false;
  });
  return common;
}

} // namespace

namespace {

bool holds_gradient(const Value &value) {
  if (value.has_gradient()) {
    return true;
  }
  return value.is(Value::Tag::Tuple) && std::any_of(value.items, value.items + value.number, holds_gradient);
}

} // namespace

void note_value(const Expr *expr, const Value &value) {
  u8 facts = static_cast<u8>(common_kind(value));
  facts |= holds_gradient(value) ? kGradBit : u8{0};
  facts |= value.on_gpu() ? kGpuBit : u8{0};
  expr->value = facts;
  expr->output = static_cast<u8>(value.output) & 15U;
  expr->on_cpu = value.is_kind(Kind::TorchTensor) && value.device == kOnCpu;
}

// Called for each expression of each walk: these two only pass on.
Value Transfer::eval(const Expr *expr) {
  ++work_.expressions;
  return is_solving_ ? eval_unnoted(expr) : eval_noted(expr);
}

Value Transfer::eval_noted(const Expr *expr) {
  const Value value = eval_unnoted(expr);
  if (recording()) {
    note_value(expr, value);
    if (value.is_kind(Kind::Dataset)) {
      current_->datasets.emplace_back(expr, value);
    }
  }
  return value;
}

Value Transfer::eval_unnoted(const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::Name: {
    const auto *const name = static_cast<const Name *>(expr);
    if (name->detail != 0 && name->detail != kElsewhere && class_body_ == nullptr) {
      // Most names: bound here, to something that needs no second thought.
      const Value &value = environment_[name->detail - 1U];
      if (value.known() && !value.is_kind(Kind::TorchTensor)) {
        return value;
      }
    }
    return eval_name(name);
  }
  case NodeKind::Attribute:
    return eval_attribute(static_cast<const Attribute *>(expr));
  case NodeKind::Call:
    return eval_call(static_cast<const Call *>(expr));
  case NodeKind::Constant: {
    Value value;
    if (static_cast<const Constant *>(expr)->constant_kind() == ConstantKind::None) {
      value.tag = Value::Tag::None;
      return value;
    }
    value.tag = Value::Tag::Literal;
    value.expr = expr;
    value.number = module_->file.value + 1; // where its text stands
    return value;
  }
  case NodeKind::Subscript:
    return eval_subscript(static_cast<const Subscript *>(expr));
  default:
    return eval_other(expr);
  }
}

Value Transfer::eval_other(const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::Lambda: {
    FunctionInfo *function = project_.function_at(expr);
    FunctionDefinition defined;
    defined.function = function;
    defined.defaults = eval_defaults(function->params);
    if (solving()) {
      result_.functions.push_back(defined);
    }
    return Value::of(function);
  }
  case NodeKind::IfExp: {
    const auto *conditional = static_cast<const IfExp *>(expr);
    eval(conditional->test);
    const Value body = eval(conditional->body);
    return join(body, eval(conditional->orelse));
  }
  case NodeKind::BoolOp: {
    Value value = Value::bottom();
    for (const Expr *part : static_cast<const BoolOp *>(expr)->values) {
      value = join(value, eval(part));
    }
    return value;
  }
  case NodeKind::NamedExpr: {
    const auto *named = static_cast<const NamedExpr *>(expr);
    const Value value = eval(named->value);
    assign(named->target, value);
    return value;
  }
  case NodeKind::Tuple:
  case NodeKind::List: {
    if (const auto *list = as<List>(expr); list != nullptr && list->elts.empty()) {
      Value empty = make_uniform(Value::bottom()); // there to be filled
      empty.few = false;
      return empty;
    }
    const std::size_t first = items_.size();
    std::size_t written = 0; // elements before the first star
    bool is_open = false;
    bool is_rest_known = true;
    for_each_child(expr, [&](const Node *child) {
      is_open |= child->kind == NodeKind::Starred;
      written += is_open ? 0 : 1;
      items_.push_back(eval(static_cast<const Expr *>(child)));
      is_rest_known &= child->kind != NodeKind::Starred || !items_.back().is_unknown();
    });
    // `(loss, *outputs[1:])`: the first one is what it is, and the others may be anything.
    if (is_open && !is_rest_known && written > 0 && expr->kind == NodeKind::Tuple) {
      Value value = tuple_of(std::span<const Value>(items_).subspan(first, written));
      value.open |= value.is(Value::Tag::Tuple);
      items_.resize(first);
      return value;
    }
    // `[*range(100000)]` has nobody knows how many elements, all alike.
    Value value = tuple_of(std::span<const Value>(items_).subspan(first));
    const Output last = items_.size() > first && !is_open ? layer_output(items_.back()) : Output::Unknown;
    if (is_open && value.is(Value::Tag::Tuple)) {
      value = make_uniform(element_of(value));
    }
    if (value.is(Value::Tag::Tuple)) {
      value.output = last;
    }
    items_.resize(first);
    return value;
  }
  case NodeKind::Dict:
    return eval_dict(static_cast<const Dict *>(expr));
  case NodeKind::ListComp:
  case NodeKind::SetComp:
  case NodeKind::DictComp:
  case NodeKind::GeneratorExp:
    return eval_comprehension(static_cast<const ComprehensionExpr *>(expr));
  case NodeKind::Await:
    return eval(static_cast<const Await *>(expr)->value);
  case NodeKind::Starred: {
    const Value value = eval(static_cast<const Starred *>(expr)->value);
    return value.is_bottom() ? value : element_of(value);
  }
  case NodeKind::BinOp: {
    const auto *operation = static_cast<const BinOp *>(expr);
    const Value left = eval(operation->left);
    const Value right = eval(operation->right);
    return operated(operation->op(), left, right);
  }
  case NodeKind::Compare: {
    const auto *comparison = static_cast<const Compare *>(expr);
    Value value = eval(comparison->left);
    for (const CompareItem &item : comparison->rest) {
      const Value right = eval(item.right);
      value = item.op < CompareOperator::Is ? compared(value, right) : Value{};
    }
    return value;
  }
  case NodeKind::UnaryOp: {
    const auto *operation = static_cast<const UnaryOp *>(expr);
    const Value operand = eval(operation->operand);
    return operation->op() == UnaryOperator::Not ? Value{} : combine(operand, {});
  }
  case NodeKind::Yield: {
    const Expr *const yielded = static_cast<const Yield *>(expr)->value;
    const Expr *const outer = std::exchange(around_.stored, yielded);
    const Value value = yielded != nullptr ? eval(yielded) : Value{};
    around_.stored = outer;
    result_.is_generator = true;
    // What the generator gives is all alike: objects of the project, batches.
    if (value.is(Value::Tag::Object) || value.is(Value::Tag::Tuple) || value.is_kind(Kind::TorchTensor)) {
      give_return(make_uniform(value));
    }
    return {};
  }
  case NodeKind::YieldFrom:
    result_.is_generator = true;
    [[fallthrough]];
  default:
    for_each_child(expr, [this](const Node *child) { eval(static_cast<const Expr *>(child)); });
    return {};
  }
}

// The result of an operator: of lists, a longer one.
Value Transfer::operated(Operator op, const Value &left, const Value &right) {
  const auto is_list = [](const Value &value) {
    return value.is(Value::Tag::Tuple) && value.alternatives == nullptr && !has_entries(value);
  };
  if (op == Operator::Mult && is_list(left) && !right.known()) {
    Value repeated = make_uniform(element_of(left));
    repeated.output = left.output;
    return repeated;
  }
  if (op != Operator::Add || !is_list(left) || !is_list(right)) {
    return combine(left, right);
  }
  Value both;
  if (left.uniform || right.uniform) {
    both = make_uniform(join(element_of_tuple(left, arena_), element_of_tuple(right, arena_)));
  } else {
    const std::size_t first = items_.size();
    items_.insert(items_.end(), left.items, left.items + left.number);
    items_.insert(items_.end(), right.items, right.items + right.number);
    both = tuple_of(std::span<const Value>(items_).subspan(first));
    items_.resize(first);
  }
  if (both.is(Value::Tag::Tuple)) {
    both.open = left.open || right.open;
    both.output = right.number == 0 ? left.output : right.output;
  }
  return both;
}

// The result of an operator on anything else.
Value Transfer::combine(const Value &left, const Value &right) {
  for (const Kind kind : {Kind::Tensor, Kind::Variable, Kind::TorchTensor, Kind::JaxArray, Kind::NumpyArray}) {
    if (left.is_kind(kind) || right.is_kind(kind)) {
      Value value = Value::instance(kind == Kind::Variable ? Kind::Tensor : kind);
      if (kind == Kind::TorchTensor) {
        value.grad = (left.has_gradient() || right.has_gradient()) && !around_.no_grad ? kGradient : kNoGradient;
        value.device = common_device(left, right) & 7U;
      }
      return value;
    }
  }
  return left.is_bottom() || right.is_bottom() ? Value::bottom() : Value{};
}

// What `a > b` gives: of tensors another one, of truth values.
Value Transfer::compared(const Value &left, const Value &right) {
  if (left.is(Value::Tag::None) || right.is(Value::Tag::None)) {
    return {}; // `x != None` is a bool of Python, also of tensors
  }
  if ((left.is_kind(Kind::JaxArray) || right.is_kind(Kind::JaxArray)) && !left.container && !right.container) {
    return Value::instance(Kind::JaxArray);
  }
  if (!left.is_kind(Kind::TorchTensor) && !right.is_kind(Kind::TorchTensor)) {
    return {};
  }
  Value value = combine(left, right);
  value.grad = kNoGradient;
  value.container = left.container || right.container;
  return value;
}

// ---- Names ----------------------------------------------------------------------------------------------------------

// What is done with a value that nobody tells us tells what it is.
Value Transfer::assumed_value(Symbol name) {
  if (!units_.is_evident(name)) {
    return named_like(name);
  }
  for (const FunctionInfo *scope = current_; scope != nullptr; scope = scope->parent) {
    const auto evidence = scope->evidence.find(name.id);
    if (evidence != scope->evidence.end()) {
      const Value assumed = assumed_from(evidence->second);
      return assumed.known() ? assumed : named_like(name);
    }
  }
  return named_like(name);
}

// In a module that uses PyTorch, `train_loader` is what everybody calls a DataLoader, `tokenizer` a tokenizer, and
// `model` a module; other frameworks have models, too.
Value Transfer::named_like(Symbol name) const {
  if (!module_->torch) {
    return {};
  }
  const u8 traits = name_traits(name);
  return (traits & kLoaderName) != 0                                           ? Value::instance(Kind::TorchDataLoader)
         : (traits & kTokenizerName) != 0                                      ? Value::instance(Kind::HfTokenizer)
         : (traits & kModelName) != 0 && !module_->tensorflow && !module_->jax ? Value::instance(Kind::TorchModule)
                                                                               : Value{};
}

Value Transfer::assumed_from(u32 evidence) {
  const Kind kind = kind_implied_by(evidence, *module_);
  if (kind == Kind::Unknown) {
    return {};
  }
  Value value = Value::instance(kind);
  if (kind == Kind::TorchTensor) {
    value.grad = implies_backward(evidence) && !around_.no_grad ? kGradient : kNoGradient;
  }
  return value;
}

// A name always stands in the same function, so it is looked for only once; the first slots fit into the node.
u32 Transfer::slot_at(const Name *name) const {
  if (name->detail == 0) {
    const u32 slot = current_->slot_of(name->id);
    if (slot == FunctionInfo::kNoSlot) {
      name->detail = kElsewhere;
    } else if (slot + 1 < kElsewhere) {
      name->detail = static_cast<u8>(slot + 1);
    }
    return slot;
  }
  return name->detail == kElsewhere ? FunctionInfo::kNoSlot : name->detail - 1U;
}

Value Transfer::eval_name(const Name *name) {
  Value value = look_up(name->id, slot_at(name));
  // Computed from what nobody tells us, and backward() is called on it: then it has a graph, and is no tuple.
  if (value.is_kind(Kind::TorchTensor) && (value.grad == 0 || value.container) && value.alternatives == nullptr &&
      !around_.no_grad) {
    const Value assumed = assumed_value(name->id);
    const bool is_tensor = assumed.is_kind(Kind::TorchTensor);
    value.grad = is_tensor && value.grad == 0 ? assumed.grad : value.grad;
    value.container = value.container && !(is_tensor && assumed.has_gradient());
  }
  if (!value.is_unknown() && !value.is(Value::Tag::None)) {
    return value;
  }
  const Value assumed = assumed_value(name->id);
  return assumed.known() ? assumed : value;
}

Value Transfer::look_up(Symbol name) { return look_up(name, current_->slot_of(name)); }

Value Transfer::look_up(Symbol name, u32 slot) {
  if (class_body_ != nullptr) {
    const auto member = class_body_->members.find(name.id);
    if (member != class_body_->members.end()) {
      return member->second;
    }
  }
  if (slot != FunctionInfo::kNoSlot) {
    if (environment_[slot].is_bottom()) {
      read_unbound_[slot] = 1;
      return missing(environment_[slot]);
    }
    return environment_[slot];
  }
  for (const FunctionInfo *scope = current_->parent; scope != nullptr; scope = scope->parent) {
    const u32 outer = scope->slot_of(name);
    if (outer != FunctionInfo::kNoSlot) {
      read(units_.of_name(*scope, outer));
      return missing(scope->all_values[outer]);
    }
  }
  for (const Symbol package : module_->stars) {
    if (const Value value = api_attribute(Value::api(package, false), name); find_api(value.name()) != nullptr) {
      return value;
    }
  }
  static const NameTable kBuiltins({"super", "property", "staticmethod", "classmethod"});
  return find_api(name) != nullptr || kBuiltins.has(name) ? Value::api(name, false) : Value{};
}

// ---- Elements -------------------------------------------------------------------------------------------------------

Value Transfer::element_of(const Value &value) {
  if (value.is_bottom()) {
    return value;
  }
  if (value.alternatives == nullptr) {
    return element_of_one(value);
  }
  Value joined = value.open ? Value{} : Value::bottom();
  for_each_alternative(value, [&](const Value &one) { joined = join(joined, element_of_one(one)); });
  return joined;
}

Value Transfer::element_of_one(const Value &value) {
  if (value.is(Value::Tag::Tuple)) {
    const Value element = element_of_tuple(value, arena_);
    return element.is_bottom() && value.uniform ? Value{} : element; // `{}` is there to be filled, by whomever
  }
  if (value.is(Value::Tag::Instance) && value.container) {
    return value;
  }
  if (value.is_kind(Kind::TorchDataLoader)) { // a tensor, or a tuple, list or dict of them; it remembers its loader
    Value batch = Value::made_by(Kind::TorchTensor, value.maker(), value.name());
    batch.container = true;
    batch.grad = kNoGradient;
    // What is only called a loader may be one that copies to the device.
    batch.device = value.maker() != nullptr ? kOnCpu & 7U : 0U;
    return batch;
  }
  if (value.is_kind(Kind::Dataset)) { // of TensorFlow: the same
    Value batch = Value::instance(Kind::Tensor);
    batch.container = true;
    return batch;
  }
  if (value.is_kind(Kind::Tensor) || value.is_kind(Kind::TorchTensor) || value.is_kind(Kind::JaxArray) ||
      value.is_kind(Kind::NumpyArray)) {
    Value element = Value::instance(value.kind);
    element.grad = value.grad;
    element.device = value.device;
    element.output = value.output;
    element.many = value.is_kind(Kind::NumpyArray); // whatever made the array: of one dimension, it is a number
    return element;
  }
  return {};
}

namespace {

// `dataset[0]` and `dataset[a:b]` read rows; `dataset["train"]` is one of several datasets.
bool is_row(const Expr *index) {
  const auto *constant = as<Constant>(index);
  return index->kind == NodeKind::Slice || index->kind == NodeKind::BinOp ||
         (constant != nullptr && constant->constant_kind() == ConstantKind::Int);
}

} // namespace

Value Transfer::eval_subscript(const Subscript *subscript) {
  const Value value = eval(subscript->value);
  const Value key = eval(subscript->slice);
  if (has_entries(value)) { // of what may be another dictionary, perhaps another entry
    const Value entry = entry_at_key(value, subscript->slice, key);
    return value.open ? join(entry, Value{}) : entry;
  }
  if (value.is(Value::Tag::Tuple)) {
    const auto *index = as<Constant>(subscript->slice);
    if (!value.uniform && index != nullptr && index->constant_kind() == ConstantKind::Int) {
      const std::string_view text = module_->parsed->source.part(index->start, index->end);
      const auto number = int_value(text);
      return number.has_value() && *number >= 0 && *number < value.number ? value.items[*number] : Value{};
    }
    return subscript->slice->kind == NodeKind::Slice ? value : element_of(value);
  }
  if (value.is(Value::Tag::Object) && value.alternatives == nullptr && value.type->kind == Kind::Unknown) {
    const Value method = member_of(value.type, known::sym_getitem); // a registry of models
    return method.is(Value::Tag::Function) ? returns_of(*method.function) : Value{};
  }
  if (value.is_kind(Kind::PandasFrame) && !value.container) {
    return Value::instance(Kind::PandasFrame); // columns or rows of it, if it is more than a cell
  }
  if (value.is_kind(Kind::HfDataset) && is_row(subscript->slice)) {
    return {}; // a dict, or a dict of lists
  }
  if (value.is_kind(Kind::HfDataset) && value.container && as_string(subscript->slice) != nullptr) {
    Value split = value; // what is asked of it by name next is a column
    split.container = false;
    return split;
  }
  return value.is(Value::Tag::Instance) && value.container ? value : element_of(value);
}

Value Transfer::eval_comprehension(const ComprehensionExpr *comprehension) {
  // Its names live in the function's slots for as long as it runs; that they would be gone after it does not matter.
  Value element;
  bool is_few = false; // as many as it goes through
  Loop &loop = loop_of(comprehension);
  const Surroundings outer = around_;
  bool first = true;
  for (const Comprehension *generator : comprehension->generators) {
    const Value iterated = eval(generator->iter); // the first one outside the loop
    if (first) {
      const bool is_short = has_few_iterations(generator->iter);
      const Iterations iterations = iterations_of(generator->iter, iterated);
      is_few = is_short || iterations == Iterations::Few;
      if (recording()) {
        loop.few_iterations = is_short;
        loop.iterations = iterations == Iterations::Many ? Iterations::Collection : iterations;
      }
      around_.loop = &loop;
      around_.once = false;
      first = false;
    }
    assign(generator->target, element_of(iterated));
    for (const Expr *condition : generator->ifs) {
      eval(condition);
    }
  }
  element = eval(comprehension->elt);
  if (comprehension->value != nullptr) {
    element = eval(comprehension->value);
  }
  around_ = outer;
  if (element.is_bottom()) {
    return element;
  }
  Value elements = make_uniform(element);
  elements.few = is_few;
  return elements;
}

} // namespace deepperf::model
