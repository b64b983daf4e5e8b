// Copies of expressions, with other expressions in place of some of their names, that rules see as if they were written
// in the program. All that the engine knows of the nodes is copied as well.
#pragma once

#include "base/function_ref.h"
#include "rules/site.h"

namespace deepperf::rules {

// Does the expression consist of what can be copied, which has no names of its own?
bool can_be_copied(const python::Node *node);

// Copies it. `replace` returns what stands for a name, or null if the name stays. The copies stand at `place`, or where
// their originals do.
const python::Expr *copy_of(const Site &site, const python::Expr *expr,
                            FunctionRef<const python::Expr *(const python::Name &)> replace, const python::Node *place);

// The code that a node was copied from; of all others the node itself.
const python::Node *original_of(const Site &site, const python::Node *node);

// Before rules look at another project.
void forget_copies();

} // namespace deepperf::rules
