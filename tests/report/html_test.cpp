#include "report/html.h"

#include "check/checked_text.h"
#include "report/html_data.h"
#include "report/shown_lines.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace deepperf::report {

namespace {

using check::CheckedText;
using check::FileError;
using check::kLoopRule;
using check::kMapRule;
using nlohmann::json;

constexpr std::string_view kNotebook = R"nb({"cells": [{"cell_type": "markdown", "source": []},
  {"cell_type": "code", "source": ["x = 1\n", "y = f(x)"]}, {"cell_type": "code", "source": ["z = 2"]}]})nb";

std::string lines(u32 count) {
  std::string text;
  for (u32 line = 1; line <= count; ++line) {
    text += "line" + std::to_string(line) + "\n";
  }
  return text;
}

json data_of(const CheckedText &text) { return json::parse(html_data(text.result)); }

TEST(HtmlData, WhatFindingsShareIsThereOnce) {
  CheckedText text;
  const FileIndex file = text.file("a.py", "one\ntwo\nthree\n");
  text.finding(kMapRule, file, "one");
  text.finding(kMapRule, file, "two").advice = "it is slow";
  text.finding(kLoopRule, file, "three");
  const json data = data_of(text);
  EXPECT_EQ(data["paths"], json({"a.py"}));
  EXPECT_EQ(data["texts"], json({"it is slow"}));
  ASSERT_EQ(data["rules"].size(), 2);
  EXPECT_EQ(data["rules"][0]["code"], "DP101");
  EXPECT_EQ(data["rules"][0]["symptoms"], json({"Slow Execution Time", "Abnormal GPU Utilization"}));
  EXPECT_EQ(data["findings"][2]["rule"], 1);
  EXPECT_EQ(data["findings"][1]["help"], 0);
  EXPECT_EQ(data["lines"], json::array({{0, 0, 1, {"one", "two", "three"}}}));
}

TEST(HtmlData, Places) {
  CheckedText text;
  const FileIndex file = text.file("a.py", "x = 1\nä = f(\n  x)\n");
  const FileIndex notebook = text.file("b.ipynb", kNotebook);
  rules::Finding &finding = text.finding(kMapRule, file, "f(\n  x)");
  finding.tier = rules::Tier::Hint;
  finding.notes = {{notebook, text.find(notebook, "f(x)"), "which this calls"}};
  const json data = data_of(text);
  const json &found = data["findings"][0];
  EXPECT_EQ(found["place"], json({0, 0, 2, 5, 3, 5}));
  EXPECT_EQ(found["severity"], "advice");
  EXPECT_EQ(found["hint"], true);
  EXPECT_EQ(found["notes"][0]["place"], json({1, 2, 2, 5, 2, 9}));
  EXPECT_EQ(data["paths"], json({"a.py", "b.ipynb"}));
  EXPECT_EQ(data["lines"][1], json({1, 2, 1, {"x = 1", "y = f(x)"}}));
}

TEST(HtmlData, AFixIsADiffOfItsCell) {
  CheckedText text;
  const FileIndex file = text.file("a.py", "x = 1\ny = 2\n");
  const FileIndex notebook = text.file("b.ipynb", kNotebook);
  text.fixable(file, "2", "3");
  text.fixable(notebook, "f(x)", "g(x)", false);
  const json data = data_of(text);
  const json &plain = data["findings"][0]["fix"];
  EXPECT_EQ(plain["safe"], true);
  ASSERT_EQ(plain["diffs"].size(), 1);
  EXPECT_EQ(data["texts"][plain["diffs"][0][1].get<std::size_t>()],
            "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n");
  const json &cell = data["findings"][1]["fix"];
  EXPECT_EQ(cell["safe"], false);
  ASSERT_EQ(cell["diffs"].size(), 1);
  EXPECT_EQ(cell["diffs"][0][0], 2);
  EXPECT_NE(data["texts"][cell["diffs"][0][1].get<std::size_t>()].get<std::string>().find("\n+y = g(x)\n"),
            std::string::npos);
}

TEST(HtmlData, ErrorsButNoNotes) {
  CheckedText text;
  text.file("a.py", "x\n");
  text.result.errors = {{{0}, FileError::Level::Note, 1, 1, 4, 0, "this file is Python 2", "x"},
                        {{0}, FileError::Level::SyntaxError, 1, 2, 3, 0, "expected ')'", "x"}};
  text.result.hidden.notes = 7;
  const json data = data_of(text);
  ASSERT_EQ(data["errors"].size(), 1);
  EXPECT_EQ(data["errors"][0]["message"], "expected ')'");
  EXPECT_EQ(data["errors"][0]["kind"], "syntax error");
  EXPECT_EQ(data["hidden"]["notes"], 7);
}

TEST(HtmlData, NothingEndsTheElementItIsIn) {
  CheckedText text;
  const FileIndex file = text.file("<img src=x onerror=alert(1)>.py", "x = '</script><!--<script>'\n");
  rules::Finding &finding = text.finding(kMapRule, file, "'</script><!--<script>'");
  finding.message = "<b>bold</b> & \"quoted\" \xff";
  const std::string data = html_data(text.result);
  EXPECT_EQ(data.find('<'), std::string::npos);
  const json read = json::parse(data);
  EXPECT_EQ(read["paths"][0], "<img src=x onerror=alert(1)>.py");
  EXPECT_EQ(read["lines"][0][3][0], "x = '</script><!--<script>'");
  EXPECT_EQ(read["texts"][0], "<b>bold</b> & \"quoted\" \xEF\xBF\xBD"); // the byte that is not UTF-8
}

TEST(ShownLines, OnlyThoseAroundPlaces) {
  CheckedText text;
  const FileIndex file = text.file("a.py", lines(100));
  ShownLines shown;
  for (const std::string_view what : {"line50\n", "line58\n", "line2\n"}) {
    shown.add(file, place_of(text.result, file, text.find(file, what)));
  }
  const std::vector<LineRun> runs = shown.runs(text.result);
  ASSERT_EQ(runs.size(), 2);
  EXPECT_EQ(runs[0].first, 1);
  EXPECT_EQ(runs[0].lines.front(), "line1");
  EXPECT_EQ(runs[1].first, 46);
  EXPECT_EQ(runs[1].lines.front(), "line46"); // the two places share lines, and are one run
  EXPECT_EQ(runs[1].lines.back(), "line63");
}

TEST(ShownLines, LineEndsAndLongPlaces) {
  CheckedText text;
  const FileIndex endings = text.file("a.py", "one\r\ntwo\rthree");
  const FileIndex large = text.file("b.py", lines(1000) + std::string(10'000, 'x'));
  ShownLines shown;
  shown.add(endings, place_of(text.result, endings, text.find(endings, "two")));
  shown.add(large, place_of(text.result, large, {0, 8000}));
  shown.add(large, place_of(text.result, large, text.find(large, "xxxx")));
  const std::vector<LineRun> runs = shown.runs(text.result);
  ASSERT_EQ(runs.size(), 3);
  EXPECT_EQ(runs[0].lines, (std::vector<std::string_view>{"one", "two", "three"}));
  EXPECT_LT(runs[1].lines.size(), 60);
  EXPECT_LT(runs[2].lines.back().size(), 5'000);
}

TEST(Html, ThePageHoldsTheDataAndLoadsNothing) {
  if (const std::string missing = missing_html_page(); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  CheckedText text;
  const FileIndex file = text.file("a.py", "x = 1\n");
  text.finding(kMapRule, file, "1");
  std::string page;
  write_html(text.result, {}, page);
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_NE(page.find("type=\"application/json\">" + html_data(text.result) + "</script>"), std::string::npos);
  EXPECT_EQ(page.find("@FINDINGS@"), std::string::npos);
  const std::string head = page.substr(0, page.find("<script"));
  for (const std::string_view outside : {"<link", " src=", "@import", "url("}) {
    EXPECT_EQ(head.find(outside), std::string::npos) << outside;
  }
  std::string again;
  write_html(text.result, {}, again);
  EXPECT_EQ(page, again);
}

} // namespace

} // namespace deepperf::report
