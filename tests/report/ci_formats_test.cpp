// The formats that CI services read: github, gitlab, junit and markdown.
#include "report/example_result.h"
#include "report/frame.h"
#include "report/github.h"
#include "report/gitlab.h"
#include "report/junit.h"
#include "report/markdown_report.h"
#include "report/markdown_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>

namespace deepperf::report {

namespace {

using check::CheckedText;
using check::kMapRule;
using nlohmann::json;

template <class Write> std::string written(Write write, const check::Result &result, const Options &options = {}) {
  std::string out;
  write(result, options, out);
  EXPECT_FALSE(has_raw_controls(out)) << out;
  EXPECT_EQ(out.find('\xff'), std::string::npos) << out;
  return out;
}

const CheckedText &clean_result() {
  static const CheckedText text = [] {
    CheckedText made;
    made.file("a.py", "x = 1\n");
    made.result.hidden.notes = 1;
    return made;
  }();
  return text;
}

TEST(Github, Commands) {
  EXPECT_EQ(written(write_github, example_result().result),
            "::error file=b.ipynb,title=syntax error::b.ipynb:cell 2:2:3: syntax error: expected ')'\n"
            "::error file=b.ipynb,title=syntax error::b.ipynb: 2 more syntax errors\n"
            "::error file=c.py,title=file not checked::c.py: cannot be checked: cannot read: no such file\n"
            "::error file=b.ipynb,title=DP101 sequential-map::b.ipynb:cell 2:2:5: DP101 two%0Alines\n"
            "::warning file=a.py,line=2,endLine=3,col=6,title=DP101 sequential-map::a.py:2:6: DP101 map runs one "
            "element at a time%0AHelp: pass num_parallel_calls=tf.data.AUTOTUNE\n"
            "::notice file=a.py,line=4,endLine=4,col=1,endColumn=12,title=DP201 graph-op-in-loop::a.py:4:1: DP201 it "
            "is slow\n"
            "deepperf: 1 error, 1 warning, 1 piece of advice and 3 syntax errors in 2 files; 1 file could not be "
            "checked; 3 possible problems and 1 note are not shown (--all shows them); 2 suppressed by comments\n");
}

TEST(Github, OddBytesAreEscaped) {
  const std::string out = written(write_github, odd_result().result);
  EXPECT_EQ(std::ranges::count(out, '\n'), 4) << out;
  EXPECT_NE(out.find("::warning file=a\\xff%0A\\x01<|`%25%3A%2C&\".py,line=1,endLine=1,col=1,"), std::string::npos)
      << out;
}

TEST(Gitlab, Issues) {
  const json issues = json::parse(written(write_gitlab, example_result().result));
  ASSERT_EQ(issues.size(), 6U);
  EXPECT_EQ(issues[0]["check_name"], "syntax-error");
  EXPECT_EQ(issues[0]["severity"], "critical");
  EXPECT_EQ(issues[2]["severity"], "blocker");
  json map = issues[3];
  EXPECT_EQ(map["fingerprint"].get<std::string>().size(), 16U);
  map.erase("fingerprint");
  EXPECT_EQ(map, json::parse(R"({"check_name": "DP101 sequential-map", "severity": "major",
    "description": "map runs one element at a time. Help: pass num_parallel_calls=tf.data.AUTOTUNE",
    "location": {"path": "a.py", "lines": {"begin": 2, "end": 3}}})"));
  EXPECT_EQ(issues[4]["severity"], "minor");
  EXPECT_EQ(issues[5]["severity"], "critical");
  EXPECT_EQ(issues[5]["description"], "cell 2, line 2: two lines");
  EXPECT_EQ(issues[5]["location"]["lines"]["begin"], 1);
  std::set<std::string> fingerprints;
  for (const json &issue : issues) {
    fingerprints.insert(issue["fingerprint"]);
  }
  EXPECT_EQ(fingerprints.size(), issues.size());
}

TEST(Gitlab, NothingFoundAndOddBytes) {
  EXPECT_EQ(written(write_gitlab, clean_result().result), "[]\n");
  EXPECT_EQ(json::parse(written(write_gitlab, odd_result().result)).size(), 3U);
}

TEST(Junit, Cases) {
  EXPECT_EQ(written(write_junit, example_result().result), R"xml(<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="deepperf" tests="6" failures="2" errors="3" skipped="1">
    <testcase classname="b.ipynb" name="syntax (cell 2, line 2, column 3)" file="b.ipynb">
      <error message="syntax error: expected ')'" type="syntax-error">b.ipynb:cell 2:2:3: syntax error: expected ')'
</error>
    </testcase>
    <testcase classname="b.ipynb" name="syntax" file="b.ipynb">
      <error message="2 more syntax errors" type="syntax-error">b.ipynb: 2 more syntax errors
</error>
    </testcase>
    <testcase classname="c.py" name="readable" file="c.py">
      <error message="cannot be checked: cannot read: no such file" type="unreadable-file">c.py: cannot be checked: cannot read: no such file
</error>
    </testcase>
    <testcase classname="a.py" name="DP101 sequential-map (line 2, column 6)" file="a.py" line="2">
      <failure message="warning: map runs one element at a time" type="warning">a.py:2:6: map runs one element at a time
  a.py:1:1: in this loop
  b.ipynb:cell 2:2:5: which this calls
Help: pass num_parallel_calls=tf.data.AUTOTUNE
</failure>
    </testcase>
    <testcase classname="a.py" name="DP201 graph-op-in-loop (line 4, column 1)" file="a.py" line="4">
      <skipped message="advice: it is slow">a.py:4:1: it is slow
</skipped>
    </testcase>
    <testcase classname="b.ipynb" name="DP101 sequential-map (cell 2, line 2, column 5)" file="b.ipynb">
      <failure message="error: two&#10;lines" type="error">b.ipynb:cell 2:2:5: two
lines
</failure>
    </testcase>
    <system-out>1 error, 1 warning, 1 piece of advice and 3 syntax errors in 2 files; 1 file could not be checked; 3 possible problems and 1 note are not shown (--all shows them); 2 suppressed by comments</system-out>
  </testsuite>
</testsuites>
)xml");
}

TEST(Junit, NothingFoundIsATestThatPasses) {
  const std::string out = written(write_junit, clean_result().result);
  EXPECT_NE(out.find(R"(tests="1" failures="0" errors="0" skipped="0")"), std::string::npos) << out;
  EXPECT_NE(out.find(R"(<testcase classname="deepperf" name="No problems found in 1 file; 1 note is)"),
            std::string::npos)
      << out;
}

TEST(Junit, OddBytes) {
  const std::string out = written(write_junit, odd_result().result);
  EXPECT_NE(out.find("classname=\"a\uFFFD&#10;\uFFFD&lt;|`%:,&amp;&quot;.py\""), std::string::npos) << out;
  EXPECT_EQ(out.find("]]>"), std::string::npos);
}

TEST(Markdown, SummaryTableAndDetails) {
  EXPECT_EQ(
      written(write_markdown_report, example_result().result),
      R"(**deepperf**: 1 error, 1 warning, 1 piece of advice and 3 syntax errors in 2 files; 1 file could not be checked; 3 possible problems and 1 note are not shown (--all shows them); 2 suppressed by comments

| | Where | What |
|---|---|---|
| error | [b.ipynb:cell 2:2:3](b.ipynb) | syntax error: expected ')' |
| error | [b.ipynb](b.ipynb) | 2 more syntax errors |
| error | [c.py](c.py) | cannot be checked: cannot read: no such file |
| error | [b.ipynb:cell 2:2:5](b.ipynb) | **DP101 sequential-map**: two lines |
| warning | [a.py:2:6](a.py#L2) | **DP101 sequential-map**: map runs one element at a time<br>Help: pass num\_parallel\_calls=tf.data.AUTOTUNE |

<details>
<summary>1 piece of advice</summary>

| | Where | What |
|---|---|---|
| advice | [a.py:4:1](a.py#L4) | **DP201 graph-op-in-loop**: it is slow |

</details>
)");
}

TEST(Markdown, NothingFoundIsOneLine) {
  EXPECT_EQ(written(write_markdown_report, clean_result().result),
            "**deepperf**: No problems found in 1 file; 1 note is not shown (--all shows it)\n");
}

TEST(Markdown, Statistics) {
  const std::string out = written(write_markdown_report, example_result().result, {.statistics = true});
  EXPECT_NE(out.find("\n| 2 | DP101 sequential-map | API: Inefficient API Usage |\n"), std::string::npos) << out;
}

TEST(Markdown, LinksToTheRevision) {
  const std::string out = written(
      write_markdown_report, example_result().result,
      {.location = {.working_folder = "/w/sub", .root = "/w", .file_url = "https://example.org/o/r/blob/1a2b/"}});
  EXPECT_NE(out.find("| [sub/a.py:2:6](https://example.org/o/r/blob/1a2b/sub/a.py#L2) |"), std::string::npos) << out;
}

TEST(Markdown, TextOfOthersIsText) {
  EXPECT_EQ(markdown_line("`a|b` is *not* <b>|_x_"), R"(`a\|b` is \*not\* &lt;b&gt;\|\_x\_)");
  EXPECT_EQ(markdown_line("`<x>` & `&`"), "`<x>` &amp; `&`");
  EXPECT_EQ(markdown_line("one ` only"), "one \\` only");
  EXPECT_EQ(markdown_line("``x`"), "\\`\\`x\\`");
  EXPECT_EQ(markdown_line("@tf.function and `@tf.function`, see #12"),
            "@<!-- -->tf.function and `@tf.function`, see #<!-- -->12");
  EXPECT_EQ(markdown_line("a\r\nb"), "a  b");
  EXPECT_EQ(shortened("äöü", 3), "äöü");
  EXPECT_EQ(shortened("äöüß", 3), "äö…");
}

TEST(Markdown, OddBytesStayInTheirRow) {
  const std::string out = written(write_markdown_report, odd_result().result);
  std::size_t rows = 0;
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = out.find('\n', at);
    const std::string line = out.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("| ")) {
      ++rows;
      EXPECT_TRUE(line.ends_with(" |")) << line;
    }
  }
  EXPECT_EQ(rows, 5U) << out; // two heads, two findings, an error
}

TEST(Markdown, LongReportsAreCut) {
  CheckedText text;
  const FileIndex a = text.file("a.py", "x\n");
  constexpr int kMany = 2000;
  for (int i = 0; i < kMany; ++i) {
    text.finding(kMapRule, a, "x").message = "ä" + std::string(100, 'x');
    rules::Finding &advice = text.finding(kMapRule, a, "x");
    advice.severity = rules::Severity::Advice;
  }
  const std::string out = written(write_markdown_report, text.result);
  EXPECT_LE(count_characters(out), 60'000U);
  EXPECT_GT(count_characters(out), 55'000U);
  // What is listed and what is said to be missing is all there is.
  std::size_t findings = 0;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    findings += line.starts_with("| warning") || line.starts_with("| advice") ? 1 : 0;
    const std::string_view more = "… and ";
    findings += line.starts_with(more) ? std::stoull(line.substr(more.size())) : 0;
  }
  EXPECT_EQ(findings, 2U * kMany);
  EXPECT_TRUE(out.ends_with("\n</details>\n"));
}

} // namespace

} // namespace deepperf::report
