// What expressions depend on. What a function binds its names to is looked for once, however many places ask.
#pragma once

#include "model/variance.h"
#include "rules/site.h"

namespace deepperf::rules {

// As model::dependencies_of.
inline model::Dependencies dependencies_of(const Site &site, const model::FunctionInfo &function,
                                           const python::Expr *expr) {
  return site.memory
      .recall<model::DependencyFinder>(&function, [&] { return model::DependencyFinder(site.project, function); })
      .of(expr);
}

} // namespace deepperf::rules
