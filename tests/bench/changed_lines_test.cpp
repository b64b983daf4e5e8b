#include "bench/changed_lines.h"

#include <gtest/gtest.h>

namespace deepperf::bench {
namespace {

using Lines = std::set<u32>;

TEST(ChangedLines, ReplacedAndRemovedLines) {
  EXPECT_EQ(changed_lines("a\nb\nc\n", "a\nx\nc\n"), Lines{2});
  EXPECT_EQ(changed_lines("a\nb\nc\nd\n", "a\nd\n"), (Lines{2, 3}));
  EXPECT_EQ(changed_lines("a\nb\n", "a\nb\n"), Lines{});
  EXPECT_EQ(changed_lines("a\nb", "x\ny\nz"), (Lines{1, 2}));
}

TEST(ChangedLines, AroundWhatIsMissing) {
  EXPECT_EQ(changed_lines("a\nb\nc\n", "a\nnew\nb\nc\n"), (Lines{1, 2}));
  EXPECT_EQ(changed_lines("a\n", "a\nnew\n"), Lines{1});
  EXPECT_EQ(changed_lines("", "new\n"), Lines{});
}

} // namespace
} // namespace deepperf::bench
