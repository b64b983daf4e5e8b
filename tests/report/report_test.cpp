#include "check/checked_text.h"
#include "report/concise.h"
#include "report/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace deepperf::report {

namespace {

using check::CheckedText;
using check::FileError;
using check::kLoopRule;
using check::kMapRule;

constexpr std::string_view kNotebook = R"nb({"cells": [{"cell_type": "markdown", "source": []},
  {"cell_type": "code", "source": ["x = 1\n", "y = f(x)"]}]})nb";

// A finding over several lines with a chain through two files, a hint, one in a notebook, and errors of each level.
CheckedText example() {
  CheckedText text;
  const FileIndex a = text.file("a.py", "for i in n:\n\tä = ds.map(  \n      parse)\nsess.run(op)\n");
  const FileIndex b = text.file("b.ipynb", kNotebook);
  text.result.files.push_back({"c.py"});
  rules::Finding &map = text.finding(kMapRule, a, "ds.map(  \n      parse)");
  map.message = "map runs one element at a time";
  map.advice = "pass num_parallel_calls=tf.data.AUTOTUNE";
  map.notes = {{a, text.find(a, "for i in n:"), "in this loop"}, {b, text.find(b, "f(x)"), "which this calls"}};
  map.fix = rules::Fix{true, {{map.span.end - 1, map.span.end - 1, ", num_parallel_calls=tf.data.AUTOTUNE"}}};
  rules::Finding &loop = text.finding(kLoopRule, a, "sess.run(op)");
  loop.tier = rules::Tier::Hint;
  loop.fix = rules::Fix{false, {}};
  text.finding(kMapRule, b, "f(x)").message = "two\nlines";
  text.result.errors = {
      {{0}, FileError::Level::Note, 1, 1, 4, 0, "this file is Python 2", "for i in n:"},
      {{1}, FileError::Level::SyntaxError, 2, 3, 4, 2, "expected ')'", "y = f(x)"},
      {{2}, FileError::Level::Unreadable, 0, 0, 0, 0, "cannot read: no such file", ""},
  };
  text.result.files[1].suppressed_errors = 2;
  text.result.seconds = 1.5;
  return text;
}

TEST(Report, Concise) {
  const CheckedText text = example();
  std::string out;
  write_concise(text.result, {}, out);
  EXPECT_EQ(out, "a.py:2:6: DP101 warning: map runs one element at a time\n"
                 "a.py:4:1: DP201 advice: it is slow (hint)\n"
                 "b.ipynb:cell 2:2:3: syntax error: expected ')'\n"
                 "b.ipynb:cell 2:2:5: DP101 warning: two lines\n"
                 "c.py: cannot be checked: cannot read: no such file\n");
  out.clear();
  CheckedText findings = example();
  findings.result.errors.clear();
  write_concise(findings.result, {.statistics = true}, out);
  EXPECT_EQ(out, "2 DP101 sequential-map\n1 DP201 graph-op-in-loop\n");
}

TEST(Report, Json) {
  std::string out;
  write_json(example().result, {}, out);
  const auto expected = nlohmann::ordered_json::parse(R"({
    "version": 2,
    "findings": [
      {"path": "a.py", "line": 2, "column": 6, "end_line": 3, "end_column": 13, "cell": null, "code": "DP101",
       "name": "sequential-map", "message": "map runs one element at a time", "severity": "warning",
       "confidence": "high", "root_cause": "API: Inefficient API Usage",
       "symptoms": ["Slow Execution Time", "Abnormal GPU Utilization"], "stage": "Data Preparation",
       "help": "pass num_parallel_calls=tf.data.AUTOTUNE",
       "notes": [{"path": "a.py", "line": 1, "column": 1, "message": "in this loop"},
                 {"path": "b.ipynb", "line": 2, "column": 5, "message": "which this calls", "cell": 2}],
       "fix": {"safe": true,
               "edits": [{"start_line": 3, "start_column": 12, "end_line": 3, "end_column": 12,
                          "replacement": ", num_parallel_calls=tf.data.AUTOTUNE"}]}},
      {"path": "a.py", "line": 4, "column": 1, "end_line": 4, "end_column": 13, "cell": null, "code": "DP201",
       "name": "graph-op-in-loop", "message": "it is slow", "severity": "advice", "confidence": "medium",
       "root_cause": "Model: Confusion with Computation Graph", "symptoms": ["Slow Execution Time"],
       "stage": "Training", "help": "", "notes": [], "fix": {"safe": false, "edits": []}},
      {"path": "b.ipynb", "line": 2, "column": 5, "end_line": 2, "end_column": 9, "cell": 2, "code": "DP101",
       "name": "sequential-map", "message": "two\nlines", "severity": "warning", "confidence": "high",
       "root_cause": "API: Inefficient API Usage", "symptoms": ["Slow Execution Time", "Abnormal GPU Utilization"],
       "stage": "Data Preparation", "help": "", "notes": [], "fix": null}],
    "errors": [{"path": "b.ipynb", "line": 2, "message": "syntax error: expected ')'", "cell": 2},
               {"path": "b.ipynb", "line": null, "message": "2 more syntax errors"},
               {"path": "c.py", "line": null, "message": "cannot be checked: cannot read: no such file"}],
    "files": 2})");
  EXPECT_EQ(out, expected.dump(2) + "\n"); // the order of keys, too
}

TEST(Report, JsonStatistics) {
  CheckedText text;
  text.finding(kMapRule, text.file("a.py", "x"), "x");
  std::string out;
  write_json(text.result, {.statistics = true}, out);
  EXPECT_EQ(nlohmann::json::parse(out), nlohmann::json::parse(R"({"version": 2, "statistics":
    [{"code": "DP101", "name": "sequential-map", "root_cause": "API: Inefficient API Usage", "count": 1}],
    "errors": [], "files": 1})"));
}

TEST(Report, BytesThatAreNoUtf8DoNotStopJson) {
  CheckedText text;
  text.finding(kMapRule, text.file("a\xFF.py", "x"), "x").message = "bad \xC3 byte";
  std::string out;
  write_json(text.result, {}, out);
  const auto json = nlohmann::json::parse(out);
  EXPECT_EQ(json["findings"][0]["path"], "a\uFFFD.py");
  EXPECT_EQ(json["findings"][0]["message"], "bad \uFFFD byte");
}

} // namespace

} // namespace deepperf::report
