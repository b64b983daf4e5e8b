#include "base/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace deepperf {
namespace {

TEST(Workers, WhatOneThrowsReachesTheCallerWhenAllHaveEnded) {
  std::atomic<u32> ended{0};
  EXPECT_THROW(run_workers(4,
                           [&](u32 index) {
                             if (index == 1) {
                               throw std::runtime_error("broken");
                             }
                             ++ended;
                           }),
               std::runtime_error);
  EXPECT_EQ(ended, 3U);
}

} // namespace
} // namespace deepperf
