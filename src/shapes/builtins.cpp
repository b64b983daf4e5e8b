// Python's builtin functions, and the methods of lists, dicts and strings.
#include "shapes/frames.h"
#include "shapes/module_checks.h"
#include "shapes/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

// The fields of a NamedTuple, in the order of its class.
bool fields_of_tuple(const Object &object, std::vector<Value> &items) {
  for (auto base = object.type->order.rbegin(); base != object.type->order.rend(); ++base) {
    for (const Stmt *statement : (*base)->node->body) {
      const auto *field = as<AnnAssign>(statement);
      const auto *name = field != nullptr ? as<Name>(field->target) : nullptr;
      if (name == nullptr) {
        continue;
      }
      const auto stored = object.content.attributes.find(name->id.id);
      items.push_back(stored != object.content.attributes.end() ? stored->second : Value());
    }
  }
  return !object.content.is_open;
}

} // namespace

bool Interpreter::iterate(const Value &value, std::vector<Value> &items) {
  switch (value.tag) {
  case Tag::List:
  case Tag::Tuple:
  case Tag::Set:
    heap.note_copied(value.list->content.items.size());
    items.insert(items.end(), value.list->content.items.begin(), value.list->content.items.end());
    return !value.list->content.is_open;
  case Tag::Dict:
    for (const auto &[key, item] : value.dict->content.items) {
      items.push_back(key);
    }
    if (value.dict->content.is_open) {
      items.assign(1, Value());
    }
    return !value.dict->content.is_open;
  case Tag::Range: {
    const RangeObject &range = *value.range;
    const auto is_moderate = [](const Dim &dim) { // so that nothing below overflows
      constexpr i64 kLargest = i64{1} << 60U;
      return dim.is_constant() && dim.value > -kLargest && dim.value < kLargest;
    };
    if (is_moderate(range.start) && is_moderate(range.stop) && is_moderate(range.step) && range.step.value != 0) {
      const i64 count = range.step.value > 0
                            ? (range.stop.value - range.start.value + range.step.value - 1) / range.step.value
                            : (range.start.value - range.stop.value - range.step.value - 1) / -range.step.value;
      if (count <= 256) {
        for (i64 i = 0; i < count; ++i) {
          items.push_back(Value::of_int(range.start.value + i * range.step.value));
        }
        return true;
      }
    }
    items.push_back(Value::of(number_in(range)));
    return false;
  }
  case Tag::Tensor: {
    const Tensor &tensor = *value.tensor;
    Tensor element = tensor;
    element.is_parameter = false;
    Dim count;
    if (tensor.shape.is_known() && tensor.shape.rank() > 0) {
      count = tensor.shape.dims[0];
      element.shape.dims = {tensor.shape.dims.items + 1, tensor.shape.rank() - 1};
    } else {
      element.shape = {};
    }
    const Value one = plain_tensor(element);
    if (count.is_constant() && count.value <= limits_.iterations) {
      items.insert(items.end(), static_cast<std::size_t>(std::max<i64>(count.value, 0)), one);
      return true;
    }
    items.push_back(one);
    return false;
  }
  case Tag::Object: {
    Object &object = *value.object;
    if (object.content.api) {
      const std::string_view api = object.content.api.text();
      if (api == "torch.nn.ModuleList" || api == "torch.nn.Sequential" || api == "torch.nn.ParameterList") {
        if (!object.content.is_open) {
          items = object.content.items;
        }
        return !object.content.is_open;
      }
      if (api == "torch.nn.ModuleDict") {
        for (const Symbol key : object.content.keys) {
          items.push_back(Value::of_text(key));
        }
        return !object.content.is_open;
      }
      const auto element = object.content.attributes.find(intern("*element").id); // of a loader or dataset
      if (element != object.content.attributes.end()) {
        items.push_back(element->second);
        return false;
      }
    }
    if (object.type != nullptr) {
      if (FunctionObject *const iterator = find_method(*object.type, intern("__iter__"))) {
        Arguments arguments;
        arguments.positional.push_back(value);
        const Value all = call_function(*iterator, arguments, nullptr);
        if (all.is_sequence()) {
          items.insert(items.end(), all.list->content.items.begin(), all.list->content.items.end());
          return !all.list->content.is_open;
        }
      } else if (derives_from(*object.type, "typing.NamedTuple")) {
        return fields_of_tuple(object, items);
      }
    }
    return false;
  }
  default:
    return false;
  }
}

bool Interpreter::unpack(const Value &value, u32 wanted, std::vector<Value> &items, const Expr *place) {
  // Results of an operation that are given to more or fewer names.
  const auto all_are = [&](Tag tag) {
    return std::ranges::all_of(value.list->content.items, [&](const Value &item) { return item.is(tag); });
  };
  if (value.is(Tag::Tensor) && wanted > 1 && value.tensor->shape.has_rank(0) &&
      value.tensor->library == Library::Torch) {
    if (Problem *problem =
            report(Fault::Arity, place, fmt::format("a tensor without dimensions is unpacked into {} names", wanted))) {
      add_chain(*problem, *value.tensor);
      problem->advice = "max, min and median return values and indices only with dim=…";
    }
    return false;
  }
  // A tensor gives as many values as its first dimension says.
  if (value.is(Tag::Tensor) && wanted > 0 && value.tensor->shape.is_known() && value.tensor->shape.rank() > 0 &&
      value.tensor->shape.dims[0].is_constant() && value.tensor->shape.dims[0].value != i64{wanted} &&
      value.tensor->library == Library::Torch) {
    if (Problem *problem = report(Fault::Arity, place,
                                  fmt::format("{} gives {} values, but is unpacked into {} names",
                                              text_of(*value.tensor), value.tensor->shape.dims[0].value, wanted))) {
      add_chain(*problem, *value.tensor);
      problem->advice = "use one name, or as many as the first dimension has";
    }
    return false;
  }
  // The sizes of a tensor
  if (value.is(Tag::Tuple) && !value.list->content.is_open && wanted > 0 && value.list->is_shape &&
      value.list->content.items.size() != wanted) {
    if (Problem *problem = report(Fault::Arity, place,
                                  fmt::format("a shape of {} dimensions is unpacked into {} names",
                                              value.list->content.items.size(), wanted))) {
      problem->advice = "use a name for each dimension";
    }
    return false;
  }
  if (value.is_sequence() && !value.list->content.is_open && wanted > 0 && !value.list->content.items.empty() &&
      value.list->content.items.size() != wanted && all_are(Tag::Tensor)) {
    const std::size_t count = value.list->content.items.size();
    if (Problem *problem =
            report(Fault::Arity, place, fmt::format("{} results are unpacked into {} names", count, wanted))) {
      add_chain(*problem, *value.list->content.items[0].tensor);
      problem->advice = "use as many names as there are results";
    }
  }
  // `B, C, H, W = x.shape` tells the rank of x.
  if (value.is(Tag::List) || value.is(Tag::Tuple)) {
    if (value.list->content.is_open && value.list->holder.tag == Tag::Opaque && wanted > 0) {
      const Value holder = value.list->holder;
      const Tensor *const tensor = as_tensor(holder);
      if (tensor != nullptr && !tensor->shape.is_known()) {
        std::vector<Dim> dims;
        for (u32 i = 0; i < wanted; ++i) {
          Dim dim = tensor->shape.from_end(wanted - 1 - i);
          dims.push_back(dim.is_known() ? dim : size_at(holder, *tensor, static_cast<i64>(i)));
        }
        refine(holder, heap.shape(dims));
        for (const Dim dim : dims) {
          items.push_back(Value::of(dim));
        }
        return true;
      }
    }
  }
  return iterate(value, items);
}

namespace {

Value keyword(const Arguments &arguments, std::string_view name) {
  for (const auto &[key, value] : arguments.keywords) {
    if (key.text() == name) {
      return value;
    }
  }
  return Value(Tag::Undefined);
}

} // namespace

Value Interpreter::call_builtin(std::string_view name, Arguments &arguments, const Expr *node, bool &is_known) {
  const std::vector<Value> &args = arguments.positional;
  const auto arg = [&args](std::size_t at) { return at < args.size() ? args[at] : Value(Tag::Undefined); };
  if (arguments.is_open) {
    is_known = name != "print";
    // zip(*rows): columns, as many as a row has values
    const bool is_transposed = name == "zip" && args.empty() && arguments.keywords.empty() &&
                               arguments.each.is(Tag::Tuple) && !arguments.each.list->content.is_open;
    if (is_transposed) {
      std::vector<Value> columns;
      for (const Value &item : arguments.each.list->content.items) {
        columns.push_back(heap.new_open_list(item, Tag::Tuple));
      }
      return heap.new_list(std::move(columns));
    }
    return {};
  }
  if (name == "range") {
    RangeObject range{Dim::of(0), as_dim(arg(0)), Dim::of(1)};
    if (args.size() >= 2) {
      range.start = as_dim(arg(0));
      range.stop = as_dim(arg(1));
    }
    if (args.size() >= 3) {
      range.step = as_dim(arg(2));
    }
    return Value::of(heap.arena.make<RangeObject>(range));
  }
  if (name == "len") {
    const Value value = arg(0);
    std::vector<Value> items;
    check_has_length(*this, value, node);
    if (value.is(Tag::Tensor) && value.tensor->shape.is_known() && value.tensor->shape.rank() > 0) {
      return Value::of(value.tensor->shape.dims[0]);
    }
    if (const Tensor *const array = array_in(value)) {
      return Value::of(array->shape.rank() > 0 && array->shape.dims[0].is_known() ? array->shape.dims[0]
                                                                                  : fresh("len", 0));
    }
    if (value.is(Tag::Str)) {
      return value.number != 0 ? Value::of_int(static_cast<i64>(value.text().size())) : Value::of(Dim{});
    }
    if (value.is(Tag::Object) && value.object->type != nullptr) {
      if (FunctionObject *const length = find_method(*value.object->type, intern("__len__"))) {
        Arguments self;
        self.positional.push_back(value);
        return call_function(*length, self, node);
      }
    }
    if (value.is(Tag::Object)) {
      const auto count = value.object->content.attributes.find(intern("*length").id);
      if (count != value.object->content.attributes.end()) {
        return count->second;
      }
    }
    // Of a list or dictionary that did not change in between, the same.
    Dim *const known = value.is_sequence()   ? &value.list->content.length
                       : value.is(Tag::Dict) ? &value.dict->content.length
                                             : nullptr;
    const bool is_open =
        (value.is_sequence() && value.list->content.is_open) || (value.is(Tag::Dict) && value.dict->content.is_open);
    if (known != nullptr && is_open) {
      *known = known->is_known() ? *known : fresh("len", 0);
      return Value::of(*known);
    }
    return (value.is_sequence() || value.is(Tag::Dict) || value.is(Tag::Range) || value.is(Tag::Object)) &&
                   iterate(value, items)
               ? Value::of_int(static_cast<i64>(items.size()))
               : Value::of(fresh("len", 0));
  }
  if (name == "list" || name == "tuple" || name == "set" || name == "sorted" || name == "reversed" || name == "iter") {
    const Tag tag = name == "tuple" ? Tag::Tuple : name == "set" ? Tag::Set : Tag::List;
    std::vector<Value> items;
    if (args.empty()) {
      return heap.new_list({}, tag);
    }
    if (!iterate(arg(0), items)) {
      return heap.new_open_list(items.size() == 1 ? items[0] : Value(), tag);
    }
    if (name == "reversed") {
      std::ranges::reverse(items);
    } else if (name == "sorted" || name == "set") {
      const bool are_numbers =
          std::ranges::all_of(items, [](const Value &item) { return item.is(Tag::Int) && item.dim().is_constant(); });
      if (!are_numbers || !arguments.keywords.empty()) {
        return heap.new_open_list(Value(), tag);
      }
      std::ranges::sort(items, {}, [](const Value &item) { return item.integer; });
      if (name == "set") {
        const auto is_same = [](const Value &a, const Value &b) { return a.integer == b.integer; };
        items.erase(std::unique(items.begin(), items.end(), is_same), items.end());
      }
    }
    return heap.new_list(std::move(items), tag);
  }
  if (name == "enumerate" || name == "zip") {
    std::vector<std::vector<Value>> lists;
    bool is_exact = true;
    if (name == "enumerate") {
      std::vector<Value> items;
      is_exact = iterate(arg(0), items);
      std::vector<Value> numbers;
      const Value start = args.size() > 1 ? arg(1) : keyword(arguments, "start");
      const Dim first = start.is(Tag::Undefined) ? Dim::of(0) : as_dim(start);
      for (std::size_t i = 0; i < items.size(); ++i) {
        numbers.push_back(Value::of(is_exact ? terms.add(first, Dim::of(static_cast<i64>(i))) : Dim{}));
      }
      if (items.empty() && !is_exact) {
        items.emplace_back();
        numbers.push_back(Value::of(Dim{}));
      }
      lists = {std::move(numbers), std::move(items)};
    } else {
      for (const Value &value : args) {
        is_exact = iterate(value, lists.emplace_back()) && is_exact;
      }
      if (!is_exact) {
        for (std::vector<Value> &items : lists) {
          Value all(Tag::Undefined);
          for (const Value &item : items) {
            all = heap.join(all, item);
          }
          items.assign(1, all.is(Tag::Undefined) ? Value() : all);
        }
      }
    }
    std::size_t count = lists.empty() ? 0 : lists[0].size();
    for (const std::vector<Value> &items : lists) {
      count = std::min(count, items.size());
    }
    std::vector<Value> tuples;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Value> tuple;
      for (const std::vector<Value> &items : lists) {
        tuple.push_back(items[i]);
      }
      tuples.push_back(heap.new_list(std::move(tuple), Tag::Tuple));
    }
    return is_exact ? heap.new_list(std::move(tuples)) : heap.new_open_list(tuples.empty() ? Value() : tuples[0]);
  }
  if (name == "int" || name == "round") {
    const Value value = arg(0);
    if (value.is(Tag::Int) || value.is(Tag::Opaque) || value.is(Tag::Bool)) {
      return Value::of(as_dim(value));
    }
    if (value.is(Tag::Float)) {
      if (value.small != 0 && std::abs(value.real) < 1e15 && args.size() == 1) {
        return Value::of_int(static_cast<i64>(name == "int" ? std::trunc(value.real) : std::nearbyint(value.real)));
      }
      return name == "int" || args.size() == 1 ? Value::of(fresh("n", 0)) : Value::some_float();
    }
    return Value::of(Dim{});
  }
  if (name == "float") {
    const Value value = arg(0);
    return value.is(Tag::Int) && value.dim().is_constant() ? Value::of_float(static_cast<double>(value.integer))
           : value.is(Tag::Float)                          ? value
                                                           : Value::some_float();
  }
  if (name == "bool") {
    return Value::of(truth(arg(0)));
  }
  if (name == "str") {
    const auto text = as_text(arg(0));
    return Value::of_text(text ? intern(*text) : Symbol{});
  }
  if (name == "min" || name == "max" || name == "sum" || name == "abs") {
    std::vector<Value> items = args;
    if (args.size() == 1 && name != "abs" && !iterate(arg(0), (items.clear(), items))) {
      return {};
    }
    if (name == "sum") {
      Value total = args.size() > 1 ? args[1] : Value::of_int(0);
      if (args.size() > 1 && !iterate(arg(0), (items.clear(), items))) {
        return {};
      }
      for (const Value &item : items) {
        total = total.is_number(0) ? item : binary(Operator::Add, total, item, node);
      }
      return total;
    }
    if (std::ranges::all_of(items, [](const Value &item) { return item.is(Tag::Int) || item.is(Tag::Opaque); }) &&
        !items.empty()) {
      Dim best = as_dim(items[0]);
      if (name == "abs") {
        return best.is_constant() ? Value::of_int(std::abs(best.value)) : Value::of(Dim{});
      }
      for (const Value &item : items) {
        best = name == "min" ? terms.smaller(best, as_dim(item)) : terms.larger(best, as_dim(item));
      }
      return Value::of(best);
    }
    if (items.size() == 1 && items[0].is(Tag::Tensor)) {
      return items[0];
    }
    const bool are_numbers = std::ranges::all_of(items, [](const Value &item) {
      return (item.is(Tag::Int) && item.dim().is_constant()) || (item.is(Tag::Float) && item.small != 0);
    });
    if (are_numbers && !items.empty()) {
      const auto number = [](const Value &item) {
        return item.is(Tag::Float) ? item.real : static_cast<double>(item.integer);
      };
      return name == "abs"   ? Value::of_float(std::abs(number(items[0])))
             : name == "min" ? *std::ranges::min_element(items, {}, number)
                             : *std::ranges::max_element(items, {}, number);
    }
    return {};
  }
  if (name == "print") {
    return Value::none();
  }
  if (name == "dict") {
    DictObject *const dict = heap.new_dict();
    if (!args.empty()) {
      if (arg(0).is(Tag::Dict)) {
        dict->content = arg(0).dict->content;
      } else {
        std::vector<Value> pairs;
        dict->content.is_open = !iterate(arg(0), pairs);
        for (const Value &pair : pairs) {
          if (pair.is_sequence() && pair.list->content.items.size() == 2) {
            set_subscript(Value::of(dict), pair.list->content.items[0], pair.list->content.items[1]);
          } else {
            dict->content.is_open = true;
          }
        }
      }
    }
    for (const auto &[key, value] : arguments.keywords) {
      set_subscript(Value::of(dict), Value::of_text(key), value);
    }
    return Value::of(dict);
  }
  if (name == "isinstance") {
    return Value::of(is_instance(arg(0), arg(1)));
  }
  if (name == "hasattr") {
    const Value value = arg(0);
    if (value.is(Tag::Object) && arg(1).is(Tag::Str) && arg(1).number != 0 && !value.object->content.is_open &&
        (value.object->type == nullptr || !value.object->type->has_unknown_base)) {
      const Value found = object_attribute(*value.object, arg(1).name(), node);
      return found.is_unknown() || (found.is(Tag::Method) && found.method->function == nullptr)
                 ? Value::of(Truth::Unknown)
                 : Value::of_bool(true);
    }
    return Value::of(Truth::Unknown);
  }
  if (name == "getattr") {
    if (!arg(1).is(Tag::Str) || arg(1).number == 0) {
      return {};
    }
    const Value value = attribute(arg(0), arg(1).name(), node);
    const bool may_be_missing = value.is_unknown() || (value.is(Tag::Method) && value.method->function == nullptr);
    return may_be_missing && args.size() > 2 ? Value() : value;
  }
  if (name == "setattr") {
    if (arg(1).is(Tag::Str) && arg(1).number != 0) {
      set_attribute(arg(0), arg(1).name(), arg(2));
    } else if (arg(0).is(Tag::Object)) {
      heap.change(*arg(0).object).is_open = true;
    }
    return Value::none();
  }
  if (name == "type") {
    return arg(0).is(Tag::Object) && arg(0).object->type != nullptr ? Value::of(arg(0).object->type) : Value();
  }
  if (name == "next") {
    std::vector<Value> items;
    iterate(arg(0), items);
    return items.empty() ? Value() : items[0];
  }
  if (name == "map" && args.size() == 2) {
    std::vector<Value> items;
    const bool is_exact = iterate(arg(1), items) && items.size() <= limits_.iterations;
    std::vector<Value> results;
    for (const Value &item : items) {
      Arguments one;
      one.positional.push_back(item);
      results.push_back(call(arg(0), one, node));
      if (!is_exact) {
        return heap.new_open_list(results[0]);
      }
    }
    return is_exact ? heap.new_list(std::move(results)) : heap.new_open_list(Value());
  }
  if (name == "divmod" && args.size() == 2) {
    return heap.new_list(
        {binary(Operator::FloorDiv, arg(0), arg(1), node), binary(Operator::Mod, arg(0), arg(1), node)}, Tag::Tuple);
  }
  if (name == "pow" && args.size() == 2) {
    return binary(Operator::Pow, arg(0), arg(1), node);
  }
  if (name == "slice") {
    SliceObject slice{Value::none(), args.empty() ? Value::none() : arg(0), Value::none()};
    if (args.size() >= 2) {
      slice = {arg(0), arg(1), args.size() > 2 ? arg(2) : Value::none()};
    }
    return Value::of(heap.arena.make<SliceObject>(slice));
  }
  if (name == "any" || name == "all") {
    std::vector<Value> items;
    if (!iterate(arg(0), items)) {
      return Value::of(Truth::Unknown);
    }
    Truth result = name == "all" ? Truth::Yes : Truth::No;
    for (const Value &item : items) {
      const Truth one = truth(item);
      if (one != Truth::Unknown && (one == Truth::No) == (name == "all")) {
        return Value::of(one);
      }
      result = one == Truth::Unknown ? one : result;
    }
    return Value::of(result);
  }
  is_known = false;
  return {};
}

Truth Interpreter::is_instance(const Value &value, const Value &type) {
  if (type.is_sequence()) {
    Truth any = Truth::No;
    for (const Value &one : type.list->content.items) {
      const Truth result = is_instance(value, one);
      if (result == Truth::Yes) {
        return result;
      }
      any = result == Truth::Unknown ? result : any;
    }
    return type.list->content.is_open ? Truth::Unknown : any;
  }
  if (value.is_unknown() || value.is(Tag::Opaque) || (!type.is(Tag::Class) && !type.is(Tag::Api))) {
    return Truth::Unknown;
  }
  const auto known = [](bool is_true) { return is_true ? Truth::Yes : Truth::No; };
  if (type.is(Tag::Class)) {
    if (!value.is(Tag::Object)) {
      return Truth::No;
    }
    if (value.object->type == nullptr) {
      return Truth::No;
    }
    if (std::ranges::find(value.object->type->order, type.type) != value.object->type->order.end()) {
      return Truth::Yes;
    }
    return value.object->type->has_unknown_base ? Truth::Unknown : Truth::No;
  }
  const std::string_view name = type.text();
  if (name == "int") {
    return known(value.is(Tag::Int) || value.is(Tag::Bool));
  }
  if (name == "float") {
    return known(value.is(Tag::Float));
  }
  if (name == "bool") {
    return known(value.is(Tag::Bool));
  }
  if (name == "str") {
    return known(value.is(Tag::Str));
  }
  if (name == "list") {
    return known(value.is(Tag::List));
  }
  if (name == "tuple") {
    return value.is(Tag::Object) ? Truth::Unknown : known(value.is(Tag::Tuple));
  }
  if (name == "dict") {
    return value.is(Tag::Object) ? Truth::Unknown : known(value.is(Tag::Dict));
  }
  if (name == "torch.Tensor") {
    return known(value.is(Tag::Tensor) && value.tensor->library != Library::Numpy);
  }
  if (name == "numpy.ndarray") {
    return known(value.is(Tag::Tensor) && value.tensor->library == Library::Numpy);
  }
  if (name.starts_with("collections.abc.") || name.starts_with("typing.") || name.starts_with("numbers.")) {
    return name.ends_with("Iterable") || name.ends_with("Sequence")
               ? (value.is(Tag::List) || value.is(Tag::Tuple)                         ? Truth::Yes
                  : value.is(Tag::Int) || value.is(Tag::Float) || value.is(Tag::Bool) ? Truth::No
                                                                                      : Truth::Unknown)
               : Truth::Unknown;
  }
  if (value.is(Tag::Object)) {
    if (value.object->content.api == type.name()) {
      return Truth::Yes;
    }
    if (name == "torch.nn.Module") {
      return is_module(*value.object) ? Truth::Yes : Truth::Unknown;
    }
    return value.object->type == nullptr && value.object->content.api && name.starts_with("torch.nn.") &&
                   name.find("_") == std::string_view::npos
               ? Truth::No
               : Truth::Unknown;
  }
  return Truth::Unknown;
}

} // namespace deepperf::shapes
