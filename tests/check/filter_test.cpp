#include "check/filter.h"

#include "check/checked_text.h"
#include "check/suppression.h"

#include <gtest/gtest.h>

namespace deepperf::check {

namespace {

// True if a finding of DP101 over all of `code` is suppressed by its comments.
bool silences(std::string_view code) {
  CheckedText text;
  const FileIndex file = text.file("a.py", code);
  const std::string_view first = code.substr(0, code.find('#'));
  text.finding(kMapRule, file, first.substr(0, first.find_last_not_of(' ') + 1));
  const CheckedFile &checked = text.result.files[0];
  return Silencer(checked.source, checked.comments).is_silenced(text.result.findings[0]);
}

TEST(Suppression, OfALine) {
  for (const char *comment :
       {"# deepperf: ignore", "#deepperf:ignore", "# deepperf: ignore[DP101]",
        "# deepperf: ignore[DP999, sequential-map]", "# deepperf: ignore[dp1] because", "# deepperf: ignore because",
        "# noqa", "# NOQA", "# noqa: DP101", "#noqa:E501,DP101", "# noqa : E501 DP101 reason", "# noqa: DP1",
        "# noqa: because", "# type: ignore  # noqa: DP101"}) {
    EXPECT_TRUE(silences(std::string("x = f(1)  ") + comment)) << comment;
  }
  for (const char *comment : {"# deepperf: ignore[DP102]", "# deepperf: ignored", "# deepperf: ignore[]",
                              "# noqa: E501", "# noqa: DP2", "# noqas", "# see noqa", "# deepperf ignore"}) {
    EXPECT_FALSE(silences(std::string("x = f(1)  ") + comment)) << comment;
  }
}

TEST(Suppression, OnAnyLineOfTheFinding) {
  CheckedText text;
  const FileIndex file = text.file("a.py", "x = f(\n  1,  # noqa\n)\ny = f(2)\nz = f(\n)  # noqa: DP101\n");
  text.finding(kMapRule, file, "f(\n  1,  # noqa\n)");
  text.finding(kMapRule, file, "f(2)");
  text.finding(kMapRule, file, "f(\n)");
  filter(text.result, {});
  ASSERT_EQ(text.result.findings.size(), 1U);
  EXPECT_EQ(text.result.findings[0].span.start, text.find(file, "f(2)").start);
}

TEST(Suppression, OfAFile) {
  const auto left = [](const std::string &code) {
    CheckedText text;
    const FileIndex file = text.file("a.py", code);
    text.finding(kMapRule, file, "f(1)");
    text.finding(kLoopRule, file, "f(1)");
    filter(text.result, {});
    return text.result.findings.size();
  };
  EXPECT_EQ(left("# deepperf: ignore-file\n\nx = f(1)\n"), 0U);
  EXPECT_EQ(left("# deepperf: ignore-file[DP101]\n\nx = f(1)\n"), 1U);
  EXPECT_EQ(left(std::string(10, '\n') + "# deepperf: ignore-file\nx = f(1)\n"), 2U);
  EXPECT_EQ(left("s = '# deepperf: ignore-file'\nx = f(1)\n"), 2U);
}

TEST(Filter, PerFileIgnores) {
  CheckedText text;
  for (const char *path : {"/project/src/a.py", "/project/tests/a.py", "/elsewhere/tests/a.py"}) {
    const FileIndex file = text.file(path, "x = f(1)\n");
    text.finding(kMapRule, file, "f");
    text.finding(kLoopRule, file, "f");
  }
  PerFileIgnore ignore;
  project::add_rules("tests/", ignore.pattern);
  ignore.rules.rules = {&kMapRule};
  FilterOptions options;
  options.folder = "/project";
  options.per_file_ignores = {ignore};
  filter(text.result, options);
  EXPECT_EQ(text.result.findings.size(), 5U);
  EXPECT_EQ(text.result.hidden.suppressed, 0U);
  options.per_file_ignores[0].is_inverted = true; // all other files of the folder
  filter(text.result, options);
  EXPECT_EQ(text.result.findings.size(), 4U);
}

TEST(Filter, TiersAndSelections) {
  static constexpr rules::RuleInfo kHint{.code = "DP102", .name = "unsure", .tier = rules::Tier::Hint};
  static constexpr rules::RuleInfo kOff{.code = "DP103", .name = "off", .tier = rules::Tier::Off};
  const auto left = [](const FilterOptions &options) {
    CheckedText text;
    const FileIndex file = text.file("a.py", "x = f(1)\n");
    text.finding(kMapRule, file, "x");
    text.finding(kMapRule, file, "f").tier = rules::Tier::Hint;
    text.finding(kHint, file, "x");
    text.finding(kOff, file, "x");
    text.finding(kLoopRule, file, "x");
    filter(text.result, options);
    std::string codes;
    for (const rules::Finding &finding : text.result.findings) {
      codes += std::string(finding.rule->code.substr(4)) + (finding.tier == rules::Tier::Hint ? "h" : "") + " ";
    }
    return codes;
  };
  EXPECT_EQ(left({}), "1 1 ");
  EXPECT_EQ(left({.all = true}), "1 1h 2 1 ");
  EXPECT_EQ(left({.select = Selection{{&kMapRule, &kHint, &kOff}, {}}}), "1 "); // by a prefix
  EXPECT_EQ(left({.select = Selection{{&kMapRule, &kHint, &kOff}, {&kMapRule, &kHint, &kOff}}}), "1 2 3 ");
  EXPECT_EQ(left({.select = Selection{{&kMapRule, &kOff}, {&kOff}}, .ignore = {{&kMapRule}, {}}}), "3 ");
}

} // namespace

} // namespace deepperf::check
