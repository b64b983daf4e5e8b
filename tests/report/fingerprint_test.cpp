#include "report/fingerprint.h"

#include "check/checked_text.h"

#include <gtest/gtest.h>

#include <set>

namespace deepperf::report {

namespace {

using check::CheckedText;
using check::kLoopRule;
using check::kMapRule;

std::string fingerprint_of(std::string path, std::string_view code, std::string_view what,
                           const rules::RuleInfo &rule = kMapRule) {
  CheckedText text;
  text.finding(rule, text.file(std::move(path), code), what);
  return fingerprints(text.result)[0];
}

// Others have stored it, so it must be the same in the next release.
TEST(Fingerprint, IsWhatItWas) { EXPECT_EQ(fingerprint_of("a.py", "y = f(x)\n", "f(x)"), "25b67bd209d0c2d0:1"); }

TEST(Fingerprint, StaysWhenCodeMoves) {
  const std::string before = fingerprint_of("a.py", "y = f(x)\n", "f(x)");
  EXPECT_EQ(fingerprint_of("b/c.py", "y = f(x)\n", "f(x)"), before);
  EXPECT_EQ(fingerprint_of("a.py", "import x\n\n# why\n\ny = f(x)\nz = 1\n", "f(x)"), before);
  EXPECT_EQ(fingerprint_of("a.py", "if a:\n\ty  =\tf(x) \r\n", "f(x)"), before);
  EXPECT_EQ(fingerprint_of("a.ipynb", R"nb({"cells": [{"cell_type": "code", "source": ["y = f(x)"]}]})nb", "f(x)"),
            before);
}

TEST(Fingerprint, ChangesWithTheCodeAndTheRule) {
  const std::string before = fingerprint_of("a.py", "y = f(x)\n", "f(x)");
  EXPECT_NE(fingerprint_of("a.py", "y = f(x, 1)\n", "f(x, 1)"), before);
  EXPECT_NE(fingerprint_of("a.py", "y = f(x)\n", "f(x)", kLoopRule), before);
}

TEST(Fingerprint, OfLongStatementsTheBeginningCounts) {
  const std::string before = fingerprint_of("a.py", "f(a,\n  b,\n  c,\n  d)\n", "f(a,\n  b,\n  c,\n  d)");
  EXPECT_EQ(fingerprint_of("a.py", "f(a,\n  b,\n  c,\n  e)\n", "f(a,\n  b,\n  c,\n  e)"), before);
  EXPECT_NE(fingerprint_of("a.py", "f(a,\n  b,\n  e,\n  d)\n", "f(a,\n  b,\n  e,\n  d)"), before);
}

TEST(Fingerprint, EqualFindingsOfAFileAreCounted) {
  CheckedText text;
  const FileIndex a = text.file("a.py", "f(x)\nf(x)\n");
  const FileIndex b = text.file("b.py", "f(x)\n");
  text.finding(kMapRule, a, "f(x)");
  text.finding(kMapRule, a, "f(x)").span = {5, 9};
  text.finding(kMapRule, b, "f(x)");
  const std::vector<std::string> prints = fingerprints(text.result);
  EXPECT_TRUE(prints[0].ends_with(":1"));
  EXPECT_TRUE(prints[1].ends_with(":2"));
  EXPECT_EQ(prints[2], prints[0]);
  EXPECT_EQ(fingerprint_in_file("a.py", prints[0]), fingerprint_in_file("a.py", prints[0]));
  const std::set<std::string> in_files = {fingerprint_in_file("a.py", prints[0]),
                                          fingerprint_in_file("a.py", prints[1]),
                                          fingerprint_in_file("b.py", prints[2])};
  EXPECT_EQ(in_files.size(), 3U);
}

} // namespace

} // namespace deepperf::report
