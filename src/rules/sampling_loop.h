// Loops that run a model again and again on what it gave before, and train nothing: denoising steps, decoding.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// A loop of its own: around it is no step or evaluation, and inside it no loop that runs the model. Not one whose
// duration is measured.
bool is_sampling_loop(const Site &site, const model::Loop &loop);

// Does each iteration run a model and little else: in the loop's own code, or in functions without loops?
bool runs_model_itself(const Site &site, const model::Loop &loop);

} // namespace deepperf::rules
