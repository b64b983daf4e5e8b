// What is bound and stored.
#include "model/transfer.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

void Transfer::bind(Symbol name, const Value &value) { bind(name, current_->slot_of(name), value); }

void Transfer::bind(Symbol name, u32 slot, const Value &value) {
  if (class_body_ != nullptr) {
    class_body_->members[name.id] = value;
    return;
  }
  if (slot != FunctionInfo::kNoSlot) {
    environment_[slot] = current_->is_outer && value.is(Value::Tag::Tuple) ? filled_inside(slot, value) : value;
    if (!peeking_ && !result_.all_values.empty()) {
      result_.all_values[slot] = join(result_.all_values[slot], value);
    }
    return;
  }
  // Declared global or nonlocal.
  for (const FunctionInfo *scope = current_->parent; scope != nullptr; scope = scope->parent) {
    slot = scope->slot_of(name);
    if (slot != FunctionInfo::kNoSlot) {
      contribute(Contribution::Target::Variable, scope->index, slot, value);
      return;
    }
  }
}

// A dictionary or list that functions inside fill: a table that decorators register classes in.
Value Transfer::filled_inside(u32 slot, const Value &container) {
  read(units_.of_name(*current_, slot));
  const auto stored = current_->outer_stores.find(slot);
  return stored == current_->outer_stores.end() ? container : join(container, stored->second.value);
}

void Transfer::assign(const Expr *target, const Value &value) {
  switch (target->kind) {
  case NodeKind::Name:
    bind(static_cast<const Name *>(target)->id, slot_at(static_cast<const Name *>(target)), value);
    return;
  case NodeKind::Attribute:
    store_attribute(static_cast<const Attribute *>(target), value);
    return;
  case NodeKind::Starred:
    assign(static_cast<const Starred *>(target)->value, value.is_bottom() ? value : Value{});
    return;
  case NodeKind::Subscript:
    grow(static_cast<const Subscript *>(target), value);
    return;
  case NodeKind::Tuple:
  case NodeKind::List: {
    const Array<Expr *> targets = target->kind == NodeKind::Tuple ? static_cast<const Tuple *>(target)->elts
                                                                  : static_cast<const List *>(target)->elts;
    for (u32 i = 0; i < targets.size(); ++i) {
      Value part;
      if (value.is_bottom()) {
        part = value;
      } else if (value.is(Value::Tag::Tuple)) {
        part = value.uniform ? element_of(value) : i < value.number ? value.items[i] : Value{};
      } else if (value.is(Value::Tag::Instance) && value.container) {
        part = value; // (train, test), info = tfds.load(…)
      } else if (value.is(Value::Tag::Instance)) {
        part = element_of(value);
      }
      assign(targets[i], part);
    }
    return;
  }
  default:
    return;
  }
}

// One more element of a list or dict: what was written down is not all of it any more, and all elements are alike.
// `last`: what the layer gives that is the last one now, if it is one.
void Transfer::grow(const Expr *container, const Value &added, Output last) {
  const Value before = eval(container);
  const bool is_list = before.is(Value::Tag::Tuple);
  if (!is_list && (before.known() || before.is_bottom() || !added.known())) {
    return;
  }
  const Value element = is_list ? element_of_tuple(before, arena_) : Value::bottom();
  Value after = make_uniform(join(element, added));
  after.output = last;
  const auto *inner = as<Subscript>(container);
  if (inner == nullptr) {
    rebind(container, after);
  } else if (added.known() && inner->slice->kind != NodeKind::Slice) {
    put_entry(*inner, after); // `self.steps[name].append(step)`
  }
}

// An entry of a dictionary or list that holds containers was changed.
void Transfer::put_entry(const Subscript &entry, const Value &after) {
  const Value outer = peek(entry.value);
  if (outer.is_bottom() || (outer.known() && !is_uniform(outer))) {
    return;
  }
  const Symbol name = name_of_key(entry.slice, peek(entry.slice));
  if (is_uniform(outer) && (name || has_entries(outer))) {
    rebind(entry.value, with_entry(outer, name, after, arena_));
    return;
  }
  const Value element = is_uniform(outer) ? element_of_tuple(outer, arena_) : Value::bottom();
  rebind(entry.value, make_uniform(element.is_unknown() ? after : join(element, after)));
}

// `parts["model"] = value`: what is known under other names stays.
void Transfer::grow(const Subscript *target, const Value &added) {
  const Symbol name = name_of_key(target->slice, eval(target->slice));
  const Value before = eval(target->value);
  if (is_uniform(before) && (name || has_entries(before))) {
    rebind(target->value, with_entry(before, name, added, arena_));
  } else {
    grow(target->value, added);
  }
}

// What a name or attribute holds was changed in place.
void Transfer::rebind(const Expr *container, const Value &after) {
  if (const auto *name = as<Name>(container)) {
    if (class_body_ == nullptr) {
      bind(name->id, after); // also of an outer function or of the module: `models["clf"] = load()`
    }
  } else if (const auto *attribute = as<Attribute>(container)) {
    store_to(eval(attribute->value), attribute->attr, after);
  }
}

void Transfer::store_attribute(const Attribute *target, const Value &value) {
  const Value object = eval(target->value);
  current_->own_effects = true;
  if (is_uniform(object)) { // a namespace
    rebind(target->value, with_entry(object, target->attr, value, arena_));
  }
  store_to(object, target->attr, value);
  if (object.is(Value::Tag::Object) && current_->type == object.type && recording()) {
    current_->own_stores.push_back(target->attr);
  }
}

// Of objects of a class derived from ours the attribute may be read where ours are.
void Transfer::store_to(const Value &object, Symbol attr, const Value &value) {
  for_each_alternative(object, [&](const Value &one) {
    if (one.is(Value::Tag::Object) || one.is(Value::Tag::Class)) {
      contribute(Contribution::Target::Attribute, one.type->index, attr.id, value);
    }
  });
}

} // namespace deepperf::model
