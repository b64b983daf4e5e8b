#include "model/analysed.h"

#include <gtest/gtest.h>

namespace deepperf::model {
namespace {

// The first loop of the code.
struct Length {
  bool tiny = false;
  Turns turns = Turns::Many;
};
Length length_of(std::string_view code) {
  const Analysed analysed(std::string("import tensorflow as tf\n") + std::string(code));
  return {analysed.loop().tiny, analysed.loop().turns};
}

TEST(LoopLength, LiteralsAndShortRangesAreTiny) {
  EXPECT_TRUE(length_of("for i in range(10): pass\n").tiny);
  EXPECT_FALSE(length_of("for i in range(11): pass\n").tiny);
  EXPECT_TRUE(length_of("for i in range(100, 105): pass\n").tiny);
  EXPECT_TRUE(length_of("for i in (1, 2, 3): pass\n").tiny);
  EXPECT_TRUE(length_of("N = 3\nfor i in range(N): pass\n").tiny);
  EXPECT_FALSE(length_of("N = 300\nfor i in range(N): pass\n").tiny);
  EXPECT_FALSE(length_of("for i in range(n): pass\n").tiny);
  EXPECT_TRUE(length_of("for i, x in enumerate(xs[:3]): pass\n").tiny);
  EXPECT_FALSE(length_of("for i, x in enumerate(xs[3:]): pass\n").tiny);
  EXPECT_TRUE(length_of("for k in {'a': 1}.items(): pass\n").tiny);
}

TEST(LoopLength, ALoopThatIsLeftAtOnceIsTiny) {
  EXPECT_TRUE(length_of("for i in xs:\n  f(i)\n  break\n").tiny);
  EXPECT_TRUE(length_of("while True:\n  f()\n  break\n").tiny);
  EXPECT_FALSE(length_of("while True:\n  if f():\n    break\n").tiny);
}

TEST(LoopLength, NamesTellWhatThereAreFewOf) {
  EXPECT_EQ(length_of("for h in heads: pass\n").turns, Turns::Few);
  EXPECT_EQ(length_of("for h in self.num_layers: pass\n").turns, Turns::Few);
  EXPECT_EQ(length_of("for x in examples: pass\n").turns, Turns::Collection);
  EXPECT_EQ(length_of("for i in range(n): pass\n").turns, Turns::Many);
  EXPECT_EQ(length_of("for x in tf.data.Dataset.range(3): pass\n").turns, Turns::Many);
  EXPECT_TRUE(length_of("for i in range(len(x.shape)): pass\n").tiny) << "the dimensions of a tensor";
  EXPECT_FALSE(length_of("for i in range(x.shape[0]): pass\n").tiny) << "along one of them";
  EXPECT_FALSE(length_of("for i in [*range(100000)]: pass\n").tiny);
}

} // namespace
} // namespace deepperf::model
