// Tables of a program that are written down: dictionaries of functions, losses or layers from which a setting chooses.
#pragma once

#include "rules/site.h"

#include <vector>

namespace deepperf::rules {

// What `TABLE[name]` or `TABLE.get(name)` may be: all values of the dictionary, or the one under a key that is a
// certain constant. None if it is not known to be such a table, or if something else may be in it.
std::vector<model::Argument::Given> entries_chosen_by(const model::Scope &scope, const python::Expr *expr);

// The functions of the project that `TABLE[name]` may be: entries of the dictionary, and those that a decorator puts
// into it (`@register("cnn")`, `@register(TABLE, "cnn")`); only those under a key that is a certain constant. None if
// something else may be in it.
std::vector<const model::FunctionInfo *> functions_chosen_by(const model::Project &project, const model::Scope &scope,
                                                             const python::Expr *expr);

} // namespace deepperf::rules
