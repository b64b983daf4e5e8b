#include "project/exclusions.h"

#include <gtest/gtest.h>

namespace deepperf::project {
namespace {

TEST(Exclusions, Below) {
  EXPECT_EQ(below("/a/b", "/a/b/c/d.py"), "c/d.py");
  EXPECT_EQ(below("/", "/a.py"), "a.py");
  EXPECT_EQ(below("/a/b", "/a/bc/d.py"), "");
  EXPECT_EQ(below("/a/b", "/a/b"), "");
  EXPECT_EQ(below("/a/b", "/c"), "");
}

TEST(Exclusions, AbsoluteNames) {
  EXPECT_EQ(absolute_name("/a/./b/../c/"), "/a/c");
  EXPECT_EQ(absolute_name("/"), "/");
  EXPECT_EQ(absolute_name(""), absolute_name("."));
  EXPECT_EQ(absolute_name("x/y.py"), absolute_name(".") + "/x/y.py");
}

TEST(Exclusions, AFolderCoversWhatIsInIt) {
  const auto covered = [](std::string_view pattern, std::string_view path) {
    IgnoreRules rules;
    add_rules(pattern, rules);
    return covers(rules, path);
  };
  EXPECT_TRUE(covered("tests/", "tests/a.py"));
  EXPECT_TRUE(covered("tests/", "src/tests/deep/a.py"));
  EXPECT_TRUE(covered("tests/**", "tests/deep/a.py"));
  EXPECT_TRUE(covered("*.py", "a.py"));
  EXPECT_FALSE(covered("/tests", "src/tests/a.py"));
  EXPECT_FALSE(covered("tests/", "tests"));
  EXPECT_FALSE(covered("a.py", ""));
}

} // namespace
} // namespace deepperf::project
