// What a function assigns to its names, in the order of its code: for questions about a value on its way through one
// function, such as "was it a matrix product before it was masked?".
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// The value of the last plain assignment to the name that ends before the offset, anywhere in the function around the
// place (of a module's own code, the module), without functions inside; null if there is none.
const python::Expr *assigned_before(const Site &site, Symbol name, u32 offset);

// Follows names back to what was assigned to them, up to a few times. Gives the expression itself if it is no name.
const python::Expr *written_value(const Site &site, const python::Expr *expr);

// The statement around the place; null if the place stands in none.
const python::Stmt *statement_around(const Site &site);

// The block of the function around the place, or of its module. It stays where it is, so that facts about it can be
// kept under its address.
const python::Block &body_around(const Site &site);

} // namespace deepperf::rules
