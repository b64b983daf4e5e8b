// What repeats a place: a loop around it, or a loop around a call that leads to its function. Rules about work that is
// done again and again ask this instead of looking at the loop around the place alone.
#pragma once

#include "rules/site.h"

#include <vector>

namespace deepperf::rules {

struct Repetition {
  const model::Loop *loop = nullptr; // null: nothing is known that repeats the place
  std::vector<const model::CallSite *>
      calls; // from the place's function up to the loop; none if it is around the place

  [[nodiscard]] bool through_calls() const { return !calls.empty(); }
};

// The innermost long loop whose every iteration comes to the place, directly or by calls that are behind no test.
Repetition repetition_of(const Site &site);

// Is the expression, at the place, the same in every iteration? Parameters are what the calls pass for them.
bool stays_same(const Site &site, const Repetition &repetition, const python::Expr *expr);

// The same of the receiver and of all arguments of a call.
bool call_stays_same(const Site &site, const Repetition &repetition, const python::Call &call);

// Is it the same, or an object that is made anew from the same: a dataset that lists the same folder again in every
// iteration? Not if making it draws random numbers.
bool is_made_of_same(const Site &site, const Repetition &repetition, const python::Expr *expr);

// What the outermost call, which stands in the loop, passes for the parameter that the expression is; null if it is no
// parameter, or is passed nothing. The expression itself if the loop is around the place.
const python::Expr *passed_in_loop(const Site &site, const Repetition &repetition, const python::Expr *expr);

// What a loop binds for each element: the target of a `for` or of a comprehension's first one; null for `while`.
const python::Expr *element_target(const model::Loop &loop);

// Points to the loop, or to the call in it.
void add_note(Finding &finding, const Site &site, const Repetition &repetition);

} // namespace deepperf::rules
