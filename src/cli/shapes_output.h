// What `deepperf shapes` prints: a table for people, JSON for programs.
#pragma once

#include "shapes/analysis.h"

#include <string>

namespace deepperf::cli {

struct ShapesFormat {
  i64 batch = 32; // for estimates of memory
  u32 line = 0;   // 0: all
};

std::string shapes_json(shapes::Analysis &analysis, const model::Module &module, const ShapesFormat &format);
std::string shapes_text(shapes::Analysis &analysis, const model::Module &module, const ShapesFormat &format);

// Bytes that a root needs for training with Adam; nothing where it depends on sizes that are not known.
struct MemoryEstimate {
  std::optional<i64> weights;
  std::optional<i64> gradients;
  std::optional<i64> adam;
  std::optional<i64> activations;
};
MemoryEstimate estimate_memory(shapes::Analysis &analysis, const shapes::Root &root, i64 batch);
shapes::Dim parameters_of(shapes::Analysis &analysis, const shapes::Root &root);
std::string step_name(const shapes::Step &step);

} // namespace deepperf::cli
