// Options of a call, however they get there: written as keywords, or in a dictionary that `**` hands over, also in
// another function or file.
#pragma once

#include "rules/site.h"

#include <initializer_list>

namespace deepperf::rules {

struct Option {
  bool is_absent = true;                             // it is certainly not passed
  const python::Expr *value = nullptr;               // what is passed, if there is one such expression and no other
  model::Scope scope = {};                           // where that stands
  const python::Keyword *written = nullptr;          // the keyword, if the call itself has it
  std::optional<model::ConstantValue> constant = {}; // its value, also one that users can override

  // Certain ones only.
  [[nodiscard]] std::optional<bool> as_bool() const;
  [[nodiscard]] std::optional<i64> as_integer() const;
  [[nodiscard]] std::optional<std::string> as_string() const;
};

Option option_of(const Site &site, const python::Call &call, std::string_view name);

// Is none of these passed, as far as can be seen?
bool are_absent(const Site &site, const python::Call &call, std::initializer_list<std::string_view> names);

// A finding where the option is set. If that is not in the call, a note leads there.
Finding &report_option(Site &site, const python::Call &call, const Option &option, std::string message,
                       std::string advice);

} // namespace deepperf::rules
