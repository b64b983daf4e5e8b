#include "python/children.h"

#include "python/visit_children.h"

namespace deepperf::python {

void for_each_child(const Node *node, FunctionRef<void(const Node *)> visit) { visit_children(node, visit); }

} // namespace deepperf::python
