// Questions about code that Lightning calls.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// Does the class derive from LightningModule, directly or through classes of the project?
bool is_lightning_module(const model::ClassInfo &type);

// The class itself if it is one, or a class derived from it that is one, as with a mixin; null if there is none.
const model::ClassInfo *lightning_module_of(const model::ClassInfo &type);

// Does it derive from LightningModule, and all that it derives from is known: no base class out of sight?
bool is_plain_lightning_module(const model::ClassInfo &type);

// Does the class, one that it derives from or one derived from it, store to the attribute or define it?
bool has_attribute_in_family(const model::ClassInfo &type, std::string_view name);

// In the training_step of a LightningModule: once for each batch.
bool in_lightning_training_step(const Site &site);

// The same, or in a method that a training_step calls.
bool leads_from_training_step(const Site &site);

} // namespace deepperf::rules
