#include "model/analysed.h"

#include <gtest/gtest.h>

namespace deepperf::model {
namespace {

// The first loop of the code.
struct Length {
  bool few_iterations = false;
  Iterations iterations = Iterations::Many;
};
Length length_of(std::string_view code) {
  const Analysed analysed(std::string("import tensorflow as tf\n") + std::string(code));
  return {analysed.loop().few_iterations, analysed.loop().iterations};
}

TEST(LoopLength, LiteralsAndShortRangesAreShort) {
  EXPECT_TRUE(length_of("for i in range(10): pass\n").few_iterations);
  EXPECT_FALSE(length_of("for i in range(11): pass\n").few_iterations);
  EXPECT_TRUE(length_of("for i in range(100, 105): pass\n").few_iterations);
  EXPECT_TRUE(length_of("for i in (1, 2, 3): pass\n").few_iterations);
  EXPECT_TRUE(length_of("N = 3\nfor i in range(N): pass\n").few_iterations);
  EXPECT_FALSE(length_of("N = 300\nfor i in range(N): pass\n").few_iterations);
  EXPECT_FALSE(length_of("for i in range(n): pass\n").few_iterations);
  EXPECT_TRUE(length_of("for i, x in enumerate(xs[:3]): pass\n").few_iterations);
  EXPECT_FALSE(length_of("for i, x in enumerate(xs[3:]): pass\n").few_iterations);
  EXPECT_TRUE(length_of("for k in {'a': 1}.items(): pass\n").few_iterations);
}

TEST(LoopLength, ALoopThatIsLeftAtOnceIsShort) {
  EXPECT_TRUE(length_of("for i in xs:\n  f(i)\n  break\n").few_iterations);
  EXPECT_TRUE(length_of("while True:\n  f()\n  break\n").few_iterations);
  EXPECT_FALSE(length_of("while True:\n  if f():\n    break\n").few_iterations);
}

TEST(LoopLength, NamesSayWhatThereAreFewOf) {
  EXPECT_EQ(length_of("for h in heads: pass\n").iterations, Iterations::Few);
  EXPECT_EQ(length_of("for h in self.num_layers: pass\n").iterations, Iterations::Few);
  EXPECT_EQ(length_of("for x in examples: pass\n").iterations, Iterations::Collection);
  EXPECT_EQ(length_of("for i in range(n): pass\n").iterations, Iterations::Many);
  EXPECT_EQ(length_of("for x in tf.data.Dataset.range(3): pass\n").iterations, Iterations::Many);
  EXPECT_TRUE(length_of("for i in range(len(x.shape)): pass\n").few_iterations) << "the dimensions of a tensor";
  EXPECT_FALSE(length_of("for i in range(x.shape[0]): pass\n").few_iterations) << "along one of them";
  EXPECT_FALSE(length_of("for i in [*range(100000)]: pass\n").few_iterations);
}

} // namespace
} // namespace deepperf::model
