#include "fix/suppress.h"

#include "check/checked_text.h"
#include "check/filter.h"
#include "fix/notebook.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace deepperf::fix {

namespace {

using check::CheckedText;

// The text after a comment was added for each of `places`, all of DP101 but `loop`, which is DP201. The comments must
// silence the findings.
std::string suppressed(const std::string &before, const std::vector<std::string> &places,
                       const std::string &reason = "", const std::string &path = "a.py") {
  CheckedText text;
  const FileIndex file = text.file(path, before);
  for (const std::string &place : places) {
    text.finding(place.starts_with("loop") ? check::kLoopRule : check::kMapRule, file, place);
  }
  FixOptions options;
  options.stdin_bytes = before;
  const FixResult result = add_suppressions(text.result, reason, options);
  if (result.files.empty()) {
    return "nothing";
  }
  std::string after = result.files[0].after;
  CheckedText again;
  const FileIndex same = again.file(path, after);
  for (const std::string &place : places) {
    // The comment may stand inside the place.
    const std::string now = after.find(place) != after.npos ? place : place.substr(0, place.find('\n'));
    again.finding(place.starts_with("loop") ? check::kLoopRule : check::kMapRule, same, now);
  }
  check::filter(again.result, {});
  EXPECT_EQ(again.result.findings.size(), 0U) << after;
  return after;
}

TEST(Suppress, AtTheEndOfTheLine) {
  EXPECT_EQ(suppressed("x = f(1)\n", {"f(1)"}), "x = f(1)  # deepperf: ignore[DP101]\n");
  EXPECT_EQ(suppressed("x = f(1)  \t\r\ny = 2\r\n", {"f(1)"}), "x = f(1)  # deepperf: ignore[DP101]\r\ny = 2\r\n");
  EXPECT_EQ(suppressed("x = f(1)", {"f(1)"}, "it is small"), "x = f(1)  # deepperf: ignore[DP101] -- it is small");
  EXPECT_EQ(suppressed("x = f(1)  # type: ignore\n", {"f(1)"}),
            "x = f(1)  # type: ignore  # deepperf: ignore[DP101]\n");
}

TEST(Suppress, SharedAndExtended) {
  EXPECT_EQ(suppressed("x = f(1) + loop(2)\n", {"f(1)", "loop(2)"}),
            "x = f(1) + loop(2)  # deepperf: ignore[DP101, DP201]\n");
  EXPECT_EQ(suppressed("x = f(1) + f(2)\n", {"f(1)", "f(2)"}), "x = f(1) + f(2)  # deepperf: ignore[DP101]\n");
  EXPECT_EQ(suppressed("x = f(1)  # deepperf: ignore[DP202] why\n", {"f(1)"}, "other"),
            "x = f(1)  # deepperf: ignore[DP202, DP101] why\n");
  EXPECT_EQ(suppressed("x = f(\n  1)  # deepperf: ignore[]\n", {"f(\n  1)"}),
            "x = f(\n  1)  # deepperf: ignore[DP101]\n");
}

TEST(Suppress, WhereACommentIsPossible) {
  EXPECT_EQ(suppressed("x = f(\n  1,\n)\n", {"f(\n  1,\n)"}), "x = f(  # deepperf: ignore[DP101]\n  1,\n)\n");
  EXPECT_EQ(suppressed("x = f(1) + \\\n  2\n", {"f(1)"}), "x = f(1) + \\\n  2  # deepperf: ignore[DP101]\n");
  EXPECT_EQ(suppressed("x = f('''\n''', 1)\n", {"f('''\n''', 1)"}), "x = f('''\n''', 1)  # deepperf: ignore[DP101]\n");
  EXPECT_EQ(suppressed("x = f(1), '''\na\n'''\n", {"f(1)"}), "x = f(1), '''\na\n'''  # deepperf: ignore[DP101]\n");
  EXPECT_EQ(suppressed("x = 'a\\\nb', f(1)\n", {"f(1)"}), "x = 'a\\\nb', f(1)  # deepperf: ignore[DP101]\n");
  EXPECT_EQ(suppressed("if f(1): x = '''\n'''; loop(2)\n", {"f(1)", "loop(2)"}),
            "if f(1): x = '''\n'''; loop(2)  # deepperf: ignore[DP101, DP201]\n");
}

TEST(Suppress, OtherEncodings) {
  const std::string before = "# coding: latin-1\nx = f(1), '\xE9'\n";
  EXPECT_EQ(suppressed(before, {"f(1)"}, "d\xC3\xA9j\xC3\xA0"),
            "# coding: latin-1\nx = f(1), '\xE9'  # deepperf: ignore[DP101] -- d\xE9j\xE0\n");
  EXPECT_EQ(suppressed(before, {"f(1)"}, "\xE2\x86\x92"), "nothing");
}

nlohmann::json notebook(std::vector<nlohmann::json> sources) {
  nlohmann::json json;
  json["nbformat"] = 4;
  json["nbformat_minor"] = 5;
  json["metadata"] = nlohmann::json::object();
  for (nlohmann::json &source : sources) {
    json["cells"].push_back({{"cell_type", "code"},
                             {"source", source},
                             {"outputs", nlohmann::json::array()},
                             {"execution_count", nullptr},
                             {"metadata", nlohmann::json::object()}});
  }
  return json;
}

TEST(Suppress, Notebooks) {
  const std::string before = notebook({{"%matplotlib inline\n", "a = 1"}, {"x = f(1)\n", "y = f(2)"}}).dump(1);
  const auto after = nlohmann::json::parse(suppressed(before, {"f(1)", "f(2)"}, "say \"why\"", "a.ipynb"));
  EXPECT_EQ(after["cells"][0]["source"], nlohmann::json::parse(before)["cells"][0]["source"]);
  EXPECT_EQ(after["cells"][1]["source"][0], "x = f(1)  # deepperf: ignore[DP101] -- say \"why\"\n");
  EXPECT_EQ(after["cells"][1]["source"][1], "y = f(2)  # deepperf: ignore[DP101] -- say \"why\"");
}

TEST(Notebook, LinesInJson) {
  const std::string json = notebook({{"a = 1\n", "b = 2\n", "c = f(\n", "  1)"}}).dump(1);
  CheckedText text;
  const FileIndex file = text.file("a.ipynb", json);
  const auto lines = lines_in_json(json, *text.result.files[0].source, text.find(file, "f(\n  1)"));
  ASSERT_TRUE(lines);
  const auto line_of = [&](std::string_view what) {
    return static_cast<u32>(
               std::count(json.begin(), json.begin() + static_cast<std::ptrdiff_t>(json.find(what)), '\n')) +
           1;
  };
  EXPECT_EQ(lines->first, line_of("c = f("));
  EXPECT_EQ(lines->last, line_of("  1)\""));
}

} // namespace

} // namespace deepperf::fix
