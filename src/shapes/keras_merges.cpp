// Layers of Keras that take several tensors: Add, Concatenate, Dot.
#include "shapes/keras.h"
#include "shapes/tf.h"

#include <fmt/format.h>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace keras_merges {
namespace {

Value answer(Operation &op, const Tensor &input, const std::vector<Dim> &dims) {
  return made(op, op.in.heap.shape(dims), Dtype::Unknown, {&input});
}

Value nothing_known(Operation &op, const Tensor *input) { return made(op, {}, Dtype::Unknown, {input}); }

bool inputs_of(Operation &op, std::vector<const Tensor *> &tensors) {
  std::vector<Value> values;
  const Value given = op.arg("inputs");
  const Value second = op.is_given("training") ? op.arg("training") : Value();
  if (op.layer != nullptr && given.is(Tag::Tensor) && second.is(Tag::Tensor)) { // Add()(a, b)
    if (Problem *problem =
            op.report(Fault::Arity, fmt::format("{} takes a list of tensors, but gets them as separate arguments",
                                                op.short_name()))) {
      op.in.add_chain(*problem, *given.tensor);
      problem->advice = "pass the tensors as a list: ([a, b])";
    }
    return false;
  }
  if (!given.is_sequence() || given.list->content.is_open || !op.in.iterate(given, values)) {
    return false;
  }
  for (const Value &value : values) {
    const Tensor *const tensor = op.in.as_tensor(value);
    if (tensor == nullptr || !tensor->shape.is_known() || tensor->shape.rank() == 0) {
      return false;
    }
    tensors.push_back(tensor);
  }
  return !tensors.empty();
}

Value call_merge(Operation &op) {
  std::vector<const Tensor *> tensors;
  if (!inputs_of(op, tensors)) {
    return nothing_known(op, nullptr);
  }
  std::vector<Dim> dims = dims_in(tensors[0]->shape);
  for (const Tensor *tensor : tensors) {
    if (tensor->shape.rank() != dims.size()) {
      return nothing_known(op, tensors[0]);
    }
    for (u32 i = 1; i < dims.size(); ++i) {
      const Dim size = tensor->shape.dims[i];
      if (dims[i] == size) {
        continue;
      }
      if (dims[i].is_constant() && size.is_constant() && !dims[i].is(1) && !size.is(1)) {
        if (Problem *problem = op.report(Fault::ShapesDoNotFit,
                                         fmt::format("{} of {} and {} is invalid: {} against {} in dimension {}",
                                                     op.short_name(), op.in.text_of(*tensors[0]),
                                                     op.in.text_of(*tensor), dims[i].value, size.value, i))) {
          op.in.add_chain(*problem, *tensors[0]);
          op.in.add_chain(*problem, *tensor);
          problem->advice = "make both branches end with the same shape, or concatenate them";
        }
        return nothing_known(op, tensors[0]);
      }
      dims[i] = dims[i].is(1) ? size : size.is(1) ? dims[i] : Dim{};
    }
  }
  return answer(op, *tensors[0], dims);
}

Value call_concatenate(Operation &op) {
  std::vector<const Tensor *> tensors;
  const auto axis = op.integer("dim");
  if (!inputs_of(op, tensors) || !axis) {
    return nothing_known(op, nullptr);
  }
  const i64 rank = static_cast<i64>(tensors[0]->shape.rank());
  const i64 at = *axis < 0 ? *axis + rank : *axis;
  if (at < 0 || at >= rank) {
    return nothing_known(op, tensors[0]);
  }
  std::vector<Dim> dims = dims_in(tensors[0]->shape);
  Dim sum = Dim::of(0);
  for (const Tensor *tensor : tensors) {
    const bool same_rank = tensor->shape.rank() == dims.size();
    bool fits = same_rank;
    for (u32 i = 1; fits && i < dims.size(); ++i) {
      const Dim size = tensor->shape.dims[i];
      if (i != static_cast<u32>(at) && dims[i].is_constant() && size.is_constant() && dims[i] != size) {
        fits = false;
      }
    }
    if (!fits) {
      if (Problem *problem =
              op.report(same_rank ? Fault::ShapesDoNotFit : Fault::WrongRank,
                        fmt::format("{} of {} and {} is invalid: all sizes but that of axis {} must be equal",
                                    op.short_name(), op.in.text_of(*tensors[0]), op.in.text_of(*tensor), *axis))) {
        op.in.add_chain(*problem, *tensors[0]);
        op.in.add_chain(*problem, *tensor);
        problem->advice = "flatten, pool or reshape one of them first";
      }
      return nothing_known(op, tensors[0]);
    }
    sum = op.in.terms.add(sum, tensor->shape.dims[static_cast<u32>(at)]);
  }
  dims[static_cast<std::size_t>(at)] = sum;
  return answer(op, *tensors[0], dims);
}

Value call_dot(Operation &op) {
  std::vector<const Tensor *> tensors;
  if (!inputs_of(op, tensors) || tensors.size() != 2) {
    return nothing_known(op, nullptr);
  }
  const Shape &a = tensors[0]->shape;
  const Shape &b = tensors[1]->shape;
  const Value given = op.arg("axes");
  std::vector<Dim> axes;
  if (!op.in.as_dims(given, axes) || axes.empty()) {
    return nothing_known(op, tensors[0]);
  }
  const auto place = [](Dim axis, const Shape &shape) -> i64 {
    return !axis.is_constant() ? -1 : axis.value < 0 ? axis.value + static_cast<i64>(shape.rank()) : axis.value;
  };
  const i64 x = place(axes.front(), a);
  const i64 y = place(axes.back(), b);
  if (x < 1 || y < 1 || x >= static_cast<i64>(a.rank()) || y >= static_cast<i64>(b.rank()) || a.rank() < 2) {
    return nothing_known(op, tensors[0]);
  }
  const Dim left = a.dims[static_cast<u32>(x)];
  const Dim right = b.dims[static_cast<u32>(y)];
  if (op.in.terms.differ(left, right)) {
    if (Problem *problem =
            op.report(Fault::ShapesDoNotFit, fmt::format("{} of {} and {} is invalid: {} is not {}", op.short_name(),
                                                         op.in.text_of(*tensors[0]), op.in.text_of(*tensors[1]),
                                                         op.in.terms.text(left), op.in.terms.text(right)))) {
      op.in.add_chain(*problem, *tensors[0]);
      op.in.add_chain(*problem, *tensors[1]);
      problem->advice = "the axes that are multiplied must have the same size";
    }
    return nothing_known(op, tensors[0]);
  }
  std::vector<Dim> dims = {a.dims[0]};
  for (u32 i = 1; i < a.rank(); ++i) {
    if (i != static_cast<u32>(x)) {
      dims.push_back(a.dims[i]);
    }
  }
  for (u32 i = 1; i < b.rank(); ++i) {
    if (i != static_cast<u32>(y)) {
      dims.push_back(b.dims[i]);
    }
  }
  if (dims.size() == 1) {
    dims.push_back(Dim::of(1));
  }
  return answer(op, *tensors[0], dims);
}

constexpr TransferEntry kTable[] = {
    {"keras_merge", call_merge},
    {"keras_concatenate", call_concatenate},
    {"keras_dot", call_dot},
};

} // namespace
} // namespace keras_merges

std::span<const TransferEntry> keras_merge_transfers() { return keras_merges::kTable; }

} // namespace deepperf::shapes
