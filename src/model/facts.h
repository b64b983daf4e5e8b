// What the engine found an expression to be, as rules ask for it. It is kept in a byte of the tree's node: the kind in
// the lower six bits, and two flags.
#pragma once

#include "frameworks/frameworks.h"
#include "model/value.h"

namespace deepperf::model {

static_assert(static_cast<u32>(Kind::kCount) <= 64);

constexpr u8 kGradBit = 64;
constexpr u8 kGpuBit = 128;

// Unknown also where it may be a tuple or list of the kind.
inline Kind kind_of(const python::Expr *expr) { return static_cast<Kind>(expr->value & 63); }

// A PyTorch tensor that hangs on the graph that backward() walks, or a tuple or list with one.
inline bool has_grad(const python::Expr *expr) { return (expr->value & kGradBit) != 0; }

// A PyTorch tensor or module that was moved to a device.
inline bool is_moved(const python::Expr *expr) { return (expr->value & kGpuBit) != 0; }

// A PyTorch tensor that is sure to be in the host's memory.
inline bool is_on_cpu(const python::Expr *expr) { return expr->on_cpu; }

// What the numbers of a tensor are, or what a PyTorch module gives.
inline Output output_of(const python::Expr *expr) { return static_cast<Output>(expr->output); }

void note_value(const python::Expr *expr, const Value &value);

} // namespace deepperf::model
