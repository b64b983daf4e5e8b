// keras.ops, keras.random and keras.backend. They promote dtypes as NumPy does, so that only shapes are followed.
#include "shapes/tf.h"

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace keras_ops {
namespace {

constexpr Library kTf = Library::TensorFlow;

Value nothing(Operation &op, const Tensor *input = nullptr) { return made(op, {}, Dtype::Unknown, {input}); }

// A tensor of which nothing but the shape is known.
Value plain(Operation &op, const Value &value) {
  const Tensor *const tensor = converted(op, value);
  return tensor != nullptr ? retyped(op, op.in.plain_tensor(*tensor), kTf, Dtype::Unknown) : Value();
}

Value call_plain(Operation &op) {
  const Tensor *const input = converted(op, "input");
  return input != nullptr ? made(op, input->shape, Dtype::Unknown, {input}) : nothing(op);
}

Value two(Operation &op, std::string_view transfer) {
  const Value a = plain(op, op.arg("input"));
  const Value b = plain(op, op.arg("other"));
  if (!a.is(Tag::Tensor) || !b.is(Tag::Tensor)) {
    return nothing(op);
  }
  return retyped(op, run_as(op, transfer, {{"input", a}, {"other", b}}), kTf, Dtype::Unknown);
}

Value call_binary(Operation &op) { return two(op, "binary"); }
Value call_matmul(Operation &op) { return two(op, "matmul"); }

Value call_reduce(Operation &op) {
  const Value input = plain(op, op.arg("input"));
  const Value keep = op.is_given("keepdim") ? op.arg("keepdim") : Value::of_bool(false);
  if (!input.is(Tag::Tensor)) {
    return nothing(op);
  }
  return retyped(op, run_as(op, "reduce", {{"input", input}, {"dim", op.arg("dim")}, {"keepdim", keep}}), kTf,
                 Dtype::Unknown);
}

Value call_made(Operation &op) {
  std::vector<Dim> dims;
  const bool is_known = !op.is_open && op.arg("shape").is_sequence() && op.in.as_dims(op.arg("shape"), dims);
  return made(op, is_known ? op.in.heap.shape(dims) : Shape{}, Dtype::Unknown);
}

constexpr TransferEntry kTable[] = {
    {"keras_plain", call_plain},   {"keras_binary", call_binary}, {"keras_matmul", call_matmul},
    {"keras_reduce", call_reduce}, {"keras_made", call_made},
};

} // namespace
} // namespace keras_ops

std::span<const TransferEntry> keras_op_transfers() { return keras_ops::kTable; }

} // namespace deepperf::shapes
