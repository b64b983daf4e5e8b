#include "base/arena.h"

#include <gtest/gtest.h>
#include <vector>

namespace deepperf {
namespace {

TEST(Arena, UsesItsMemoryAgain) {
  Arena arena;
  std::vector<void *> first;
  std::vector<void *> second;
  for (int i = 0; i < 1000; ++i) {
    first.push_back(arena.allocate(1000, 8));
  }
  EXPECT_GE(arena.bytes_used(), 1'000'000U);
  arena.reset();
  EXPECT_EQ(arena.bytes_used(), 0U);
  for (int i = 0; i < 1000; ++i) {
    second.push_back(arena.allocate(1000, 8));
  }
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
