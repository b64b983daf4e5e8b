#include "base/function_ref.h"

#include <gtest/gtest.h>

namespace deepperf {
namespace {

int twice(FunctionRef<int(int)> function, int value) { return function(function(value)); }

TEST(FunctionRef, CallsWhatItIsGiven) {
  int calls = 0;
  const auto add = [&calls](int value) {
    ++calls;
    return value + 3;
  };
  EXPECT_EQ(twice(add, 1), 7);
  EXPECT_EQ(twice([](int value) { return value * 5; }, 2), 50);
  const FunctionRef<int(int)> one = add;
  const FunctionRef<int(int)> same = one; // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(same(1), 4);
  EXPECT_EQ(calls, 3);
}

} // namespace
} // namespace deepperf
