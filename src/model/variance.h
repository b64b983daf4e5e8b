// Loop variance: does an expression give something new in each turn of a loop?
#pragma once

#include "model/project.h"

namespace deepperf::model {

// True unless everything in `expr` is proved to stay the same while `loop` runs.
bool varies(const Project &project, const Loop &loop, const python::Expr *expr);

// What an expression of a function depends on, followed through the function's own assignments.
struct Dependencies {
  u64 params = 0;
  std::vector<Symbol> attributes; // of self
  bool varies = false;
};
Dependencies dependencies_of(const Project &project, const FunctionInfo &function, const python::Expr *expr);

// The argument that a call passes for parameter `index` of the callee; null if it passes none. `bound`: the first
// parameter is filled by the object.
const python::Expr *passed_argument(const python::Call &call, const FunctionInfo &callee, bool bound, u32 index);
const python::Expr *passed_argument(const CallSite &site, u32 index);

} // namespace deepperf::model
