// Where a value was computed, through names, parameters and functions of the project: `self.target(r, s)` is what the
// method returns, and a parameter inside is what was passed. For rules that look at how an expression is made, wherever
// its parts are written.
#pragma once

#include "rules/site.h"

#include <optional>
#include <vector>

namespace deepperf::rules {

struct Traced {
  // A call that was followed into the function that it calls.
  struct Entered {
    const python::Call *call = nullptr;
    const model::FunctionInfo *callee = nullptr;
    bool bound = false;
    const model::FunctionInfo *from = nullptr;
  };

  const Site *asked_at = nullptr;
  const model::FunctionInfo *function = nullptr; // around the expression
  const python::Expr *expr = nullptr;
  std::vector<Entered> entered = {}; // on the way here, the last one innermost

  // Where questions about the expression are to be asked.
  [[nodiscard]] Site site() const;
  // A part of the expression, or another one of the same function.
  [[nodiscard]] Traced at(const python::Expr *other) const { return {asked_at, function, other, entered}; }
};

// `site` has to stay where it is.
Traced traced_from(const Site &site, const python::Expr *expr);

// The function of the project that runs when the call is made: also forward() or __call__() of an object that is
// called.
const model::FunctionInfo *function_run_by(const Site &site, const python::Call &call);

// One step back: what was assigned to a name, passed for a parameter, or returned by a function of the project that
// has one `return`. Nothing if that is not known, or the expression is something else.
std::optional<Traced> step_back(const Traced &origin);

// As many steps as there are, up to a few: gives the expression itself if there are none.
Traced traced_back(const Traced &origin);

} // namespace deepperf::rules
