// How often the place of a site runs, as rules about repeated work ask for it.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// In the forward pass of a module: in forward() itself, or in a method or function that it leads to.
bool in_forward_pass(const Site &site);

// In a training or evaluation step: of a loop that trains, or a step method that Lightning calls.
bool in_step(const Site &site);

// In every training step, and under no test: in the loop itself, or in a function that each of its iterations calls.
bool runs_in_every_step(const Site &site);

// Behind `if step % 100 == 0`, or after `if step % 100: return` in its function or in the hook that it is: what stands
// there runs in one of many steps.
bool in_some_steps_only(const Site &site);

// A constructor, or a method or function that nothing but constructors call, such as reset_parameters(): a loop may
// make many objects, but each is made once. Of modules, or of objects of any class.
enum class Built : u8 { Modules, Anything };
bool only_builds(const model::FunctionInfo &function, Built built = Built::Modules, u32 depth = 0);

// Is there any reason to think that the place runs more than once or twice: a loop of more than a few iterations, a
// step, a forward pass, or a sample of a dataset that comes to it? Not in what only builds objects.
bool runs_repeatedly(const Site &site);

// Is it in a function that only makes something, such as a table or a layer, and that no step is known to call?
bool is_set_up(const Site &site);

// The loop whose iterations are training steps and all come to the place: around it in its function, or around the only
// call that leads to it. Null if there is none.
const model::Loop *step_loop_of(const Site &site);

// In a function that answers requests, a route of Flask, FastAPI or the like, or in one that such a function calls.
bool in_request_handler(const Site &site);
// Does each request come to the place, whatever is kept from the ones before? A handler leads to it under no test, and
// no function on the way returns early because of what the object holds. `caller`: the last call on the way, if any.
bool runs_in_every_request(const Site &site, const model::CallSite **caller = nullptr);
bool runs_per_request(const model::Project &project, const model::FunctionInfo &function);
bool is_request_handler(const model::Project &project, const model::FunctionInfo &function);
// Before rules look at another project.
void forget_handlers();

} // namespace deepperf::rules
