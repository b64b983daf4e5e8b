#include "check/suppression.h"

#include "check/checked_text.h"
#include "check/filter.h"
#include "check/joined_lines.h"
#include "check/unused_suppressions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace deepperf::check {

namespace {

std::vector<Suppression> suppressions_in(const CheckedText &text) {
  return find_suppressions(*text.result.files[0].source, *text.result.files[0].comments);
}

TEST(Suppression, Reasons) {
  const auto reason = [](std::string_view comment) {
    CheckedText text;
    text.file("a.py", comment);
    const std::vector<Suppression> found = suppressions_in(text);
    return found.size() == 1 ? std::string(found[0].reason) : fmt::format("{} comments", found.size());
  };
  EXPECT_EQ(reason("# deepperf: ignore[DP101] the list is short"), "the list is short");
  EXPECT_EQ(reason("# deepperf: ignore[DP101] -- the list is short  "), "the list is short");
  EXPECT_EQ(reason("# deepperf: ignore[DP101]: see #12"), "see #12");
  EXPECT_EQ(reason("# deepperf: ignore -- legacy"), "legacy");
  EXPECT_EQ(reason("# deepperf: ignore-file[DP2] generated\r\n"), "generated");
  EXPECT_EQ(reason("# deepperf: ignore[DP101]"), "");
  EXPECT_EQ(reason("# deepperf: ignore[DP101] a  # noqa: DP101"), "2 comments");
}

TEST(Suppression, SeveralInOneComment) {
  CheckedText text;
  text.file("a.py", "x = 1  # noqa: E501  # deepperf: ignore[DP101] why  # type: ignore\n");
  const std::vector<Suppression> found = suppressions_in(text);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FALSE(found[0].is_ours);
  EXPECT_TRUE(found[1].is_ours);
  const std::string_view code = text.result.files[0].source->text();
  EXPECT_EQ(code.substr(found[0].span.start, found[0].span.end - found[0].span.start), "# noqa: E501  ");
  EXPECT_EQ(code[found[1].bracket], ']');
}

TEST(Suppression, UnknownRules) {
  CheckedText text;
  text.file("a.py", "x = 1  # deepperf: ignore[DP101, DP1O2, dp2, sequential-mop]\n"
                    "y = 2  # noqa: E501, DP999\n"
                    "s = '# deepperf: ignore[nothing]'\n"
                    "# deepperf: ignore-file[DP77]\n");
  std::string words;
  for (const UnknownRule &unknown : find_unknown_rules(*text.result.files[0].source, *text.result.files[0].comments)) {
    words += fmt::format("{}@{} ", unknown.word, text.result.files[0].source->position(unknown.span.start).column);
  }
  EXPECT_EQ(words, "DP1O2@34 sequential-mop@46 DP77@25 ");
}

TEST(Suppression, AfterWhatCannotEndInAComment) {
  const auto left = [](std::string_view code) {
    CheckedText text;
    const FileIndex file = text.file("a.py", code);
    text.finding(kMapRule, file, "f(1)");
    filter(text.result, {});
    return text.result.findings.size();
  };
  EXPECT_EQ(left("x = f(1) + \\\n    2  # noqa\n"), 0U);
  EXPECT_EQ(left("x = f(1), '''\n\n'''  # deepperf: ignore[DP101]\n"), 0U);
  EXPECT_EQ(left("x = f'''{f(1)}\n\n'''  # deepperf: ignore[DP101]\n"), 0U);
  EXPECT_EQ(left("x = f(1), '''\n\n''' + \\\n  '''\n'''  # deepperf: ignore[DP101]\n"), 0U);
  EXPECT_EQ(left("x = f(1), '''\n\n'''\ny = 1  # deepperf: ignore[DP101]\n"), 1U);
  EXPECT_EQ(left("x = (f(1),  # \\\n   2)  # noqa\n"), 1U); // a backslash in a comment joins nothing
  EXPECT_EQ(left("x = (f(1),\n   2)  # noqa\n"), 1U);
}

TEST(JoinedLines, StringsAndBackslashes) {
  CheckedText text;
  text.file("a.py", "a = '''\n'''\nb = 1 + \\\n  2\nc = ('a'\n  'b')\nd = f'''{\n1}'''\n");
  std::string ranges;
  for (const LineRange &range : find_joined_lines(*text.result.files[0].source)) {
    ranges += fmt::format("{}-{} ", range.first, range.last);
  }
  EXPECT_EQ(ranges, "1-2 3-4 7-8 ");
}

TEST(UnusedSuppressions, WhatSilencesNothing) {
  CheckedText text;
  const FileIndex file = text.file("a.py", "a = f(1)  # deepperf: ignore[DP101]\n"
                                           "b = f(2)  # deepperf: ignore[DP101, DP201] why\n"
                                           "c = 3  # noqa: DP101\n"
                                           "d = 4  # noqa: DP101, E501\n"
                                           "e = 5  # noqa\n"
                                           "f = 6  # deepperf: ignore\n"
                                           "g = 7  # deepperf: ignore[DP999]\n" +
                                               std::string(5, '\n') + "# deepperf: ignore-file\n");
  text.finding(kMapRule, file, "f(1)").tier = rules::Tier::Hint;
  text.finding(kMapRule, file, "f(2)");
  std::string found;
  for (const UnusedSuppression &unused : find_unused_suppressions(text.result)) {
    found += fmt::format("{}:{} {} {}{}\n", unused.position.line, unused.position.column, unused.selectors.size(),
                         unused.comment, unused.is_too_late ? " late" : "");
  }
  EXPECT_EQ(found, "2:11 1 # deepperf: ignore[DP101, DP201] why\n"
                   "3:8 0 # noqa: DP101\n"
                   "6:8 0 # deepperf: ignore\n"
                   "13:1 0 # deepperf: ignore-file late\n");
}

} // namespace

} // namespace deepperf::check
