#include "project/gitignore.h"

#include "git.h"
#include "temp_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace deepperf::project {
namespace {

Verdict lint_text(std::string_view text, std::string_view path, bool is_directory = false) {
  IgnoreRules rules;
  add_rules(text, rules);
  return lint(rules, path, is_directory);
}

bool ignores(std::string_view text, std::string_view path, bool is_directory = false) {
  return lint_text(text, path, is_directory) == Verdict::Ignore;
}

TEST(Gitignore, NameAtAnyDepth) {
  EXPECT_TRUE(ignores("a.py", "a.py"));
  EXPECT_TRUE(ignores("a.py", "x/y/a.py"));
  EXPECT_FALSE(ignores("a.py", "aa.py"));
}

TEST(Gitignore, SlashAnchors) {
  EXPECT_TRUE(ignores("/a.py", "a.py"));
  EXPECT_FALSE(ignores("/a.py", "x/a.py"));
  EXPECT_TRUE(ignores("x/a.py", "x/a.py"));
  EXPECT_FALSE(ignores("x/a.py", "y/x/a.py"));
}

TEST(Gitignore, TrailingSlashMeansFolder) {
  EXPECT_TRUE(ignores("out/", "x/out", true));
  EXPECT_FALSE(ignores("out/", "x/out", false));
}

TEST(Gitignore, LastMatchWins) {
  EXPECT_EQ(lint_text("*.py\n!keep.py\n", "keep.py"), Verdict::Keep);
  EXPECT_EQ(lint_text("!keep.py\n*.py\n", "keep.py"), Verdict::Ignore);
  EXPECT_EQ(lint_text("*.txt\n", "keep.py"), Verdict::None);
}

TEST(Gitignore, Stars) {
  EXPECT_TRUE(ignores("a/*/c.py", "a/b/c.py"));
  EXPECT_FALSE(ignores("a/*/c.py", "a/b/b/c.py"));
  EXPECT_TRUE(ignores("a/**/c.py", "a/c.py"));
  EXPECT_TRUE(ignores("a/**/c.py", "a/b/b/c.py"));
  EXPECT_TRUE(ignores("**/c.py", "c.py"));
  EXPECT_TRUE(ignores("a/**", "a/b/c.py"));
  EXPECT_FALSE(ignores("a/**", "a", true));
}

TEST(Gitignore, CommentsEscapesAndSpaces) {
  EXPECT_FALSE(ignores("#a", "#a"));
  EXPECT_TRUE(ignores("\\#a", "#a"));
  EXPECT_TRUE(ignores("\\!a", "!a"));
  EXPECT_TRUE(ignores("a  ", "a"));
  EXPECT_TRUE(ignores("a\\ ", "a "));
  EXPECT_TRUE(ignores("a\r\nb\r\n", "a"));
  EXPECT_TRUE(ignores("\xEF\xBB\xBF"
                      "a\n",
                      "a"));
  EXPECT_TRUE(ignores("a", "a")) << "no newline at the end";
}

TEST(Gitignore, MalformedMatchesNothing) {
  EXPECT_FALSE(ignores("[a", "[a"));
  EXPECT_FALSE(ignores("a\\", "a\\"));
  EXPECT_FALSE(ignores("[[:nope:]]", "n"));
}

TEST(Gitignore, HostilePatternsEnd) {
  std::string pattern;
  for (int i = 0; i < 2000; ++i) {
    pattern += "*a";
  }
  EXPECT_FALSE(ignores(pattern + "b", std::string(20000, 'a')));
  std::string deep;
  std::string path;
  for (int i = 0; i < 2000; ++i) {
    deep += "**/a*/";
    path += "aa/";
  }
  EXPECT_FALSE(ignores(deep + "b", path + "c"));
}

// What git says of a path: ignored itself or by a folder above it. For ours that is the same question asked of each.
bool ignored_with_parents(const IgnoreRules &rules, const std::string &path) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (lint(rules, path.substr(0, slash), true) == Verdict::Ignore) {
      return true;
    }
  }
  return lint(rules, path, false) == Verdict::Ignore;
}

const std::vector<std::string> &sample_paths() {
  static const std::vector<std::string> paths = {"a",         "b.py",     "foo",        "foo.py",       "foobar.py",
                                                 "x/foo",     "x/foo.py", "x/y/foo.py", "x/y/z/foo.py", "foo-dir/a.py",
                                                 "bar",       "a b",      "a ",         "#a",           "!a",
                                                 "[a]",       "a]",       "a-b",        "a/b/c",        "ab/c/d.py",
                                                 "A.py",      "_.py",     "9.py",       "x/9",          "x/a/b",
                                                 "x/*",       "x/a\\b",   "é.py",       "foo/b/c.py",   "fooz/b/bar",
                                                 "fo/o",      "x/y/bar",  "x/.py",      ".py",          "a.b.c",
                                                 "x/y/z/bar", "^",        "-",          "\\",           "q?",
                                                 "\ttab",     "z/[x]/a",  "z/x/a",      "foo/bar"};
  return paths;
}

std::vector<std::string> sample_rules() {
  std::vector<std::string> rules = {"*",
                                    "**",
                                    "/*",
                                    "/**",
                                    "**/",
                                    "/",
                                    "!",
                                    "!/",
                                    "*.py",
                                    "foo",
                                    "/foo",
                                    "foo/",
                                    "/foo/",
                                    "foo*",
                                    "*foo*",
                                    "*oo.py",
                                    "foo/*",
                                    "foo/**",
                                    "**/foo",
                                    "**/foo/**",
                                    "x/**/foo.py",
                                    "x/*/foo.py",
                                    "x/**",
                                    "x/**/",
                                    "*/foo",
                                    "*/*",
                                    "*/*/",
                                    "a/**/c",
                                    "foo**/bar",
                                    "fo**/bar",
                                    "x**foo.py",
                                    "**foo",
                                    "foo**",
                                    "x/**y/foo.py",
                                    "x/y**/foo.py",
                                    "x/***/foo.py",
                                    "***",
                                    "x/**\\/foo.py",
                                    "[a-c]",
                                    "[!a-c]",
                                    "[^a-c]",
                                    "[]a]",
                                    "[]-]",
                                    "[a-]",
                                    "[-a]",
                                    "[a",
                                    "[!]a]",
                                    "[\\]]",
                                    "[a\\]b]",
                                    "[[:alpha:]]",
                                    "[[:digit:]].py",
                                    "[[:upper:]].py",
                                    "[[:nope:]]",
                                    "[[:alpha]",
                                    "[[:punct:]].py",
                                    "[[:space:]]tab",
                                    "[[:blank:]]*",
                                    "[[:cntrl:]]*",
                                    "[[:xdigit:]]",
                                    "[[:alnum:]_].py",
                                    "[[:graph:]]",
                                    "[[:print:]]",
                                    "[[:lower:]-z]",
                                    "[:alpha:]",
                                    "z/[[]x[]]/a",
                                    "z/[[x]*]/a",
                                    "x[/]foo",
                                    "x[!a]foo",
                                    "z/[^a]/a",
                                    "?",
                                    "??",
                                    "q?",
                                    "q\\?",
                                    "x/?",
                                    "x/\\*",
                                    "x/a\\\\b",
                                    "\\\\",
                                    "\\a",
                                    "a\\",
                                    "\\[a\\]",
                                    "[\\[]a[\\]]",
                                    "a\\ ",
                                    "a ",
                                    "a  ",
                                    "a\\  ",
                                    " a",
                                    "#a",
                                    "\\#a",
                                    "\\!a",
                                    "!a",
                                    "foo\r",
                                    "a b",
                                    "a\\ b",
                                    "x//foo",
                                    "//foo",
                                    "foo//",
                                    "x/./foo",
                                    "./foo",
                                    "../foo",
                                    "é.py",
                                    "?.py",
                                    "??.py",
                                    "[é].py",
                                    ".py",
                                    "*.",
                                    "*.*",
                                    "*.*.*",
                                    "*a*b*",
                                    "x/*/z/**",
                                    "**/y/**/bar",
                                    "**/y/*r",
                                    "**/**/bar",
                                    "**/a/b",
                                    "a*/**/c",
                                    "*/**/*r",
                                    "[z-a]",
                                    "[a-a]",
                                    "[--a]",
                                    "[a-c-z]",
                                    "[\\a-c]",
                                    "[a-\\c]",
                                    "[/]",
                                    "x/[y]/foo.py",
                                    "[*]",
                                    "x/[*]",
                                    "^",
                                    "[\\^]",
                                    "[!^]",
                                    "-",
                                    "[--]",
                                    "[-]"};
  // Longer ones by chance, from the pieces that matter.
  const std::vector<std::string> pieces = {"a", "b",     "foo",  "x",   "y",   "z",   "/",   "/",  "*", "**",
                                           "?", "[a-z]", "[!x]", ".py", "bar", "**/", "/**", "\\", "o"};
  std::mt19937 random(7); // NOLINT(cert-msc*): the same every time, on purpose
  auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  for (int i = 0; i < 600; ++i) {
    std::string text;
    for (std::size_t lines = 1 + below(4); lines > 0; --lines) {
      text += below(4) == 0 ? "!" : "";
      for (std::size_t count = 1 + below(5); count > 0; --count) {
        text += pieces[below(pieces.size())];
      }
      text += below(5) == 0 ? "/" : "";
      text += "\n";
    }
    rules.push_back(text);
  }
  for (int i = 0; i < 100; ++i) {
    std::string text;
    for (std::size_t lines = 2 + below(5); lines > 0; --lines) {
      text += (below(2) == 0 ? "!" : "") + rules[below(150)] + "\n";
    }
    rules.push_back(text);
  }
  return rules;
}

// Every sample in a folder of its own, with its own tree of files, in one repository: one question to git for them all.
TEST(Gitignore, AgreesWithGit) {
  if (!has_git()) {
    GTEST_SKIP() << "git is not installed";
  }
  const TempTree tree;
  git(tree.root(), "init -q");
  const std::vector<std::string> rules = sample_rules();
  std::string questions;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string folder = "r" + std::to_string(i);
    tree.file(folder + "/.gitignore", rules[i] + "\n");
    for (const std::string &path : sample_paths()) {
      questions.append(folder).append("/").append(path).push_back('\0');
    }
  }
  tree.file("questions", questions);
  const std::string answer = git(tree.root(), "check-ignore --no-index -z --stdin < '" + tree.path("questions") + "'");
  std::set<std::string, std::less<>> ignored;
  for (std::size_t begin = 0; begin < answer.size();) {
    const std::size_t end = answer.find('\0', begin);
    ignored.insert(answer.substr(begin, end - begin));
    begin = end + 1;
  }
  ASSERT_GT(ignored.size(), 1000U);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    IgnoreRules compiled;
    add_rules(rules[i] + "\n", compiled);
    for (const std::string &path : sample_paths()) {
      EXPECT_EQ(ignored.contains("r" + std::to_string(i) + "/" + path), ignored_with_parents(compiled, path))
          << "rules:\n"
          << rules[i] << "\npath: " << path;
    }
  }
}

} // namespace
} // namespace deepperf::project
