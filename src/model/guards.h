// Conditions around a statement: does a branch run only the first time, or only for some types of argument?
#pragma once

#include "model/project.h"

#include <optional>
#include <span>

namespace deepperf::model {

// What a branch of a condition leads to: `written` are the names and attributes that its statements change.
struct GuardedBranch {
  const python::Expr *test = nullptr;
  bool negated = false;       // the branch runs where the test is false
  const Loop *loop = nullptr; // the innermost around it
  const FunctionInfo *function = nullptr;
  const Loop *written = nullptr; // only its lists are used; null: whatever the test asks for
  std::span<python::Stmt *const> statements;
};

// Does the branch run only in one iteration, or only until it has run? `i == 0` for a counter of the loop, `x is None`
// where the branch sets x, `key not in cache` where it fills the cache.
bool runs_first_time_only(const GuardedBranch &branch);

// Does it ask what kind of thing a parameter, or something made of it, is? The branches are for different callers then.
bool asks_for_type(const python::Expr *test, const FunctionInfo &function);

// Does it ask how a parameter that is a tensor is stored: `x.is_sparse`, `not x.is_nested`?
bool asks_for_layout(const python::Expr *test, const FunctionInfo &function);

// Is there a remainder in the test, as in `step % 100`?
bool counts_steps(const python::Expr *test);

// Does the test hold in one of many steps (`step % 100 == 0`), or in all others (`step % 100`)? Nothing if it asks for
// something else.
std::optional<bool> holds_seldom(const python::Expr *test);

// `torch.is_grad_enabled()`: true, or false for `not` of it. Nothing if the test asks for something else.
std::optional<bool> asks_for_grad(const python::Expr *test);

// `if step % 100: return` (or `continue`): what follows runs in some steps only.
bool skips_steps(const python::If &statement);

} // namespace deepperf::model
