// The answers to what rules ask (see site.h), given without anybody being told. Private to src/rules.
#pragma once

#include "rules/site.h"

namespace deepperf::rules::answers {

std::string_view called_api(const Site &site, const python::Call &call);
const model::FunctionInfo *called_function(const Site &site, const python::Call &call);
const python::Call *maker_of_callee(const Site &site, const python::Call &call, std::string_view *api);
model::Value value_of(const Site &site, const python::Expr *expr);
std::optional<double> number_of(const Site &site, const python::Expr *expr);
std::optional<i64> integer_of(const Site &site, const python::Expr *expr);
std::optional<bool> bool_of(const Site &site, const python::Expr *expr);
std::optional<std::string> string_of(const Site &site, const python::Expr *expr);
bool is_batch_of_one(const Site &site, const python::Expr *expr);
const python::Expr *last_assigned(const Site &site, const python::Name &name);
const model::Loop *loop_around(const Site &site);
const model::Loop *long_loop_around(const Site &site);
const python::Expr *iterated_by(const Site &site, const model::Loop &loop);
bool goes_over_data(const Site &site, const model::Loop &loop);
bool runs_every_iteration(const Site &site, const model::Loop &loop);
bool in_training_step(const Site &site);
const python::Node *enclosing(const Site &site, python::NodeKind kind);
bool inside_with(const Site &site, Kind kind);
bool under_no_grad(const Site &site);
bool in_method(const Site &site, Kind kind, std::string_view name);
bool is_traced(const Site &site);

} // namespace deepperf::rules::answers
