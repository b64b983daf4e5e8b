// Trees that are analyzed more than once.
#pragma once

#include "python/parser.h"

namespace deepperf::model {

// Makes the tree again what the parser gave: nothing that the engine notes down in nodes is left. Whoever adds such a
// field to a node takes it back here.
void forget_facts(const python::Tree &tree);

// The same for what the last phase noted down of values; what was declared stays.
void forget_values(const python::Tree &tree);

} // namespace deepperf::model
