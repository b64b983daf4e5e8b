#include "report/concise.h"

#include "report/example_result.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace deepperf::report {

namespace {

TEST(Concise, OneLineEach) {
  std::string out;
  write_concise(example_result().result, {}, out);
  EXPECT_EQ(out, "a.py:2:6: DP101 warning: map runs one element at a time\n"
                 "a.py:4:1: DP201 advice: it is slow (hint)\n"
                 "b.ipynb:cell 2:2:3: syntax error: expected ')'\n"
                 "b.ipynb:cell 2:2:5: DP101 error: two lines\n"
                 "c.py: cannot be checked: cannot read: no such file\n");
}

TEST(Concise, Statistics) {
  check::CheckedText text = example_result();
  text.result.errors.clear();
  std::string out;
  write_concise(text.result, {.statistics = true}, out);
  EXPECT_EQ(out, "2 DP101 sequential-map\n1 DP201 graph-op-in-loop\n");
}

TEST(Concise, OddBytesStayOnTheirLine) {
  std::string out;
  write_concise(odd_result().result, {}, out);
  EXPECT_FALSE(has_raw_controls(out)) << out;
  EXPECT_EQ(std::ranges::count(out, '\n'), 3);
  EXPECT_EQ(out.find('\xff'), std::string::npos);
}

} // namespace

} // namespace deepperf::report
