// What becomes of a value that a call gives to a function: is it used and gone, given back, or kept?
#pragma once

#include "rules/site.h"

#include <vector>

namespace deepperf::rules {

enum class Fate : u8 {
  Dropped,  // used, and gone when the function returns
  Returned, // to its caller, perhaps in a tuple
  Kept,     // stored somewhere, or handed on in another way
};

// The assignment or return that takes the value of a call, of its `.to(device)` or the like; null if none does.
const python::Stmt *taken_by(const std::vector<const python::Node *> &ancestors, const python::Call &call);

// Of what that statement takes.
Fate fate_of_taken(const Site &site, const model::FunctionInfo &function, const python::Stmt *taken);

// Does a decorator of the function keep what it returned: lru_cache, st.cache_resource?
bool is_cached(const model::FunctionInfo &function);

// Does the function keep something for its next call: `global model`, `self.model`, an entry of a cache?
bool keeps_something(const Site &site, const model::FunctionInfo &function);

// Appends the nodes from `node` down to the parent of a call; false if the call is not below it.
bool find_ancestors(const python::Node *node, const python::Call &call, std::vector<const python::Node *> &ancestors);

} // namespace deepperf::rules
