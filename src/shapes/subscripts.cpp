// x[i], of Python's containers and of tensors.
#include "shapes/frames.h"
#include "shapes/module_checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

// Bytes are a mask to PyTorch alone.
bool is_mask(const Tensor &tensor) {
  const bool may_be_bytes = tensor.library == Library::Torch || tensor.library == Library::Unknown;
  return tensor.dtype == Dtype::Bool || (tensor.dtype == Dtype::UInt8 && may_be_bytes);
}

// How many elements a slice takes of so many.
Dim sliced(Interpreter &in, const SliceObject &slice, Dim size) {
  Terms &terms = in.terms;
  const Dim step = slice.step.is(Tag::None) ? Dim::of(1) : in.as_dim(slice.step);
  if (step.is(-1) && slice.lower.is(Tag::None) && slice.upper.is(Tag::None)) {
    return size;
  }
  if (!step.is_constant() || step.value <= 0) {
    return {};
  }
  const auto bound = [&](const Value &value, Dim otherwise) -> Dim {
    if (value.is(Tag::None)) {
      return otherwise;
    }
    const Dim dim = in.as_dim(value);
    if (!dim.is_known() || !size.is_known()) {
      return dim.is_constant() && dim.value == 0 ? dim : Dim{};
    }
    if (dim.is_constant() ? dim.value < 0 : terms.compare(dim, Dim::of(0)) == Sign::Negative) {
      const Dim from_end = terms.add(size, dim);
      if (from_end.is_constant()) {
        return Dim::of(std::max<i64>(from_end.value, 0));
      }
      return terms.is_at_least(from_end, 0) ? from_end : from_end; // a slice longer than what it slices is rare
    }
    if (terms.is_less(size, dim)) {
      return size;
    }
    if (size.is_constant() && dim.is_constant()) {
      return Dim::of(std::min(size.value, dim.value));
    }
    const Sign sign = terms.compare(dim, size);
    return dim.is(0) || sign == Sign::Zero || sign == Sign::Negative ? dim : Dim{};
  };
  // x[i : i + 60]: who cuts pieces of one length takes care that they are inside, but for the last one maybe.
  if (!slice.lower.is(Tag::None) && !slice.upper.is(Tag::None) && step.is(1)) {
    const Dim first = in.as_dim(slice.lower);
    const Dim length = first.is_known() && !first.is_constant() ? terms.subtract(in.as_dim(slice.upper), first) : Dim{};
    if (length.is_constant() && length.value > 0 && !(size.is_constant() && size.value < length.value)) {
      return length;
    }
  }
  // Of the columns of a file: who writes 0:8 knows that there are eight.
  const Dim end = slice.upper.is(Tag::None) ? Dim{} : in.as_dim(slice.upper);
  const Dim begin = slice.lower.is(Tag::None) ? Dim::of(0) : in.as_dim(slice.lower);
  if (size.is_known() && !size.is_constant() && step.is(1) && begin.is_constant() && end.is_constant() &&
      begin.value >= 0 && end.value > begin.value && terms.text(size).starts_with("columns")) {
    return Dim::of(end.value - begin.value);
  }
  const Dim lower = bound(slice.lower, Dim::of(0));
  const Dim upper = bound(slice.upper, size);
  Dim count = terms.subtract(upper, lower);
  if (count.is_constant() && count.value < 0) {
    count = Dim::of(0);
  }
  return step.is(1) ? count : terms.floor_divide(terms.add(count, Dim::of(step.value - 1)), step);
}

// What indexing gives. Nothing where it is not known.
std::optional<Shape> indexed(Interpreter &in, const Value &holder, const Tensor &tensor,
                             const std::vector<Value> &indices, const Expr *node) {
  for (const Value &index : indices) {
    const Tensor *const by = index.is(Tag::Tensor) ? index.tensor : nullptr;
    const bool takes_none =
        tensor.library == Library::Torch || tensor.library == Library::Numpy || tensor.library == Library::Jax;
    if (by == nullptr || !takes_none || by->library != tensor.library || by->is_weak || !is_floating(by->dtype)) {
      continue;
    }
    if (Problem *problem =
            in.report(Fault::DtypeMismatch, node,
                      fmt::format("an index must be integers or a mask, but is a tensor of {}", name_of(by->dtype)))) {
      in.add_chain(*problem, *by);
      problem->advice = tensor.library == Library::Torch
                            ? "use .long() for an index, and .bool() for a mask"
                            : "use .astype(int) for an index, and .astype(bool) for a mask";
    }
    return {};
  }
  if (!tensor.shape.is_known()) {
    return {};
  }
  u32 taken = 0;
  bool has_ellipsis = false;
  for (const Value &index : indices) {
    if (index.is(Tag::None) || index.is(Tag::Bool)) {
      continue;
    }
    if (index.is(Tag::Ellipsis)) {
      has_ellipsis = true;
      continue;
    }
    const Tensor *const mask = index.is(Tag::Tensor) ? index.tensor : nullptr;
    if (mask != nullptr && is_mask(*mask)) {
      if (!mask->shape.is_known()) {
        return {};
      }
      taken += std::max<u32>(mask->shape.rank(), 1);
      continue;
    }
    if (!index.is(Tag::Int) && !index.is(Tag::Slice) && !index.is(Tag::Tensor) && !index.is(Tag::List)) {
      return {};
    }
    if (mask != nullptr && mask->dtype == Dtype::Unknown) {
      return {}; // it may be a mask
    }
    ++taken;
  }
  const u32 rank = tensor.shape.rank();
  if (taken > rank && rank == 0) {
    return {}; // DP874 tells of `loss.data[0]`
  }
  if (taken > rank) {
    if (Problem *problem = in.report(Fault::WrongRank, node,
                                     fmt::format("{} indices are too many for {}, which has {} dimension{}", taken,
                                                 in.text_of(tensor), rank, rank == 1 ? "" : "s"))) {
      in.add_chain(*problem, tensor);
      problem->advice = fmt::format("use at most {} {}", rank, rank == 1 ? "index" : "indices");
    }
    return {};
  }
  (void)holder;
  std::vector<Dim> dims;
  std::optional<Shape> advanced;
  std::size_t advanced_at = 0;
  bool is_apart = false;
  bool just_had_advanced = false;
  u32 at = 0;
  for (const Value &index : indices) {
    const bool was_advanced = just_had_advanced;
    just_had_advanced = false;
    if (index.is(Tag::None)) {
      dims.push_back(Dim::of(1));
    } else if (index.is(Tag::Bool)) {
      return {};
    } else if (index.is(Tag::Ellipsis)) {
      for (u32 i = 0; i < rank - taken; ++i) {
        dims.push_back(tensor.shape.dims[at++]);
      }
    } else if (index.is(Tag::Slice)) {
      dims.push_back(sliced(in, *index.slice, tensor.shape.dims[at]));
      ++at;
    } else if (index.is(Tag::Int)) {
      const Dim size = tensor.shape.dims[at];
      const Dim place = index.dim();
      const bool is_clamped = tensor.library == Library::Jax; // it takes the last one
      if (!is_clamped && size.is_constant() && place.is_constant() &&
          (place.value >= size.value || place.value < -size.value)) {
        if (Problem *problem = in.report(
                Fault::WrongRank, node,
                fmt::format("index {} is out of range for dimension {} of {}", place.value, at, in.text_of(tensor)))) {
          in.add_chain(*problem, tensor);
          problem->advice = fmt::format("dimension {} has indices from {} to {}", at, -size.value, size.value - 1);
        }
        return {};
      }
      ++at;
    } else {
      Shape shape;
      if (index.is(Tag::List)) {
        std::vector<Value> items;
        const bool is_exact = in.iterate(index, items);
        // Of a list of unknown length, one value stands for all of them.
        if ((!is_exact && items.size() != 1) ||
            std::ranges::any_of(items, [](const Value &item) { return !item.is(Tag::Int); })) {
          return {};
        }
        shape = in.heap.shape({is_exact ? Dim::of(static_cast<i64>(items.size())) : in.fresh("n", 0)});
        ++at;
      } else {
        const Tensor &by = *index.tensor;
        if (is_mask(by)) {
          if (by.shape.rank() == 0) {
            return {};
          }
          for (u32 i = 0; i < by.shape.rank(); ++i) {
            const Dim size = tensor.shape.dims[at + i];
            if (in.terms.differ(size, by.shape.dims[i])) {
              if (Problem *problem =
                      in.report(Fault::ShapesDoNotFit, node,
                                fmt::format("a mask of {} does not match {}", in.text_of(by), in.text_of(tensor)))) {
                in.add_chain(*problem, by);
                problem->advice = "make the mask as large as what it selects from";
              }
              return {};
            }
          }
          at += by.shape.rank();
          shape = in.heap.shape({in.fresh("n", 0)});
        } else {
          if (!by.shape.is_known()) {
            return {};
          }
          shape = by.shape;
          ++at;
        }
      }
      if (!advanced) {
        advanced = shape;
        advanced_at = dims.size();
      } else {
        is_apart = is_apart || !was_advanced;
        const Broadcast both = broadcast(in, *advanced, shape);
        if (!both.fits || !both.shape.is_known()) {
          return {};
        }
        advanced = both.shape;
      }
      just_had_advanced = true;
    }
  }
  if (!has_ellipsis) {
    while (at < rank) {
      dims.push_back(tensor.shape.dims[at++]);
    }
  }
  if (advanced) {
    // Indices that do not stand side by side: their result comes first.
    const std::size_t where = is_apart ? 0 : advanced_at;
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(where), advanced->dims.begin(), advanced->dims.end());
  }
  return in.heap.shape(dims);
}

} // namespace

Value Interpreter::subscript(const Value &object, const Value &index, const Expr *node) {
  check_index(*this, object, index, node);
  check_size_is_not_indexed(*this, object, node);
  switch (object.tag) {
  case Tag::List:
  case Tag::Tuple: {
    const ListContent &content = object.list->content;
    const i64 size = static_cast<i64>(content.items.size());
    if (content.is_open) {
      // x.shape[-1] of what comes from outside
      if (object.list->holder.tag == Tag::Opaque || object.list->holder.tag == Tag::Tensor) {
        if (const Tensor *const tensor = as_tensor(object.list->holder)) {
          if (index.is(Tag::Int) && index.dim().is_constant()) {
            return Value::of(size_at(object.list->holder, *tensor, index.integer));
          }
          return index.is(Tag::Slice) ? heap.new_open_list(Value::of(Dim{}), Tag::Tuple) : Value();
        }
      }
      if (index.is(Tag::Slice)) {
        return heap.new_open_list(content.items.empty() ? Value() : content.items[0], object.tag);
      }
      return content.items.empty() ? Value() : content.items[0];
    }
    if (index.is(Tag::Int) && index.dim().is_constant()) {
      const i64 at = index.integer < 0 ? index.integer + size : index.integer;
      return at >= 0 && at < size ? content.items[static_cast<std::size_t>(at)] : Value();
    }
    if (index.is(Tag::Slice)) {
      const auto bound = [&](const Value &value, i64 otherwise) -> std::optional<i64> {
        if (value.is(Tag::None)) {
          return otherwise;
        }
        const Dim dim = as_dim(value);
        if (!dim.is_constant()) {
          return {};
        }
        return std::clamp<i64>(dim.value < 0 ? dim.value + size : dim.value, 0, size);
      };
      const auto step = index.slice->step.is(Tag::None) ? Dim::of(1) : as_dim(index.slice->step);
      const bool is_back = step.is(-1);
      const auto lower = bound(index.slice->lower, is_back ? size - 1 : 0);
      const auto upper = bound(index.slice->upper, is_back ? -1 : size);
      if (lower && upper && step.is_constant() && step.value != 0) {
        std::vector<Value> items;
        if (step.value > 0) {
          for (i64 i = *lower; i < *upper; i += step.value) {
            items.push_back(content.items[static_cast<std::size_t>(i)]);
          }
        } else if (is_back && index.slice->lower.is(Tag::None) && index.slice->upper.is(Tag::None)) {
          items.assign(content.items.rbegin(), content.items.rend());
        } else {
          return heap.new_open_list(Value(), object.tag);
        }
        const Value part = heap.new_list(std::move(items), object.tag);
        part.list->is_array = object.list->is_array;
        return part;
      }
      return heap.new_open_list(Value(), object.tag);
    }
    Value all(Tag::Undefined);
    for (const Value &item : content.items) {
      all = heap.join(all, item);
    }
    return all.is(Tag::Undefined) ? Value() : all;
  }
  case Tag::Dict: {
    for (const auto &[key, value] : object.dict->content.items) {
      if (key.tag == index.tag && key.small == index.small && key.number == index.number &&
          key.integer == index.integer) {
        return value;
      }
    }
    return {};
  }
  case Tag::Object: {
    Object &owner = *object.object;
    if (owner.type != nullptr) {
      if (FunctionObject *const method = find_method(*owner.type, intern("__getitem__"))) {
        Arguments arguments;
        arguments.positional = {object, index};
        return call_function(*method, arguments, node);
      }
    }
    if (owner.type == nullptr && owner.content.api && owner.content.api.text().starts_with("pandas.")) {
      return frame_subscript(*this, owner, index);
    }
    if (owner.type == nullptr && owner.content.api == intern("jax.Array.at")) { // x.at[i]
      const auto array = owner.content.attributes.find(intern("*array").id);
      Object *const place = heap.new_object(nullptr, intern("jax.Array.at.place"));
      place->content.attributes[intern("*array").id] = array->second;
      place->content.attributes[intern("*part").id] = subscript(array->second, index, node);
      return Value::of(place);
    }
    if (owner.type == nullptr && owner.content.api == intern("flax.params") && index.is(Tag::Str)) {
      return index.text() == "params" ? object : Value();
    }
    if (owner.content.is_open) {
      return {};
    }
    const i64 size = static_cast<i64>(owner.content.items.size());
    if (index.is(Tag::Int) && index.dim().is_constant()) {
      const i64 at = index.integer < 0 ? index.integer + size : index.integer;
      if (at >= 0 && at < size) {
        return owner.content.items[static_cast<std::size_t>(at)];
      }
      const auto element = owner.content.attributes.find(intern("*item").id);
      return element != owner.content.attributes.end() ? element->second : Value();
    }
    if (index.is(Tag::Str)) {
      const auto key = std::ranges::find(owner.content.keys, index.name());
      return key != owner.content.keys.end()
                 ? owner.content.items[static_cast<std::size_t>(key - owner.content.keys.begin())]
                 : Value();
    }
    if (index.is(Tag::Slice) && owner.content.api) {
      const Value part = subscript(heap.new_list(owner.content.items), index, node);
      if (part.is(Tag::List) && !part.list->content.is_open) {
        Object *const copy = heap.new_object(nullptr, owner.content.api);
        copy->content.items = part.list->content.items;
        copy->content.args = owner.content.args;
        copy->name = owner.name;
        return Value::of(copy);
      }
    }
    const auto element = owner.content.attributes.find(intern("*item").id);
    return element != owner.content.attributes.end() ? element->second : Value();
  }
  case Tag::Str:
    return Value::of_text({});
  case Tag::Range:
    return {};
  case Tag::Tensor:
  case Tag::Opaque: {
    if (object.is(Tag::Opaque) && object.opaque->content.tensor == nullptr) {
      // A dict or list from outside: its elements are always the same.
      if (index.is(Tag::Str) && index.number != 0) {
        return opaque_attribute(*object.opaque, intern("[" + std::string(index.text()) + "]"));
      }
      return {};
    }
    const Tensor *const tensor = as_tensor(object);
    std::vector<Value> indices;
    if (index.is(Tag::Tuple)) {
      if (index.list->content.is_open) {
        return unknown_part(*tensor, node);
      }
      indices = index.list->content.items;
    } else {
      indices.push_back(index);
    }
    const auto shape = indexed(*this, object, *tensor, indices, node);
    Tensor part = *tensor;
    part.is_parameter = false;
    part.shape = shape ? *shape : Shape{};
    if (!shape && tensor->shape.is_known()) {
      lose(node, "[]");
    }
    return make_tensor(part, intern("[]"), node, {tensor});
  }
  default:
    return {};
  }
}

Value Interpreter::unknown_part(const Tensor &tensor, const Expr *node) {
  Tensor part = tensor;
  part.is_parameter = false;
  part.shape = {};
  if (tensor.shape.is_known()) {
    lose(node, "[]");
  }
  return make_tensor(part, intern("[]"), node, {&tensor});
}

} // namespace deepperf::shapes
