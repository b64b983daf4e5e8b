// Where code puts a new layer into a model that exists already: `model.fc = nn.Linear(…)`, also inside of a function
// that it calls.
#pragma once

#include "base/function_ref.h"
#include "rules/site.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::rules {

struct NewLayer {
  std::string target;                            // the layer's place as the site would write it: `model.fc`
  const python::Stmt *place = nullptr;           // the statement that stores it
  const model::FunctionInfo *function = nullptr; // that has the statement, where it is another one than the site's
  bool is_certain = true;                        // what gets the layer is known to be a module
};

// The new layers with weights that the statement stores, itself or in the functions of the project that it calls, where
// these store them whenever they run.
std::vector<NewLayer> new_layers(const Site &site, const python::Stmt &statement);

// Is one written place of an object the same as another, or inside it: `model.fc` in `model`?
bool is_inside(std::string_view inner, std::string_view outer);

// Visits the statements of the function around the place that run after the one at the offset, in the blocks around it
// and in branches of these, until `is_enough` says so. Returns whether it did.
bool any_statement_after(const python::Block &body, u32 offset, FunctionRef<bool(const python::Stmt *)> is_enough);

} // namespace deepperf::rules
