#include "project/walk.h"

#include "git.h"
#include "temp_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace deepperf::project {
namespace {

using Names = std::vector<std::string>;

struct Found {
  Names files; // sorted, relative to the tree
  Names errors;
};

Found walk_paths(const TempTree &tree, const Names &paths, WalkOptions options = {}) {
  Found found;
  auto relative = [&](const std::string &path) {
    return path.starts_with(tree.root() + '/') ? path.substr(tree.root().size() + 1) : path;
  };
  walk(
      paths, options, [&](const std::string &path) { found.files.push_back(relative(path)); },
      [&](const std::string &path, const std::string &message) {
        found.errors.push_back(relative(path) + ": " + message);
      });
  std::sort(found.files.begin(), found.files.end());
  return found;
}

Found walk_all(const TempTree &tree, WalkOptions options = {}) { return walk_paths(tree, {tree.root()}, options); }

TEST(Walk, TakesPythonAndNotebooksOnly) {
  const TempTree tree;
  for (const char *name : {"a.py", "b.pyw", "c.ipynb", "d.pyi", "e.txt", "f", "sub/deep/g.py", ".hidden/h.py"}) {
    tree.file(name);
  }
  EXPECT_EQ(walk_all(tree).files, (Names{".hidden/h.py", "a.py", "b.pyw", "c.ipynb", "sub/deep/g.py"}));
}

TEST(Walk, NamedFileIsTakenWhateverItIsCalled) {
  const TempTree tree;
  tree.file(".gitignore", "*");
  tree.file("script");
  tree.file("stub.pyi");
  EXPECT_EQ(walk_paths(tree, {tree.path("script"), tree.path("stub.pyi")}).files, (Names{"script", "stub.pyi"}));
}

TEST(Walk, MissingPathIsAnError) {
  const TempTree tree;
  tree.file("a.py");
  const Found found = walk_paths(tree, {tree.path("nope"), "", tree.path("a.py")});
  EXPECT_EQ(found.files, Names{"a.py"});
  EXPECT_EQ(found.errors, (Names{"nope: No such file or directory", ": No such file or directory"}));
}

TEST(Walk, SkipsForeignFolders) {
  const TempTree tree;
  for (const char *name : {"venv/a.py",           ".venv/a.py",
                           "build/a.py",          "dist/a.py",
                           "x/node_modules/a.py", "x/__pycache__/a.py",
                           ".tox/a.py",           ".nox/a.py",
                           ".eggs/a.py",          ".mypy_cache/a.py",
                           ".pytest_cache/a.py",  ".ipynb_checkpoints/a.ipynb",
                           ".ruff_cache/a.py",    "lib/site-packages/a.py",
                           "env/pyvenv.cfg",      "env/lib/a.py",
                           ".git/hook.py",        ".hg/a.py",
                           ".svn/a.py",           "keep/a.py",
                           "builds/a.py"}) {
    tree.file(name);
  }
  EXPECT_EQ(walk_all(tree).files, (Names{"builds/a.py", "keep/a.py"}));
  const Found everything = walk_all(tree, {.respect_ignore = false});
  EXPECT_EQ(everything.files.size(), 17U);
  EXPECT_EQ(std::count_if(everything.files.begin(), everything.files.end(),
                          [](const std::string &name) {
                            return name.starts_with(".git/") || name.starts_with(".hg/") || name.starts_with(".svn/");
                          }),
            0);
}

TEST(Walk, LeavesOutWhatTheOptionsExclude) {
  const TempTree tree;
  for (const char *name : {"a.py", "b_pb2.py", "old/a.py", "sub/old/a.py", "sub/b.py", "venv/a.py"}) {
    tree.file(name);
  }
  Exclusions exclude;
  exclude.folder = tree.root();
  add_rules("/old\n*_pb2.py\n", exclude.rules);
  WalkOptions options;
  options.exclude = &exclude;
  EXPECT_EQ(walk_all(tree, options).files, (Names{"a.py", "sub/b.py", "sub/old/a.py"}));
  EXPECT_EQ(walk_paths(tree, {tree.path("old")}, options).files, Names{"old/a.py"}); // the user asks for it
  EXPECT_EQ(walk_paths(tree, {tree.path("sub/../sub/")}, options).files.size(), 2U);
  exclude.folder = tree.path("sub"); // patterns say nothing of what lies elsewhere
  EXPECT_EQ(walk_all(tree, options).files, (Names{"a.py", "b_pb2.py", "old/a.py", "sub/b.py"}));
  exclude.replace_usual = true;
  EXPECT_EQ(walk_all(tree, options).files, (Names{"a.py", "b_pb2.py", "old/a.py", "sub/b.py", "venv/a.py"}));
  options.respect_ignore = false;
  EXPECT_EQ(walk_all(tree, options).files.size(), 6U);
}

TEST(Walk, NamedFolderIsWalkedWhateverItIs) {
  const TempTree tree;
  tree.folder(".git");
  tree.file(".gitignore", "out/\n");
  for (const char *name : {"out/a.py", "out/sub/b.py", "build/c.py", "env/pyvenv.cfg", "env/d.py"}) {
    tree.file(name);
  }
  EXPECT_EQ(walk_all(tree).files, Names{});
  EXPECT_EQ(walk_paths(tree, {tree.path("out")}).files, (Names{"out/a.py", "out/sub/b.py"}));
  EXPECT_EQ(walk_paths(tree, {tree.path("out/sub/")}).files, Names{"out/sub/b.py"});
  EXPECT_EQ(walk_paths(tree, {tree.root(), tree.path("build"), tree.path("env")}).files,
            (Names{"build/c.py", "env/d.py"}));
}

TEST(Walk, IgnoreFilesNestAndDeeperOnesWin) {
  const TempTree tree;
  tree.file(".gitignore", "*.py\n!keep.py\n/sub/no/\n");
  tree.file("sub/.gitignore", "!b.py\n");
  tree.file("sub/.ignore", "c.ipynb\n");
  for (const char *name : {"a.py", "keep.py", "sub/a.py", "sub/b.py", "sub/c.ipynb", "sub/no/b.py", "c.ipynb"}) {
    tree.file(name);
  }
  EXPECT_EQ(walk_all(tree).files, (Names{"c.ipynb", "keep.py", "sub/b.py"}));
  EXPECT_EQ(walk_all(tree, {.respect_ignore = false}).files.size(), 7U);
}

TEST(Walk, FoldersAboveCountUpToTheRepository) {
  const TempTree tree;
  tree.file(".gitignore", "*.py\n"); // above the repository: says nothing about it
  tree.folder("repo/.git/info");
  tree.file("repo/.git/info/exclude", "excluded.py\n");
  tree.file("repo/.gitignore", "/sub/deep/top.py\n");
  tree.file("repo/sub/.gitignore", "middle.py\n");
  for (const char *name : {"top.py", "middle.py", "excluded.py", "own.py"}) {
    tree.file(std::string("repo/sub/deep/") + name);
  }
  EXPECT_EQ(walk_paths(tree, {tree.path("repo/sub/deep")}).files, Names{"repo/sub/deep/own.py"});
  EXPECT_EQ(walk_paths(tree, {tree.path("repo")}).files, Names{"repo/sub/deep/own.py"});
}

TEST(Walk, RepositoryInsideAnotherHasItsOwnRules) {
  const TempTree tree;
  tree.folder(".git");
  tree.file(".gitignore", "a.py\n");
  tree.folder("module/.git");
  tree.file("module/a.py");
  tree.file("a.py");
  EXPECT_EQ(walk_all(tree).files, Names{"module/a.py"});
}

TEST(Walk, LinksDoNotLoopAndFilesComeOnce) {
  const TempTree tree;
  tree.file("a.py");
  tree.file("elsewhere.txt");
  tree.folder("sub");
  tree.link("..", "sub/up");
  tree.link(".", "sub/self");
  tree.link("../a.py", "sub/same.py");
  tree.link("../elsewhere.txt", "sub/one.py");
  tree.link("../elsewhere.txt", "sub/two.py");
  tree.link("nowhere", "sub/dangling.py");
  tree.link("loop.py", "loop.py");
  const Found found = walk_all(tree);
  ASSERT_EQ(found.files.size(), 2U);
  EXPECT_EQ(found.files[0], "a.py");
  EXPECT_TRUE(found.files[1] == "sub/one.py" || found.files[1] == "sub/two.py");
  EXPECT_TRUE(found.errors.empty());
}

TEST(Walk, NamedLinkToFolderIsFollowed) {
  const TempTree tree;
  tree.file("real/a.py");
  tree.link("real", "link");
  EXPECT_EQ(walk_paths(tree, {tree.path("link")}).files, Names{"link/a.py"});
}

TEST(Walk, OverlappingPathsGiveEachFileOnce) {
  const TempTree tree;
  tree.file("sub/a.py");
  tree.file("b.py");
  const Names paths = {tree.path("sub/a.py"), tree.root(), tree.path("sub"), tree.root() + "/", tree.path("b.py")};
  EXPECT_EQ(walk_paths(tree, paths).files, (Names{"b.py", "sub/a.py"}));
}

TEST(Walk, NamesThatAreNotUtf8) {
  const TempTree tree;
  tree.file("\xff\xfe.py");
  tree.file("d\x80/x y\n.py");
  EXPECT_EQ(walk_all(tree).files, (Names{"d\x80/x y\n.py", "\xff\xfe.py"}));
}

TEST(Walk, UnreadableFolderIsReportedAndTheRestGoesOn) {
  const TempTree tree;
  tree.file("a.py");
  tree.file("closed/b.py");
  ASSERT_EQ(::chmod(tree.root().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(tree.path("closed").c_str(), 0), 0);
  const bool was_root = ::geteuid() == 0; // whom nothing is closed to
  ASSERT_TRUE(!was_root || ::seteuid(65534) == 0);
  const Found found = walk_all(tree);
  ASSERT_TRUE(!was_root || ::seteuid(0) == 0);
  ASSERT_EQ(::chmod(tree.path("closed").c_str(), 0755), 0);
  EXPECT_EQ(found.files, Names{"a.py"});
  EXPECT_EQ(found.errors, Names{"closed: Permission denied"});
}

TEST(Walk, IgnoreFileThatIsAFifoDoesNotHang) {
  const TempTree tree;
  tree.file("a.py");
  ASSERT_EQ(::mkfifo(tree.path(".gitignore").c_str(), 0600), 0);
  EXPECT_EQ(walk_all(tree).files, Names{"a.py"});
}

// Deeper than a path may be long and than files may be open.
TEST(Walk, DeepFolders) {
  constexpr int kDepth = 4000;
  const TempTree tree;
  int folder = ::open(tree.root().c_str(), O_RDONLY | O_DIRECTORY);
  auto move_to = [&](const char *name) {
    const int next = ::openat(folder, name, O_RDONLY | O_DIRECTORY);
    ::close(folder);
    folder = next;
  };
  for (int i = 0; i < kDepth; ++i) {
    ASSERT_EQ(::mkdirat(folder, "dir", 0755), 0);
    move_to("dir");
  }
  ::close(::openat(folder, "a.py", O_CREAT | O_WRONLY, 0644));
  const Found found = walk_all(tree);
  EXPECT_TRUE(found.errors.empty());
  ASSERT_EQ(found.files.size(), 1U);
  EXPECT_EQ(found.files[0].size(), kDepth * 4U + 4U);
  ::unlinkat(folder, "a.py", 0);
  for (int i = 0; i < kDepth; ++i) {
    move_to("..");
    ::unlinkat(folder, "dir", AT_REMOVEDIR);
  }
  ::close(folder);
}

// Whole walks over random trees with random ignore files at every level, against what git lists.
TEST(Walk, AgreesWithGit) {
  if (!has_git()) {
    GTEST_SKIP() << "git is not installed";
  }
  const Names parts = {"a", "b", "foo", "x", "data set"};
  const Names rules = {"a/",      "/a",    "*.py",    "!b.py", "foo/*", "!foo/a.py", "**/x/b.py", "x/**", "a*/", "!a/",
                       "[ab].py", "!*.py", "/*/b.py", "data*", "b",     "*/foo.py",  "!/x/",      "?.py", "# c", ""};
  std::mt19937 random(11); // NOLINT(cert-msc*): the same every time, on purpose
  auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  for (int round = 0; round < 40; ++round) {
    const TempTree tree;
    git(tree.root(), "init -q");
    auto random_rules = [&]() {
      std::string text;
      for (std::size_t count = 1 + below(4); count > 0; --count) {
        text += rules[below(rules.size())] + "\n";
      }
      return text;
    };
    for (int i = 0; i < 60; ++i) {
      std::string name;
      for (std::size_t depth = below(4); depth > 0; --depth) {
        name += parts[below(parts.size())] + '/';
      }
      if (below(8) == 0) {
        tree.file(name + ".gitignore", random_rules());
      }
      tree.file(name + parts[below(parts.size())] + ".py");
    }
    tree.file(".git/info/exclude", random_rules());
    Names expected;
    std::istringstream listing(git(tree.root(), "ls-files -z --others --exclude-standard -- '*.py'"));
    for (std::string name; std::getline(listing, name, '\0');) {
      expected.push_back(name);
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(walk_all(tree).files, expected) << "round " << round;
  }
}

} // namespace
} // namespace deepperf::project
