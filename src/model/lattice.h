// The lattice of Values: what two of them have in common, and whether they say the same.
//
// join() is commutative, associative and idempotent, up to operator==, which compares everything that a Value says.
// Results that need memory are kept in the arena. Heights are finite: at most kMostAlternatives alternatives, and what
// is nested deeper than kMostDepth is anything.
#pragma once

#include "base/arena.h"
#include "model/value.h"

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace deepperf::model {

constexpr u32 kMostDepth = 4;

bool operator==(const Value &a, const Value &b);

// All that stands before the pointers, which has no gaps.
inline u64 header_of(const Value &value) {
  static_assert(offsetof(Value, pointer) == sizeof(u64));
  u64 header = 0;
  std::memcpy(&header, &value, sizeof header);
  return header;
}

// The same bytes, and so the same value: most comparisons need nothing more.
inline bool is_identical(const Value &a, const Value &b) {
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) == 3 * sizeof(u64));
  return header_of(a) == header_of(b) && a.pointer == b.pointer && a.alternatives == b.alternatives;
}

Value join(const Value &a, const Value &b, Arena &arena);

// A copy of which nothing stands in memory elsewhere.
Value copy_into(const Value &value, Arena &arena);

// A tuple or list of these values; `uniform`: one value for any number of elements. Unknown if it is longer than
// anybody unpacks by hand.
Value make_tuple(std::span<const Value> items, bool uniform, Arena &arena);

// functools.partial of a value, or a method of a framework bound to one.
Value make_bound(Value::Tag tag, Symbol name, const Value &receiver, Arena &arena);

// What iterating over a tuple gives: all elements, joined.
Value element_of_tuple(const Value &tuple, Arena &arena);

// ---- Records --------------------------------------------------------------------------------------------------------
// A dictionary whose keys are written down, a named tuple, a namespace: a uniform Tuple with more than one item. The
// first is what any entry may be, the second what entries of other names may be (Bottom: there are none); then come
// name and value of each entry, sorted by name. Whoever does not ask for names sees a tuple of elements that are alike.

constexpr u32 kMostEntries = 31; // more are a table of data

struct Entry {
  Symbol name;
  Value value;
};

inline bool is_uniform(const Value &value) { return value.is(Value::Tag::Tuple) && value.uniform; }
inline bool has_entries(const Value &value) { return is_uniform(value) && value.number > 1; }
inline u32 entry_count(const Value &value) { return has_entries(value) ? (value.number - 2) / 2 : 0; }
inline Entry entry_at(const Value &record, u32 index) {
  return {record.items[2 + 2 * index].name(), record.items[3 + 2 * index]};
}

// The entry that is known by that name; null if there is none.
const Value *find_entry(const Value &record, Symbol name);

// The entry of that name in a uniform tuple; what entries of other names may be if it is not known by name.
Value entry_named(const Value &record, Symbol name);

// What entries that are not known by name may be, of a uniform tuple.
Value other_entries(const Value &record);

// The last one counts if a name occurs twice.
Value make_record(std::span<const Entry> entries, const Value &others, Arena &arena);

// What the uniform tuple is after `record[name] = value`; without a name, after any one of its entries was set.
Value with_entry(const Value &record, Symbol name, const Value &value, Arena &arena);

} // namespace deepperf::model
