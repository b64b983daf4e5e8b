// Would a mapped function give for a batch what it gives for each example?
#include "model/bind.h"
#include "model/mapper_examination.h"
#include "python/children.h"

namespace deepperf::model {

using namespace python;

namespace {

// x[..., tf.newaxis], x[..., 0]: the same for one example and for many.
bool counts_from_the_end(const Expr *index) {
  const auto *parts = as<Tuple>(index);
  const auto *first = parts != nullptr && !parts->elts.empty() ? as<Constant>(parts->elts[0]) : nullptr;
  return first != nullptr && first->constant_kind() == ConstantKind::Ellipsis;
}

// x[tf.newaxis], x[None]
bool is_new_dimension(const Expr *index) {
  const auto *attribute = as<Attribute>(index);
  const auto *constant = as<Constant>(index);
  return (attribute != nullptr && attribute->attr.text() == "newaxis") ||
         (constant != nullptr && constant->constant_kind() == ConstantKind::None);
}

} // namespace

// How many different names of the function's own an expression mentions: parts of the example, most likely.
void MapperExamination::count_locals(const Node *node, std::unordered_set<u32> &names) const {
  if (const auto *name = as<Name>(node)) {
    const bool is_self = function_ != nullptr && is_own_object(*function_, name);
    if (function_ != nullptr && !is_self && function_->slot_of(name->id) != FunctionInfo::kNoSlot &&
        std::ranges::find(outside_, name->id) == outside_.end()) {
      names.insert(name->id.id);
    }
    return;
  }
  for_each_child(node, [&](const Node *child) { count_locals(child, names); });
}

// Two parts of an example may differ in rank, and then a batch of them does not line up.
void MapperExamination::require_one_part(const Node *operation) {
  if (!facts.vectorisable || (counted_ != nullptr && contains(counted_, operation))) {
    return; // settled, or as good as the whole
  }
  std::unordered_set<u32> names;
  count_locals(operation, names);
  facts.vectorisable = names.size() <= 1;
  counted_ = operation;
}

// Taking a field out of a record runs nothing; whether the key is a field's name decides if a batch would do as well.
void MapperExamination::visit_entry(const Call *call, const Expr *record) {
  if (!call->args.empty() && call->args[0]->kind != NodeKind::Dict) {
    note_key(call->args[0]);
  }
  visit(record);
}

// x["image"] picks a feature; x[0] may pick a part of the example.
void MapperExamination::note_key(const Expr *key) {
  const bool is_field = is_text(key);
  facts.vectorisable &= is_field;
  facts.picks_fields |= is_field;
}

// A string, perhaps under a name.
bool MapperExamination::is_text(const Expr *expr) const {
  if (expr->kind != NodeKind::Name) {
    return as_string(expr) != nullptr;
  }
  const Value value = value_of(expr);
  return value.is(Value::Tag::Literal) && as_string(value.literal()) != nullptr;
}

// Parameters for which something is passed that is not of the element: a number of classes, a mean.
std::vector<Symbol> MapperExamination::given_from_outside(const Call *call, const FunctionInfo &callee,
                                                          bool bound) const {
  std::vector<Symbol> params;
  const auto is_of_element = [this](const Expr *passed) {
    std::unordered_set<u32> names;
    count_locals(passed, names);
    return !names.empty();
  };
  const u32 first = bound ? 1 : 0;
  for (u32 i = 0; i < call->args.size() && i + first < callee.params.size(); ++i) {
    if (!is_of_element(call->args[i])) {
      params.push_back(callee.params[i + first]->name);
    }
  }
  for (const Keyword *keyword : call->keywords) {
    if (!is_of_element(keyword->value)) {
      params.push_back(keyword->name);
    }
  }
  return params;
}

// What comes from outside must only help to compute something of the element: it would have to be repeated for each
// example of a batch where it is itself a result.
bool MapperExamination::only_helps(const Node *node, const std::vector<Symbol> &outside, bool is_helping) const {
  if (const auto *name = as<Name>(node)) {
    return is_helping || std::ranges::find(outside, name->id) == outside.end();
  }
  bool helps = is_helping;
  if (!helps && (node->kind == NodeKind::Call || node->kind == NodeKind::BinOp)) {
    std::unordered_set<u32> names;
    count_locals(node, names);
    helps |= !names.empty();
  }
  bool result = true;
  for_each_child(node, [&](const Node *child) { result = result && only_helps(child, outside, helps); });
  return result;
}

// `if training:`, which is settled before any element comes.
void MapperExamination::require_choice_outside(const Expr *test) {
  std::unordered_set<u32> names;
  count_locals(test, names);
  facts.vectorisable &= names.empty();
}

// columns[0] of columns = tf.io.decode_csv(…)
bool MapperExamination::is_column(const Subscript &subscript) const {
  return subscript.slice->kind != NodeKind::Slice && is_list_of_columns(subscript.value);
}

bool MapperExamination::is_list_of_columns(const Expr *expr) const {
  if (const auto *call = as<Call>(expr)) {
    const Value callee = project_.callee_of(call);
    return callee.is(Value::Tag::Api) && callee.name().text().ends_with(".decode_csv");
  }
  const Value value = expr->kind == NodeKind::Name ? value_of(expr) : Value{};
  return value.is(Value::Tag::Instance) && value.kind == Kind::Tensor && value.name() &&
         value.name().text().ends_with(".decode_csv");
}

// A list in what is returned becomes one tensor, with the columns in front of the batch.
void MapperExamination::reject_list_of_columns(const Node *node) {
  for_each_child(node, [this](const Node *child) {
    facts.vectorisable &= (child->kind != NodeKind::Name && child->kind != NodeKind::Call) ||
                          !is_list_of_columns(static_cast<const Expr *>(child));
  });
}

void MapperExamination::note_subscript(const Subscript &subscript) {
  if (counts_from_the_end(subscript.slice)) {
    facts.operations += facts.operations == 0 ? 1 : 0;
  } else if (!is_column(subscript)) {
    note_key(subscript.slice);
  }
  makes_batch_of_one_ |= is_new_dimension(subscript.slice);
}

} // namespace deepperf::model
