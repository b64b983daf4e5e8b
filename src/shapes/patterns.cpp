// The expressions and patterns of the tables: "[*, in_features] -> [*, out_features]".
#include "shapes/registry.h"
#include "shapes/torch.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <map>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

using Bindings = std::map<std::string, Dim, std::less<>>;

class Evaluator {
public:
  Evaluator(std::string_view text, const Operation &operation, const Bindings &bindings)
      : text_(text), op_(operation), bindings_(bindings) {}

  Dim run() { return sum(); }

private:
  void skip() {
    while (!text_.empty() && text_.front() == ' ') {
      text_.remove_prefix(1);
    }
  }
  bool take(std::string_view token) {
    skip();
    if (!text_.starts_with(token)) {
      return false;
    }
    text_.remove_prefix(token.size());
    return true;
  }
  Dim sum() {
    Dim value = product();
    while (true) {
      if (take("+")) {
        value = op_.in.terms.add(value, product());
      } else if (take("-")) {
        value = op_.in.terms.subtract(value, product());
      } else {
        return value;
      }
    }
  }
  Dim product() {
    Dim value = atom();
    while (true) {
      if (take("//")) {
        value = op_.in.terms.floor_divide(value, atom());
      } else if (take("*")) {
        value = op_.in.terms.multiply(value, atom());
      } else {
        return value;
      }
    }
  }
  Dim atom() {
    if (take("(")) {
      const Dim value = sum();
      take(")");
      return value;
    }
    skip();
    std::size_t end = 0;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) {
      ++end;
    }
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end);
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
      i64 number = 0;
      std::from_chars(word.data(), word.data() + word.size(), number);
      return Dim::of(number);
    }
    if (word == "rnn" && take("(")) { // rnn(4): the weights of an LSTM, which has four gates
      const Dim gates = sum();
      take(")");
      return recurrent(gates);
    }
    if (take("(")) { // volume(kernel_size, 2): the product of so many sizes
      skip();
      std::size_t comma = text_.find(',');
      const std::string_view name = text_.substr(0, comma);
      text_.remove_prefix(std::min(comma + 1, text_.size()));
      const Dim count = sum();
      take(")");
      Dim product = Dim::of(1);
      if (word != "volume" || !count.is_constant()) {
        return {};
      }
      for (const Dim dim : op_.sizes(name, static_cast<u32>(count.value))) {
        product = op_.in.terms.multiply(product, dim);
      }
      return product;
    }
    if (const auto bound = bindings_.find(word); bound != bindings_.end()) {
      return bound->second;
    }
    const Value value = op_.arg(word);
    if (value.is(Tag::None)) {
      return Dim::of(0);
    }
    if (value.is_sequence()) {
      std::vector<Dim> dims;
      Dim product = Dim::of(1);
      if (!op_.in.as_dims(value, dims)) {
        return {};
      }
      for (const Dim dim : dims) {
        product = op_.in.terms.multiply(product, dim);
      }
      return product;
    }
    return op_.in.as_dim(value);
  }

  Dim recurrent(Dim gates) {
    Terms &terms = op_.in.terms;
    const Dim layers = op_.dim("num_layers");
    const Dim directions = terms.add(Dim::of(1), op_.dim("bidirectional"));
    const Dim hidden = op_.dim("hidden_size");
    const Dim projected = op_.dim("proj_size");
    if (!layers.is_constant() || layers.value < 1 || layers.value > 64 || !projected.is_constant()) {
      return {};
    }
    const Dim out = projected.value > 0 ? projected : hidden;
    Dim total = Dim::of(0);
    Dim in = op_.dim("input_size");
    for (i64 i = 0; i < layers.value; ++i) {
      Dim each = terms.add(terms.add(in, out), terms.multiply(Dim::of(2), op_.dim("bias")));
      each = terms.multiply(terms.multiply(gates, hidden), each);
      each = projected.value > 0 ? terms.add(each, terms.multiply(hidden, projected)) : each;
      total = terms.add(total, terms.multiply(directions, each));
      in = terms.multiply(directions, out);
    }
    return total;
  }

  std::string_view text_;
  const Operation &op_;
  const Bindings &bindings_;
};

// "[*, a, b]" as its parts.
std::vector<std::string_view> parts_of(std::string_view pattern) {
  const std::size_t open = pattern.find('[');
  const std::size_t close = pattern.rfind(']');
  std::vector<std::string_view> parts;
  if (open == std::string_view::npos || close == std::string_view::npos) {
    return parts;
  }
  std::string_view inner = pattern.substr(open + 1, close - open - 1);
  while (!inner.empty()) {
    const std::size_t comma = std::min(inner.find(','), inner.size());
    std::string_view part = inner.substr(0, comma);
    inner.remove_prefix(std::min(comma + 1, inner.size()));
    while (!part.empty() && part.front() == ' ') {
      part.remove_prefix(1);
    }
    while (!part.empty() && part.back() == ' ') {
      part.remove_suffix(1);
    }
    parts.push_back(part);
  }
  return parts;
}

bool is_word(std::string_view part) {
  for (const char c : part) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') {
      return false;
    }
  }
  return true;
}

} // namespace

Dim evaluate(std::string_view expression, const Operation &operation) {
  return Evaluator(expression, operation, {}).run();
}

Dim weights_of(Interpreter &in, const Object &object) {
  const Spec *const spec = object.content.api ? in.spec_of(object.content.api) : nullptr;
  if (spec == nullptr || spec->weights.empty() || !spec->is_class) {
    return spec != nullptr && spec->is_class && !object.content.is_open ? Dim::of(0) : Dim{};
  }
  const Operation operation{in, *spec, object.content.api, nullptr, const_cast<Object *>(&object)};
  return evaluate(spec->weights, operation);
}

Value call_pattern(Operation &op) {
  const std::size_t arrow = op.spec.pattern.find("->");
  const std::vector<std::string_view> from = parts_of(op.spec.pattern.substr(0, arrow));
  const std::vector<std::string_view> to = parts_of(op.spec.pattern.substr(arrow + 2));
  const std::string_view first = op.spec.call.empty() ? std::string_view{} : op.spec.call[0].name.text();
  const Value value = op.arg(first);
  const Tensor *input = op.in.as_tensor(value);
  if (input == nullptr) {
    report_not_a_tensor(op, value);
    return {};
  }
  const bool has_rest = !from.empty() && from[0] == "*";
  const u32 count = static_cast<u32>(from.size()) - (has_rest ? 1 : 0);
  if (!check_layer(op, *input)) {
    return op.unknown_tensor(input);
  }
  if (!input->shape.is_known() && input->shape.rank() < count) {
    // What the layer takes is what it gets.
    std::vector<Dim> dims;
    for (u32 i = 0; i < count; ++i) {
      const std::string_view part = from[i + (has_rest ? 1 : 0)];
      const Dim known = input->shape.from_end(count - 1 - i);
      dims.push_back(known.is_known() ? known : is_word(part) ? op.dim(part) : Dim{});
    }
    if (!has_rest) {
      for (u32 i = 0; i < dims.size(); ++i) {
        dims[i] = dims[i].is_known() ? dims[i] : op.in.size_at(value, *input, static_cast<i64>(i));
      }
    }
    op.in.refine(value, op.in.heap.shape(dims, has_rest ? Shape::Kind::Tail : Shape::Kind::Known));
    Tensor refined = *input;
    refined.shape = op.in.heap.shape(dims, has_rest ? Shape::Kind::Tail : Shape::Kind::Known);
    input = op.in.heap.arena.make<Tensor>(refined);
  }
  if (input->shape.is_known() && (has_rest ? input->shape.rank() < count : input->shape.rank() != count)) {
    if (Problem *problem = op.report(Fault::WrongRank, fmt::format("{} takes {}{} dimension{}, but gets {}",
                                                                   op.short_name(), has_rest ? "at least " : "", count,
                                                                   count == 1 ? "" : "s", op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "reshape the input, or use another layer";
    }
    return op.unknown_tensor(input);
  }
  Bindings bindings;
  for (u32 i = 0; i < count; ++i) {
    const std::string_view part = from[i + (has_rest ? 1 : 0)];
    const Dim size = input->shape.from_end(count - 1 - i);
    const Value argument = op.arg(part);
    if (is_word(part) && argument.is(Tag::Undefined)) {
      bindings[std::string(part)] = size;
      continue;
    }
    const bool is_argument = is_word(part) && (argument.is(Tag::Int) || argument.is(Tag::Opaque));
    if (!is_argument) {
      bindings[std::string(part)] = size;
      continue;
    }
    const Dim wanted = op.in.as_dim(argument);
    if (op.in.terms.differ(wanted, size)) {
      report_layer_size(op, *input, part, wanted, size);
      return op.unknown_tensor(input);
    }
  }
  std::vector<Dim> dims;
  bool keeps_rest = false;
  for (const std::string_view part : to) {
    if (part == "*") {
      keeps_rest = true;
      const u32 more = input->shape.rank() - count;
      for (u32 i = 0; i < more; ++i) {
        dims.push_back(input->shape.dims[i]);
      }
    } else {
      dims.push_back(Evaluator(part, op, bindings).run());
    }
  }
  const bool is_whole = input->shape.is_known() || !keeps_rest;
  Tensor result = layer_result(op, *input);
  result.shape = op.in.heap.shape(dims, is_whole ? Shape::Kind::Known : Shape::Kind::Tail);
  const Value made = op.result(result, {input});
  if (op.layer != nullptr && !op.spec.weights.empty() && made.tensor->step != Tensor::kNoStep) {
    // One multiply-add for each weight and each place that the layer is applied to, without the bias.
    const Dim last = dims.empty() ? Dim{} : dims.back();
    const Dim places = is_whole ? op.in.terms.floor_divide(numel(op.in, made.tensor->shape), last) : Dim{};
    Dim weights = weights_of(op.in, *op.layer);
    const Dim inputs = count > 0 ? input->shape.from_end(0) : Dim{};
    weights = count > 0 ? op.in.terms.multiply(inputs, last) : Dim::of(0);
    op.in.steps[made.tensor->step].multiply_adds = op.in.terms.multiply(places, weights);
  }
  return made;
}

} // namespace deepperf::shapes
