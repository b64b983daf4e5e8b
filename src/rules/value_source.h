// Where a tensor comes from: back through names, views and casts, parameters that callers pass, and functions of the
// project that return it. For questions such as "are these the logits of a model as they were?".
#pragma once

#include "rules/site.h"

#include <vector>

namespace deepperf::rules {

struct ValueSource {
  Site site;                          // where the expression stands
  const python::Expr *expr = nullptr; // no name that is assigned to, no view and no cast
  bool is_part = false;               // a slice of it was taken on the way: `logits[:, :-1]`
};

// All that the expression may be; empty if that is not known. Names mean what was last assigned to them above in the
// function's text.
std::vector<ValueSource> value_sources_of(const Site &site, const python::Expr *expr);

// The only one; nothing if there are others, or if it is not known.
std::optional<ValueSource> value_source_of(const Site &site, const python::Expr *expr);

} // namespace deepperf::rules
