#include "model/variance.h"

#include "model/analysed.h"

#include <gtest/gtest.h>

namespace deepperf::model {
namespace {

// Does tf.abs(…), whose argument is written so, give something else in each turn of the first loop?
bool varies(std::string_view body, std::string_view argument) {
  const std::string call = "tf.abs(" + std::string(argument) + ")";
  const Analysed code("import tensorflow as tf\ndef f(x, n):\n  for i in range(n):\n    " + std::string(body) +
                      "\n    " + call + "\n");
  return varies(code.project(), code.loop(), code.expr(call));
}

TEST(Variance, WhatTheLoopBindsVaries) {
  EXPECT_TRUE(varies("pass", "i"));
  EXPECT_TRUE(varies("y = i + 1", "y"));
  EXPECT_TRUE(varies("x = x + 1", "x"));
  EXPECT_TRUE(varies("x += 1", "x"));
  EXPECT_FALSE(varies("pass", "x"));
  EXPECT_FALSE(varies("y = x * 2", "y"));
  EXPECT_FALSE(varies("pass", "3"));
}

TEST(Variance, WhatIsChangedInPlaceVaries) {
  EXPECT_TRUE(varies("x.append(1)", "x"));
  EXPECT_TRUE(varies("x[i] = 1", "x"));
  EXPECT_TRUE(varies("x.attr = i", "x.attr"));
  EXPECT_FALSE(varies("y.attr = i", "x.other"));
}

TEST(Variance, UnknownCallsVary) {
  EXPECT_TRUE(varies("pass", "draw()"));
  EXPECT_TRUE(varies("pass", "next(x)"));
  EXPECT_FALSE(varies("pass", "len(x)"));
  EXPECT_FALSE(varies("pass", "tf.cast(x, tf.float32)"));
  EXPECT_TRUE(varies("pass", "tf.random.normal([3])"));
}

TEST(Variance, AFunctionOfAFrameworkDoesNotChangeItsModule) {
  const Analysed code(R"(
import tensorflow as tf
def ordered(x):
  return tf.sort(x)
def f(x, n):
  for i in range(n):
    ordered(x)
    tf.abs(x)
)");
  EXPECT_FALSE(varies(code.project(), code.loop(), code.expr("tf.abs(x)")));
  EXPECT_FALSE(varies("tf.sort(x)", "tf.cast(x, tf.float32)"));
  EXPECT_FALSE(varies("tf.math.add(x, 1)", "tf.math.exp(x)"));
  EXPECT_TRUE(varies("x.add(1)", "x"));
}

TEST(Variance, DependenciesAreFollowedThroughAssignments) {
  const Analysed code("import tensorflow as tf\ndef f(a, b, c):\n  d = a + 1\n  e = d * c\n  return tf.abs(e)\n");
  const Dependencies found = dependencies_of(code.project(), *code.function("f"), code.expr("tf.abs(e)"));
  EXPECT_EQ(found.params, 0b101U);
  EXPECT_FALSE(found.varies);
}

TEST(Variance, OfALongChainNothingIsKnown) {
  std::string code = "import tensorflow as tf\ndef f(a0):\n";
  for (u32 i = 1; i < 200; ++i) {
    code += "  a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + 1\n";
  }
  code += "  return tf.abs(a199)\n";
  const Analysed analysed(code);
  EXPECT_TRUE(dependencies_of(analysed.project(), *analysed.function("f"), analysed.expr("tf.abs(a199)")).varies);
}

} // namespace
} // namespace deepperf::model
