#include "shapes/tensor.h"

#include <array>
#include <charconv>

namespace deepperf::shapes {

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Dtype::kCount)> kNames = {
    "?",       "bool",     "uint8",   "int8",    "int16",     "int32",      "int64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128", "string"};
constexpr std::array<u32, static_cast<std::size_t>(Dtype::kCount)> kBytes = {0, 1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16, 0};

} // namespace

std::string_view name_of(Dtype dtype) { return kNames[static_cast<std::size_t>(dtype)]; }

Dtype dtype_named(std::string_view name) {
  for (std::size_t i = 1; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      return static_cast<Dtype>(i);
    }
  }
  struct Other {
    std::string_view name;
    Dtype dtype;
  };
  static constexpr Other kOthers[] = {
      {"float", Dtype::Float32},    {"double", Dtype::Float64},    {"half", Dtype::Float16},   {"long", Dtype::Int64},
      {"int", Dtype::Int32},        {"short", Dtype::Int16},       {"float_", Dtype::Float64}, {"bool_", Dtype::Bool},
      {"cfloat", Dtype::Complex64}, {"cdouble", Dtype::Complex128}};
  for (const Other &other : kOthers) {
    if (other.name == name) {
      return other.dtype;
    }
  }
  return Dtype::Unknown;
}

u32 bytes_of(Dtype dtype) { return kBytes[static_cast<std::size_t>(dtype)]; }

bool is_floating(Dtype dtype) { return dtype >= Dtype::Float16 && dtype <= Dtype::Complex128; }
bool is_integer(Dtype dtype) { return dtype >= Dtype::UInt8 && dtype <= Dtype::Int64; }

Dtype promote_torch(Dtype a, Dtype b) {
  if (a == Dtype::Unknown || b == Dtype::Unknown || a == Dtype::String || b == Dtype::String) {
    return Dtype::Unknown;
  }
  if (a == b) {
    return a;
  }
  if (a > b) {
    std::swap(a, b);
  }
  if (b >= Dtype::Complex64) {
    return a == Dtype::Float64 ? Dtype::Complex128 : b;
  }
  if (b == Dtype::BFloat16 && a == Dtype::Float16) {
    return Dtype::Float32;
  }
  if (is_floating(b)) {
    return b;
  }
  return a == Dtype::UInt8 && b == Dtype::Int8 ? Dtype::Int16 : b;
}

Dtype promote_numpy(Dtype a, Dtype b) {
  const Dtype same = promote_torch(a, b);
  if (a > b) {
    std::swap(a, b);
  }
  // A float must hold every integer that it meets.
  if (is_floating(b) && is_integer(a) && b < Dtype::Complex64) {
    const u32 needed = bytes_of(a) >= 4 ? 8 : bytes_of(a) == 2 ? 4 : 2;
    if (needed > bytes_of(b)) {
      return needed == 8 ? Dtype::Float64 : Dtype::Float32;
    }
  }
  return same;
}

std::string text_of(Device device) {
  switch (device.kind) {
  case Device::Kind::Cpu:
    return "cpu";
  case Device::Kind::Gpu:
    return device.index < 0 ? "cuda" : "cuda:" + std::to_string(device.index);
  case Device::Kind::Variable:
    return "device";
  case Device::Kind::Meta:
    return "meta";
  default:
    return "?";
  }
}

Device device_named(std::string_view name) {
  if (name == "cpu") {
    return {Device::Kind::Cpu};
  }
  if (name == "meta") {
    return {Device::Kind::Meta};
  }
  if (name == "cuda" || name == "mps" || name == "xpu") {
    return {Device::Kind::Gpu};
  }
  if (name.starts_with("cuda:")) {
    int index = -1;
    const auto [end, error] = std::from_chars(name.data() + 5, name.data() + name.size(), index);
    if (error == std::errc() && end == name.data() + name.size() && index >= 0 && index < 100) {
      return {Device::Kind::Gpu, static_cast<std::int8_t>(index)};
    }
  }
  return {};
}

bool are_apart(Device a, Device b) {
  using Kind = Device::Kind;
  if (a.kind > b.kind) {
    std::swap(a, b);
  }
  if (a.kind == Kind::Cpu) {
    return b.kind == Kind::Gpu || b.kind == Kind::Variable;
  }
  return a.kind == Kind::Gpu && b.kind == Kind::Gpu && a.index >= 0 && b.index >= 0 && a.index != b.index;
}

} // namespace deepperf::shapes
