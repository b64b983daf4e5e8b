// Values that get a name for the next statement alone, and that statement as if the name were not there:
//
//     pixels = image.unsqueeze(0)           scores = model(image.unsqueeze(0))
//     scores = model(pixels)
//
// Rules see such a statement twice: as it is written, and with the value in place of the name. So a rule that looks at
// how an argument is written needs not know whether somebody gave it a name.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// What the statement evaluates, with the value that the one before it gives a name; null if there is none, or if
// anything else may read the name.
const python::Expr *with_named_value(const Site &site, const python::Stmt *before, const python::Stmt *statement);

} // namespace deepperf::rules
