// Whose states a project saves and restores: `x.state_dict()` and `x.load_state_dict(…)`. Where x goes over what a
// function was handed (`for name, part in parts.items()`, with `**parts`), it is what the callers hand over.
#pragma once

#include "rules/site.h"

#include <vector>

namespace deepperf::rules {

struct StateOwner {
  const python::Expr *expr = nullptr;
  const model::FunctionInfo *function = nullptr; // where that stands
  const model::FunctionInfo *reader = nullptr;   // where the state is taken or loaded
  const python::Call *handed_by = nullptr;       // the call that hands it over; null if there is none
};

struct SavedStates {
  std::vector<StateOwner> saved;
  std::vector<StateOwner> restored;
  bool restores_unknown = false; // perhaps also something else
};

const SavedStates &saved_states(const Site &site);

} // namespace deepperf::rules
