// What an optimizer of Optax is put together from.
#pragma once

#include "rules/site.h"

#include <vector>

namespace deepperf::rules {

enum class Transformation : u8 { Unknown, Optimizer, Clip, Decay };

struct ChainPart {
  const python::Expr *expr = nullptr;
  const model::FunctionInfo *function = nullptr; // where it stands
  Transformation what = Transformation::Unknown;
};

using Chain = std::vector<ChainPart>;

// The transformations of an optax.chain(…) in their order, also where they come from a list that is built step by step,
// from functions or from a table of them. One chain for each choice that the program has; none if something may happen
// to the list that is not understood.
std::vector<Chain> chains_of(const Site &site, const python::Call &call);

} // namespace deepperf::rules
