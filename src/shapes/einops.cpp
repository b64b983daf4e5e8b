// einops: "b (h p1) (w p2) c -> b (h w) (p1 p2 c)". A pattern names the parts of each dimension of what goes in, and
// what those of the result are made of.
#include "shapes/more_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace einops {
namespace {

constexpr std::string_view kEllipsis = "...";
constexpr std::string_view kMerged = "(...)"; // the same dimensions as one

using Group = std::vector<std::string>; // the parts of one dimension; none of one that is 1

// The dimensions of one side. False if it is not written as it must be.
bool read_side(std::string_view text, std::vector<Group> &groups) {
  bool is_inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ' || c == '\n') {
      ++at;
    } else if (c == '(' || c == ')') {
      if (is_inside == (c == '(')) {
        return false;
      }
      is_inside = c == '(';
      if (is_inside) {
        groups.emplace_back();
      }
      ++at;
    } else {
      const std::size_t end = std::min(text.find_first_of(" ()\n", at), text.size());
      if (!is_inside) {
        groups.emplace_back();
      }
      if (const std::string part(text.substr(at, end - at)); part != "1") {
        const bool is_ellipsis = part == kEllipsis || part == "…";
        groups.back().push_back(is_ellipsis ? std::string(is_inside ? kMerged : kEllipsis) : part);
      }
      at = end;
    }
  }
  return !is_inside;
}

std::optional<i64> number_in(const std::string &part) {
  i64 number = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
  return error == std::errc{} && end == part.data() + part.size() ? std::optional(number) : std::nullopt;
}

struct Pattern {
  std::string text;
  std::vector<Group> left;
  std::vector<Group> right;
  std::map<std::string, Dim> sizes; // what is known of each part
  std::map<std::string, bool> is_given;
  std::vector<Dim> rest; // what the ellipsis stands for
};

std::string text_of(const Group &group) {
  return group.size() == 1 ? group[0] : fmt::format("({})", fmt::join(group, " "));
}

bool names(const std::vector<Group> &side, std::string_view part) {
  return std::ranges::any_of(side, [&](const Group &group) { return std::ranges::find(group, part) != group.end(); });
}

bool has_ellipsis(const Pattern &pattern) { return names(pattern.left, kEllipsis); }

bool read(Operation &op, Pattern &pattern) {
  const Value given = op.arg("pattern");
  if (!given.is(Tag::Str) || given.number == 0 || op.is_open) {
    return false;
  }
  pattern.text = given.text();
  const std::size_t arrow = pattern.text.find("->");
  if (arrow == std::string::npos || pattern.text.find('_') == 0) {
    return false;
  }
  const std::string_view text = pattern.text;
  if (!read_side(text.substr(0, arrow), pattern.left) || !read_side(text.substr(arrow + 2), pattern.right) ||
      names(pattern.left, kMerged)) {
    return false;
  }
  for (const auto *side : {&pattern.left, &pattern.right}) {
    for (const Group &group : *side) {
      for (const std::string &part : group) {
        const auto number = number_in(part);
        pattern.sizes.try_emplace(part, number ? Dim::of(*number) : Dim{});
        pattern.is_given[part] = number.has_value();
      }
    }
  }
  const auto add = [&](std::string_view name, const Value &size) {
    const auto known = pattern.sizes.find(std::string(name));
    if (known != pattern.sizes.end()) {
      known->second = op.in.as_dim(size);
      pattern.is_given[known->first] = true;
    }
  };
  for (const auto &[name, size] : op.more) {
    add(name.text(), size);
  }
  if (op.layer != nullptr) {
    constexpr std::string_view kPrefix = "*axis ";
    for (const auto &[name, size] : op.layer->content.attributes) {
      if (const std::string_view text_of_name = Symbol{name}.text(); text_of_name.starts_with(kPrefix)) {
        add(text_of_name.substr(kPrefix.size()), size);
      }
    }
  }
  return true;
}

void fail(Operation &op, Fault fault, const Tensor *input, std::string message, std::string advice) {
  if (Problem *problem = op.report(fault, std::move(message))) {
    if (input != nullptr) {
      op.in.add_chain(*problem, *input);
    }
    problem->advice = std::move(advice);
  }
}

// What is wrong with a pattern whatever it gets.
bool check_names(Operation &op, const Pattern &pattern, std::string_view function) {
  for (const auto &[part, size] : pattern.sizes) {
    const bool is_left = names(pattern.left, part);
    const bool is_right = names(pattern.right, part);
    if ((is_left && is_right) || number_in(part) || part == kEllipsis || part == kMerged) {
      continue;
    }
    const bool is_new = !is_left && function == "repeat";
    if ((is_left && function == "reduce") || (is_new && pattern.is_given.at(part))) {
      continue;
    }
    fail(op, Fault::ReshapeSize, nullptr,
         is_new ? fmt::format("{} is given no size for {}, which only the right side of \"{}\" names", function, part,
                              pattern.text)
                : fmt::format("{} is only on one side of \"{}\"", part, pattern.text),
         is_new ? fmt::format("pass its size: {}=…", part)
                : "name each dimension on both sides; reduce removes dimensions, repeat adds them");
    return false;
  }
  for (const Group &group : pattern.left) {
    const auto count = std::ranges::count_if(
        group, [&](const std::string &part) { return !pattern.is_given.at(part) && part != kEllipsis; });
    if (count > 1) {
      fail(op, Fault::ReshapeSize, nullptr,
           fmt::format("{} cannot infer the sizes in {} of \"{}\"", function, text_of(group), pattern.text),
           "pass the sizes of all parts of a dimension but one");
      return false;
    }
  }
  return true;
}

// Sizes of the parts of one dimension. False if it cannot be split so.
bool split(Operation &op, Pattern &pattern, const Group &group, Dim dim, const Tensor &input,
           std::string_view function) {
  Terms &terms = op.in.terms;
  Dim product = Dim::of(1);
  const std::string *missing = nullptr;
  for (const std::string &part : group) {
    if (!pattern.is_given.at(part) && missing == nullptr) {
      missing = &part;
    } else {
      product = terms.multiply(product, pattern.sizes[part]);
    }
  }
  if (missing == nullptr) {
    if (terms.differ(product, dim)) {
      fail(op, Fault::ReshapeSize, &input,
           fmt::format("{} \"{}\" takes {} of size {}, but gets {} of {}", function, pattern.text,
                       group.empty() ? "a dimension" : text_of(group), terms.text(product), terms.text(dim),
                       op.in.text_of(input)),
           "the given sizes must multiply to the size of the dimension");
      return false;
    }
    return true;
  }
  const Dim remainder = terms.modulo(dim, product);
  if (remainder.is_constant() && remainder.value != 0) {
    fail(op, Fault::ReshapeSize, &input,
         fmt::format("{} \"{}\" splits {} of size {} into parts of {}, which do not divide it", function, pattern.text,
                     text_of(group), terms.text(dim), terms.text(product)),
         "pad, crop or resize the input so that the size is a multiple of its parts");
    return false;
  }
  pattern.sizes[*missing] = terms.floor_divide(dim, product);
  return true;
}

// What a value from outside must be to fit the left side.
void refine(Operation &op, Pattern &pattern, const Value &value) {
  std::vector<Dim> dims;
  for (const Group &group : pattern.left) {
    Dim dim = Dim::of(1);
    for (const std::string &part : group) {
      const Dim known = pattern.sizes[part];
      dim = op.in.terms.multiply(dim, pattern.is_given[part] ? known : op.in.fresh(part));
    }
    dims.push_back(dim);
  }
  op.in.refine(value, op.in.heap.shape(dims));
}

// A list of arrays is stacked.
const Tensor *stacked(Operation &op, const Value &value) {
  const ListContent &content = value.list->content;
  if (content.is_open || content.items.empty() || !content.items[0].is(Tag::Tensor)) {
    return nullptr;
  }
  Tensor whole = *content.items[0].tensor;
  whole.is_parameter = false;
  if (!whole.shape.is_known()) {
    return op.in.heap.arena.make<Tensor>(whole);
  }
  std::vector<Dim> dims(whole.shape.dims.begin(), whole.shape.dims.end());
  dims.insert(dims.begin(), Dim::of(static_cast<i64>(content.items.size())));
  whole.shape = op.in.heap.shape(dims);
  return op.in.heap.arena.make<Tensor>(whole);
}

std::optional<Shape> result_of(Operation &op, Pattern &pattern) {
  std::vector<Dim> dims;
  for (const Group &group : pattern.right) {
    if (group.size() == 1 && group[0] == kEllipsis) {
      dims.insert(dims.end(), pattern.rest.begin(), pattern.rest.end());
      continue;
    }
    Dim dim = Dim::of(1);
    for (const std::string &part : group) {
      if (part == kMerged) {
        for (const Dim one : pattern.rest) {
          dim = op.in.terms.multiply(dim, one);
        }
      } else {
        dim = op.in.terms.multiply(dim, pattern.sizes[part]);
      }
    }
    dims.push_back(dim);
  }
  return op.in.heap.shape(dims);
}

Value call_einops(Operation &op) {
  const Value value = op.arg("input");
  Pattern pattern;
  if (!read(op, pattern)) {
    const Tensor *const input = value.is(Tag::Tensor) ? value.tensor : nullptr;
    return input != nullptr ? op.unknown_tensor(input) : Value();
  }
  const std::string_view api = op.layer != nullptr ? op.layer->content.api.text() : op.api.text();
  std::string function(api.substr(api.rfind('.') + 1));
  std::ranges::transform(function, function.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  const bool is_right = check_names(op, pattern, function);
  const Tensor *input = value.is(Tag::List) || value.is(Tag::Tuple) ? stacked(op, value) : op.in.as_tensor(value);
  if (is_right && value.is(Tag::Opaque) && input != nullptr && !input->shape.is_known() && !has_ellipsis(pattern)) {
    refine(op, pattern, value);
    input = op.in.as_tensor(value);
  }
  if (input == nullptr || !is_right) {
    return input != nullptr ? op.unknown_tensor(input) : Value();
  }
  if (input->shape.is_known()) {
    const std::size_t rank = input->shape.rank();
    const std::size_t named = pattern.left.size() - (has_ellipsis(pattern) ? 1 : 0);
    if (has_ellipsis(pattern) ? rank < named : rank != named) {
      fail(op, Fault::WrongRank, input,
           fmt::format("{} \"{}\" names {} dimensions, but gets {}", function, pattern.text, named,
                       op.in.text_of(*input)),
           "name each dimension of the input once, or use `...` for the others");
      return op.unknown_tensor(input);
    }
    std::size_t at = 0;
    for (const Group &group : pattern.left) {
      if (std::ranges::find(group, kEllipsis) != group.end()) {
        for (std::size_t i = named; i < rank; ++i) {
          pattern.rest.push_back(input->shape.dims[static_cast<u32>(at++)]);
        }
      } else if (!split(op, pattern, group, input->shape.dims[static_cast<u32>(at++)], *input, function)) {
        return op.unknown_tensor(input);
      }
    }
  } else if (has_ellipsis(pattern)) {
    return op.unknown_tensor(input);
  }
  const auto shape = result_of(op, pattern);
  const bool may_count = function == "reduce" && (is_integer(input->dtype) || input->dtype == Dtype::Bool);
  return op.like(*input, *shape, may_count ? Dtype::Unknown : input->dtype);
}

// Rearrange("b c h w -> b (h w) c", h=4): sizes are attributes of the layer.
void make_einops(Operation &op) {
  for (const auto &[name, size] : op.more) {
    op.in.heap.change(*op.layer).attributes[intern("*axis " + std::string(name.text())).id] = size;
  }
}

constexpr TransferEntry kTable[] = {
    {"einops", call_einops, make_einops},
};

} // namespace
} // namespace einops

std::span<const TransferEntry> einops_transfers() { return einops::kTable; }

} // namespace deepperf::shapes
