// Looking at the statements below a block, without the expressions in them.
#pragma once

#include "base/function_ref.h"
#include "python/ast.h"

namespace deepperf::rules {

// Does the predicate hold for a statement of the block or of blocks inside it? Nested functions and classes are not
// entered.
bool any_statement(const python::Block &block, FunctionRef<bool(const python::Stmt *)> holds);

} // namespace deepperf::rules
