// Tensors that are made on the CPU without need: filled or computed there from sizes and numbers alone, where a device
// could do the same.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// Functions that fill a tensor by themselves and take device=. Those that are given the values (torch.tensor,
// torch.from_numpy) have to copy them from the CPU in any case.
bool takes_device(std::string_view api);

// Does such a call say something about the device itself?
bool has_choices(const python::Call &made);

// A number of Python, whichever: a size, a literal, what math computes.
bool is_plain_number(const Site &site, const python::Expr *expr, u32 depth = 0);

// Is the expression computed on the CPU from what such functions fill and from numbers, and from nothing else? Follows
// names and functions of the project. Returns the first of these calls; null if something else goes in.
const python::Call *computed_on_host(const Site &site, const python::Expr *expr);

// The expression that a function of the project returns at its end; null if the call calls none, or it ends otherwise.
const python::Expr *returned_at_end(const Site &site, const python::Call &call);
// The place inside a function, where what it returns is to be looked up.
Site site_inside(const Site &site, const model::FunctionInfo &function);

} // namespace deepperf::rules
