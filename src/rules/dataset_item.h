// Questions about the code that a data loader runs for each item: a Dataset's __getitem__.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

// Directly in the __getitem__ of a class that is, or looks like, a PyTorch Dataset.
bool in_dataset_item(const Site &site);

// Does the class derive from keras.utils.Sequence, or PyDataset, as Keras 3 calls it? Its __getitem__ gives a batch.
bool is_keras_sequence(const model::ClassInfo &type);

// Directly in the __getitem__ of such a class, or in that of a PyTorch Dataset.
bool in_item_or_batch(const Site &site);

// The same for what only such a __getitem__ calls, at a few calls' distance: a method that prepares the item. What the
// constructor calls too runs once more, which does not matter.
bool runs_per_item(const Site &site);

// Is the value the same for every item? Only where that is proved.
bool is_same_for_all_items(const Site &site, const python::Expr &expr);

// Does the call get the same arguments for every item?
bool is_call_same_for_all_items(const Site &site, const python::Call &call);

// Is the first argument, such as the path of a file, the same for every item? A parameter is what all calls pass for
// it.
bool is_first_argument_same_for_all_items(const Site &site, const python::Call &call);

} // namespace deepperf::rules
