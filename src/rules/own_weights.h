// What modules of the project hold.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// A layer of a framework, a model of Hugging Face, or an object of the project's own module classes.
bool is_torch_module(const model::Value &value);

// May a module of the class hold weights or buffers? A loss that only computes has none, and is small in a checkpoint.
// What nobody knows may.
bool may_have_weights(const model::ClassInfo &type);

} // namespace deepperf::rules
