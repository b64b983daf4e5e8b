// Methods of lists, dicts and strings.
#include "shapes/frames.h"
#include "shapes/interpreter.h"

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

bool same_key(const Value &a, const Value &b) {
  return a.tag == b.tag && a.small == b.small && a.number == b.number && a.integer == b.integer;
}

} // namespace

Value Interpreter::call_list_method(const Value &receiver, std::string_view name, Arguments &arguments,
                                    bool &is_known) {
  const std::vector<Value> &args = arguments.positional;
  ListObject &list = *receiver.list;
  const auto widen = [&](const Value &value) {
    ListContent &content = heap.change(list);
    const Value all = content.items.empty() ? value : heap.join(content.items[0], value);
    content.items.assign(1, all);
  };
  if (name == "append" || name == "add" || name == "appendleft") {
    if (args.size() != 1) {
      return {};
    }
    if (list.content.is_open) {
      widen(args[0]);
    } else if (list.content.items.size() >= kMostComputedItems) {
      heap.change(list).is_open = true;
    } else if (name == "appendleft") {
      ListContent &content = heap.change(list);
      content.items.insert(content.items.begin(), args[0]);
    } else {
      heap.change(list).items.push_back(args[0]);
    }
    return Value::none();
  }
  if (name == "as_list" && args.empty()) { // of a TensorShape
    return receiver.list->content.is_open ? receiver : heap.new_list(list.content.items);
  }
  if (name == "extend" && args.size() == 1) {
    std::vector<Value> items;
    const bool is_exact = iterate(args[0], items);
    ListContent &content = heap.change(list);
    if (is_exact && !content.is_open && content.items.size() + items.size() <= kMostComputedItems) {
      content.items.insert(content.items.end(), items.begin(), items.end());
    } else {
      content.is_open = true;
      content.items.assign(1, Value());
    }
    return Value::none();
  }
  if (name == "insert" && args.size() == 2) {
    ListContent &content = heap.change(list);
    const Dim at = as_dim(args[0]);
    if (!content.is_open && at.is_constant() && at.value >= 0 && at.value <= static_cast<i64>(content.items.size()) &&
        content.items.size() < kMostComputedItems) {
      content.items.insert(content.items.begin() + at.value, args[1]);
    } else {
      content.is_open = true;
      content.items.assign(1, Value());
    }
    return Value::none();
  }
  if ((name == "pop" && args.size() <= 1) || (name == "popleft" && args.empty())) {
    ListContent &content = heap.change(list);
    const i64 size = static_cast<i64>(content.items.size());
    Dim at = name == "popleft" ? Dim::of(0) : args.empty() ? Dim::of(-1) : as_dim(args[0]);
    if (!content.is_open && at.is_constant()) {
      const i64 place = at.value < 0 ? at.value + size : at.value;
      if (place >= 0 && place < size) {
        const Value value = content.items[static_cast<std::size_t>(place)];
        content.items.erase(content.items.begin() + place);
        return value;
      }
    }
    if (!content.is_open) { // any of them; else the one that stands for all of them still does
      Value all(Tag::Undefined);
      for (const Value &item : content.items) {
        all = heap.join(all, item);
      }
      content.is_open = true;
      content.items.assign(1, all.is(Tag::Undefined) ? Value() : all);
    }
    return content.items.size() == 1 ? content.items[0] : Value();
  }
  if (name == "clear" && args.empty()) {
    heap.change(list) = ListContent{};
    return Value::none();
  }
  if (name == "copy") {
    const Value copy = heap.new_list(list.content.items, receiver.tag);
    copy.list->content.is_open = list.content.is_open;
    return copy;
  }
  if (name == "reverse") {
    if (!list.content.is_open) {
      std::ranges::reverse(heap.change(list).items);
    }
    return Value::none();
  }
  if ((name == "numel" || name == "num_elements") && !list.content.is_open) { // of a torch.Size or TensorShape
    Dim product = Dim::of(1);
    for (const Value &item : list.content.items) {
      product = terms.multiply(product, as_dim(item));
    }
    return Value::of(product);
  }
  if (name == "index" || name == "count") {
    return Value::of(Dim{});
  }
  if (receiver.is(Tag::List) || receiver.is(Tag::Set)) { // sort, clear, remove, …
    ListContent &content = heap.change(list);
    content.is_open = true;
    content.items.assign(1, Value());
  }
  is_known = false;
  return {};
}

Value Interpreter::call_dict_method(const Value &receiver, std::string_view name, Arguments &arguments,
                                    bool &is_known) {
  const std::vector<Value> &args = arguments.positional;
  DictObject &dict = *receiver.dict;
  if (name == "get" || name == "pop" || name == "setdefault") {
    if (args.empty()) {
      return {};
    }
    for (const auto &[key, value] : dict.content.items) {
      if (same_key(key, args[0])) {
        const Value found = value;
        if (name == "pop") {
          DictContent &content = heap.change(dict);
          std::erase_if(content.items, [&](const auto &item) { return same_key(item.first, args[0]); });
        }
        return found;
      }
    }
    const bool is_missing = !dict.content.is_open && (args[0].is(Tag::Str) && args[0].number != 0);
    if (!is_missing) {
      return {};
    }
    const Value otherwise = args.size() > 1 ? args[1] : Value::none();
    if (name == "setdefault") {
      set_subscript(receiver, args[0], otherwise);
    }
    return otherwise;
  }
  if (name == "keys" || name == "values" || name == "items") {
    std::vector<Value> items;
    for (const auto &[key, value] : dict.content.items) {
      items.push_back(name == "keys" ? key : name == "values" ? value : heap.new_list({key, value}, Tag::Tuple));
    }
    if (dict.content.is_open) {
      return heap.new_open_list(name == "items" ? heap.new_list({Value(), Value()}, Tag::Tuple) : Value());
    }
    return heap.new_list(std::move(items));
  }
  if (name == "update") {
    if (args.size() == 1 && args[0].is(Tag::Dict)) {
      const DictContent other = args[0].dict->content;
      for (const auto &[key, value] : other.items) {
        set_subscript(receiver, key, value);
      }
      heap.change(dict).is_open = dict.content.is_open || other.is_open;
    } else if (!args.empty()) {
      heap.change(dict).is_open = true;
      for (auto &item : heap.change(dict).items) {
        item.second = Value();
      }
    }
    for (const auto &[key, value] : arguments.keywords) {
      set_subscript(receiver, Value::of_text(key), value);
    }
    return Value::none();
  }
  if (name == "copy") {
    DictObject *const copy = heap.new_dict();
    copy->content = dict.content;
    return Value::of(copy);
  }
  heap.change(dict).is_open = true;
  is_known = false;
  return {};
}

Value Interpreter::call_text_method(const Value &receiver, std::string_view name, Arguments &arguments,
                                    bool &is_known) {
  const std::vector<Value> &args = arguments.positional;
  if (name == "format" && receiver.number != 0 && arguments.keywords.empty()) {
    std::string out;
    std::string_view rest = receiver.text();
    std::size_t next = 0;
    while (!rest.empty()) {
      const std::size_t at = rest.find('{');
      out += rest.substr(0, at);
      if (at == std::string_view::npos) {
        break;
      }
      const std::size_t end = rest.find('}', at);
      if (end == std::string_view::npos || next >= args.size()) {
        return Value::of_text({});
      }
      const std::string_view field = rest.substr(at + 1, end - at - 1);
      std::size_t place = next++;
      if (field.size() == 1 && field[0] >= '0' && field[0] <= '9') {
        place = static_cast<std::size_t>(field[0] - '0');
      } else if (!field.empty()) {
        return Value::of_text({});
      }
      const auto text = place < args.size() ? as_text(args[place]) : std::nullopt;
      if (!text) {
        return Value::of_text({});
      }
      out += *text;
      rest.remove_prefix(end + 1);
    }
    return computed_text(out);
  }
  if (name == "startswith" || name == "endswith") {
    if (receiver.number != 0 && args.size() == 1 && args[0].is(Tag::Str) && args[0].number != 0) {
      return Value::of_bool(name == "startswith" ? receiver.text().starts_with(args[0].text())
                                                 : receiver.text().ends_with(args[0].text()));
    }
    return Value::of(Truth::Unknown);
  }
  if (name == "lower" || name == "upper") {
    if (receiver.number == 0) {
      return receiver;
    }
    std::string text(receiver.text());
    std::ranges::transform(text, text.begin(), [&](char c) {
      const bool is_lower = c >= 'a' && c <= 'z';
      const bool is_upper = c >= 'A' && c <= 'Z';
      return static_cast<char>(name == "lower" && is_upper ? c + 32 : name == "upper" && is_lower ? c - 32 : c);
    });
    return Value::of_text(intern(text));
  }
  if (name == "split") {
    if (receiver.number != 0 && args.size() == 1 && args[0].is(Tag::Str) && args[0].number != 0 &&
        !args[0].text().empty()) {
      std::vector<Value> parts;
      std::string_view rest = receiver.text();
      while (true) {
        const std::size_t at = rest.find(args[0].text());
        parts.push_back(Value::of_text(intern(rest.substr(0, at))));
        if (at == std::string_view::npos) {
          break;
        }
        rest.remove_prefix(at + args[0].text().size());
      }
      return heap.new_list(std::move(parts));
    }
    if (receiver.number != 0 && args.empty() && arguments.keywords.empty() && !arguments.is_open) { // words
      constexpr std::string_view kSpace = " \t\n\r";
      std::vector<Value> words;
      std::string_view rest = receiver.text();
      while (true) {
        const std::size_t start = rest.find_first_not_of(kSpace);
        if (start == std::string_view::npos) {
          return heap.new_list(std::move(words));
        }
        const std::size_t end = std::min(rest.find_first_of(kSpace, start), rest.size());
        words.push_back(Value::of_text(intern(rest.substr(start, end - start))));
        rest.remove_prefix(end);
      }
    }
    return heap.new_open_list(Value::of_text({}));
  }
  if (name == "strip" || name == "replace" || name == "join" || name == "format" || name == "lstrip" ||
      name == "rstrip" || name == "title" || name == "capitalize") {
    return Value::of_text({});
  }
  is_known = false;
  return {};
}

// `del d[key]`
void Interpreter::remove_key(DictObject &dict, const Value &key) {
  DictContent &content = heap.change(dict);
  const bool is_constant = (key.is(Tag::Str) && key.number != 0) || (key.is(Tag::Int) && key.dim().is_constant());
  const auto found = std::ranges::find_if(content.items, [&](const auto &item) { return same_key(item.first, key); });
  if (is_constant && found != content.items.end()) {
    content.items.erase(found);
    return;
  }
  content.is_open = true; // any of them
}

void Interpreter::set_subscript(const Value &object, const Value &index, const Value &value) {
  if (is_frame(object)) {
    frame_change(*this, *object.object);
    return;
  }
  if (object.is(Tag::Dict)) {
    const bool is_constant =
        (index.is(Tag::Str) && index.number != 0) || (index.is(Tag::Int) && index.dim().is_constant()) ||
        index.is(Tag::None) || index.is(Tag::Bool) || index.is(Tag::Class) || index.is(Tag::Dtype) ||
        index.is(Tag::Api) || (index.is(Tag::Tensor) && index.tensor->library == Library::TensorFlow); // a placeholder
    DictContent &content = heap.change(*object.dict);
    if (!is_constant) { // any key
      content.is_open = true;
      for (auto &item : content.items) {
        item.second = Value();
      }
      return;
    }
    for (auto &item : content.items) {
      if (same_key(item.first, index)) {
        item.second = value;
        return;
      }
    }
    if (content.items.size() >= 1024) {
      content.is_open = true;
      return;
    }
    content.items.emplace_back(index, value);
    return;
  }
  if (object.is(Tag::List)) {
    ListContent &content = heap.change(*object.list);
    const i64 size = static_cast<i64>(content.items.size());
    if (!content.is_open && index.is(Tag::Int) && index.dim().is_constant()) {
      const i64 at = index.integer < 0 ? index.integer + size : index.integer;
      if (at >= 0 && at < size) {
        content.items[static_cast<std::size_t>(at)] = value;
        return;
      }
    }
    content.is_open = true;
    content.items.assign(1, Value());
    return;
  }
  if (object.is(Tag::Object) && object.object->content.api) {
    ObjectContent &content = heap.change(*object.object);
    if (index.is(Tag::Str) && index.number != 0) {
      const auto known = std::ranges::find(content.keys, index.name());
      if (known != content.keys.end()) {
        content.items[static_cast<std::size_t>(known - content.keys.begin())] = value;
        return;
      }
      content.keys.push_back(index.name());
      content.items.push_back(value);
      if (value.is(Tag::Object) && !value.object->name) {
        heap.note_change(value.object->owner);
        value.object->name = index.name();
      }
      return;
    }
    const i64 size = static_cast<i64>(content.items.size());
    if (index.is(Tag::Int) && index.dim().is_constant() && index.integer >= -size && index.integer < size) {
      content.items[static_cast<std::size_t>(index.integer < 0 ? index.integer + size : index.integer)] = value;
      return;
    }
    content.is_open = true;
  }
}

} // namespace deepperf::shapes
