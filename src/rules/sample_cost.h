// What it takes to prepare one sample of a DataLoader: whether other processes would be worth their start.
#pragma once

#include "rules/site.h"

namespace deepperf::rules {

enum class SampleCost : u8 {
  Nothing, // an element of a list, or of a tensor or array in memory
  Unknown,
  Much, // it reads files, decodes, tokenizes or transforms
};

struct Preparation {
  SampleCost cost = SampleCost::Unknown;
  bool iterable = false;                      // the dataset comes in an order of its own, or may do so
  const python::Node *work = nullptr;         // the call that takes the time
  const model::FunctionInfo *where = nullptr; // it stands in
};

// Of the `dataset` and the `collate_fn` of the call that makes a loader.
Preparation preparation_of(const Site &site, const python::Call &loader);
Preparation preparation_of(const Site &site, const model::Argument &dataset, const model::Argument &collate);

// Of a function that prepares one sample or batch: __getitem__ of a Keras Sequence, a generator.
Preparation preparation_by(const Site &site, const model::FunctionInfo &function);

// A call that decodes an image or sound in Python, in the function or in what it calls, and the function that it stands
// in; null if there is none.
struct Decoding {
  const python::Call *call = nullptr;
  const model::FunctionInfo *where = nullptr;
};
Decoding decoding_in(const model::Project &project, const model::FunctionInfo &function);

// Is it proved to be a dataset with __getitem__, which leaves the order to the loader?
bool is_map_style(const model::Value &dataset);

} // namespace deepperf::rules
