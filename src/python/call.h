// How a call is written: its name, its receiver, its arguments.
#pragma once

#include "python/ast.h"

#include <string_view>

namespace deepperf::python {

// The last part of what is called: `name` of `name(…)` and of `x.name(…)`; empty if the call has another form.
std::string_view called_name(const Call &call);

// The method's name if the call has the form `x.name(…)`, whatever x is; empty if not.
std::string_view called_method(const Call &call);

// `x` of `x.name(…)`; null if the call has another form.
const Expr *receiver_of(const Call &call);

// The argument by position or keyword; null if it is not given.
const Expr *argument(const Call &call, u32 position, std::string_view keyword);
const Keyword *keyword_argument(const Call &call, std::string_view keyword);

// Are there *args or **kwargs, which may hold any argument?
bool has_hidden_arguments(const Call &call);

} // namespace deepperf::python
