// Questions about code that Lightning calls.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// Does the class derive from LightningModule, directly or through classes of the project?
bool is_lightning_module(const model::ClassInfo &type);

// In the training_step of a LightningModule: once for each batch.
bool in_lightning_training_step(const Site &site);

} // namespace deepperf::rules
