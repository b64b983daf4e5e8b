// Work that is done for one item after the other, where a batch of them would do: in a loop or comprehension over the
// items, in a function that apply() or map() calls for each of them, or in what these call.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

struct PerItem {
  const model::Module *module = nullptr;
  python::Span place;   // of the loop or of the call that runs it for each item
  bool is_sure = false; // one item for sure, and not perhaps a group of them
};

// Is the expression one item, or made of one, of a collection that is gone through? Nothing if that is not known, or if
// what is gone through are batches.
std::optional<PerItem> item_behind(const Site &site, const python::Expr *expr);

// The call that hands the function to `apply`, `map` or the like, so that it runs for each element; null if none does.
const python::Call *applied_by(const Site &site, const model::FunctionInfo &function);

// The same for what runs it again and again: also for each batch, as `map(…, batched=True)` and `collate_fn` do.
const python::Call *repeated_by(const Site &site, const model::FunctionInfo &function);

} // namespace deepperf::rules
