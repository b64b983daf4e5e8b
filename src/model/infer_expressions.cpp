#include "base/name_table.h"
#include "model/bind.h"
#include "model/facts.h"
#include "model/infer.h"
#include "model/name_traits.h"

#include "python/children.h"
#include "python/literals.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

Value Inference::eval(const Expr *expr) {
  const Value value = eval_unnoted(expr);
  if (recording_) {
    note_value(expr, value);
    if (value.is_kind(Kind::Dataset) && value.stage() != 0) {
      project_.stage_at[expr] = value.stage();
    }
  }
  return value;
}

Value Inference::eval_unnoted(const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::Name:
    return eval_name(static_cast<const Name *>(expr));
  case NodeKind::Attribute:
    return eval_attribute(static_cast<const Attribute *>(expr));
  case NodeKind::Call:
    return eval_call(static_cast<const Call *>(expr));
  case NodeKind::Constant: {
    Value value;
    value.tag = static_cast<const Constant *>(expr)->constant_kind() == ConstantKind::None ? Value::Tag::None
                                                                                           : Value::Tag::Literal;
    value.expr = expr;
    value.number = module_->file.value + 1; // where its text stands
    return value;
  }
  case NodeKind::Lambda: {
    FunctionInfo *function = function_for(expr);
    if (current_->traced && current_->node != nullptr) {
      function->traced = true;
      function->tracers |= current_->tracers;
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
    Value value;
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
    const std::size_t first = items_.size();
    for_each_child(expr, [this](const Node *child) { items_.push_back(eval(static_cast<const Expr *>(child))); });
    const Value value = make_tuple(std::span<const Value>(items_).subspan(first), false);
    items_.resize(first);
    return value;
  }
  case NodeKind::Dict: {
    Value joined;
    bool mixed = false; // of different things, so that one more tells nothing
    for (const DictItem &item : static_cast<const Dict *>(expr)->items) {
      if (item.key != nullptr) {
        eval(item.key);
      }
      const Value value = eval(item.value);
      const bool both = joined.known() && value.known();
      joined = join(joined, value);
      mixed |= both && !joined.known();
    }
    Value entries = make_uniform(mixed ? Value{} : joined);
    const u32 count = static_cast<const Dict *>(expr)->items.size();
    entries.few = count > 0 && count <= 10; // an empty one is there to be filled
    return entries;
  }
  case NodeKind::ListComp:
  case NodeKind::SetComp:
  case NodeKind::DictComp:
  case NodeKind::GeneratorExp:
    return eval_comprehension(static_cast<const ComprehensionExpr *>(expr));
  case NodeKind::Subscript:
    return eval_subscript(static_cast<const Subscript *>(expr));
  case NodeKind::Await:
    return eval(static_cast<const Await *>(expr)->value);
  case NodeKind::Starred:
    eval(static_cast<const Starred *>(expr)->value);
    return {};
  case NodeKind::BinOp: {
    const auto *operation = static_cast<const BinOp *>(expr);
    const Value left = eval(operation->left);
    const Value right = eval(operation->right);
    return combine(left, right);
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
    if (value.is(Value::Tag::Object)) { // what the generator gives are objects of the project, all alike
      current_->returns = current_->returned ? join(current_->returns, make_uniform(value)) : make_uniform(value);
      current_->returned = true;
    }
    return {};
  }
  case NodeKind::YieldFrom:
  default:
    for_each_child(expr, [this](const Node *child) { eval(static_cast<const Expr *>(child)); });
    return {};
  }
}

// The result of an operator.
Value Inference::combine(const Value &left, const Value &right) {
  for (const Kind kind : {Kind::Tensor, Kind::Variable, Kind::TorchTensor, Kind::JaxArray, Kind::NumpyArray}) {
    if (left.is_kind(kind) || right.is_kind(kind)) {
      Value value = Value::instance(kind == Kind::Variable ? Kind::Tensor : kind);
      value.grad = (left.grad || right.grad) && !around_.no_grad;
      value.gpu = left.gpu || right.gpu;
      return value;
    }
  }
  return {};
}

void note_value(const Expr *expr, const Value &value) {
  u8 facts = 0;
  if (value.is(Value::Tag::Instance) && (!value.container || value.kind == Kind::Variable)) {
    facts = static_cast<u8>(value.kind);
  } else if (value.is(Value::Tag::Object)) {
    facts = static_cast<u8>(value.type->kind);
  }
  facts |= value.grad ? kGradBit : 0;
  facts |= value.gpu ? kGpuBit : 0;
  expr->value = facts;
  expr->output = static_cast<u8>(value.output) & 15U;
}

Value Inference::make_tuple(std::span<const Value> items, bool uniform) {
  constexpr std::size_t kMostItems = 64;
  if (items.size() > kMostItems) { // a table of data
    return {};
  }
  Value value;
  value.tag = Value::Tag::Tuple;
  value.uniform = uniform;
  const Array<Value> stored = project_.values.copy(items.data(), items.size());
  value.items = stored.items;
  value.number = stored.count;
  return items.empty() ? Value{} : value;
}

// ---- Names ----------------------------------------------------------------------------------------------------------

// What is done with a value that nobody tells us tells what it is.
Value Inference::assumed_value(Symbol name) {
  for (const FunctionInfo *scope = current_; scope != nullptr; scope = scope->parent) {
    const auto evidence = scope->evidence.find(name.id);
    if (evidence != scope->evidence.end()) {
      return assumed_from(evidence->second);
    }
  }
  return is_loader_name(name) ? Value::instance(Kind::TorchDataLoader) : Value{};
}

// In a module that uses PyTorch, `train_loader` is what everybody calls a DataLoader.
bool Inference::is_loader_name(Symbol name) const { return module_->torch && has_trait(name, kLoaderName); }

Value Inference::assumed_from(u32 evidence) {
  const Kind kind = kind_told_by(evidence, *module_);
  if (kind == Kind::Unknown) {
    return {};
  }
  Value value = Value::instance(kind);
  value.grad = kind == Kind::TorchTensor && tells_backward(evidence) && !around_.no_grad;
  return value;
}

// A name always stands in the same function, so it is looked for only once; the first slots fit into the node.
u32 Inference::slot_at(const Name *name) const {
  constexpr u8 kElsewhere = 255;
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

Value Inference::eval_name(const Name *name) {
  const Value value = look_up(name->id, slot_at(name));
  return value.known() ? value : assumed_value(name->id);
}

Value Inference::look_up(Symbol name) { return look_up(name, current_->slot_of(name)); }

Value Inference::look_up(Symbol name, u32 slot) {
  if (class_body_ != nullptr) {
    const auto member = class_body_->members.find(name.id);
    if (member != class_body_->members.end()) {
      return member->second;
    }
  }
  if (slot != FunctionInfo::kNoSlot) {
    const Value &value = environment_[slot];
    // A module's code may be half run when a cycle of imports asks for it.
    return value.known() || current_->node != nullptr ? value : current_->ever[slot];
  }
  for (const FunctionInfo *scope = current_->parent; scope != nullptr; scope = scope->parent) {
    const u32 outer = scope->slot_of(name);
    if (outer != FunctionInfo::kNoSlot) {
      return scope->ever[outer];
    }
  }
  if (module_->body != nullptr && module_->body != current_) {
    const u32 global = module_->body->slot_of(name);
    if (global != FunctionInfo::kNoSlot) {
      return module_->body->ever[global];
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

// ---- Attributes -----------------------------------------------------------------------------------------------------

// Who reads which attribute: of a class that is known, or of anything.
void Inference::note_load(const Value &value, Symbol attr) {
  if (value.is(Value::Tag::Object) || value.is(Value::Tag::Class)) {
    if (value.type->kind == Kind::TorchModule || value.type->kind == Kind::TorchLoss) {
      value.type->loads.insert(attr.id);
    }
  } else if (!value.is(Value::Tag::Api) && !value.is(Value::Tag::Module)) {
    project_.loads.insert(attr.id);
  }
}

Value Inference::eval_attribute(const Attribute *attribute) {
  const Value value = eval(attribute->value);
  if (recording_ && module_->torch && attribute->context == Context::Load) {
    note_load(value, attribute->attr);
  }
  return attribute_of(value, attribute->attr, attribute);
}

// What a module that does `from tensorflow import *` has, but does not make itself.
Value Inference::star_attribute(const Module &module, Symbol attr) {
  for (const Symbol package : module.stars) {
    if (const Value value = api_attribute(Value::api(package, false), attr); find_api(value.name()) != nullptr) {
      return value;
    }
  }
  return module.stars.empty() ? Value{} : api_attribute(Value::api(module.stars.front(), false), attr);
}

Value Inference::api_attribute(const Value &api, Symbol attr) {
  const u64 key = (u64{api.number} << 32) | attr.id;
  const auto found = api_children_.find(key);
  if (found != api_children_.end()) {
    Value value = found->second;
    value.v1 |= api.v1;
    return value;
  }
  std::string dotted(api.name().text());
  dotted += '.';
  dotted += attr.text();
  bool v1 = false;
  const Value value = Value::api(canonical_name(dotted, &v1), v1);
  api_children_.emplace(key, value);
  Value result = value;
  result.v1 |= api.v1;
  return result;
}

// The method or property of a framework's kind, of an instance of it or of an object of a class that derives from it.
Value Inference::framework_method(const Value &value, Symbol attr) {
  const ApiInfo *info = find_method(value.kind, attr);
  if (info == nullptr) {
    return module_->tensorflow && module_->may_be_eager() ? trained_state(attr) : Value{};
  }
  if (info->has(kProperty)) {
    Value result = Value::instance(info->returns);
    result.gpu = value.gpu;
    result.grad = value.grad && info->returns == Kind::TorchTensor && attr.text() != "data" && attr.text() != "grad";
    result.output = info->output == Output::Same ? value.output : Output::Unknown;
    return result;
  }
  Value method;
  method.tag = Value::Tag::ApiMethod;
  method.number = attr.id;
  method.items = project_.values.copy(&value, 1).items;
  return method;
}

Value Inference::attribute_of(const Value &value, Symbol attr, const Attribute * /*node*/) {
  switch (value.tag) {
  case Value::Tag::Api: {
    const Value child = api_attribute(value, attr);
    if (!module_->imported.empty()) {
      const auto imported = module_->imported.find(child.number);
      if (imported != module_->imported.end()) {
        Value module;
        module.tag = Value::Tag::Module;
        module.module = imported->second;
        return module;
      }
    }
    return child;
  }
  case Value::Tag::Module: {
    const FunctionInfo *body = value.module->body;
    if (body != nullptr) {
      const u32 slot = body->slot_of(attr);
      if (slot != FunctionInfo::kNoSlot) {
        return body->ever[slot];
      }
    }
    if (const Module *inner = index_.find(*value.module, {}, attr, 1)) {
      Value module;
      module.tag = Value::Tag::Module;
      module.module = inner;
      return module;
    }
    return star_attribute(*value.module, attr);
  }
  case Value::Tag::Instance: {
    return framework_method(value, attr);
  }
  case Value::Tag::Object:
  case Value::Tag::Class: {
    const Value member = member_of(value.type, attr);
    if (member.is(Value::Tag::Function)) {
      if (member.function->is_property) {
        evaluate(*member.function);
        return member.function->returns;
      }
      return Value::of(member.function, value.is(Value::Tag::Object) || member.function->is_class_method
                                            ? Value::Tag::Method
                                            : Value::Tag::Function);
    }
    if (!member.known() && value.type->kind != Kind::Unknown && find_method(value.type->kind, attr) != nullptr) {
      Value object = value; // the method of the framework, bound to the object
      object.kind = value.type->kind;
      return framework_method(object, attr);
    }
    if (!member.known()) {
      const auto &evidence = value.type->module->attribute_evidence;
      const auto told = evidence.find(attr.id);
      return told != evidence.end() ? assumed_from(told->second)
             : is_loader_name(attr) ? Value::instance(Kind::TorchDataLoader)
                                    : member;
    }
    return member;
  }
  default:
    // What training changes, whoever holds it.
    return module_->tensorflow && module_->may_be_eager() ? trained_state(attr) : Value{};
  }
}

Value Inference::trained_state(Symbol attr) {
  const std::string_view name = attr.text();
  if (name == "iterations") {
    return Value::instance(Kind::Variable);
  }
  if (name == "trainable_variables" || name == "trainable_weights") {
    Value value = Value::instance(Kind::Variable);
    value.container = true;
    return value;
  }
  return {};
}

Value Inference::member_of(ClassInfo *type, Symbol attr, u32 depth) {
  Value value;
  if (const auto attribute = type->attributes.find(attr.id); attribute != type->attributes.end()) {
    value = attribute->second;
  }
  if (const auto member = type->members.find(attr.id); member != type->members.end()) {
    value = value.known() ? value : member->second;
  }
  if (value.known() || depth > 20) {
    return value;
  }
  for (const Value &base : type->bases) {
    if (base.is(Value::Tag::Class) && base.type != type) {
      value = member_of(base.type, attr, depth + 1);
      if (value.known()) {
        return value;
      }
    }
  }
  return value;
}

// ---- Elements -------------------------------------------------------------------------------------------------------

Value Inference::element_of(const Value &value) {
  if (value.is(Value::Tag::Tuple)) {
    Value joined;
    for (u32 i = 0; i < value.number; ++i) {
      joined = join(joined, value.items[i]);
    }
    return joined;
  }
  if (value.is(Value::Tag::Instance) && value.container) {
    return value;
  }
  if (value.is_kind(Kind::TorchDataLoader)) { // a tensor, or a tuple, list or dict of them; it remembers its loader
    Value batch = Value::made_by(Kind::TorchTensor, value.call, value.name());
    batch.container = true;
    return batch;
  }
  if (value.is_kind(Kind::Tensor) || value.is_kind(Kind::TorchTensor) || value.is_kind(Kind::JaxArray) ||
      value.is_kind(Kind::NumpyArray)) {
    Value element = Value::instance(value.kind);
    element.grad = value.grad;
    element.gpu = value.gpu;
    element.output = value.output;
    return element;
  }
  return {};
}

Value Inference::eval_subscript(const Subscript *subscript) {
  const Value value = eval(subscript->value);
  eval(subscript->slice);
  if (value.is(Value::Tag::Tuple)) {
    const auto *index = as<Constant>(subscript->slice);
    if (!value.uniform && index != nullptr && index->constant_kind() == ConstantKind::Int) {
      const std::string_view text = module_->parsed->source.part(index->start, index->end);
      const auto number = int_value(text);
      return number.has_value() && *number >= 0 && *number < value.number ? value.items[*number] : Value{};
    }
    return subscript->slice->kind == NodeKind::Slice ? value : element_of(value);
  }
  return value.is(Value::Tag::Instance) && value.container ? value : element_of(value);
}

Value Inference::eval_comprehension(const ComprehensionExpr *comprehension) {
  // Its names live in the function's slots for as long as it runs; that they would be gone behind it does not matter.
  Value element;
  Loop &loop = begin_loop(comprehension);
  const Surroundings outer = around_;
  bool first = true;
  for (const Comprehension *generator : comprehension->generators) {
    const Value iterated = eval(generator->iter); // the first one outside the loop
    if (first) {
      loop.tiny = is_tiny(generator->iter);
      const Turns turns = turns_of(generator->iter, iterated);
      loop.turns = turns == Turns::Many ? Turns::Collection : turns;
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
  hand_to_parent(loop);
  Value elements = make_uniform(element);
  elements.few = loop.tiny || loop.turns == Turns::Few; // as many as it goes through
  return elements;
}

} // namespace deepperf::model
