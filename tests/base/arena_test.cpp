#include "base/arena.h"

#include <gtest/gtest.h>
#include <vector>

namespace deepperf {
namespace {

TEST(Arena, UsesItsMemoryAgain) {
  Arena arena;
  const auto fill = [&arena](std::vector<void *> &places) {
    for (void *&place : places) {
      place = arena.allocate(1000, 8);
    }
  };
  std::vector<void *> first(1000);
  std::vector<void *> second(1000);
  fill(first);
  EXPECT_GE(arena.bytes_used(), 1'000'000U);
  arena.reset();
  EXPECT_EQ(arena.bytes_used(), 0U);
  fill(second);
  EXPECT_EQ(first, second);
}

TEST(Arena, WhatFitsNowhereGetsAChunkOfItsOwn) {
  Arena arena;
  for (int round = 0; round < 3; ++round) {
    Array<char> small = arena.fill<char>(10, 'a');
    Array<char> large = arena.fill<char>(20'000'000, 'b');
    Array<char> behind = arena.fill<char>(100'000, 'c');
    Array<char> middle = arena.fill<char>(3'000'000, 'd');
    for (const Array<char> &some : {small, large, behind, middle}) {
      EXPECT_EQ(some.front(), some.back());
    }
    EXPECT_EQ(small.front(), 'a');
    EXPECT_EQ(large.front(), 'b');
    EXPECT_GE(arena.bytes_used(), 23'100'010U);
    arena.reset();
  }
}

} // namespace
} // namespace deepperf
