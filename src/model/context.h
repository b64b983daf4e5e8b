// When and how often a function runs, and inside what: a fact of every function that follows from the call graph, the
// loops and the frameworks' conventions. Rules ask for it instead of looking at the loop around a place.
#pragma once

#include "model/project.h"

namespace deepperf::model {

// As bits of FunctionInfo::context.
enum RunContext : u16 {
  kPerTrainingStep = 1,   // in every training step
  kSomeTrainingSteps = 2, // in training steps, perhaps not in all of them: under `if step % 100 == 0`
  kPerEvaluationStep = 4, // for each batch of a loop that trains nothing
  kPerSample = 8,         // for each sample, in the workers of a loader
  kRunsOnce = 16,         // a script's own code, or called by nothing but such code in one place outside of loops
  kCallersUnknown = 32,   // others than those that are known may call it: nobody does here, or it is handed away
  kRunByScript = 64,      // reached from the code of a script, at any depth
  kGradMaybeOff = 128,    // somebody before it may have called torch.set_grad_enabled(False)
  kStepOfFramework = 256, // a step whose caller is not in these files: training_step(), compute_loss(), a step function
};

// Works out the context of all functions, and which loops evaluate. Linear in the number of calls.
void find_contexts(Project &project);

// validation_step() of Lightning, prediction_step() of a Trainer: their callers switch gradients off.
bool is_evaluation_of_framework(const FunctionInfo &function);

// What a loop runs over, without enumerate(), tqdm(), zip() and the like around it; null for `while`.
const python::Expr *iterated_by(const Project &project, const Loop &loop);

// Does the loop run over the batches or samples of data: a DataLoader, a dataset, a tf.data pipeline?
bool goes_over_data(const Project &project, const Loop &loop);

// Has the test the same answer in every step, as a setting has? `if self.use_amp`, `if isinstance(…)`, `if x is None`.
// Not if it mentions what the loops around it bind or change, or computes something.
bool is_setting(const python::Expr *test, const Loop *loop, const FunctionInfo &function);

} // namespace deepperf::model
