#include "shapes/seen.h"

#include "shapes/analysis.h"

namespace deepperf::shapes {

using Tag = Value::Tag;

namespace {

u64 key_of(u32 start, u32 end) { return (u64{start} << 32) | end; }

} // namespace

const Tensor *tensor_of(const Value &value) {
  return value.is(Tag::Tensor) ? value.tensor : value.is(Tag::Opaque) ? value.opaque->content.tensor : nullptr;
}

void see(Interpreter &in, const python::Node &expression, const Value &value) {
  if (in.module() != in.seen->module) {
    return;
  }
  const auto [place, is_new] = in.seen->values.try_emplace(key_of(expression.start, expression.end), value);
  if (!is_new) {
    place->second = in.heap.join(place->second, value);
  }
}

std::optional<std::string> shape_at(Analysis &analysis, python::Span span) {
  const auto found = analysis.seen.values.find(key_of(span.start, span.end));
  const Tensor *const tensor = found != analysis.seen.values.end() ? tensor_of(found->second) : nullptr;
  if (tensor == nullptr || tensor->shape.kind == Shape::Kind::Unknown) {
    return std::nullopt;
  }
  std::string text = analysis.interpreter.text_of(tensor->shape);
  if (tensor->dtype != Dtype::Unknown) {
    text += " " + std::string(name_of(tensor->dtype));
  }
  if (tensor->device.kind != Device::Kind::Unknown && tensor->library == Library::Torch) {
    text += " on " + shapes::text_of(tensor->device);
  }
  return text;
}

} // namespace deepperf::shapes
