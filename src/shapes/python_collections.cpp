// What programs keep examples in before they become tensors: named tuples, deques, and what `random` takes of them.
#include "shapes/more_tables.h"

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace python_collections {
namespace {

std::vector<Symbol> words_of(std::string_view text) {
  std::vector<Symbol> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(" ,\t\n");
    if (start == std::string_view::npos) {
      return words;
    }
    const std::size_t end = std::min(text.find_first_of(" ,\t\n", start), text.size());
    words.push_back(intern(text.substr(start, end - start)));
    text.remove_prefix(end);
  }
}

// namedtuple("Point", "x y"): the class.
void make_namedtuple(Operation &op) {
  const Value names = op.arg("field_names");
  ObjectContent &content = op.in.heap.change(*op.layer);
  content.is_open = op.is_open;
  if (names.is(Tag::Str) && names.number != 0) {
    content.keys = words_of(names.text());
  } else if (names.is_sequence() && !names.list->content.is_open) {
    for (const Value &name : names.list->content.items) {
      if (!name.is(Tag::Str) || name.number == 0) {
        content.is_open = true;
        return;
      }
      content.keys.push_back(name.name());
    }
  } else {
    content.is_open = true;
    return;
  }
  op.in.field_lists.push_back(content.keys);
  content.attributes[intern("*fields").id] = Value::of_int(static_cast<i64>(op.in.field_lists.size()) - 1);
}

Value call_namedtuple(Operation &op) {
  const ObjectContent &content = op.layer->content;
  const auto place = content.attributes.find(intern("*fields").id);
  if (content.is_open || op.is_open || place == content.attributes.end() || op.rest.size() > content.keys.size()) {
    return {};
  }
  std::vector<Value> items = op.rest;
  items.resize(content.keys.size());
  for (const auto &[name, value] : op.more) {
    const auto field = std::ranges::find(content.keys, name);
    if (field != content.keys.end()) {
      items[static_cast<std::size_t>(field - content.keys.begin())] = value;
    }
  }
  const Value tuple = op.in.heap.new_list(std::move(items), Tag::Tuple);
  tuple.list->fields = &op.in.field_lists[static_cast<std::size_t>(place->second.integer)];
  return tuple;
}

// deque(items, maxlen=n): a list. One with a greatest length forgets items, so that its length is not known.
Value call_deque(Operation &op) {
  const Value given = op.arg("iterable");
  std::vector<Value> items;
  const bool is_exact = !op.is_open && (given.is(Tag::None) || op.in.iterate(given, items));
  if (is_exact && op.arg("maxlen").is(Tag::None)) {
    return op.in.heap.new_list(std::move(items));
  }
  Value all(Tag::Undefined);
  for (const Value &item : items) {
    all = op.in.heap.join(all, item);
  }
  const Value list = op.in.heap.new_open_list(all);
  if (all.is(Tag::Undefined)) {
    list.list->content.items.clear();
    if (!is_exact) {
      list.list->content.items.emplace_back();
    }
  }
  return list;
}

// One of them, whichever it is.
Value any_of(Operation &op, const Value &population) {
  std::vector<Value> items;
  op.in.iterate(population, items);
  Value all(Tag::Undefined);
  for (const Value &item : items) {
    all = op.in.heap.join(all, item);
  }
  return all.is(Tag::Undefined) ? Value() : all;
}

Value call_choice(Operation &op) { return any_of(op, op.arg("population")); }

// random.sample(items, k), random.choices(items, k=k)
Value call_sample(Operation &op) {
  constexpr i64 kMost = 64;
  const Value item = any_of(op, op.arg("population"));
  const Dim count = op.dim("k");
  if (count.is_constant() && count.value >= 0 && count.value <= kMost) {
    return op.in.heap.new_list(std::vector<Value>(static_cast<std::size_t>(count.value), item));
  }
  return op.in.heap.new_open_list(item);
}

Value call_random_int(Operation &) { return Value::of(Dim{}); }
Value call_random_float(Operation &) { return Value::some_float(); }

constexpr TransferEntry kTable[] = {
    {"namedtuple", call_namedtuple, make_namedtuple},
    {"deque", call_deque},
    {"random_choice", call_choice},
    {"random_items", call_sample},
    {"python_random_int", call_random_int},
    {"python_random_float", call_random_float},
};

} // namespace
} // namespace python_collections

std::span<const TransferEntry> python_collection_transfers() { return python_collections::kTable; }

} // namespace deepperf::shapes
