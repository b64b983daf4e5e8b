#include "model/analysed.h"

#include <gtest/gtest.h>

namespace deepperf::model {
namespace {

TEST(Spread, WhatIsCalledOnlyByMappedFunctionsRunsInParallel) {
  const Analysed code(R"(
import tensorflow as tf
def again(x, n):
  return other(x, n - 1) if n else x
def other(x, n):
  return again(x, n)
def by_lambda(x):
  return x
def helper(x):
  tf.map_fn(lambda y: by_lambda(y), x)
  return again(x, 3)
def shared(x):
  return x
def mapped(x):
  return shared(helper(x))
def direct(x):
  return shared(x)
def both(x):
  return x
def main(ds, x):
  direct(x)
  both(x)
  return ds.map(mapped).map(both)
main(tf.data.Dataset.range(10), 3)
)");
  EXPECT_TRUE(code.function("mapped")->in_parallel);
  EXPECT_TRUE(code.function("helper")->in_parallel);
  EXPECT_TRUE(code.function("again")->in_parallel); // though it calls itself through another one
  EXPECT_TRUE(code.function("other")->in_parallel);
  EXPECT_TRUE(code.function("by_lambda")->in_parallel);
  EXPECT_FALSE(code.function("shared")->in_parallel);
  EXPECT_FALSE(code.function("both")->in_parallel);
  EXPECT_FALSE(code.function("direct")->in_parallel);
  EXPECT_FALSE(code.function("main")->in_parallel);
}

} // namespace
} // namespace deepperf::model
