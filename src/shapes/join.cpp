// What is true of two states: where branches meet.
#include "shapes/heap.h"

#include <algorithm>

namespace deepperf::shapes {

using Tag = Value::Tag;

namespace {

constexpr u32 kDeepest = 3;

bool same_bits(const Value &a, const Value &b) {
  return a.tag == b.tag && a.small == b.small && a.number == b.number && a.integer == b.integer;
}

// "cuda" or "cpu", whatever there is: the program's own choice of a device.
Device device_of(const Value &value) { return value.is(Tag::Str) ? device_named(value.text()) : value.device(); }

Device joined_device(Device a, Device b) {
  using Kind = Device::Kind;
  if (a == b) {
    return a;
  }
  if (a.kind == Kind::Unknown || b.kind == Kind::Unknown || a.kind == Kind::Meta || b.kind == Kind::Meta) {
    return {};
  }
  return {a.kind == b.kind ? Kind::Gpu : Kind::Variable};
}

} // namespace

Shape Heap::join(const Shape &a, const Shape &b) {
  if (a.kind == Shape::Kind::Unknown || b.kind == Shape::Kind::Unknown) {
    return {};
  }
  const bool is_whole = a.is_known() && b.is_known() && a.rank() == b.rank();
  const u32 count = std::min(a.rank(), b.rank());
  std::vector<Dim> dims(count);
  for (u32 i = 0; i < count; ++i) {
    const Dim left = a.from_end(i);
    dims[count - 1 - i] = left == b.from_end(i) ? left : Dim{};
  }
  if (!is_whole) {
    const auto first = std::ranges::find_if(dims, [](Dim dim) { return dim.is_known(); });
    dims.erase(dims.begin(), first);
    return dims.empty() ? Shape{} : shape(dims, Shape::Kind::Tail);
  }
  return shape(dims);
}

const Tensor *Heap::join(const Tensor &a, const Tensor &b) {
  Tensor result = a;
  result.library = a.library == b.library ? a.library : Library::Unknown;
  result.dtype = a.dtype == b.dtype ? a.dtype : Dtype::Unknown;
  result.device = a.device == b.device ? a.device : Device{};
  result.grad = a.grad == b.grad ? a.grad : Truth::Unknown;
  result.is_parameter = a.is_parameter && b.is_parameter;
  result.shape = join(a.shape, b.shape);
  return arena.make<Tensor>(result);
}

namespace {

// A NamedTuple or dataclass holds values and is otherwise nothing, so that two of them join as tuples do.
bool is_record(const ClassObject *type) {
  return type != nullptr &&
         ((type->is_dataclass && !type->api) || (type->api && type->api.text() == "typing.NamedTuple"));
}

} // namespace

Value Heap::join(const Value &a, const Value &b, u32 depth) {
  if (same_bits(a, b)) {
    return a;
  }
  if (a.is(Tag::Undefined)) {
    return b;
  }
  if (b.is(Tag::Undefined)) {
    return a;
  }
  if (a.is(Tag::Tensor) && b.is(Tag::Tensor)) {
    return Value::of(join(*a.tensor, *b.tensor));
  }
  const Device left = device_of(a);
  const Device right = device_of(b);
  if (left.kind != Device::Kind::Unknown && right.kind != Device::Kind::Unknown) {
    return Value::of(joined_device(left, right));
  }
  if (a.tag != b.tag || depth >= kDeepest) {
    return {};
  }
  switch (a.tag) {
  case Tag::Bool:
    return Value::of(Truth::Unknown);
  case Tag::Int:
    return Value::of(Dim{});
  case Tag::Float:
    return Value::some_float();
  case Tag::Str:
    return Value::of_text({});
  case Tag::List:
  case Tag::Tuple:
  case Tag::Set: {
    ListContent content = joined(a.list->content, b.list->content, depth + 1);
    const Value list = new_list(std::move(content.items), a.tag);
    list.list->content.is_open = content.is_open;
    list.list->fields = a.list->fields == b.list->fields ? a.list->fields : nullptr;
    return list;
  }
  case Tag::Dict: {
    DictObject *const dict = new_dict();
    dict->content = joined(a.dict->content, b.dict->content, depth + 1);
    return Value::of(dict);
  }
  case Tag::Object: {
    if (a.object->type != b.object->type || !is_record(a.object->type)) {
      return {};
    }
    Object *const record = new_object(a.object->type, a.object->content.api);
    record->content = joined(a.object->content, b.object->content, depth + 1);
    record->maker = a.object->maker;
    record->module = a.object->module;
    return Value::of(record);
  }
  default:
    return {};
  }
}

ListContent Heap::joined(const ListContent &a, const ListContent &b, u32 depth) {
  ListContent result;
  if (!a.is_open && !b.is_open && a.items.size() == b.items.size()) {
    for (std::size_t i = 0; i < a.items.size(); ++i) {
      result.items.push_back(join(a.items[i], b.items[i], depth));
    }
    return result;
  }
  result.is_open = true;
  Value all(Tag::Undefined);
  for (const ListContent *content : {&a, &b}) {
    for (const Value &item : content->items) {
      all = join(all, item, depth);
    }
  }
  if (!all.is(Tag::Undefined)) {
    result.items.push_back(all);
  }
  return result;
}

DictContent Heap::joined(const DictContent &a, const DictContent &b, u32 depth) {
  DictContent result;
  result.is_open = a.is_open || b.is_open;
  result.is_attrs = a.is_attrs;
  for (const auto &[key, value] : a.items) {
    const auto other = std::ranges::find_if(b.items, [&](const auto &item) { return same_bits(item.first, key); });
    if (other != b.items.end()) {
      result.items.emplace_back(key, join(value, other->second, depth));
    } else {
      result.is_open = true;
    }
  }
  result.is_open = result.is_open || result.items.size() != b.items.size();
  return result;
}

Names Heap::joined(const Names &a, const Names &b, u32 depth) {
  Names result = a;
  for (const auto &[name, value] : b) {
    Value &into = result[name];
    const auto mine = a.find(name);
    into = join(mine != a.end() ? mine->second : Value(Tag::Undefined), value, depth);
  }
  return result;
}

ObjectContent Heap::joined(const ObjectContent &a, const ObjectContent &b, u32 depth) {
  ObjectContent result = a;
  result.attributes = joined(a.attributes, b.attributes, depth);
  result.is_open = a.is_open || b.is_open || a.api != b.api;
  if (a.args.size() == b.args.size()) {
    for (std::size_t i = 0; i < a.args.size(); ++i) {
      result.args[i] = join(a.args[i], b.args[i], depth);
    }
  } else {
    result.is_open = true;
  }
  if (a.items.size() == b.items.size() && a.keys == b.keys) {
    for (std::size_t i = 0; i < a.items.size(); ++i) {
      result.items[i] = join(a.items[i], b.items[i], depth);
    }
  } else {
    result.is_open = true;
    result.items.clear();
    result.keys.clear();
  }
  result.device = joined_device(a.device, b.device);
  result.dtype = a.dtype == b.dtype ? a.dtype : Dtype::Unknown;
  result.is_evaluated = a.is_evaluated && b.is_evaluated;
  return result;
}

OpaqueContent Heap::joined(const OpaqueContent &a, const OpaqueContent &b, u32 depth) {
  OpaqueContent result;
  result.tensor = a.tensor == b.tensor ? a.tensor : nullptr;
  result.number = a.number.is_known() ? a.number : b.number; // a name for it, whoever gave it
  for (const auto &[name, value] : a.attributes) {
    const auto other = b.attributes.find(name);
    if (other != b.attributes.end() && !join(value, other->second, depth).is_unknown()) {
      result.attributes[name] = join(value, other->second, depth);
    }
  }
  // An attribute that only one branch read is the same in the other.
  for (const auto &[name, value] : a.attributes) {
    if (!b.attributes.contains(name)) {
      result.attributes[name] = value;
    }
  }
  for (const auto &[name, value] : b.attributes) {
    if (!a.attributes.contains(name)) {
      result.attributes[name] = value;
    }
  }
  return result;
}

} // namespace deepperf::shapes
