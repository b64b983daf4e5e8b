#include "study/splits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace deepperf;
using namespace deepperf::study;

namespace {

std::vector<u32> strata() {
  std::vector<u32> result(50, 0);
  result.insert(result.end(), 10, 1);
  result.insert(result.end(), 1, 2);
  return result;
}

u64 count(const std::vector<u32> &indices, u32 stratum) {
  const std::vector<u32> all = strata();
  return static_cast<u64>(
      std::count_if(indices.begin(), indices.end(), [&](u32 index) { return all[index] == stratum; }));
}

TEST(Splits, EachGroupInItsShare) {
  const std::vector<Split> splits = stratified_splits(strata(), 0.6, 5, 1);
  ASSERT_EQ(splits.size(), 5U);
  for (const Split &split : splits) {
    EXPECT_EQ(split.train.size() + split.test.size(), 61U);
    EXPECT_EQ(count(split.train, 0), 30U);
    EXPECT_EQ(count(split.train, 1), 6U);
    EXPECT_EQ(count(split.train, 2), 1U); // the only one is trained on
    std::set<u32> all(split.train.begin(), split.train.end());
    all.insert(split.test.begin(), split.test.end());
    EXPECT_EQ(all.size(), 61U);
  }
  EXPECT_NE(splits[0].test, splits[1].test);
}

TEST(Splits, ASeedMeansOneResult) {
  EXPECT_EQ(stratified_splits(strata(), 0.6, 2, 7)[1].test, stratified_splits(strata(), 0.6, 3, 7)[1].test);
  EXPECT_NE(stratified_splits(strata(), 0.6, 1, 7)[0].test, stratified_splits(strata(), 0.6, 1, 8)[0].test);
}

TEST(Splits, FoldsCoverEverythingOnce) {
  std::set<u32> tested;
  for (const Split &fold : stratified_folds(strata(), 5, 3)) {
    EXPECT_EQ(fold.train.size() + fold.test.size(), 61U);
    EXPECT_EQ(count(fold.test, 0), 10U);
    EXPECT_EQ(count(fold.test, 1), 2U);
    for (const u32 index : fold.test) {
      EXPECT_TRUE(tested.insert(index).second);
    }
  }
  EXPECT_EQ(tested.size(), 61U);
}

} // namespace
