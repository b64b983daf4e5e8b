// What is known of a tensor or array: shape, dtype, device, whether it records a graph, and which step made it.
#pragma once

#include "base/arena.h"
#include "shapes/dim.h"

#include <span>
#include <string>
#include <string_view>

namespace deepperf::shapes {

struct Shape {
  enum class Kind : u8 {
    Unknown,
    Tail,  // more dimensions stand before these
    Known, // these and no others
  };
  Kind kind = Kind::Unknown;
  Array<Dim> dims; // in the interpreter's arena

  [[nodiscard]] bool is_known() const { return kind == Kind::Known; }
  [[nodiscard]] bool has_rank(u32 rank) const { return is_known() && dims.size() == rank; }
  [[nodiscard]] u32 rank() const { return dims.size(); }
  // Counted from the end, 0 is the last; unknown where nothing is told of it.
  [[nodiscard]] Dim from_end(u32 place) const { return place < dims.size() ? dims[dims.size() - 1 - place] : Dim{}; }
};

enum class Dtype : u8 {
  Unknown,
  Bool,
  UInt8,
  Int8,
  Int16,
  Int32,
  Int64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128,
  String,
  kCount
};

std::string_view name_of(Dtype dtype);    // "float32"
Dtype dtype_named(std::string_view name); // of the last part: "float", "long", "double", "int64"; Unknown if none
u32 bytes_of(Dtype dtype);                // of one element; 0 if unknown
bool is_floating(Dtype dtype);            // complex numbers included
bool is_integer(Dtype dtype);             // without bool
Dtype promote_torch(Dtype a, Dtype b);    // of two tensors with dimensions
Dtype promote_numpy(Dtype a, Dtype b);

struct Device {
  enum class Kind : u8 {
    Unknown,
    Cpu,
    Gpu,      // some
    Variable, // the program's own choice: the GPU where there is one, else the CPU
    Meta,
  };
  Kind kind = Kind::Unknown;
  std::int8_t index = -1; // of a GPU; -1: not said

  friend bool operator==(const Device &, const Device &) = default;
};

std::string text_of(Device device); // "cpu", "cuda:1", "device"
Device device_named(std::string_view name);
// One is certainly not where the other is, wherever there is a GPU.
bool are_apart(Device a, Device b);

enum class Library : u8 { Unknown, Torch, Numpy, TensorFlow, Jax };

// Three-valued: Gradient::Unknown says nothing.
enum class Truth : u8 { Unknown, No, Yes };

struct Tensor {
  Library library = Library::Unknown;
  Dtype dtype = Dtype::Unknown;
  Device device = {};
  Truth grad = Truth::Unknown;
  bool is_parameter = false; // a leaf that is trained
  bool is_of_layer = false;  // the weight or bias of a layer of the library, which counts it
  bool is_weak = false;      // its dtype came from a Python number
  Shape shape;
  u32 step = kNoStep; // that made it
  u32 output = 0;     // which of the step's results it is
  // Where each dimension stood when the elements were written one after the other, counted from 1, four bits for each;
  // 0 if that is not known. It holds for the shape at `order_of`.
  u64 order = 0;
  const Dim *order_of = nullptr;

  static constexpr u32 kNoStep = ~0U;
};

} // namespace deepperf::shapes
