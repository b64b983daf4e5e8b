// What a mask of an attention layer says: which tokens are there, or which are to be left out.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

enum class MaskMeaning : u8 {
  Unknown,
  Present, // true for what may be attended to: `ids != pad`, `attention_mask`, tril()
  Hidden,  // true for what is left out: `ids == pad`, `~attention_mask.bool()`, triu(diagonal=1)
};

// Followed through names, casts, views, negations, parameters, and what a function does with a parameter.
MaskMeaning meaning_of(const Site &site, const python::Expr *mask);

} // namespace deepperf::rules
