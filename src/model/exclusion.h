// Branches that a call never takes, by what it passes: `step(mode="train")` and `if mode == "test":`.
#pragma once

#include "model/project.h"

#include <optional>

namespace deepperf::model {

// What a function is called with.
struct Arguments {
  const FunctionInfo *callee = nullptr;
  const python::Call *call = nullptr;   // null: nothing but what has no default
  const python::Source *from = nullptr; // where the call stands
  bool bound = false;                   // the first parameter is filled by the object
};

// What a test in the callee gives, if the literals that are passed, or the defaults where nothing is, settle it.
std::optional<bool> result_of(const Arguments &arguments, const python::Expr *test);

// Does the function bind the parameter to something else?
bool is_rebound(const FunctionInfo &function, u32 param);

// Do the literals that a call passes keep a place in the callee from running?
bool excludes(const CallSite &site, const python::Node *place);

} // namespace deepperf::model
