#include "base/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace deepperf {
namespace {

constexpr u32 kFailing = 1; // a member of each team

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

TEST(Workers, ThreadsThatWaitAreUsedAgain) {
  const auto threads_of = [](u32 count) {
    std::vector<std::thread::id> ids(count);
    std::atomic<u32> here{0};
    run_workers(count, [&](u32 index) {
      ids[index] = std::this_thread::get_id();
      ++here;
      while (here < count) { // so that none does the work of two
        std::this_thread::yield();
      }
    });
    return std::set<std::thread::id>(ids.begin(), ids.end());
  };
  const std::set<std::thread::id> first = threads_of(3);
  EXPECT_EQ(first.size(), 3U);
  EXPECT_EQ(threads_of(3), first);
}

TEST(Workers, AWorkerMayHaveWorkersOfItsOwn) {
  std::atomic<u32> done{0};
  run_workers(3, [&](u32) { run_workers(3, [&](u32) { on_large_stack([&] { ++done; }); }); });
  EXPECT_EQ(done, 9U);
}

TEST(Workers, ATeamDoesEachRoundWithAllItsMembers) {
  WorkerTeam team(3);
  std::vector<u32> done(team.size()); // each member has a place of its own
  for (u32 round = 1; round <= 200; ++round) {
    team.run([&](u32 member) { ++done[member]; });
    ASSERT_EQ(done, std::vector<u32>(team.size(), round));
  }
}

TEST(Workers, WhatAMemberOfATeamThrowsReachesTheCaller) {
  WorkerTeam team(3);
  const auto fail = [](u32 member) {
    if (member == kFailing) {
      throw std::runtime_error("broken");
    }
  };
  EXPECT_THROW(team.run(fail), std::runtime_error);
  EXPECT_NO_THROW(team.run([](u32) {})) << "it goes on";
}

} // namespace
} // namespace deepperf
