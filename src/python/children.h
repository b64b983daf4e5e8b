// Going through a tree without caring what is in it: calls a function for every child of a node, in source order
// (Python 2 and 3 alike). Null children are left out.
#pragma once

#include "base/function_ref.h"
#include "python/ast.h"

namespace deepperf::python {

// Not a template on purpose: so many places call it that the compiler would be busy with copies of it.
void for_each_child(const Node *node, FunctionRef<void(const Node *)> visit);

} // namespace deepperf::python
