// Python loops that do to single elements or rows of a tensor what one operation does to all of them.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// What each iteration does, where iterations do not depend on each other and nothing else happens in the loop.
enum class LoopWork : u8 {
  Other,    // something that the rules leave alone
  Elements, // operators and element-wise functions
  Rows,     // reductions, products and the like, of one row at a time
  Selects,  // takes one element or row out
  Scatters, // stores at a place that is looked up in a tensor
};

struct VectorLoop {
  LoopWork work = LoopWork::Other;
  bool is_sure = false;      // all that it reads by index is known to be a tensor or array
  bool reads_tensor = false; // otherwise it computes from the indices alone
};

// A For, or a comprehension whose list becomes a tensor. Other for a loop inside one that is such a loop itself, and
// for loops of a few iterations.
VectorLoop vector_loop_of(Site &site, const python::Node &node);

// The expression as a function of one row could be written for all rows: constants, operators, element-wise functions
// and reductions of `row` (a parameter) and of names that are assigned from it before.
bool is_vectorisable_function(Site &site, const model::FunctionInfo &function, bool *reduces);

} // namespace deepperf::rules
