// The parts of a training step that a function writes out itself, in the order of its code: what rules about their
// order ask for.
#pragma once

#include "rules/site.h"

#include <string_view>
#include <vector>

namespace deepperf::rules {

struct StepEvent {
  enum class What : u8 {
    Backward,       // loss.backward()
    ScaledBackward, // scaler.scale(loss).backward()
    Step,           // optimizer.step()
    ScalerStep,     // scaler.step(optimizer)
    Unscale,        // scaler.unscale_(optimizer)
    ZeroGrad,       // of an optimizer or a module
    Clip,           // clip_grad_norm_() and the like
    Helper,         // a function of the project that trains
    Schedule,       // scheduler.step()
    Other,          // a function of the project that does not train, but may do a part of a step: clear gradients
  };
  What what = What::Backward;
  const python::Call *call = nullptr;
  const python::Stmt *statement = nullptr; // the simple statement that it stands in
  const python::Node *block = nullptr;     // the compound statement whose block has it; null: that of the module
  const python::If *test = nullptr;        // the innermost `if` around it in its function
  const python::Node *loop = nullptr;      // the innermost loop around it in its function
};

// Of the function around the place (of a module's own code, the module), without functions inside.
const std::vector<StepEvent> &step_events(const Site &site);

// Where among them a call is; their number if it is none of them.
std::size_t place_of_event(const Site &site, const python::Call &call);

// Those inside the node.
std::vector<StepEvent> events_inside(const Site &site, const python::Node &node);

// An event in the order in which it runs, which may stand in a function that the step calls.
struct PlacedEvent {
  StepEvent event;                                // its `test` is the innermost on the way from the step to it
  const model::FunctionInfo *function = nullptr;  // that has it
  const model::FunctionInfo *tested_in = nullptr; // that has the test
  bool is_repeated = false;                       // in a loop inside the step
};

// A training step: one iteration of a loop, or a call of a function.
struct TrainingStep {
  const model::FunctionInfo *function = nullptr; // that has the loop, or is the step; null if there is none
  const python::Node *node = nullptr;            // the loop, or the definition of the function
  std::vector<PlacedEvent> events;
};

// The training step that a call is part of, with a backward pass in it: the loop or function around it, or one that
// leads to it through calls of functions that nothing else calls. Nothing if there is none, or if it is too long.
const TrainingStep &step_around(const Site &site, const python::Call &call);

// The loop whose iterations the step is, or, if it is a function, the one around the only call of it, which must not be
// under a test; null if there is none.
const model::Loop *loop_of(const model::Project &project, const TrainingStep &step);

// `n` of `(step + 1) % n == 0` in the test of a branch, also under a name or in a function that is asked; null if it
// has none.
const python::Expr *counted_by(const python::If &branch, const model::FunctionInfo &function);

// `optimizer` of `x.optimizer`: is it called so? For parameters that no caller is known for.
bool is_named_optimizer(std::string_view text);

// Is it an optimizer, by what the engine knows, or by its name if that is nothing?
bool is_optimizer(const Site &site, const python::Expr *expr);

// The same for a GradScaler.
bool is_grad_scaler(const Site &site, const python::Expr *expr);

} // namespace deepperf::rules
