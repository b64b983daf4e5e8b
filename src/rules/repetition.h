// What repeats a place: a loop around it, or a loop around a call that leads to its function. Rules about work that is
// done again and again ask this instead of looking at the loop around the place alone.
#pragma once

#include "base/function_ref.h"
#include "rules/site.h"

#include <vector>

namespace deepperf::rules {

struct Repetition {
  const model::Loop *loop = nullptr; // null: nothing is known that repeats the place
  std::vector<const model::CallSite *>
      calls; // from the place's function up to the loop; none if it is around the place

  [[nodiscard]] bool through_calls() const { return !calls.empty(); }
};

// The innermost long loop whose every iteration comes to the place, directly or by calls that are under no test.
Repetition repetition_of(const Site &site);

// The loops whose iterations come to the place by calls, the nearest callers first, until `visit` is content with one.
// Unlike repetition_of, short loops and tests may be around the place, and the object that is called may be one of
// several; see comes_each_time.
bool any_repetition_by_calls(const Site &site, FunctionRef<bool(const Repetition &)> visit);

// Do all iterations come to the place, or none? The tests around it give the same in all of them, and no function on
// the way may return before it.
bool comes_each_time(const Site &site, const Repetition &repetition);

// The object whose method a call of a bound function calls: `x` of `x.method(…)`, and of `x(…)` itself.
const python::Expr *object_of(const model::CallSite &call);

// Is the expression, at the place, the same in every iteration? Parameters are what the calls pass for them.
bool stays_same(const Site &site, const Repetition &repetition, const python::Expr *expr);

// The same, or the first rows of something that is the same: the loop passes `x[:n]`.
bool stays_same_by_rows(const Site &site, const Repetition &repetition, const python::Expr *expr);

// The same of the receiver and of all arguments of a call.
bool call_stays_same(const Site &site, const Repetition &repetition, const python::Call &call);

// Is it the same, or an object that is created again from the same: a dataset that lists the same folder again in every
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
