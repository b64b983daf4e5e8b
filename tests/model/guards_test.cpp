#include "model/guards.h"

#include "model/analysed.h"

#include <gtest/gtest.h>

namespace deepperf::model {
namespace {

// Is tf.zeros(3), which stands somewhere in the code, taken to run only once?
bool runs_once(std::string_view code) {
  const Analysed analysed(std::string("import tensorflow as tf\n") + std::string(code));
  for (const FunctionInfo &function : analysed.project().functions) {
    for (const OpFact &op : function.ops) {
      if (op.api.text() == "tensorflow.zeros") {
        return op.once;
      }
    }
  }
  ADD_FAILURE() << "there is no tf.zeros in it";
  return false;
}

TEST(Guards, ACounterThatIsComparedIsOneIteration) {
  EXPECT_TRUE(runs_once("for i in range(100):\n  if i == 0:\n    tf.zeros(3)\n"));
  EXPECT_TRUE(runs_once("for i in range(100):\n  if i != 0:\n    pass\n  else:\n    tf.zeros(3)\n"));
  EXPECT_TRUE(runs_once("for i in range(100):\n  if not i:\n    tf.zeros(3)\n"));
  EXPECT_TRUE(runs_once("for i in range(100):\n  if i < 3:\n    tf.zeros(3)\n"));
  EXPECT_FALSE(runs_once("for i in range(100):\n  if i % 10 == 0:\n    tf.zeros(3)\n"));
  EXPECT_FALSE(runs_once("for i in range(100):\n  if i > 3:\n    tf.zeros(3)\n"));
}

TEST(Guards, WhatTheBranchSetsIsNotSetAgain) {
  EXPECT_TRUE(runs_once("for i in r:\n  if x is None:\n    x = tf.zeros(3)\n"));
  EXPECT_FALSE(runs_once("for i in r:\n  if x is None:\n    y = tf.zeros(3)\n"));
  EXPECT_TRUE(runs_once("for i in r:\n  if k not in cache:\n    cache[k] = tf.zeros(3)\n"));
  EXPECT_TRUE(runs_once("for i in r:\n  if first:\n    tf.zeros(3)\n    first = False\n"));
  EXPECT_FALSE(runs_once("for i in r:\n  if first:\n    tf.zeros(3)\n    first = False\n  first = f()\n"));
}

TEST(Guards, TheTestItselfRunsEveryTime) {
  EXPECT_FALSE(runs_once("for i in r:\n  if x is None and tf.zeros(3):\n    x = 1\n"));
  EXPECT_FALSE(runs_once("for i in range(100):\n  if tf.zeros(3) and i == 0:\n    print(i)\n"));
  EXPECT_TRUE(runs_once("for i in range(100):\n  if i != 0:\n    pass\n  elif tf.zeros(3):\n    print(i)\n"));
}

TEST(Guards, BehindAnEarlyReturnTheRestIsABranch) {
  EXPECT_TRUE(runs_once("def f(self):\n  if self.x is not None:\n    return self.x\n  self.x = tf.zeros(3)\n"));
  EXPECT_FALSE(runs_once("def f(self):\n  if self.x is not None:\n    return self.x\n  self.y = tf.zeros(3)\n"));
}

} // namespace
} // namespace deepperf::model
