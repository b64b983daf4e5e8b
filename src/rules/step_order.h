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
  };
  What what = What::Backward;
  const python::Call *call = nullptr;
  const python::Stmt *statement = nullptr; // the simple statement that it stands in
  const python::Node *block = nullptr;     // the compound statement whose block has it; null: that of the module
};

// Of the function around the place (of a module's own code, the module), without functions inside.
const std::vector<StepEvent> &step_events(const Site &site);

// Those inside the node.
std::vector<StepEvent> events_inside(const Site &site, const python::Node &node);

// `optimizer` of `x.optimizer`: is it called so? For parameters that no caller is known for.
bool is_named_optimizer(std::string_view text);

// Is it an optimizer, by what the engine knows, or by its name if that is nothing?
bool is_optimizer(const Site &site, const python::Expr *expr);

// The same for a GradScaler.
bool is_grad_scaler(const Site &site, const python::Expr *expr);

} // namespace deepperf::rules
