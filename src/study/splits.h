// Parts to train on and parts to test on, with each class in both in its share.
#pragma once

#include "base/types.h"

#include <span>
#include <vector>

namespace deepperf::study {

struct Split {
  std::vector<u32> train; // indices, ascending
  std::vector<u32> test;
};

// `count` independent splits. `strata` says which group each item belongs to; a group of one is trained on.
std::vector<Split> stratified_splits(std::span<const u32> strata, double train_share, u32 count, u64 seed);

// Each item is in the test part of exactly one of `count` folds.
std::vector<Split> stratified_folds(std::span<const u32> strata, u32 count, u64 seed);

} // namespace deepperf::study
