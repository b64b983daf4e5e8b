// One operation or layer that was run: what went in and what came out.
#pragma once

#include "model/project.h"
#include "shapes/tensor.h"
#include "shapes/value.h"

#include <string>
#include <vector>

namespace deepperf::shapes {

struct Step {
  const model::Module *module = nullptr;
  const python::Expr *node = nullptr;
  Symbol operation;              // the API's canonical name
  const Object *layer = nullptr; // that was called
  std::vector<const Tensor *> inputs;
  std::vector<const Tensor *> outputs;
  std::vector<Symbol> path; // of modules around it, where details are kept
  Dim multiply_adds = Dim::of(0);
};

// Where shapes are lost first.
struct LostAt {
  const model::Module *module = nullptr;
  const python::Expr *node = nullptr;
  std::string operation;
};

} // namespace deepperf::shapes
