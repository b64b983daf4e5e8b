#include "bench/version.h"

#include <gtest/gtest.h>

namespace deepperf::bench {
namespace {

TEST(Version, Ranges) {
  EXPECT_TRUE(*matches_version("1.13.0a0+gitunknown", ">=1.13"));
  EXPECT_TRUE(*matches_version("1.13.1", ">=1.4, <2.0"));
  EXPECT_FALSE(*matches_version("2.0.0", ">=1.4,<2.0"));
  EXPECT_FALSE(*matches_version("1.9", ">=1.10"));
  EXPECT_TRUE(*matches_version("1.13.1", "==1.13"));
  EXPECT_TRUE(*matches_version("1.13.1", "<=1.13"));
  EXPECT_FALSE(*matches_version("1.13.1", ">1.13"));
  EXPECT_TRUE(*matches_version("1.14", ">1.13,!=1.15"));
  EXPECT_TRUE(*matches_version("1.2", ""));
  EXPECT_TRUE(*matches_version("1.7.1", "1.7"));
  EXPECT_FALSE(*matches_version("1.13.1", "1.7"));
}

TEST(Version, WhatIsNoRange) {
  EXPECT_FALSE(matches_version("1.0", "new").has_value());
  EXPECT_FALSE(matches_version("1.0", ">=").has_value());
  EXPECT_FALSE(matches_version("1.0", ">=1.0,newer").has_value());
}

} // namespace
} // namespace deepperf::bench
