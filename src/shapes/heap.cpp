#include "shapes/heap.h"

#include <algorithm>
#include <unordered_map>

namespace deepperf::shapes {

using Tag = Value::Tag;

Value Heap::new_list(std::vector<Value> items, Tag tag) {
  copied_ += items.size();
  ListObject &list = lists_.emplace_back();
  list.owner = owner;
  list.content.items = std::move(items);
  return Value::of(&list, tag);
}

Value Heap::new_open_list(const Value &element, Tag tag) {
  ListObject &list = lists_.emplace_back();
  list.owner = owner;
  list.content.items.push_back(element);
  list.content.is_open = true;
  return Value::of(&list, tag);
}

DictObject *Heap::new_dict() {
  DictObject &dict = dicts_.emplace_back();
  dict.owner = owner;
  return &dict;
}

Frame *Heap::new_frame(Frame *outer, const model::Module *module) {
  Frame &frame = frames_.emplace_back();
  frame.owner = owner;
  frame.outer = outer;
  frame.module = module;
  return &frame;
}

Object *Heap::new_object(ClassObject *type, Symbol api) {
  Object &object = objects_.emplace_back();
  object.owner = owner;
  object.type = type;
  object.content.api = api;
  return &object;
}

OpaqueObject *Heap::new_opaque(std::string name) {
  OpaqueObject &opaque = opaques_.emplace_back();
  opaque.owner = owner;
  opaque.name = std::move(name);
  return &opaque;
}

namespace {

// The map itself is no constant; only its iterators are.
Value &value_at(Frame &frame, u32 place) { return const_cast<Value &>((frame.content.names.begin() + place)->second); }

} // namespace

void Heap::bind(Frame &frame, u32 name, const Value &value) {
  note_change(frame.owner);
  Names &names = frame.content.names;
  const auto found = names.find(name);
  const auto place = static_cast<u32>(found - names.begin());
  if (found == names.end()) {
    names[name] = Value::absent();
  }
  bind_at(frame, place, value);
}

void Heap::bind_at(Frame &frame, u32 place, const Value &value) {
  Value &bound = value_at(frame, place);
  if (!branches_.empty()) {
    if (place >= frame.saved_at.size()) {
      frame.saved_at.resize(frame.content.names.size());
    }
    Branch &branch = branches_.back();
    if (u32 &saved_at = frame.saved_at[place]; saved_at != branch.id) {
      branch.names.push_back({&frame, place, saved_at, bound});
      saved_at = branch.id;
    }
  }
  bound = value;
}

void Heap::begin_branch() { branches_.emplace_back().id = ++last_branch_; }

namespace {

template <class Part> void put_back(Part &changes) {
  for (auto entry = changes.entries.rbegin(); entry != changes.entries.rend(); ++entry) {
    std::swap(entry->object->content, entry->content);
    entry->object->saved_at = entry->saved_at;
  }
}

void put_back(std::vector<NameChange> &changes) {
  for (NameChange &change : changes) { // each name once
    change.frame->saved_at[change.place] = change.saved_at;
    std::swap(value_at(*change.frame, change.place), change.value);
  }
}

} // namespace

Branch Heap::end_branch() {
  Branch branch = std::move(branches_.back());
  branches_.pop_back();
  put_back(branch.lists);
  put_back(branch.dicts);
  put_back(branch.names);
  put_back(branch.objects);
  put_back(branch.opaques);
  return branch;
}

void Heap::apply(Branch &&branch) {
  for (const NameChange &change : branch.names) {
    bind_at(*change.frame, change.place, change.value);
  }
  const auto each = [this](auto &changes) {
    for (auto &entry : changes.entries) {
      change(*entry.object) = std::move(entry.content);
    }
  };
  each(branch.lists);
  each(branch.dicts);
  each(branch.objects);
  each(branch.opaques);
}

template <class Part> void Heap::join_part(Branch &a, Branch &b, Part part) {
  auto &left = (a.*part).entries;
  auto &right = (b.*part).entries;
  if (left.empty() && right.empty()) {
    return;
  }
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

void Heap::join_names(const Branch &a, const Branch &b) {
  constexpr std::size_t kFew = 16; // found as fast by looking at each
  const std::size_t count = b.names.size();
  const auto key = [](const NameChange &change) {
    return (u64{reinterpret_cast<std::uintptr_t>(change.frame)} << 16U) + change.place;
  };
  std::unordered_map<u64, std::size_t> places; // addresses have 48 bits, and frames are larger than they have names
  for (std::size_t i = 0; i < count && count > kFew; ++i) {
    places.emplace(key(b.names[i]), i);
  }
  const auto place_in_b = [&](const NameChange &change) {
    if (count > kFew) {
      const auto found = places.find(key(change));
      return found != places.end() ? found->second : count;
    }
    std::size_t at = 0;
    while (at < count && (b.names[at].place != change.place || b.names[at].frame != change.frame)) {
      ++at;
    }
    return at;
  };
  std::vector<bool> is_done(count);
  for (const NameChange &change : a.names) {
    const std::size_t other = place_in_b(change);
    if (other != count) {
      is_done[other] = true;
    }
    const Value &value = other != count ? b.names[other].value : value_at(*change.frame, change.place);
    bind_at(*change.frame, change.place, join(change.value, value));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (const NameChange &change = b.names[i]; !is_done[i]) {
      bind_at(*change.frame, change.place, join(value_at(*change.frame, change.place), change.value));
    }
  }
}

void Heap::join(Branch &&a, Branch &&b) {
  join_part(a, b, &Branch::lists);
  join_part(a, b, &Branch::dicts);
  join_names(a, b); // two lists are joined by what they hold now
  join_part(a, b, &Branch::objects);
  join_part(a, b, &Branch::opaques);
}

} // namespace deepperf::shapes
