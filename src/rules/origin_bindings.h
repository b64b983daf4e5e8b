// What a function binds its names to, with the part that unpacking takes, and which of these a place can see.
#pragma once

#include "rules/origins.h"

namespace deepperf::rules {

struct OriginBinding {
  Symbol name;
  const python::Expr *value = nullptr;
  std::vector<OriginPart> path; // of the value
  u32 start = 0;                // of the statement
  u32 end = 0;
  python::Span region{}; // of the innermost branch or loop body around it; empty: it runs whenever the function does
  bool in_region_only = false; // of a comprehension: nobody outside of it sees the name
};

// A name that is bound more often than this, and never for sure, is not followed.
constexpr std::size_t kMostBindings = 64;

// Those that may hold at the offset, the latest first, and no more than one above kMostBindings. `is_settled`: one of
// them surely holds, so that no parameter and no outer name is meant. `is_carried`: with those that the iteration
// before left, of loops around the offset.
std::vector<const OriginBinding *> bindings_before(const Site &site, const model::FunctionInfo &function, Symbol name,
                                                   u32 offset, bool &is_settled, bool is_carried = false);

// The names that a statement binds to the value of the expression, or to parts of it.
std::vector<const OriginBinding *> bindings_of_value(const Site &site, const model::FunctionInfo &function,
                                                     const python::Expr *value);

} // namespace deepperf::rules
