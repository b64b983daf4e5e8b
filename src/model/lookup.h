// What the engine knows about an expression where no flow matters: all that it ever was, joined.
#pragma once

#include "model/project.h"

namespace deepperf::model {

// Where an expression stands, so that its names can be looked up.
struct Scope {
  const Project *project = nullptr;
  const Module *module = nullptr;
  const FunctionInfo *function = nullptr; // of a module's own code its body
};

Scope scope_of(const Project &project, const FunctionInfo &function);

// Of a name, attribute, call, or an element of one of these.
Value value_of(const Scope &scope, const python::Expr *expr);

} // namespace deepperf::model
