#include "fix/fix.h"

#include "check/checked_text.h"
#include "fix/diff.h"
#include "fix/edits.h"
#include "fix/files.h"
#include "project/temp_tree.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <filesystem>
#include <stdexcept>

namespace deepperf::fix {

namespace {

using check::CheckedText;

// Fixes a file that is nowhere on disk.
std::string fix_text(CheckedText &text, std::string bytes, FixOptions options = {}) {
  options.stdin_bytes = bytes;
  FixResult result = apply_fixes(text.result, options);
  return result.files.empty() ? std::move(bytes) : std::move(result.files[0].after);
}

std::string diff_of(std::string_view before, const std::vector<rules::Edit> &edits) {
  std::string out;
  write_diff("a.py", before, edits, out);
  return out;
}

TEST(Edits, CollisionsAndSharedEdits) {
  EditSet set;
  EXPECT_TRUE(set.add({{5, 8, "x"}, {0, 0, "import a\n"}}, 20));
  EXPECT_TRUE(set.add({{10, 12, "y"}, {0, 0, "import a\n"}}, 20));  // shares the import
  EXPECT_FALSE(set.add({{14, 15, "z"}, {0, 0, "import b\n"}}, 20)); // nobody knows in which order
  EXPECT_FALSE(set.add({{7, 9, "x"}}, 20));
  EXPECT_FALSE(set.add({{8, 8, "x"}}, 20)); // at the edge
  EXPECT_TRUE(set.add({{8, 10, "-"}}, 20)); // between two
  EXPECT_FALSE(set.add({{19, 21, "x"}}, 20));
  EXPECT_FALSE(set.add({{9, 8, "x"}}, 20));
  EXPECT_FALSE(set.add({{15, 17, "x"}, {16, 18, "y"}}, 20)); // its own edits are in each other's way
  EXPECT_EQ(edited("01234567890123456789", set.edits()), "import a\n01234x-y23456789");
}

TEST(Fix, OnlySafeUnlessAsked) {
  const std::string before = "a = f(1)\r\nb = g(2)  # kept\r\n";
  CheckedText text;
  const FileIndex file = text.file("a.py", before);
  text.fixable(file, "f(1)", "f(1, x=2)");
  text.fixable(file, "g(2)", "h(2)", false);
  EXPECT_EQ(fix_text(text, before), "a = f(1, x=2)\r\nb = g(2)  # kept\r\n");
  EXPECT_EQ(fix_text(text, before, {.unsafe_fixes = true}), "a = f(1, x=2)\r\nb = h(2)  # kept\r\n");
}

TEST(Fix, OfTwoInTheSamePlaceTheFirstWins) {
  const std::string before = "a = f(1)\n";
  CheckedText text;
  const FileIndex file = text.file("a.py", before);
  text.fixable(file, "f(1)", "first");
  text.fixable(file, "(1)", "second");
  const FixResult result = apply_fixes(text.result, {.stdin_bytes = before});
  EXPECT_EQ(result.files.at(0).after, "a = first\n");
  EXPECT_EQ(result.files.at(0).findings, 1U);
  EXPECT_EQ(result.is_fixed, (std::vector<bool>{true, false}));
}

TEST(Fix, WhatWouldNotParseIsLeftOut) {
  const std::string before = "a = 1\nb = 2\nc = 3\nd = = 4\n"; // one error is there already
  CheckedText text;
  const FileIndex file = text.file("a.py", before);
  text.fixable(file, "1", "10");
  text.fixable(file, "2", "(");
  text.fixable(file, "3", "30");
  const FixResult result = apply_fixes(text.result, {.stdin_bytes = before});
  EXPECT_EQ(result.files.at(0).after, "a = 10\nb = 2\nc = 30\nd = = 4\n");
  EXPECT_EQ(result.is_fixed, (std::vector<bool>{true, false, true}));
}

TEST(Fix, ByteOrderMarkAndBadBytesStay) {
  const std::string before = "\xEF\xBB\xBFx = 1  # \xFF\n";
  CheckedText text;
  text.fixable(text.file("a.py", before), "1", "2");
  EXPECT_EQ(fix_text(text, before), "\xEF\xBB\xBFx = 2  # \xFF\n");
}

TEST(Fix, EncodingStays) {
  const std::string before = "# coding: latin-1\nx = '\xE4', 1\n";
  CheckedText text;
  const FileIndex file = text.file("a.py", before);
  text.fixable(file, ", 1", ", '\u00F6'");
  EXPECT_EQ(fix_text(text, before), "# coding: latin-1\nx = '\xE4', '\xF6'\n");

  CheckedText other;
  other.fixable(other.file("a.py", before), ", 1", ", '\u20AC'");
  const FixResult result = apply_fixes(other.result, {.stdin_bytes = before});
  EXPECT_TRUE(result.files.empty());
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(result.problems[0].message,
            "not fixed: a fix contains characters that the encoding latin-1 cannot represent");
}

TEST(Fix, MultibyteEncodings) {
  const std::string before = "# coding: gbk\nx = '\xC4\xE3\xBA\xC3'; y = 1\n";
  CheckedText text;
  text.fixable(text.file("a.py", before), "y = 1", "y = '\u4F60'");
  EXPECT_EQ(fix_text(text, before), "# coding: gbk\nx = '\xC4\xE3\xBA\xC3'; y = '\xC4\xE3'\n");
}

TEST(Fix, FilesAreReplacedWithModeAndThroughLinks) {
  const project::TempTree tree;
  tree.file("real/a.py", "x = 1\n");
  tree.link("real/a.py", "link.py");
  ::chmod(tree.path("real/a.py").c_str(), 0751);
  CheckedText text;
  text.fixable(text.file(tree.path("link.py"), "x = 1\n"), "1", "2");
  const FixResult result = apply_fixes(text.result, {});
  EXPECT_EQ(result.files.size(), 1U);
  EXPECT_TRUE(std::filesystem::is_symlink(tree.path("link.py")));
  EXPECT_EQ(read_bytes(tree.path("real/a.py")), "x = 2\n");
  struct stat status {};
  ::stat(tree.path("real/a.py").c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777U, 0751U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(tree.path("real")), {}), 1); // no rubbish is left
}

TEST(Fix, NothingIsWrittenOnRequest) {
  const project::TempTree tree;
  tree.file("a.py", "x = 1\n");
  CheckedText text;
  text.fixable(text.file(tree.path("a.py"), "x = 1\n"), "1", "2");
  EXPECT_EQ(apply_fixes(text.result, {.write = false}).files.at(0).after, "x = 2\n");
  EXPECT_EQ(read_bytes(tree.path("a.py")), "x = 1\n");
}

TEST(Fix, FilesThatChangedOrWentAreLeftAlone) {
  const project::TempTree tree;
  tree.file("a.py", "x = 100\n");
  CheckedText text;
  text.fixable(text.file(tree.path("a.py"), "x = 1\n"), "1", "2");
  text.fixable(text.file(tree.path("b.py"), "x = 1\n"), "1", "2");
  const FixResult result = apply_fixes(text.result, {});
  EXPECT_TRUE(result.files.empty());
  ASSERT_EQ(result.problems.size(), 2U);
  EXPECT_EQ(result.problems[0].message, "not fixed: the file changed while it was checked");
  EXPECT_EQ(result.problems[0].path, tree.path("a.py"));
  EXPECT_FALSE(result.problems[0].is_failure);
  EXPECT_EQ(result.problems[1].path, tree.path("b.py"));
  EXPECT_TRUE(result.problems[1].is_failure);
  EXPECT_EQ(read_bytes(tree.path("a.py")), "x = 100\n");
}

// --- Notebooks -------------------------------------------------------------------------------------------------------

// As Jupyter writes it, with oddities that must stay as they are.
constexpr std::string_view kNotebook = R"nb({
 "cells": [
  {"cell_type": "markdown", "metadata": {"source": ["x = f(1)"]}, "source": ["x = f(1)"]},
  {
   "cell_type": "code",
   "outputs": [{"data": {"text": ["{\"cells\": []}"]}, "n": 1.50}],
   "source": [
    "a = '\u00e4\ud83d\ude00\\n'; x = f(1)\n",
    "y = \"q\"\n",
    "z = 3"
   ]
  },
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": "s = 1\nt = g(2)\n"}
 ],
 "nbformat": 4,   "big": 123456789012345678901234567890
}
)nb";

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string result(text);
  const std::size_t at = result.rfind(what);
  if (at == std::string::npos) {
    throw std::runtime_error("the text has no " + std::string(what));
  }
  return result.replace(at, what.size(), with);
}

std::string fix_notebook(std::string_view what, std::string with) {
  CheckedText text;
  text.fixable(text.file("a.ipynb", kNotebook), what, std::move(with));
  return fix_text(text, std::string(kNotebook));
}

TEST(FixNotebook, NothingElseChanges) {
  EXPECT_EQ(fix_notebook("z = 3", "z = \"\t\\\\\" + 'é'"),
            replaced(kNotebook, R"("z = 3")", R"("z = \"\t\\\\\" + 'é'")"));
  EXPECT_EQ(fix_notebook("g(2)", "g(2, k=1)"), replaced(kNotebook, "g(2)", "g(2, k=1)"));
  EXPECT_EQ(fix_notebook("\"q\"", "[]"), replaced(kNotebook, R"(\"q\")", "[]"));
}

TEST(FixNotebook, BehindEscapes) {
  CheckedText text;
  const FileIndex file = text.file("a.ipynb", kNotebook);
  text.fixable(file, "\\n'; x = f(1)", "'; x = f(2)");
  EXPECT_EQ(fix_text(text, std::string(kNotebook)), replaced(kNotebook, R"(\\n'; x = f(1))", "'; x = f(2)"));
}

TEST(FixNotebook, LinesOfAList) {
  EXPECT_EQ(fix_notebook("z = 3", "z = 3\nw = 4"), replaced(kNotebook, "z = 3", "z = 3\\n\",\n    \"w = 4"));
  EXPECT_EQ(fix_notebook("y = \"q\"\n", ""), replaced(kNotebook, "    \"y = \\\"q\\\"\\n\",\n", ""));
  EXPECT_EQ(fix_notebook("y = \"q\"\nz", "z"),
            replaced(kNotebook, "\"y = \\\"q\\\"\\n\",\n    \"z = 3\"", "\"z = 3\""));
  EXPECT_EQ(fix_notebook("s = 1\n", "s = 1\nr = 2\n"), replaced(kNotebook, "s = 1\\n", "s = 1\\nr = 2\\n"));
}

TEST(FixNotebook, AcrossCellsIsRefused) {
  CheckedText text;
  const FileIndex file = text.file("a.ipynb", kNotebook);
  rules::Finding &finding = text.fixable(file, "z = 3", "");
  finding.fix->edits[0].end += 3;
  text.fixable(file, "g(2)", "g(3)");
  EXPECT_EQ(fix_text(text, std::string(kNotebook)), replaced(kNotebook, "g(2)", "g(3)"));
}

TEST(FixNotebook, OfFormat3) {
  const std::string before =
      R"({"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"]}]}], "nbformat": 3})";
  CheckedText text;
  text.fixable(text.file("a.ipynb", before), "1", "2\ny = 3");
  EXPECT_EQ(fix_text(text, before), replaced(before, R"(["x = 1"])", R"(["x = 2\n","y = 3"])"));
}

// --- Diffs -----------------------------------------------------------------------------------------------------------

TEST(Diff, HunksHaveContext) {
  EXPECT_EQ(
      diff_of("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n", {{2, 3, "two"}, {6, 7, "four"}, {30, 32, "x\ny"}}),
      "--- a.py\n+++ a.py\n@@ -1,7 +1,7 @@\n 1\n-2\n+two\n 3\n-4\n+four\n 5\n 6\n 7\n"
      "@@ -11,5 +11,6 @@\n 11\n 12\n 13\n-14\n+x\n+y\n 15\n");
}

TEST(Diff, InsertedAndDeletedLines) {
  EXPECT_EQ(diff_of("1\n2\n", {{0, 0, "0\n"}}), "--- a.py\n+++ a.py\n@@ -1,2 +1,3 @@\n+0\n 1\n 2\n");
  EXPECT_EQ(diff_of("1\n2\n", {{4, 4, "3\n"}}), "--- a.py\n+++ a.py\n@@ -1,2 +1,3 @@\n 1\n 2\n+3\n");
  EXPECT_EQ(diff_of("1\n2\n", {{0, 2, ""}}), "--- a.py\n+++ a.py\n@@ -1,2 +1 @@\n-1\n 2\n");
  EXPECT_EQ(diff_of("", {{0, 0, "1\n"}}), "--- a.py\n+++ a.py\n@@ -0,0 +1 @@\n+1\n");
  EXPECT_EQ(diff_of("1\n", {{0, 1, "1"}}), "");
}

TEST(Diff, NoNewlineAtTheEnd) {
  EXPECT_EQ(diff_of("1", {{1, 1, "2"}}), "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-1\n\\ No newline at end of file\n+12\n"
                                         "\\ No newline at end of file\n");
}

} // namespace

} // namespace deepperf::fix
