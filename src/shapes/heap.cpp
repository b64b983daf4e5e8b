#include "shapes/heap.h"

#include <unordered_map>

namespace deepperf::shapes {

using Tag = Value::Tag;

Value Heap::new_list(std::vector<Value> items, Tag tag) {
  ListObject &list = lists_.emplace_back();
  list.content.items = std::move(items);
  return Value::of(&list, tag);
}

Value Heap::new_open_list(const Value &element, Tag tag) {
  ListObject &list = lists_.emplace_back();
  list.content.items.push_back(element);
  list.content.is_open = true;
  return Value::of(&list, tag);
}

DictObject *Heap::new_dict() { return &dicts_.emplace_back(); }

Frame *Heap::new_frame(Frame *outer, const model::Module *module) {
  Frame &frame = frames_.emplace_back();
  frame.outer = outer;
  frame.module = module;
  return &frame;
}

Object *Heap::new_object(ClassObject *type, Symbol api) {
  Object &object = objects_.emplace_back();
  object.type = type;
  object.content.api = api;
  return &object;
}

OpaqueObject *Heap::new_opaque(std::string name) {
  OpaqueObject &opaque = opaques_.emplace_back();
  opaque.name = std::move(name);
  return &opaque;
}

void Heap::begin_branch() { branches_.emplace_back().id = ++last_branch_; }

namespace {

template <class Part> void put_back(Part &changes) {
  for (auto entry = changes.entries.rbegin(); entry != changes.entries.rend(); ++entry) {
    std::swap(entry->object->content, entry->content);
    entry->object->saved_at = entry->saved_at;
  }
}

} // namespace

Branch Heap::end_branch() {
  Branch branch = std::move(branches_.back());
  branches_.pop_back();
  put_back(branch.lists);
  put_back(branch.dicts);
  put_back(branch.frames);
  put_back(branch.objects);
  put_back(branch.opaques);
  return branch;
}

void Heap::apply(Branch &&branch) {
  const auto each = [this](auto &changes) {
    for (auto &entry : changes.entries) {
      change(*entry.object) = std::move(entry.content);
    }
  };
  each(branch.lists);
  each(branch.dicts);
  each(branch.frames);
  each(branch.objects);
  each(branch.opaques);
}

template <class Part> void Heap::join_part(Branch &a, Branch &b, Part part) {
  auto &left = (a.*part).entries;
  auto &right = (b.*part).entries;
  std::unordered_map<const void *, std::size_t> places;
  for (std::size_t i = 0; i < right.size(); ++i) {
    places.emplace(right[i].object, i);
  }
  for (auto &entry : left) {
    const auto other = places.find(entry.object);
    auto result =
        joined(entry.content, other != places.end() ? right[other->second].content : entry.object->content, 0);
    change(*entry.object) = std::move(result);
    if (other != places.end()) {
      right[other->second].object = nullptr;
    }
  }
  for (auto &entry : right) {
    if (entry.object != nullptr) {
      auto result = joined(entry.object->content, entry.content, 0);
      change(*entry.object) = std::move(result);
    }
  }
}

void Heap::join(Branch &&a, Branch &&b) {
  join_part(a, b, &Branch::lists);
  join_part(a, b, &Branch::dicts);
  join_part(a, b, &Branch::frames);
  join_part(a, b, &Branch::objects);
  join_part(a, b, &Branch::opaques);
}

} // namespace deepperf::shapes
