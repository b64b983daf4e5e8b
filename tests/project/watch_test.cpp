#include "project/watch.h"

#include "project/temp_tree.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace deepperf::project {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{60'000}; // a change is seen long before
constexpr milliseconds kNothing{700};     // so long must nothing be reported that is no change

class WatchTest : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    tree.folder(".git"); // what is above is of no interest
    tree.file("a.py", "x = 1\n");
    tree.file("package/b.py", "x = 1\n");
    tree.file(".gitignore", "ignored.py\nout/\n");
    tree.folder("out");
  }
  TempTree tree;
};

TEST_P(WatchTest, SeesWhatACheckWouldSee) {
  Watcher watcher({tree.root()}, {.use_inotify = GetParam()});
  EXPECT_EQ(watcher.uses_inotify(), GetParam());
  tree.file("a.py", "x = 22\n");
  EXPECT_TRUE(watcher.wait(kPatience)) << "a file";
  tree.file("package/deep/er/c.py", "x = 1\n");
  EXPECT_TRUE(watcher.wait(kPatience)) << "a file in new folders";
  tree.file("package/deep/er/c.py", "x = 22\n");
  EXPECT_TRUE(watcher.wait(kPatience)) << "the new folder is watched as well";
  std::filesystem::rename(tree.path("package/deep"), tree.path("shallow"));
  EXPECT_TRUE(watcher.wait(kPatience)) << "a folder has another name";
  tree.file("shallow/er/c.py", "x = 333\n");
  EXPECT_TRUE(watcher.wait(kPatience)) << "and is still watched";
  tree.file("requirements.txt", "torch\n");
  EXPECT_TRUE(watcher.wait(kPatience)) << "requirements";
  tree.file(".gitignore", "ignored.py\nout/\npackage/\n");
  EXPECT_TRUE(watcher.wait(kPatience)) << "what is ignored";
  std::filesystem::remove_all(tree.path("shallow"));
  EXPECT_TRUE(watcher.wait(kPatience)) << "a folder is gone";
  EXPECT_FALSE(watcher.wait(kNothing));
}

TEST_P(WatchTest, IgnoresWhatTheWalkIgnores) {
  Watcher watcher({tree.root()}, {.use_inotify = GetParam()});
  tree.file("ignored.py", "x = 1\n");
  tree.file("out/c.py", "x = 1\n");
  tree.file("venv/c.py", "x = 1\n");
  tree.file("notes.txt", "x");
  EXPECT_FALSE(watcher.wait(kNothing));
}

TEST_P(WatchTest, OneFileThatIsReplaced) {
  Watcher watcher({tree.path("a.py")}, {.use_inotify = GetParam()});
  tree.file("package/b.py", "x = 22\n");
  EXPECT_FALSE(watcher.wait(kNothing));
  tree.file("a.py.new", "x = 22\n");
  std::filesystem::rename(tree.path("a.py.new"), tree.path("a.py"));
  EXPECT_TRUE(watcher.wait(kPatience));
  std::filesystem::remove(tree.path("a.py"));
  EXPECT_TRUE(watcher.wait(kPatience));
  tree.file("a.py", "x = 1\n");
  EXPECT_TRUE(watcher.wait(kPatience));
}

TEST_P(WatchTest, RequirementsAboveCountToo) {
  Watcher watcher({tree.path("package")}, {.use_inotify = GetParam()});
  tree.file("requirements.txt", "torch\n");
  EXPECT_TRUE(watcher.wait(kPatience));
  tree.file("a.py", "x = 22\n");
  EXPECT_FALSE(watcher.wait(kNothing));
}

INSTANTIATE_TEST_SUITE_P(Ways, WatchTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool> &way) { return way.param ? "Inotify" : "Polling"; });

} // namespace

} // namespace deepperf::project
