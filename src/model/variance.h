// Loop variance: does an expression give something new in each iteration of a loop?
#pragma once

#include "model/project.h"

namespace deepperf::model {

// True unless everything in `expr` is proved to stay the same while `loop` runs.
bool varies(const Project &project, const Loop &loop, const python::Expr *expr);

// Which of the names that the loop binds once vary; all other effects are known.
void find_varying(const Project &project, const Loop &loop, LoopEffects &effects);

// What an expression of a function depends on, followed through the function's own assignments and through functions of
// the project that do nothing but work something out.
struct Dependencies {
  u64 params = 0;
  std::vector<Symbol> attributes;           // of self
  std::vector<Symbol> attributes_of_others; // of parameters and of what is reached through them
  bool varies = false;
};
Dependencies dependencies_of(const Project &project, const FunctionInfo &function, const python::Expr *expr);

// The same for many expressions of one function: what it binds its names to is looked for once.
class DependencyFinder {
public:
  DependencyFinder(const Project &project, const FunctionInfo &function, u32 depth = 0);
  [[nodiscard]] Dependencies of(const python::Expr *expr) const;
  // Of what the function returns, and of the tests that choose it.
  [[nodiscard]] Dependencies of_results() const;

  struct Binding {
    Symbol name;
    const python::Expr *value = nullptr; // null: something else each time
  };

private:
  const Project &project_;
  const FunctionInfo &function_;
  u32 depth_ = 0;                 // of calls that led here
  std::vector<Binding> bindings_; // by name; those of one name as they stand in the source
};

// The argument that a call passes for parameter `index` of the callee; null if it passes none. `bound`: the first
// parameter is filled by the object.
const python::Expr *passed_argument(const python::Call &call, const FunctionInfo &callee, bool bound, u32 index);
const python::Expr *passed_argument(const CallSite &site, u32 index);

} // namespace deepperf::model
