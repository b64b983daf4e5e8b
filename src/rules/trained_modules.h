// Which modules of a program may be trained or frozen: those whose parameters somebody takes, an optimizer above all,
// and those that are parts of these. What is in none of them computes gradients that nobody uses.
#pragma once

#include "rules/site.h"

#include <unordered_set>

namespace deepperf::rules {

struct TrainedModules {
  bool makes_optimizer = false;                            // so that it is seen what is trained
  bool everything = false;                                 // parameters are taken of modules that are not known
  std::unordered_set<const python::Call *> made;           // modules of libraries, by the call that made them
  std::unordered_set<const model::ClassInfo *> types;      // classes of the project
  std::unordered_set<const python::Call *> in_eval;        // eval() is called on them
  std::unordered_set<const model::ClassInfo *> eval_types; // the same
  std::unordered_set<const python::Call *> loaded;         // load_state_dict() is called on them
  std::unordered_set<const model::ClassInfo *> loaded_types;

  // Is it proved that nobody trains or freezes the module, or a part of it?
  [[nodiscard]] bool is_left_alone(const Site &site, const model::Value &module) const;
  // Is it put into evaluation mode, or does it get weights from elsewhere, so that it is not meant to be trained?
  [[nodiscard]] bool is_ready(const model::Value &module) const;
};

const TrainedModules &trained_modules(const Site &site);

// The call that made the module, where there is just one; null for objects of the project.
const python::Call *maker_of_module(const model::Value &module);

} // namespace deepperf::rules
