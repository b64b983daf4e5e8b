// How long is a loop? What its iterable alone tells; see also transfer.h.
#pragma once

#include "python/ast.h"

namespace deepperf::model {

// `range(x.shape[0])`: along an axis of a tensor.
bool goes_along_axis(const python::Expr *iter);

} // namespace deepperf::model
