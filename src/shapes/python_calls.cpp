// Python's standard library, as far as sizes go through it: math, argparse, functools, collections.
#include "shapes/registry.h"

#include <algorithm>
#include <cmath>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace python_calls {
namespace {

std::optional<double> number(const Value &value) {
  if (value.is(Tag::Float) && value.small != 0) {
    return value.real;
  }
  if (value.is(Tag::Int) && value.dim().is_constant()) {
    return static_cast<double>(value.integer);
  }
  return {};
}

Value call_floor(Operation &op) {
  const Value value = op.arg("x");
  if (value.is(Tag::Int)) {
    return value;
  }
  const auto known = number(value);
  if (!known || std::abs(*known) > 1e15) {
    return Value::of(op.in.fresh("n", 0));
  }
  return Value::of_int(static_cast<i64>(op.short_name() == "ceil" ? std::ceil(*known) : std::floor(*known)));
}

Value call_math(Operation &op) {
  const auto known = number(op.arg("x"));
  if (!known) {
    return Value::some_float();
  }
  const std::string_view name = op.short_name();
  double result = 0;
  if (name == "sqrt" && *known >= 0) {
    result = std::sqrt(*known);
  } else if (name == "log2" && *known > 0) {
    result = std::log2(*known);
  } else if (name == "log" && *known > 0 && !op.is_given("base")) {
    result = std::log(*known);
  } else if (name == "exp") {
    result = std::exp(*known);
  } else {
    return Value::some_float();
  }
  return Value::of_float(result);
}

Value call_prod(Operation &op) {
  std::vector<Value> items;
  if (!op.in.iterate(op.arg("x"), items)) {
    return {};
  }
  Dim product = Dim::of(1);
  for (const Value &item : items) {
    product = op.in.terms.multiply(product, op.in.as_dim(item));
  }
  return Value::of(product);
}

// ---- argparse -------------------------------------------------------------------------------------------------------

Value call_add_argument(Operation &op) {
  const Value parser = op.arg("self");
  if (!parser.is(Tag::Object) || op.rest.empty()) {
    return {};
  }
  std::string_view name;
  for (const Value &flag : op.rest) {
    const std::string_view text = flag.is(Tag::Str) ? flag.text() : std::string_view{};
    if (name.empty() || (text.starts_with("--") && !name.starts_with("--"))) {
      name = text;
    }
  }
  const bool is_option = name.starts_with("-");
  while (name.starts_with("-")) {
    name.remove_prefix(1);
  }
  std::string attribute(name);
  std::ranges::replace(attribute, '-', '_');
  if (const auto dest = op.in.as_text(op.arg("dest"))) {
    attribute = *dest;
  }
  if (attribute.empty()) {
    return {};
  }
  Value value = op.arg("default");
  const auto action = op.in.as_text(op.arg("action"));
  if (action == "store_true" || action == "store_false") {
    value = value.is(Tag::None) ? Value::of_bool(action == "store_false") : value;
  } else if (!is_option || (value.is(Tag::None))) {
    value = value.is(Tag::None) && is_option && op.in.truth(op.arg("required")) == Truth::No ? value : Value();
    if (!is_option || op.in.truth(op.arg("required")) == Truth::Yes) {
      value = op.in.new_opaque(attribute); // whatever the user gives
      value.opaque->may_be_tensor = false;
    }
  }
  op.in.heap.change(*parser.object).attributes[intern(attribute).id] = value;
  return {};
}

Value call_parse_args(Operation &op) {
  const Value parser = op.arg("self");
  if (!parser.is(Tag::Object)) {
    return {};
  }
  DictObject *const dict = op.in.heap.new_dict();
  dict->content.is_attrs = true;
  dict->content.is_open = true;
  for (const auto &[name, value] : parser.object->content.attributes) {
    dict->content.items.emplace_back(Value::of_text(Symbol{name}), value);
  }
  const Value args = Value::of(dict);
  return op.short_name() == "parse_known_args" ? op.in.heap.new_list({args, Value()}, Tag::Tuple) : args;
}

// Groups and subparsers add to the parser itself.
Value call_same_parser(Operation &op) { return op.arg("self"); }

Value call_namespace(Operation &op) {
  DictObject *const dict = op.in.heap.new_dict();
  dict->content.is_attrs = true;
  dict->content.is_open = op.is_open;
  for (const auto &[name, value] : op.more) {
    dict->content.items.emplace_back(Value::of_text(name), value);
  }
  return Value::of(dict);
}

Value call_ordered_dict(Operation &op) {
  Arguments arguments;
  if (!op.rest.empty()) {
    arguments.positional = op.rest;
  }
  arguments.keywords = op.more;
  if (op.is_open) {
    return {};
  }
  return op.in.call_api(intern("dict"), arguments, op.node);
}

// functools.partial: a function with some arguments given.
void make_partial(Operation &op) {
  ObjectContent &content = op.in.heap.change(*op.layer);
  content.items = op.rest;
  content.is_open = op.is_open;
  for (const auto &[name, value] : op.more) {
    content.attributes[name.id] = value;
  }
}

Value call_partial(Operation &op) {
  const ObjectContent &content = op.layer->content;
  Arguments arguments;
  arguments.node = nullptr;
  arguments.positional = content.items;
  arguments.positional.insert(arguments.positional.end(), op.rest.begin(), op.rest.end());
  arguments.is_open = content.is_open || op.is_open;
  arguments.keywords = op.more;
  for (const auto &[name, value] : content.attributes) {
    const bool is_given =
        std::ranges::any_of(op.more, [&](const auto &keyword) { return keyword.first == Symbol{name}; });
    if (!is_given) {
      arguments.keywords.emplace_back(Symbol{name}, value);
    }
  }
  arguments.node = as<Call>(op.node);
  return op.in.call(op.arg("func"), arguments, op.node);
}

Value call_copy(Operation &op) {
  const Value value = op.arg("x");
  return op.in.copy_of(value, 0);
}

// typing.cast
Value call_cast(Operation &op) { return op.arg("val"); }

Value call_field(Operation &op) {
  const Value factory = op.arg("default_factory");
  if (!factory.is(Tag::None)) {
    Arguments none;
    return op.in.call(factory, none, op.node);
  }
  return op.arg("default");
}

Value call_list_product(Operation &op) {
  (void)op;
  return op.in.heap.new_open_list(Value());
}

constexpr TransferEntry kTable[] = {
    {"floor", call_floor},
    {"math", call_math},
    {"prod", call_prod},
    {"parser", nullptr},
    {"add_argument", call_add_argument},
    {"parse_args", call_parse_args},
    {"same_parser", call_same_parser},
    {"namespace", call_namespace},
    {"ordered_dict", call_ordered_dict},
    {"partial", call_partial, make_partial},
    {"copy", call_copy},
    {"cast", call_cast},
    {"field", call_field},
    {"list_product", call_list_product},
};

} // namespace
} // namespace python_calls

// copy.deepcopy: layers of their own, of the same sizes.
Value Interpreter::copy_of(const Value &value, u32 depth) {
  if (depth > 8) {
    return {};
  }
  switch (value.tag) {
  case Tag::Object: {
    Object *const copy = heap.new_object(value.object->type, value.object->content.api);
    copy->maker = value.object->maker;
    copy->module = value.object->module;
    copy->name = {};
    const ObjectContent content = value.object->content;
    copy->content = content;
    for (const auto &[name, child] : content.attributes) {
      if (child.is(Tag::Object) || child.is(Tag::List) || child.is(Tag::Dict)) {
        const Value other = copy_of(child, depth + 1);
        if (other.is(Tag::Object)) {
          other.object->name = Symbol{name};
        }
        copy->content.attributes[name] = other;
      }
    }
    for (std::size_t i = 0; i < content.items.size(); ++i) {
      copy->content.items[i] = copy_of(content.items[i], depth + 1);
      if (copy->content.items[i].is(Tag::Object) && content.items[i].is(Tag::Object)) {
        copy->content.items[i].object->name = content.items[i].object->name;
      }
    }
    return Value::of(copy);
  }
  case Tag::List: {
    const ListContent content = value.list->content;
    std::vector<Value> items;
    for (const Value &item : content.items) {
      items.push_back(copy_of(item, depth + 1));
    }
    const Value list = heap.new_list(std::move(items));
    list.list->content.is_open = content.is_open;
    return list;
  }
  case Tag::Dict: {
    DictObject *const dict = heap.new_dict();
    dict->content = value.dict->content;
    for (auto &item : dict->content.items) {
      item.second = copy_of(item.second, depth + 1);
    }
    return Value::of(dict);
  }
  case Tag::Opaque:
    return {};
  default:
    return value;
  }
}

std::span<const TransferEntry> python_transfers() { return python_calls::kTable; }

} // namespace deepperf::shapes
