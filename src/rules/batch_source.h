// What the batches of a DataLoader are made of: the part of a batch that a training step reads is followed back into
// the function that makes batches, or into the dataset.
#pragma once

#include "rules/site.h"

#include <optional>

namespace deepperf::rules {

struct BatchSource {
  Site site;                          // where the expression stands
  const python::Expr *expr = nullptr; // what the part of the batch, or of a sample, is computed by
  bool is_sample = false;             // of one sample, which the loader stacks with others
};

// The same for `batch["labels"]`, or for `y` of `for x, y in loader`; nothing if it is no part of a batch, or if it is
// not known what makes the batches.
std::optional<BatchSource> batch_source_of(const Site &site, const python::Expr *expr);

} // namespace deepperf::rules
