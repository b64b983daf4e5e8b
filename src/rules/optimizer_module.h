// Which module an optimizer trains, and whether two places of a program mean the same module.
#pragma once

#include "rules/site.h"

#include <optional>

namespace deepperf::rules {

// A module that a program holds: an attribute of objects of a class, or a name of a function or file.
struct HeldBy {
  const model::ClassInfo *type = nullptr;        // of an attribute of self
  const model::FunctionInfo *function = nullptr; // of a name: where it is bound; of a module's own code its body
  Symbol name;

  [[nodiscard]] bool same_as(const HeldBy &other) const;
};

// `self.net`, or `net`; nothing for other expressions.
std::optional<HeldBy> held_module(const Site &site, const python::Expr *expr);

// The only module whose parameters the optimizer has: `x` of `Adam(x.parameters())`; nothing if that is not known.
std::optional<HeldBy> trained_by(const Site &site, const python::Expr *optimizer);

// The place of another node of the function that the site is in.
Site site_of_node(const Site &site, const python::Node &node);

// What is passed for a parameter where a function is called.
struct Passed {
  const model::CallSite *site = nullptr;
  const python::Expr *value = nullptr; // null: not known, or by default
};

// For the parameter of that name, by each call of the function in these files; empty if the function has none so
// called.
std::vector<Passed> passed_for(const model::FunctionInfo &function, Symbol parameter);

} // namespace deepperf::rules
