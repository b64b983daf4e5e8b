#include "check/baseline.h"

#include "check/checked_text.h"
#include "check/fingerprint.h"
#include "project/temp_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace deepperf::check {

namespace {

// Of a finding on `what`.
u64 print_of(std::string_view code, std::string_view what = "f(1)") {
  CheckedText text;
  text.finding(kMapRule, text.file("a.py", code), what);
  return fingerprints(text.result).at(0);
}

TEST(Fingerprint, StaysTheSame) {
  const u64 print = print_of("def g():\n  x = h('a', [f(1)])\n");
  for (const char *code : {
           "import os\n\n\ndef g():\n    y = 2\n    x = h('a', [f(1)])\n    return x\n",
           "def g():\n  x = h(\n    \"a\",  # why\n    [\n      f(1),\n    ],\n  )\n",
           "def g():\n  if y:\n    for i in z:\n      x = h('a', [f(1)])  # deepperf: ignore[DP2]\n",
           "def g():\n  x = \\\n    (h('a', [f(1)]))\n",
           "def g(a, b):\r\n\tx=h('a',[f(1)])\r\n",
       }) {
    EXPECT_EQ(print_of(code), print) << code;
  }
}

TEST(Fingerprint, Differs) {
  const u64 print = print_of("def g():\n  x = h('a', [f(1)])\n");
  for (const char *code : {"def g():\n  x = h('b', [f(1)])\n", "def h():\n  x = h('a', [f(1)])\n",
                           "class A:\n  def g():\n    x = h('a', [f(1)])\n", "x = h('a', [f(1)])\n"}) {
    EXPECT_NE(print_of(code), print) << code;
  }
}

TEST(Fingerprint, OfACompoundStatementOnlyItsHeader) {
  EXPECT_EQ(print_of("for i in f(1):\n  a()\n"), print_of("for i in f(1):\n  b()\n  c()\n"));
  EXPECT_EQ(print_of("@f(1)\ndef g():\n  a()\n"), print_of("@f(1)\ndef g():\n  b()\n"));
  EXPECT_NE(print_of("for i in f(1):\n  a()\n"), print_of("for j in f(1):\n  a()\n"));
  EXPECT_EQ(print_of("try:\n  a()\nexcept E:\n  f(1)\n"), print_of("f(1)\n"));
}

// Baselines are files that live longer than a version of the program.
TEST(Fingerprint, IsTheSameInEveryVersion) {
  EXPECT_EQ(fmt::format("{:016x}", print_of("class A:\n  def g(self):\n    x = h('a', [f(1)])\n")), "4f4057995b6ba75c");
}

TEST(Fingerprint, OfVeryLongStatementsThePlaceAlone) {
  std::string table = "t = [f(1)";
  for (int i = 0; i < 1000; ++i) {
    table += fmt::format(", {}", i);
  }
  EXPECT_EQ(print_of(table + "]\n"), print_of(table + ", 7]\n"));
}

std::string failure(std::string_view text) {
  const std::variant<Baseline, std::string> parsed = parse_baseline(text);
  return std::holds_alternative<std::string>(parsed) ? std::get<std::string>(parsed) : "none";
}

TEST(Baseline, TextAndBack) {
  Baseline baseline;
  baseline.with_tests = true;
  baseline.counts[{"a/b.py", "DP101", 0xFF}] = 2;
  baseline.counts[{"\xC3\xBC \".py", "DP201", 1}] = 1;
  const std::string text = baseline_text(baseline);
  EXPECT_NE(text.find("{\"path\": \"a/b.py\", \"rule\": \"DP101\", \"code\": \"00000000000000ff\", \"count\": 2}"),
            std::string::npos);
  const std::variant<Baseline, std::string> parsed = parse_baseline(text);
  ASSERT_TRUE(std::holds_alternative<Baseline>(parsed));
  EXPECT_EQ(std::get<Baseline>(parsed).counts, baseline.counts);
  EXPECT_TRUE(std::get<Baseline>(parsed).with_tests);
  EXPECT_EQ(failure(baseline_text({})), "none");
}

TEST(Baseline, WhatIsNone) {
  EXPECT_EQ(failure(""), "not a baseline: it is not JSON, see line 1, column 1");
  EXPECT_EQ(failure("{\n  \"version\": 1,\n  oops"), "not a baseline: it is not JSON, see line 3, column 3");
  EXPECT_EQ(failure("[]"), "not a baseline: it has no \"version\"");
  EXPECT_EQ(failure("{\"version\": \"1\"}"), "not a baseline: it has no \"version\"");
  EXPECT_NE(failure("{\"version\": 2}").find("newer deepperf"), std::string::npos);
  EXPECT_EQ(failure("{\"version\": 1}"), "not a baseline: its \"findings\" must be a list");
  const auto entry = [](std::string_view json) {
    return failure(fmt::format("{{\"version\": 1, \"findings\": [{}]}}", json));
  };
  EXPECT_NE(entry("3").find("entry 1"), std::string::npos);
  EXPECT_NE(entry("{\"path\": 1}").find("\"path\" must be a string"), std::string::npos);
  EXPECT_NE(entry(R"({"path": "a", "rule": "DP101", "code": "xyz", "count": 1})").find("hexadecimal"),
            std::string::npos);
  EXPECT_NE(entry(R"({"path": "a", "rule": "DP101", "code": "0000000000000001", "count": -1})").find("\"count\""),
            std::string::npos);
  EXPECT_NE(entry(R"({"path": "a", "rule": "DP101", "code": "0000000000000001", "count": 0})").find("\"count\""),
            std::string::npos);
  EXPECT_NE(failure(std::string(100000, '[')).find("not JSON"), std::string::npos);
}

// Files on disk, and one finding of DP101 for each `f(…)` that they hold.
class Checked {
public:
  explicit Checked(const project::TempTree &tree, const std::vector<std::string> &files) {
    for (const std::string &file : files) {
      const std::string path = tree.path(file);
      std::ifstream stream(path, std::ios::binary);
      const FileIndex index = text_.file(path, std::string(std::istreambuf_iterator<char>(stream), {}));
      const std::string_view code = text_.result.files[index.value].source->text();
      for (std::size_t at = code.find("f("); at != code.npos; at = code.find("f(", at + 1)) {
        rules::Finding &finding = text_.finding(kMapRule, index, "f(");
        finding.span = {static_cast<u32>(at), static_cast<u32>(at + 2)};
      }
    }
  }
  Result &result() { return text_.result; }

private:
  CheckedText text_;
};

class BaselineOfATree : public ::testing::Test {
protected:
  void record(const std::vector<std::string> &files) {
    Checked checked(tree_, files);
    baseline_ = make_baseline(checked.result(), paths_);
  }
  // "shown hidden stale"
  std::string compare(const std::vector<std::string> &files) {
    Checked checked(tree_, files);
    BaselineMatch match(baseline_, checked.result(), paths_, std::nullopt);
    match.hide(checked.result());
    u64 stale = 0;
    for (const auto &[entry, count] : match.stale()) {
      stale += count;
    }
    pruned_ = match.pruned();
    return fmt::format("{} {} {}", checked.result().findings.size(), checked.result().hidden.baselined, stale);
  }

  project::TempTree tree_;
  BaselinePaths paths_{tree_.path("baseline.json")};
  Baseline baseline_;
  Baseline pruned_;
};

TEST_F(BaselineOfATree, CountsEqualOnes) {
  tree_.file("a.py", "x = f(1)\nx = f(1)\ny = f(2)\n");
  record({"a.py"});
  EXPECT_EQ(baseline_.counts.size(), 2U);
  EXPECT_EQ(baseline_.counts.begin()->first.path, "a.py");
  EXPECT_EQ(compare({"a.py"}), "0 3 0");
  tree_.file("a.py", "\n\nx = f( 1 )\nx = f(1)\nx = f(1)\n");
  EXPECT_EQ(compare({"a.py"}), "1 2 1");
  EXPECT_EQ(pruned_.counts.size(), 1U);
  EXPECT_EQ(pruned_.counts.begin()->second, 2U);
}

TEST_F(BaselineOfATree, FollowsMovedFiles) {
  tree_.file("old.py", "x = f(1)\n");
  tree_.file("stays.py", "x = f(1)\n");
  record({"old.py", "stays.py"});
  std::filesystem::remove(tree_.path("old.py"));
  tree_.file("sub/new.py", "import os\nx = f(1)\n");
  EXPECT_EQ(compare({"stays.py", "sub/new.py"}), "0 2 0");
  std::string moved;
  for (const auto &[entry, count] : pruned_.counts) {
    moved += entry.path + " ";
  }
  EXPECT_EQ(moved, "stays.py sub/new.py ");
  // A copy is new: the original is still there.
  tree_.file("old.py", "x = f(1)\n");
  EXPECT_EQ(compare({"old.py", "stays.py", "sub/new.py"}), "1 2 0");
}

TEST_F(BaselineOfATree, WhatWasNotCheckedIsNotStale) {
  tree_.file("a.py", "x = f(1)\n");
  tree_.file("b.py", "x = f(1)\n");
  record({"a.py", "b.py"});
  EXPECT_EQ(compare({"a.py"}), "0 1 0");
  tree_.file("b.py", "x = 1\n");
  EXPECT_EQ(compare({"a.py"}), "0 1 0");
  EXPECT_EQ(compare({"a.py", "b.py"}), "0 1 1");
  std::filesystem::remove(tree_.path("b.py"));
  EXPECT_EQ(compare({"a.py"}), "0 1 1");
}

} // namespace

} // namespace deepperf::check
