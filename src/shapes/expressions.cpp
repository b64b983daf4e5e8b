#include "python/literals.h"
#include "shapes/bool_arithmetic.h"
#include "shapes/interpreter.h"

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {
constexpr u32 kDeepestExpression = 200;
}

namespace {

// What a list or dictionary holds now: it may have been made in an iteration that the code after the loop takes for one
// that perhaps never ran, but whoever got it from a generator was in that iteration.
Value as_it_is(Heap &heap, const Value &value, u32 depth) {
  constexpr u32 kMostDepth = 3;
  if (depth == kMostDepth) {
    return value;
  }
  if (value.is(Tag::Dict)) {
    DictObject *const dict = heap.new_dict();
    dict->content = value.dict->content;
    for (auto &item : dict->content.items) {
      item.second = as_it_is(heap, item.second, depth + 1);
    }
    return Value::of(dict);
  }
  if (value.is(Tag::List) || value.is(Tag::Tuple)) {
    std::vector<Value> items = value.list->content.items;
    for (Value &item : items) {
      item = as_it_is(heap, item, depth + 1);
    }
    const bool is_open = value.list->content.is_open;
    const Value list = heap.new_list(std::move(items), value.tag);
    list.list->content.is_open = is_open;
    return list;
  }
  return value;
}

} // namespace

Value Interpreter::eval(const Expr *expr) {
  if (expr == nullptr || !spend() || depth_ > kDeepestExpression) {
    return {};
  }
  ++depth_;
  Value value;
  switch (expr->kind) {
  case NodeKind::Constant:
    value = eval_constant(static_cast<const Constant *>(expr));
    break;
  case NodeKind::Name:
    value = look_up(static_cast<const Name *>(expr)->id);
    break;
  case NodeKind::Attribute: {
    const auto *attr = static_cast<const Attribute *>(expr);
    value = attribute(eval(attr->value), attr->attr, expr);
    break;
  }
  case NodeKind::Call:
    value = eval_call(static_cast<const Call *>(expr));
    break;
  case NodeKind::BinOp: {
    const auto *operation = static_cast<const BinOp *>(expr);
    const Value left = eval(operation->left);
    const Value right = eval(operation->right);
    value = binary(operation->op(), left, right, expr);
    break;
  }
  case NodeKind::UnaryOp:
    value = eval_unary(static_cast<const UnaryOp *>(expr));
    break;
  case NodeKind::BoolOp:
    value = eval_bool(static_cast<const BoolOp *>(expr));
    break;
  case NodeKind::Compare:
    value = eval_compare(static_cast<const Compare *>(expr));
    break;
  case NodeKind::IfExp:
    value = eval_if(static_cast<const IfExp *>(expr));
    break;
  case NodeKind::Subscript: {
    const auto *item = static_cast<const Subscript *>(expr);
    const Value holder = eval(item->value);
    value = subscript(holder, eval_index(item->slice), expr);
    break;
  }
  case NodeKind::List:
  case NodeKind::Tuple:
  case NodeKind::Set:
    value = eval_sequence(expr);
    break;
  case NodeKind::Dict:
    value = eval_dict(static_cast<const Dict *>(expr));
    break;
  case NodeKind::ListComp:
  case NodeKind::SetComp:
  case NodeKind::DictComp:
  case NodeKind::GeneratorExp:
    value = eval_comprehension(static_cast<const ComprehensionExpr *>(expr));
    break;
  case NodeKind::Lambda:
    value = eval_lambda(static_cast<const Lambda *>(expr));
    break;
  case NodeKind::JoinedStr:
    value = eval_string(static_cast<const JoinedStr *>(expr));
    break;
  case NodeKind::NamedExpr: {
    const auto *named = static_cast<const NamedExpr *>(expr);
    value = eval(named->value);
    assign(named->target, value);
    break;
  }
  case NodeKind::Slice:
    value = eval_slice(static_cast<const Slice *>(expr));
    break;
  case NodeKind::Await:
    eval(static_cast<const Await *>(expr)->value);
    break;
  case NodeKind::Yield: {
    const auto *yield = static_cast<const Yield *>(expr);
    yielded_ = heap.join(yielded_, yield->value != nullptr ? as_it_is(heap, eval(yield->value), 0) : Value::none());
    break;
  }
  case NodeKind::YieldFrom:
    eval(static_cast<const YieldFrom *>(expr)->value);
    yielded_ = Value();
    break;
  default:
    break;
  }
  --depth_;
  if (seen != nullptr && (value.is(Tag::Tensor) || value.is(Tag::Opaque))) {
    see(*this, *expr, value);
  }
  return value;
}

Value Interpreter::eval_sequence(const Expr *expr) {
  const Array<Expr *> &elements = expr->kind == NodeKind::List    ? static_cast<const List *>(expr)->elts
                                  : expr->kind == NodeKind::Tuple ? static_cast<const Tuple *>(expr)->elts
                                                                  : static_cast<const Set *>(expr)->elts;
  std::vector<Value> items;
  bool is_exact = true;
  for (const Expr *element : elements) {
    if (const auto *starred = as<Starred>(element)) {
      is_exact = iterate(eval(starred->value), items) && is_exact;
    } else {
      items.push_back(eval(element));
    }
  }
  const Tag tag = expr->kind == NodeKind::List ? Tag::List : expr->kind == NodeKind::Tuple ? Tag::Tuple : Tag::Set;
  return is_exact ? heap.new_list(std::move(items), tag) : heap.new_open_list(Value(), tag);
}

Value Interpreter::eval_dict(const Dict *expr) {
  DictObject *const dict = heap.new_dict();
  for (const DictItem &item : expr->items) {
    if (item.key == nullptr) {
      const Value other = eval(item.value);
      if (other.is(Tag::Dict)) {
        for (const auto &[key, content] : other.dict->content.items) {
          set_subscript(Value::of(dict), key, content);
        }
        dict->content.is_open = dict->content.is_open || other.dict->content.is_open;
      } else {
        dict->content.is_open = true;
      }
      continue;
    }
    const Value key = eval(item.key);
    set_subscript(Value::of(dict), key, eval(item.value));
  }
  return Value::of(dict);
}

Value Interpreter::eval_slice(const Slice *slice) {
  const auto part = [this](const Expr *bound) { return bound != nullptr ? eval(bound) : Value::none(); };
  const SliceObject made{part(slice->lower), part(slice->upper), part(slice->step)};
  return Value::of(heap.arena.make<SliceObject>(made));
}

Value Interpreter::eval_index(const Expr *expr) { return eval(expr); }

Value Interpreter::eval_constant(const Constant *constant) {
  const std::string_view text = source_of(module(), constant);
  switch (constant->constant_kind()) {
  case ConstantKind::None:
    return Value::none();
  case ConstantKind::True:
    return Value::of_bool(true);
  case ConstantKind::False:
    return Value::of_bool(false);
  case ConstantKind::Ellipsis:
    return Value(Tag::Ellipsis);
  case ConstantKind::Int: {
    const auto number = int_value(text);
    return number ? Value::of_int(*number) : Value::of(Dim{});
  }
  case ConstantKind::Float:
    return Value::of_float(float_value(text));
  case ConstantKind::Str: {
    constexpr std::size_t kLongest = 256; // docstrings and the like are of no use
    if (text.size() > kLongest) {
      return Value::of_text({});
    }
    const auto [known, is_new] = texts_.try_emplace(constant);
    if (is_new) {
      known->second = intern(string_value(module()->parsed->source, *as_string(constant)));
    }
    return Value::of_text(known->second);
  }
  default:
    return {};
  }
}

Value Interpreter::eval_string(const JoinedStr *expr) {
  std::string out;
  for (const Expr *part : expr->values) {
    Value value;
    if (const auto *formatted = as<FormattedValue>(part)) {
      value = eval(formatted->value);
      if (formatted->format_spec != nullptr || formatted->conversion() != 0) {
        return Value::of_text({});
      }
    } else {
      value = eval(part);
    }
    const auto text = as_text(value);
    if (!text) {
      return Value::of_text({});
    }
    out += *text;
  }
  return computed_text(out);
}

Value Interpreter::eval_unary(const UnaryOp *expr) {
  const Value operand = eval(expr->operand);
  switch (expr->op()) {
  case UnaryOperator::Not:
    check_truth_value(*this, expr->operand, operand);
    switch (truth(operand)) {
    case Truth::Yes:
      return Value::of_bool(false);
    case Truth::No:
      return Value::of_bool(true);
    default:
      return Value::of(Truth::Unknown);
    }
  case UnaryOperator::USub:
    if (operand.is(Tag::Int) || operand.is(Tag::Opaque)) {
      return operand.is(Tag::Int) ? Value::of(terms.subtract(Dim::of(0), operand.dim())) : Value();
    }
    if (operand.is(Tag::Float)) {
      return operand.small != 0 ? Value::of_float(-operand.real) : operand;
    }
    [[fallthrough]];
  default:
    check_unary_kind(*this, expr, expr->op(), operand);
    return operand.is(Tag::Tensor) || (operand.is(Tag::Int) && expr->op() == UnaryOperator::UAdd) ? operand : Value();
  }
}

Value Interpreter::eval_bool(const BoolOp *expr) {
  const bool is_and = expr->op() == BoolOperator::And;
  Value joined(Tag::Undefined);
  for (u32 i = 0; i < expr->values.size(); ++i) {
    const Value value = eval(expr->values[i]);
    const Truth is_true = truth(value);
    if (i + 1 == expr->values.size()) {
      return heap.join(joined, value);
    }
    check_truth_value(*this, expr->values[i], value);
    if (is_true == Truth::Unknown) {
      // `use_gpu and torch.cuda.is_available()`: what it decides about is the same question.
      if (!value.is(Tag::HasGpu)) {
        joined = heap.join(joined, value.is(Tag::Bool) ? value : Value());
      } else {
        joined = value;
      }
      continue;
    }
    if ((is_true == Truth::No) == is_and) {
      return joined.is(Tag::Undefined) ? value : heap.join(joined, value);
    }
  }
  return {};
}

Value Interpreter::eval_compare(const Compare *expr) {
  Value left = eval(expr->left);
  Value result = Value::of_bool(true);
  for (const CompareItem &item : expr->rest) {
    const Value right = eval(item.right);
    const Value one = compare(item.op, left, right, expr);
    if (expr->rest.size() == 1) {
      return one;
    }
    const Truth is_true = truth(one);
    if (is_true == Truth::No) {
      return Value::of_bool(false);
    }
    if (is_true == Truth::Unknown) {
      result = Value::of(Truth::Unknown);
    }
    left = right;
  }
  return result;
}

Value Interpreter::eval_if(const IfExp *expr) {
  is_undecided_ = false;
  const Value test = eval(expr->test);
  check_truth_value(*this, expr->test, test);
  switch (truth(test)) {
  case Truth::Yes:
    return eval(expr->body);
  case Truth::No:
    return eval(expr->orelse);
  default:
    break;
  }
  const bool guard = !test.is(Tag::HasGpu); // what it decides may go with other shapes
  Value left;
  Value right;
  either(
      [&] {
        left = eval(expr->body);
        return Flow::Next;
      },
      [&] {
        right = eval(expr->orelse);
        return Flow::Next;
      },
      guard);
  return heap.join(left, right);
}

bool Interpreter::comprehend(const ComprehensionExpr *expr, u32 generator, std::vector<Value> &items,
                             std::vector<Value> *values) {
  if (generator == expr->generators.size()) {
    items.push_back(eval(expr->elt));
    if (values != nullptr) {
      values->push_back(eval(expr->value));
    }
    return true;
  }
  const Comprehension &part = *expr->generators[generator];
  std::vector<Value> elements;
  const Value iterable = eval(part.iter);
  bool is_exact = iterate(iterable, elements);
  if (is_exact && elements.size() > limits_.iterations) {
    Value all(Tag::Undefined);
    if (iterable.is(Tag::Range)) {
      all = Value::of(number_in(*iterable.range));
    } else {
      for (const Value &element : elements) {
        all = heap.join(all, element);
      }
    }
    elements.assign(1, all);
    is_exact = false;
  }
  if (!is_exact && elements.empty()) {
    elements.emplace_back();
  }
  for (const Value &element : elements) {
    assign(part.target, element);
    bool is_wanted = true;
    for (const Expr *condition : part.ifs) {
      const Truth holds = truth(eval(condition));
      is_exact = is_exact && holds != Truth::Unknown;
      is_wanted = is_wanted && holds != Truth::No;
    }
    if (is_wanted) {
      is_exact = comprehend(expr, generator + 1, items, values) && is_exact;
    }
    if (items.size() > kMostComputedItems || is_exhausted()) {
      return false;
    }
  }
  return is_exact;
}

Value Interpreter::eval_comprehension(const ComprehensionExpr *expr) {
  Frame *const frame = heap.new_frame(frame_, module());
  frame->function = frame_->function;
  Frame *const outer = std::exchange(frame_, frame);
  std::vector<Value> items;
  std::vector<Value> values;
  const bool is_dict = expr->kind == NodeKind::DictComp;
  const bool is_exact = comprehend(expr, 0, items, is_dict ? &values : nullptr);
  frame_ = outer;
  if (is_dict) {
    DictObject *const dict = heap.new_dict();
    for (std::size_t i = 0; i < items.size() && i < values.size(); ++i) {
      set_subscript(Value::of(dict), items[i], values[i]);
    }
    dict->content.is_open = !is_exact;
    return Value::of(dict);
  }
  const Tag tag = expr->kind == NodeKind::SetComp ? Tag::Set : Tag::List;
  if (is_exact) {
    return heap.new_list(std::move(items), tag);
  }
  Value all(Tag::Undefined);
  for (const Value &item : items) {
    all = heap.join(all, item);
  }
  return heap.new_open_list(all.is(Tag::Undefined) ? Value() : all, tag);
}

namespace {

// x[2:5] = y: y must have the shape of the part, or be repeated to it.
void check_slice(Interpreter &in, const Value &holder, const Value &index, const Value &value, const Expr *place) {
  const bool is_array =
      holder.is(Tag::Tensor) && (holder.tensor->library == Library::Torch || holder.tensor->library == Library::Numpy);
  if (!is_array || !value.is(Tag::Tensor) || !holder.tensor->shape.is_known() || !value.tensor->shape.is_known()) {
    return;
  }
  const Value part = in.quietly([&] { return in.subscript(holder, index, place); });
  if (!part.is(Tag::Tensor) || !part.tensor->shape.is_known()) {
    return;
  }
  const Shape &into = part.tensor->shape;
  const Shape &from = value.tensor->shape;
  bool fits = true;
  for (u32 i = 0; i < from.rank(); ++i) {
    const Dim size = from.from_end(i);
    fits = fits && (i < into.rank() ? size.is(1) || !size.is_constant() || !into.from_end(i).is_constant() ||
                                          size == into.from_end(i)
                                    : size.is(1) || !size.is_constant());
  }
  if (fits) {
    return;
  }
  if (Problem *problem = in.report(Fault::ShapesDoNotFit, place,
                                   fmt::format("{} is stored in a part of {}", in.text_of(from), in.text_of(into)))) {
    in.add_chain(*problem, *holder.tensor);
    in.add_chain(*problem, *value.tensor);
    problem->advice = "the stored value needs the shape of the part, or sizes of 1";
  }
}

} // namespace

namespace {

// A module of PyTorch takes no plain tensor for what is a parameter. Some methods may return the parameter itself.
void check_parameter(Interpreter &in, const Value &holder, Symbol name, const Value &value, const Expr *target) {
  if (!holder.is(Tag::Object) || !in.is_module(*holder.object) || !value.is(Tag::Tensor) ||
      value.tensor->library != Library::Torch || value.tensor->is_parameter || value.tensor->step >= in.steps.size()) {
    return;
  }
  const auto stored = holder.object->content.attributes.find(name.id);
  const Value before = stored != holder.object->content.attributes.end() ? stored->second
                       : holder.object->type == nullptr                  ? in.weight_of(*holder.object, name)
                                                                         : Value();
  const Symbol operation = in.steps[value.tensor->step].operation;
  const std::string_view made_by = operation ? operation.text() : std::string_view{};
  const std::string_view last = made_by.substr(made_by.rfind('.') + 1);
  static constexpr std::string_view kMayBeSame[] = {"to",   "cuda",    "cpu",        "float",     "double",   "half",
                                                    "type", "type_as", "contiguous", "expand_as", "bfloat16", "long",
                                                    "int",  "bool",    "view",       "data",      "detach"};
  if (!before.is(Tag::Tensor) || !before.tensor->is_parameter || last.ends_with("_") ||
      std::ranges::find(kMayBeSame, last) != std::end(kMayBeSame)) {
    return;
  }
  if (Problem *problem = in.report(Fault::Arity, target,
                                   std::string(name.text()) + " is a parameter, which a tensor cannot replace")) {
    in.add_chain(*problem, *value.tensor);
    problem->advice = "assign nn.Parameter(tensor), or change it in place under torch.no_grad(): .copy_(tensor)";
  }
}

} // namespace

void Interpreter::assign(const Expr *target, const Value &value) {
  if (seen != nullptr && (value.is(Tag::Tensor) || value.is(Tag::Opaque))) {
    see(*this, *target, value);
  }
  switch (target->kind) {
  case NodeKind::Name:
    return bind(static_cast<const Name *>(target)->id, value);
  case NodeKind::Attribute: {
    const auto *attr = static_cast<const Attribute *>(target);
    const Value holder = eval(attr->value);
    if (!is_in_place_) {
      check_parameter(*this, holder, attr->attr, value, target);
    }
    return set_attribute(holder, attr->attr, value);
  }
  case NodeKind::Subscript: {
    const auto *item = static_cast<const Subscript *>(target);
    const Value holder = eval(item->value);
    const Value index = eval_index(item->slice);
    check_slice(*this, holder, index, value, target);
    return set_subscript(holder, index, value);
  }
  case NodeKind::Starred:
    return assign(static_cast<const Starred *>(target)->value, heap.new_open_list(Value()));
  case NodeKind::Tuple:
  case NodeKind::List: {
    const Array<Expr *> &targets = target->kind == NodeKind::Tuple ? static_cast<const Tuple *>(target)->elts
                                                                   : static_cast<const List *>(target)->elts;
    std::vector<Value> items;
    const bool is_starred =
        std::ranges::any_of(targets, [](const Expr *one) { return one->kind == NodeKind::Starred; });
    const bool is_exact = unpack(value, is_starred ? 0 : targets.size(), items, target);
    if (is_starred && is_exact && items.size() + 1 >= targets.size()) {
      u32 at = 0;
      for (u32 i = 0; i < targets.size(); ++i) {
        if (const auto *starred = as<Starred>(targets[i])) {
          const std::size_t count = items.size() + 1 - targets.size();
          assign(starred->value, heap.new_list({items.begin() + at, items.begin() + at + static_cast<i64>(count)}));
          at += static_cast<u32>(count);
        } else {
          assign(targets[i], items[at++]);
        }
      }
      return;
    }
    for (u32 i = 0; i < targets.size(); ++i) {
      if (!is_starred && is_exact && items.size() == targets.size()) {
        assign(targets[i], items[i]);
      } else {
        assign(targets[i], !is_exact && !items.empty() ? items[0] : Value());
      }
    }
    return;
  }
  default:
    return;
  }
}

} // namespace deepperf::shapes
