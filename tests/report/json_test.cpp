#include "report/json.h"

#include "report/example_result.h"
#include "report/jsonl.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace deepperf::report {

namespace {

using check::CheckedText;
using check::kMapRule;

TEST(Json, EveryField) {
  std::string out;
  write_json(example_result().result, {}, out);
  const auto expected = nlohmann::ordered_json::parse(R"json({
    "version": 2,
    "findings": [
      {"path": "a.py", "line": 2, "column": 6, "end_line": 3, "end_column": 13, "cell": null, "code": "DP101",
       "name": "sequential-map", "message": "map runs one element at a time", "severity": "warning",
       "confidence": "high", "root_cause": "API: Inefficient API Usage",
       "symptoms": ["Slow Execution Time", "Abnormal GPU Utilization"], "stage": "Data Preparation",
       "help": "pass num_parallel_calls=tf.data.AUTOTUNE", "measured": null, "documentation": "docs/rules/DP101-sequential-map.md",
       "notes": [{"path": "a.py", "line": 1, "column": 1, "message": "in this loop"},
                 {"path": "b.ipynb", "line": 2, "column": 5, "message": "which this calls", "cell": 2}],
       "fix": {"safe": true,
               "edits": [{"start_line": 3, "start_column": 12, "end_line": 3, "end_column": 12,
                          "replacement": ", num_parallel_calls=tf.data.AUTOTUNE"}]}},
      {"path": "a.py", "line": 4, "column": 1, "end_line": 4, "end_column": 13, "cell": null, "code": "DP201",
       "name": "graph-op-in-loop", "message": "it is slow", "severity": "advice", "confidence": "medium",
       "root_cause": "Model: Confusion with Computation Graph", "symptoms": ["Slow Execution Time"],
       "stage": "Training", "help": "", "measured": null, "documentation": "docs/rules/DP201-graph-op-in-loop.md", "notes": [],
       "fix": {"safe": false, "edits": []}},
      {"path": "b.ipynb", "line": 2, "column": 5, "end_line": 2, "end_column": 9, "cell": 2, "code": "DP101",
       "name": "sequential-map", "message": "two\nlines", "severity": "error", "confidence": "high",
       "root_cause": "API: Inefficient API Usage", "symptoms": ["Slow Execution Time", "Abnormal GPU Utilization"],
       "stage": "Data Preparation", "help": "", "measured": null, "documentation": "docs/rules/DP101-sequential-map.md", "notes": [],
       "fix": {"safe": true, "edits": [{"start_line": 2, "start_column": 5, "end_line": 2, "end_column": 9,
                                        "replacement": "g(x)", "cell": 2}]}}],
    "errors": [{"path": "b.ipynb", "line": 2, "message": "syntax error: expected ')'", "cell": 2},
               {"path": "b.ipynb", "line": null, "message": "2 more syntax errors"},
               {"path": "c.py", "line": null, "message": "cannot be checked: cannot read: no such file"}],
    "files": 2,
    "counts": {"errors": 1, "warnings": 1, "advice": 1, "notes": 0,
               "hidden": {"advice": 3, "notes": 1, "others": 0, "suppressed": 2, "baselined": 0,
                          "unchanged": 0}}})json");
  EXPECT_EQ(out, expected.dump(2) + "\n"); // the order of keys, too
}

TEST(Json, Statistics) {
  CheckedText text;
  text.finding(kMapRule, text.file("a.py", "x"), "x");
  std::string out;
  write_json(text.result, {.statistics = true}, out);
  EXPECT_EQ(nlohmann::json::parse(out), nlohmann::json::parse(R"({"version": 2, "statistics":
    [{"code": "DP101", "name": "sequential-map", "root_cause": "API: Inefficient API Usage", "count": 1}],
    "errors": [], "files": 1, "counts": {"errors": 0, "warnings": 1, "advice": 0, "notes": 0,
    "hidden": {"advice": 0, "notes": 0, "others": 0, "suppressed": 0, "baselined": 0,
               "unchanged": 0}}})"));
}

TEST(Json, BytesThatAreNotUtf8AreReplaced) {
  CheckedText text;
  text.finding(kMapRule, text.file("a\xFF.py", "x"), "x").message = "bad \xC3 byte";
  std::string out;
  write_json(text.result, {}, out);
  const auto parsed = nlohmann::json::parse(out);
  EXPECT_EQ(parsed["findings"][0]["path"], "a\uFFFD.py");
  EXPECT_EQ(parsed["findings"][0]["message"], "bad \uFFFD byte");
}

TEST(Json, ControlCharactersAreEscaped) {
  std::string out;
  write_json(odd_result().result, {}, out);
  EXPECT_FALSE(has_raw_controls(out)) << out;
  EXPECT_EQ(out.find("\xe2\x80\xa8"), std::string::npos);
  // Escaped, not lost.
  const std::string message = nlohmann::json::parse(out)["findings"][0]["message"];
  EXPECT_EQ(message.substr(0, 6), "\x01\x1b[31m");
  EXPECT_NE(message.find("\x7f \xc2\x9b \r\n\t\xe2\x80\xa8"), std::string::npos);
}

std::vector<nlohmann::json> lines_of(const check::Result &result, const Options &options = {}) {
  std::string out;
  write_jsonl(result, options, out);
  std::vector<nlohmann::json> lines;
  std::istringstream stream(out);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(nlohmann::json::parse(line));
  }
  return lines;
}

TEST(Jsonl, HasTheSameAsJson) {
  const CheckedText text = example_result();
  std::string out;
  write_json(text.result, {}, out);
  const auto parsed = nlohmann::json::parse(out);
  const std::vector<nlohmann::json> lines = lines_of(text.result);
  ASSERT_EQ(lines.size(), 7U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    nlohmann::json line = lines[i];
    const std::string type = line["type"];
    line.erase("type");
    if (i < 3) {
      EXPECT_EQ(type, "finding");
      EXPECT_EQ(line, parsed["findings"][i]);
    } else if (i < 6) {
      EXPECT_EQ(type, "error");
      EXPECT_EQ(line, parsed["errors"][i - 3]);
    } else {
      EXPECT_EQ(type, "summary");
      EXPECT_EQ(line, nlohmann::json({{"version", 2}, {"files", 2}, {"counts", parsed["counts"]}}));
    }
  }
}

TEST(Jsonl, Statistics) {
  const std::vector<nlohmann::json> lines = lines_of(example_result().result, {.statistics = true});
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[0]["type"], "statistic");
  EXPECT_EQ(lines[0]["count"], 2);
  EXPECT_EQ(lines[5]["type"], "summary");
}

TEST(Jsonl, OddBytesBreakNoLine) { EXPECT_EQ(lines_of(odd_result().result).size(), 4U); }

TEST(Jsonl, NothingFound) {
  CheckedText text;
  text.file("a.py", "x = 1\n");
  const std::vector<nlohmann::json> lines = lines_of(text.result);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["type"], "summary");
}

} // namespace

} // namespace deepperf::report
