// Functions that are a name for one expression, and what their calls stand for:
//
//     def zero_gradients(optimizer):        for batch in loader:
//         optimizer.zero_grad()                 zero_gradients(opt)
//
// Rules see the code of such a function twice: as the function that it is, and once for each call as if it were written
// there, `opt.zero_grad()` in the loop. So a rule that looks at the loop, the branches or the assignment around a
// place, or at how an argument is written, needs not know whether somebody gave that place a name.
//
// What stands for a call is a copy of the expression with the arguments in place of the parameters. All that the engine
// knows of the nodes is copied as well. The copies stand where the call stands, so that they come before what follows
// the call, and are inside of what is around it; findings about a copy are reported where it was copied from.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// What stands for a call of such a function; the expression itself if it is something else, a call in a copy, or null.
const python::Expr *run_by(const Site &site, const python::Expr *expr);

// The same for one call of the function; null if it does more than that, or if a name would mean something else there.
const python::Expr *copy_at(const Site &site, const model::CallSite &call);

// Does the function evaluate one expression, and nothing else?
bool is_thin(const Site &site, const model::FunctionInfo &function);

// The same for code of the module that rules are looking at. Null if nothing else stands for a node: searches of trees
// (tree.h) ask for that.
const python::Expr *copy_in_place(const python::Node *node);
const python::Expr *run_by(const python::Expr *expr);

// From here on, that is the module of the site, which stays where it is. Before rules look at another project it is
// null.
void look_from(const Site *site);

} // namespace deepperf::rules
