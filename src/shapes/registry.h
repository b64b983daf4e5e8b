// Transfer functions in C++: what APIs do to shapes where a pattern in the tables is not enough. A library's functions
// are in files of their own (torch_*.cpp, numpy_*.cpp, …), each of which gives a table; registry.cpp lists the tables.
//
// A table in src/frameworks names a function with `@name`. The function finds arguments by the names that the signature
// gives them, so that `torch.softmax(x, 1)`, `x.softmax(1)` and `nn.Softmax(1)(x)` are one function.
#pragma once

#include "shapes/interpreter.h"

#include <span>
#include <string_view>
#include <vector>

namespace deepperf::shapes {

// A call of an API, method or layer.
struct Operation {
  Interpreter &in;
  const Spec &spec;
  Symbol api;                                      // or the method's name
  const python::Expr *node;                        // null: not written down anywhere
  Object *layer = nullptr;                         // that is called, or constructed
  std::vector<Value> args = {};                    // in the order of the signature; Undefined where nothing was given
  std::vector<Value> rest = {};                    // of *name
  std::vector<std::pair<Symbol, Value>> more = {}; // keywords that the signature does not name
  bool is_open = false;                            // there may be other arguments

  // By its name: of the call, else of the constructor; the default if it is not given. Unknown if it is none of both,
  // or if nobody knows.
  [[nodiscard]] Value arg(std::string_view name) const;
  [[nodiscard]] bool is_given(std::string_view name) const;
  const Tensor *tensor(std::string_view name) const { return in.as_tensor(arg(name)); }
  Dim dim(std::string_view name) const { return in.as_dim(arg(name)); }
  // A constant; nothing if it is none.
  std::optional<i64> integer(std::string_view name) const;
  Truth truth(std::string_view name) const { return in.truth(arg(name)); }
  // So many sizes, from one number for all or a list; unknown ones if it is neither.
  std::vector<Dim> sizes(std::string_view name, u32 count) const;
  // Where an argument is written; the call if it is not.
  const python::Node *place(std::string_view name) const;

  // ---- Results
  // A tensor like `input`, with another shape.
  Value like(const Tensor &input, const Shape &shape) const;
  Value like(const Tensor &input, const Shape &shape, Dtype dtype) const;
  Value result(const Tensor &tensor, const std::vector<const Tensor *> &inputs) const;
  Value unknown_tensor(const Tensor *input) const; // something is known to be a tensor, and no more
  Problem *report(Fault fault, std::string message) const;
  [[nodiscard]] std::string_view short_name() const; // of the layer or operation, for messages
};

using Transfer = Value (*)(Operation &operation);

struct TransferEntry {
  std::string_view name;
  Transfer call = nullptr;
  void (*make)(Operation &operation) = nullptr; // when a layer is constructed
};

const TransferEntry *find_transfer(std::string_view name);

// The tables, one for each file.
std::span<const TransferEntry> elementwise_transfers();
std::span<const TransferEntry> layout_transfers();
std::span<const TransferEntry> reduction_transfers();
std::span<const TransferEntry> product_transfers();
std::span<const TransferEntry> maker_transfers();
std::span<const TransferEntry> torch_layer_transfers();
std::span<const TransferEntry> torch_convolution_transfers();
std::span<const TransferEntry> torch_container_transfers();
std::span<const TransferEntry> torch_recurrent_transfers();
std::span<const TransferEntry> torch_loss_transfers();
std::span<const TransferEntry> torch_data_transfers();
std::span<const TransferEntry> torch_cast_transfers();
std::span<const TransferEntry> python_transfers();

// ---- For several files ----------------------------------------------------------------------------------------------

// Of a tensor's dimension, counted from the front; nothing if it is out of range or not known. Reports the former.
std::optional<u32> axis_of(Operation &operation, const Tensor &tensor, i64 axis, std::string_view name,
                           bool for_new = false);
Dim numel(Interpreter &in, const Shape &shape);
// [N, 1] against [N]: broadcasts to [N, N], which nobody means.
bool broadcasts_everything(Interpreter &in, const Shape &x, const Shape &y);
// What broadcasting gives; `fits` tells whether it can. Unknown shapes give unknown shapes.
struct Broadcast {
  Shape shape;
  bool fits = true;
  Dim left; // that do not fit
  Dim right;
};
Broadcast broadcast(Interpreter &in, const Shape &a, const Shape &b);
// Where both are known and not the same: a report, DP608.
bool check_devices(Interpreter &in, const python::Expr *node, const Tensor &a, const Tensor &b, std::string_view what);
// The value of an expression of a table.
Dim evaluate(std::string_view expression, const Operation &operation);
// What a layer's weights are, as expressions of the tables say; unknown where nothing is said.
Dim weights_of(Interpreter &in, const Object &object);
Value call_pattern(Operation &operation);

} // namespace deepperf::shapes
