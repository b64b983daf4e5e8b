// Which tensors stood at which places of a file, for people who point at them.
#pragma once

#include "python/syntax_error.h"
#include "shapes/value.h"

#include <optional>
#include <string>
#include <unordered_map>

namespace deepperf::model {
struct Module;
}

namespace deepperf::shapes {

class Interpreter;
struct Analysis;

struct SeenValues {
  const model::Module *module = nullptr; // only its places are kept
  std::unordered_map<u64, Value> values; // by where the expression begins and ends; what several runs have in common
};

// Notes that the expression had the value.
void see(Interpreter &in, const python::Node &expression, const Value &value);

// "[N, 64, 112, 112] float32 on cuda". Nothing if no shape is known of what stands there.
std::optional<std::string> shape_at(Analysis &analysis, python::Span span);

} // namespace deepperf::shapes
