// What is an operation of TensorFlow that a function executes: where does it belong, what does it cost, how is it
// called?
#pragma once

#include "model/project.h"

#include <string>

namespace deepperf::rules {

// What gives something else, or leaves something behind, each time.
constexpr u64 kStatefulOp = kRandom | kVariable | kGraphState | kIo | kPython;

// Methods that make an operation where the graph is run by a session; eagerly they only read or update.
bool needs_session(const model::OpFact &op);

// Of TensorFlow: by its name, or a method of one of its kinds.
bool is_tensorflow(const model::OpFact &op);

// An operation that costs next to nothing: it looks at shapes, or computes element by element.
bool is_light(const model::OpFact &op);

// sqrt, exp and the like.
bool is_formula(const model::OpFact &op);

// Gives the same numbers another shape, of something that is there already: nothing is computed.
bool is_free(const model::OpFact &op);

// As messages call it.
std::string op_name(const model::OpFact &op);

} // namespace deepperf::rules
