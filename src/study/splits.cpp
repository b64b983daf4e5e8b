#include "study/splits.h"

#include "study/random.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace deepperf::study {

namespace {

std::vector<std::vector<u32>> groups_of(std::span<const u32> strata) {
  std::map<u32, std::vector<u32>> groups;
  for (u32 i = 0; i < strata.size(); ++i) {
    groups[strata[i]].push_back(i);
  }
  std::vector<std::vector<u32>> result;
  result.reserve(groups.size());
  for (auto &[stratum, members] : groups) {
    result.push_back(std::move(members));
  }
  return result;
}

// How many of each group to train on: its share, such that the sum is right too; the largest remainders are rounded up.
std::vector<std::size_t> train_sizes(const std::vector<std::vector<u32>> &groups, double share) {
  struct Remainder {
    double part;
    std::size_t group;
  };
  std::vector<std::size_t> sizes;
  std::vector<Remainder> remainders;
  std::size_t all = 0;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double exact = share * static_cast<double>(groups[i].size());
    sizes.push_back(static_cast<std::size_t>(exact));
    remainders.push_back({exact - std::floor(exact), i});
    all += groups[i].size();
    taken += sizes.back();
  }
  const auto wanted = static_cast<std::size_t>(std::floor(share * static_cast<double>(all)));
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const Remainder &a, const Remainder &b) { return a.part > b.part; });
  for (const Remainder &remainder : remainders) {
    if (taken >= wanted) {
      break;
    }
    ++sizes[remainder.group];
    ++taken;
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (sizes[i] == 0) {
      sizes[i] = 1; // nothing is learned of a class that is only tested
    }
  }
  return sizes;
}

} // namespace

std::vector<Split> stratified_splits(std::span<const u32> strata, double train_share, u32 count, u64 seed) {
  const std::vector<std::vector<u32>> groups = groups_of(strata);
  const std::vector<std::size_t> sizes = train_sizes(groups, train_share);
  std::vector<Split> splits;
  for (u32 number = 0; number < count; ++number) {
    Random random(seed * 1'000'003 + number);
    Split split;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::vector<u32> members = groups[i];
      random.shuffle(members);
      const auto middle = members.begin() + static_cast<std::ptrdiff_t>(sizes[i]);
      split.train.insert(split.train.end(), members.begin(), middle);
      split.test.insert(split.test.end(), middle, members.end());
    }
    std::sort(split.train.begin(), split.train.end());
    std::sort(split.test.begin(), split.test.end());
    splits.push_back(std::move(split));
  }
  return splits;
}

std::vector<Split> stratified_folds(std::span<const u32> strata, u32 count, u64 seed) {
  Random random(seed);
  std::vector<u32> fold_of(strata.size());
  u32 next = 0; // goes on from group to group, so that the folds are of one size
  for (std::vector<u32> &members : groups_of(strata)) {
    random.shuffle(members);
    for (const u32 member : members) {
      fold_of[member] = next++ % count;
    }
  }
  std::vector<Split> folds(count);
  for (u32 i = 0; i < strata.size(); ++i) {
    for (u32 fold = 0; fold < count; ++fold) {
      (fold == fold_of[i] ? folds[fold].test : folds[fold].train).push_back(i);
    }
  }
  return folds;
}

} // namespace deepperf::study
