// The names of a function that are computed from some of its parameters: "does this come from the item's index?"
#pragma once

#include "base/function_ref.h"
#include "rules/site.h"

#include <unordered_set>
#include <vector>

namespace deepperf::rules {

class NamesFrom {
public:
  // The parameters themselves, and what is assigned from them at any distance; not through values that `is_cut` holds
  // for.
  NamesFrom(const python::FunctionDef &function, const std::vector<Symbol> &params,
            FunctionRef<bool(const python::Expr *)> is_cut);
  NamesFrom(const python::FunctionDef &function, Symbol param);

  [[nodiscard]] bool mentioned_in(const python::Node *node) const;

private:
  void add(Symbol name);
  void add(const python::Expr *target);

  std::unordered_set<u32> names_;
  std::vector<u32> waiting_; // of these, while they are found
};

} // namespace deepperf::rules
