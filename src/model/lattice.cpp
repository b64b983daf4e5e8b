#include "model/lattice.h"

#include "model/project.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <vector>

namespace deepperf::model {

namespace {

using Tag = Value::Tag;

Value join_at(const Value &a, const Value &b, Arena &arena, u32 depth);

bool holds_values(Tag tag) {
  return tag == Tag::Tuple || tag == Tag::ApiMethod || tag == Tag::Partial || tag == Tag::Transform;
}

u32 held_count(const Value &value) { return value.is(Tag::Tuple) ? value.number : value.is(Tag::Transform) ? 2 : 1; }

bool equal_one(const Value &a, const Value &b) {
  if (header_of(a) != header_of(b)) {
    return false;
  }
  if (a.pointer == b.pointer) {
    return true;
  }
  return holds_values(a.tag) && a.items != nullptr && b.items != nullptr &&
         std::equal(a.items, a.items + held_count(a), b.items);
}

// Are they the same thing, though perhaps with other details? Tuples are, as one describes them all.
bool is_same_thing(const Value &a, const Value &b) {
  if (a.tag != b.tag) {
    return false;
  }
  switch (a.tag) {
  case Tag::Tuple:
  case Tag::Partial:
    return true;
  case Tag::ApiMethod:
    return a.number == b.number;
  case Tag::Transform:
    return a.number == b.number && a.items[0].pointer == b.items[0].pointer;
  default:
    return a.kind == b.kind && a.number == b.number && a.pointer == b.pointer && a.many == b.many;
  }
}

bool is_few(const Value &tuple) {
  constexpr u32 kFew = 10;
  return tuple.few || (!tuple.uniform && tuple.number <= kFew);
}

bool is_empty(const Value &value) {
  return value.is(Tag::Tuple) && value.uniform && value.number == 1 && value.items[0].is_bottom();
}

Value hold(const Value &held, Arena &arena, Value into) {
  into.items = arena.copy(&held, 1).items;
  return into;
}

Value uniform_tuple() {
  Value tuple;
  tuple.tag = Tag::Tuple;
  tuple.uniform = true;
  tuple.number = 1;
  return tuple;
}

// How deep values are nested in it, up to one more than is kept.
u32 depth_of(const Value &value, u32 limit) {
  u32 deepest = 0;
  const auto look = [&](const Value &one) {
    if (!holds_values(one.tag) || one.items == nullptr) {
      return;
    }
    deepest = std::max(deepest, 1U);
    for (u32 i = 0; i < held_count(one) && limit > 0 && deepest <= limit; ++i) {
      deepest = std::max(deepest, 1 + depth_of(one.items[i], limit - 1));
    }
  };
  for_each_alternative(value, look);
  return deepest;
}

Value element_at(const Value &tuple, Arena &arena, u32 depth) {
  if (tuple.uniform) {
    return tuple.items[0];
  }
  Value joined = Value::bottom();
  for (u32 i = 0; i < tuple.number; ++i) {
    joined = join_at(joined, tuple.items[i], arena, depth);
  }
  return joined;
}

// ---- Records

bool is_something_to_call(const Value &value) {
  return value.is(Tag::Class) || value.is(Tag::Function) || value.is(Tag::Method) || value.is(Tag::Partial);
}

Kind kind_of_object(const Value &value) {
  return value.is(Tag::Instance) ? value.kind : value.is(Tag::Object) ? value.type->kind : Kind::Unknown;
}

// What any of the entries may be. Things of different kinds tell nothing, but for what is called: that is a list of
// what there is to choose from.
Value any_entry(std::span<const Entry> entries, const Value &others, Arena &arena, u32 depth) {
  Value joined = others;
  for (const Entry &entry : entries) {
    joined = join_at(joined, entry.value, arena, depth);
  }
  if (joined.alternatives == nullptr || joined.known()) {
    return joined.is_unknown() ? Value{} : joined;
  }
  bool are_called = true;
  bool are_alike = true;
  const Kind kind = kind_of_object(joined.alternatives->items[0]);
  for_each_alternative(joined, [&](const Value &one) {
    are_called &= is_something_to_call(one);
    are_alike &= kind != Kind::Unknown && kind_of_object(one) == kind;
  });
  return are_called || are_alike ? joined : Value{};
}

// Of entries that are sorted by name, each name once.
Value make_sorted_record(std::span<const Entry> entries, const Value &others, Arena &arena, u32 depth) {
  std::array<Value, 2 + 2 * kMostEntries> items;
  u32 count = 2;
  for (const Entry &entry : entries) {
    if (entry.value == others) { // as if it were not named
      continue;
    }
    if (count == items.size()) {
      return hold(Value::anything(), arena, uniform_tuple());
    }
    items[count].tag = Tag::Api; // only its name counts
    items[count++].number = entry.name.id;
    items[count++] = entry.value;
  }
  Value record = uniform_tuple();
  if (count == 2) {
    return hold(others, arena, record);
  }
  items[0] = any_entry(entries, others, arena, depth);
  items[1] = others;
  record.items = arena.copy(items.data(), count).items;
  record.number = count;
  return record;
}

// What a tuple has under names that it does not list.
Value unnamed_of(const Value &tuple, Arena &arena, u32 depth) {
  return has_entries(tuple) ? tuple.items[1] : element_at(tuple, arena, depth);
}

// Name by name: what one of them does not list is what its other entries may be.
Value join_records(const Value &a, const Value &b, Arena &arena, u32 depth) {
  const Value others_of_a = unnamed_of(a, arena, depth);
  const Value others_of_b = unnamed_of(b, arena, depth);
  std::array<Entry, 2 * kMostEntries> entries;
  u32 count = 0;
  for (u32 i = 0, j = 0; i < entry_count(a) || j < entry_count(b);) {
    const bool is_of_a =
        j == entry_count(b) || (i < entry_count(a) && entry_at(a, i).name.id <= entry_at(b, j).name.id);
    const bool is_of_b =
        i == entry_count(a) || (j < entry_count(b) && entry_at(b, j).name.id <= entry_at(a, i).name.id);
    const Symbol name = is_of_a ? entry_at(a, i).name : entry_at(b, j).name;
    const Value of_a = is_of_a ? entry_at(a, i++).value : others_of_a;
    const Value of_b = is_of_b ? entry_at(b, j++).value : others_of_b;
    entries[count++] = {name, join_at(of_a, of_b, arena, depth)};
  }
  const Value others = join_at(others_of_a, others_of_b, arena, depth);
  return make_sorted_record({entries.data(), count}, others, arena, depth);
}

Value join_tuples(const Value &a, const Value &b, Arena &arena, u32 depth) {
  Value result = a;
  result.uniform = a.uniform || b.uniform || a.number != b.number;
  result.few = result.uniform && is_few(a) && is_few(b);
  if (has_entries(a) || has_entries(b)) {
    const Value record = join_records(a, b, arena, depth + 1);
    result.items = record.items;
    result.number = record.number;
    return result;
  }
  if (result.uniform) {
    result.number = 1;
    return hold(join_at(element_at(a, arena, depth + 1), element_at(b, arena, depth + 1), arena, depth + 1), arena,
                result);
  }
  const Array<Value> items = arena.fill(a.number, Value{});
  for (u32 i = 0; i < a.number; ++i) {
    items[i] = join_at(a.items[i], b.items[i], arena, depth + 1);
  }
  result.items = items.items;
  return result;
}

// Two descriptions of the same thing.
Value merge(const Value &a, const Value &b, Arena &arena, u32 depth) {
  if (equal_one(a, b)) {
    return a;
  }
  Value result = a;
  if (a.is(Tag::Tuple)) {
    result = join_tuples(a, b, arena, depth);
  } else if (a.is(Tag::Transform)) {
    const std::array<Value, 2> held = {a.items[0], join_at(a.items[1], b.items[1], arena, depth + 1)};
    result.items = arena.copy(held.data(), held.size()).items;
  } else if (holds_values(a.tag)) {
    result.kind = a.kind == b.kind ? a.kind : Kind::Unknown;
    result = hold(join_at(a.receiver(), b.receiver(), arena, depth + 1), arena, result);
  }
  result.v1 = a.v1 || b.v1;
  result.container = a.container || b.container;
  result.grad = a.grad | b.grad;
  result.device = a.device | b.device;
  result.output = a.output == b.output ? a.output : Output::Unknown;
  // An empty list says nothing of the last layer that another one has.
  if (is_empty(a) || is_empty(b)) {
    result.output = is_empty(a) ? b.output : a.output;
  }
  return result;
}

// The alternatives of a value while it is put together.
class Gathered {
public:
  Gathered() {} // NOLINT(modernize-use-equals-default): the items are not worth writing to before they are there

  void add(const Value &value, Arena &arena, u32 depth) {
    open_ |= value.open || value.is_unknown();
    none_ |= value.none || value.is(Tag::None);
    for_each_alternative(value, [&](const Value &one) {
      Value plain = one;
      plain.open = plain.none = false;
      plain.alternatives = nullptr;
      for (u32 i = 0; i < count_; ++i) {
        if (is_same_thing(items_[i], plain)) {
          items_[i] = merge(items_[i], plain, arena, depth);
          return;
        }
      }
      items_[count_++] = plain;
    });
  }

  [[nodiscard]] Value result(Arena &arena) {
    if (collapse_kinds() > kMostAlternatives) {
      return Value::anything();
    }
    if (count_ == 0 && open_) {
      Value value;
      value.none = none_;
      return value;
    }
    for (u32 i = 0; i < count_ && open_; ++i) {
      items_[i].output = Output::Unknown; // perhaps other numbers came the other way
    }
    if (count_ == 0) {
      Value value = Value::bottom();
      value.tag = none_ ? Tag::None : Tag::Bottom;
      return value;
    }
    Value value = items_[0];
    const bool is_open_literal = open_ && value.is(Tag::Literal);
    if (count_ > 1 || is_open_literal) {
      // In one order, whatever the order in which they came.
      std::sort(items_.begin(), items_.begin() + count_, comes_before);
      value = description();
      value.alternatives = arena.make<Alternatives>(count_, arena.copy(items_.data(), count_).items);
    }
    value.open = open_;
    value.none = none_;
    return value;
  }

private:
  using Place = std::tuple<Tag, Kind, u32, u32, std::string_view, const void *>;

  static Place place_of(const Value &value) {
    u32 order = 0;
    u32 file = 0;
    std::string_view name;
    switch (value.tag) {
    case Tag::Instance:
      order = value.maker() != nullptr ? value.maker()->fact : 0;
      name = value.number != 0 ? value.name().text() : name;
      break;
    case Tag::Function:
    case Tag::Method:
      order = value.function->index;
      break;
    case Tag::Class:
    case Tag::Object:
    case Tag::Super:
      order = value.type->index;
      break;
    case Tag::Literal:
      order = value.expr->start;
      file = value.number;
      break;
    case Tag::Api:
    case Tag::ApiMethod:
    case Tag::Transform:
      name = value.name().text(); // symbols are numbered as threads come across them
      break;
    default:
      break;
    }
    return {value.tag, value.kind, file, order, name, value.pointer};
  }

  static bool comes_before(const Value &a, const Value &b) {
    if (a.tag != b.tag || a.kind != b.kind) { // what most differ in
      return std::tuple(a.tag, a.kind) < std::tuple(b.tag, b.kind);
    }
    return place_of(a) < place_of(b);
  }

  // Of a kind that was made in too many places, or has been before, one Instance is kept. How many things are left?
  u32 collapse_kinds() {
    u32 things = 0;
    for (u32 i = 0; i < count_; ++i) {
      if (!items_[i].is(Tag::Instance)) {
        ++things;
        continue;
      }
      const Kind kind = items_[i].kind;
      const auto is_of_kind = [kind](const Value &value) { return value.is_kind(kind); };
      const auto before = items_.begin() + i;
      const auto last = items_.begin() + count_;
      if (std::any_of(items_.begin(), before, is_of_kind)) {
        continue;
      }
      ++things;
      const auto makers = std::count_if(before, last, is_of_kind);
      const bool many = std::any_of(before, last, [&](const Value &value) { return is_of_kind(value) && value.many; });
      if (makers > 1 && (many || makers > kMostAlternatives)) {
        items_[i] = common_of(kind);
        count_ = static_cast<u32>(std::remove_if(before + 1, last, is_of_kind) - items_.begin());
      }
    }
    return things;
  }

  // What all Instances of a kind have in common.
  [[nodiscard]] Value common_of(Kind kind) const {
    Value common = Value::bottom();
    for (u32 i = 0; i < count_; ++i) {
      if (!items_[i].is_kind(kind)) {
        continue;
      }
      const Value &item = items_[i];
      if (common.is_bottom()) {
        common = item;
        common.pointer = nullptr;
        common.number = 0;
        common.many = true;
        continue;
      }
      common.container |= item.container;
      common.v1 |= item.v1;
      common.grad |= item.grad;
      common.device |= item.device;
      common.output = common.output == item.output ? common.output : Output::Unknown;
    }
    return common;
  }

  // What the alternatives have in common. A literal next to something else is mostly a default that stands for it; two
  // literals, or one next to something unknown, are no number that anybody knows.
  [[nodiscard]] Value description() const {
    const Value *only = nullptr;
    for (u32 i = 0; i < count_; ++i) {
      if (items_[i].is(Tag::Literal)) {
        continue;
      }
      if (only != nullptr && !(items_[i].is(Tag::Instance) && only->is_kind(items_[i].kind))) {
        return {};
      }
      if (only != nullptr) {
        return is_one_kind(only->kind) ? common_of(only->kind) : Value{};
      }
      only = &items_[i];
    }
    return only != nullptr ? *only : Value{};
  }

  [[nodiscard]] bool is_one_kind(Kind kind) const {
    return std::all_of(items_.begin(), items_.begin() + count_,
                       [kind](const Value &item) { return item.is(Tag::Literal) || item.is_kind(kind); });
  }

  // Two values have at most so many alternatives.
  union {
    std::array<Value, 2 * kMostAlternatives * kMostAlternatives> items_;
  };
  u32 count_ = 0;
  bool open_ = false;
  bool none_ = false;
};

// The value, or what is no alternative of its own: None or something that nobody told us. What most joins are about.
Value with_unlisted(const Value &value, const Value &other) {
  const bool none = value.none || other.none || value.is(Tag::None) || other.is(Tag::None);
  if (!value.known()) { // one of them is unknown, or they were equal
    Value unknown;
    unknown.none = none;
    return unknown;
  }
  Value result = value;
  result.none = none;
  result.open = value.open || other.is(Tag::Unknown);
  result.output = result.open ? Output::Unknown : value.output; // perhaps other numbers came the other way
  return result;
}

// Of its own, because most joins need no list.
[[gnu::noinline]] Value join_listed(const Value &a, const Value &b, Arena &arena, u32 depth) {
  __attribute__((uninitialized)) Gathered gathered; // zeroing its items would cost more than all the rest
  gathered.add(a, arena, depth);
  gathered.add(b, arena, depth);
  return gathered.result(arena);
}

Value join_at(const Value &a, const Value &b, Arena &arena, u32 depth) {
  if (a.is_bottom()) {
    return b;
  }
  if (b.is_bottom() || a == b) {
    return a;
  }
  if (depth > kMostDepth || (a.is_unknown() && a.many) || (b.is_unknown() && b.many)) {
    return Value::anything();
  }
  if (a.alternatives == nullptr && b.alternatives == nullptr && (!a.known() || !b.known())) {
    const Value &one = a.known() ? a : b;
    const Value &other = a.known() ? b : a; // unknown or None
    if (!one.is(Tag::Literal) || !other.is(Tag::Unknown)) {
      return with_unlisted(one, other);
    }
  }
  return join_listed(a, b, arena, depth);
}

} // namespace

bool operator==(const Value &a, const Value &b) {
  if (is_identical(a, b)) {
    return true;
  }
  if (!equal_one(a, b)) {
    return false;
  }
  if (a.alternatives == b.alternatives) {
    return true;
  }
  return a.alternatives != nullptr && b.alternatives != nullptr && a.alternatives->count == b.alternatives->count &&
         std::equal(a.alternatives->items, a.alternatives->items + a.alternatives->count, b.alternatives->items);
}

Value join(const Value &a, const Value &b, Arena &arena) { return is_identical(a, b) ? a : join_at(a, b, arena, 0); }

Value copy_into(const Value &value, Arena &arena) {
  Value copy = value;
  if (value.alternatives != nullptr) {
    const Array<Value> items = arena.copy(value.alternatives->items, value.alternatives->count);
    for (Value &item : items) {
      item = copy_into(item, arena);
    }
    copy.alternatives = arena.make<Alternatives>(items.count, items.items);
  }
  if (holds_values(value.tag) && value.items != nullptr) {
    const Array<Value> items = arena.copy(value.items, held_count(value));
    for (Value &item : items) {
      item = copy_into(item, arena);
    }
    copy.items = items.items;
  }
  return copy;
}

Value make_tuple(std::span<const Value> items, bool uniform, Arena &arena) {
  constexpr std::size_t kMostItems = 64;
  if (items.empty() || items.size() > kMostItems) { // a table of data
    return {};
  }
  Value value;
  value.tag = Tag::Tuple;
  value.uniform = uniform;
  const Array<Value> stored = arena.copy(items.data(), items.size());
  for (Value &item : stored) {
    if (depth_of(item, kMostDepth) >= kMostDepth) {
      item = {};
    }
  }
  value.items = stored.items;
  value.number = stored.count;
  return value;
}

Value make_bound(Value::Tag tag, Symbol name, const Value &receiver, Arena &arena) {
  if (depth_of(receiver, kMostDepth) >= kMostDepth) {
    return {};
  }
  Value value;
  value.tag = tag;
  value.number = name.id;
  value.kind = tag == Tag::ApiMethod ? receiver.kind : Kind::Unknown;
  return hold(receiver, arena, value);
}

Value element_of_tuple(const Value &tuple, Arena &arena) { return element_at(tuple, arena, 0); }

Value other_entries(const Value &record) { return record.items[has_entries(record) ? 1 : 0]; }

const Value *find_entry(const Value &record, Symbol name) {
  for (u32 i = 0; i < entry_count(record); ++i) {
    if (entry_at(record, i).name == name) {
      return &record.items[3 + 2 * i];
    }
  }
  return nullptr;
}

Value entry_named(const Value &record, Symbol name) {
  const Value *const entry = find_entry(record, name);
  return entry != nullptr ? *entry : other_entries(record);
}

Value make_record(std::span<const Entry> entries, const Value &others, Arena &arena) {
  std::vector<Entry> sorted(entries.begin(), entries.end());
  std::ranges::stable_sort(sorted, {}, [](const Entry &entry) { return entry.name.id; });
  std::size_t count = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    count -= count > 0 && sorted[count - 1].name == sorted[i].name ? 1 : 0;
    sorted[count++] = sorted[i];
  }
  sorted.resize(count);
  for (Entry &entry : sorted) {
    if (depth_of(entry.value, kMostDepth) >= kMostDepth) {
      entry.value = {};
    }
  }
  return make_sorted_record(sorted, others, arena, 1);
}

Value with_entry(const Value &record, Symbol name, const Value &value, Arena &arena) {
  std::vector<Entry> entries;
  for (u32 i = 0; i < entry_count(record); ++i) {
    const Entry entry = entry_at(record, i);
    entries.push_back({entry.name, name ? entry.value : join(entry.value, value, arena)});
  }
  Value others = other_entries(record);
  if (name) {
    entries.push_back({name, value});
  } else {
    others = join(others, value, arena);
  }
  return make_record(entries, others, arena);
}

} // namespace deepperf::model
