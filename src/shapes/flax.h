// What the interpreter does for modules of Flax.
#pragma once

#include "shapes/libraries.h"

namespace deepperf::shapes {

// Runs setup() of a module of the program's own, once, before it is called.
void flax_prepare(Interpreter &interpreter, Object &module);

} // namespace deepperf::shapes
