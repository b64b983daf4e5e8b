#include "check/cache.h"

#include "check/cache_folder.h"
#include "check/described.h"
#include "check/filter.h"
#include "check/helpers.h"
#include "project/temp_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace deepperf::check {

namespace {

constexpr std::string_view kCommented = R"(import tensorflow as tf
from helper import decode


ds = tf.data.Dataset.list_files("*.jpg").map(decode)  # a comment
)";

class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    tree.file("app/main.py", kCommented);
    tree.file("app/helper.py", kHelper);
    tree.file("other/silent.py", "# deepperf: ignore-file\n" + std::string(kCommented));
    tree.file("other/helper.py", kHelper);
    tree.file("broken.py", "x = = 1\n");
    tree.file("old.py", "print 'hello'\n");
    tree.file("encoding.py", "# coding: no-such-thing\n");
    tree.file("notebook.ipynb",
              R"({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code",
                  "metadata": {}, "outputs": [], "source": ["import torch\n", "x = = 1"]}]})");
  }

  // With a cache of these bytes, unless that is null; they become what the check has left behind.
  std::string check(std::string *bytes, const FilterOptions &filtered = {.all = true}, std::string folder = "") {
    Options options;
    options.paths = {tree.root()};
    options.cache.folder = bytes != nullptr ? home.path("cache") : std::move(folder);
    options.filter = &filtered;
    const std::string name = bytes != nullptr ? open_cache(options)->name : "";
    if (bytes != nullptr) {
      write_cache_file(options.cache.folder, name, *bytes);
    }
    Progress progress;
    Result result = run(options, progress);
    if (bytes != nullptr) {
      *bytes = read_cache_file(options.cache.folder, name).value_or("");
    }
    filter(result, filtered);
    return described(result);
  }
  std::string key() {
    Options options;
    options.paths = {tree.root()};
    options.cache.folder = home.path("cache");
    return open_cache(options)->key;
  }
  std::string check_without() { return check(nullptr); }

  project::TempTree tree;
  project::TempTree home;
};

TEST_F(CacheTest, FindsTheSame) {
  const std::string expected = check_without();
  EXPECT_NE(expected.find("DP101"), std::string::npos);
  EXPECT_NE(expected.find("Python 2"), std::string::npos);
  EXPECT_NE(expected.find("no-such-thing"), std::string::npos);
  std::string memory;
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(check(&memory), expected);
    EXPECT_FALSE(memory.empty());
  }
}

// Of the groups of files, only those with a changed member are analysed again. Others have what the cache says of them,
// also if that is a lie.
TEST_F(CacheTest, IsUsedForAllThatHasNotChanged) {
  tree.file("other/silent.py", kCommented);
  std::string memory;
  const std::string truth = check(&memory);
  constexpr std::string_view kTrue = "num_parallel_calls";
  constexpr std::string_view kLie = "NUM_PARALLEL_CALLS";
  const auto count = [](const std::string &text, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
      ++found;
    }
    return found;
  };
  const std::size_t all = count(truth, kTrue);
  ASSERT_GE(all, 2U);
  std::string body = memory.substr(kHeadSize);
  for (std::size_t at = body.find(kTrue); at != std::string::npos; at = body.find(kTrue)) {
    body.replace(at, kLie.size(), kLie);
  }
  memory = seal_cache(body);
  EXPECT_EQ(count(check(&memory), kLie), all);
  tree.file("app/helper.py", std::string(kHelper) + "# more\n");
  const std::string half = check(&memory);
  EXPECT_EQ(count(half, kLie), all / 2);
  EXPECT_EQ(count(half, kTrue), all / 2);
  tree.file("unrelated.py", "import torch\n");
  EXPECT_EQ(check(&memory).substr(half.find('\n'), 100), half.substr(half.find('\n'), 100));
  EXPECT_EQ(count(check(&memory), kLie), all / 2);
}

TEST_F(CacheTest, HoldsAllThatFiltersMayAskFor) {
  std::string memory;
  const FilterOptions usual;
  const std::string before = check(&memory, usual);
  const FilterOptions hints{.all = true};
  EXPECT_EQ(check(&memory, hints), check(nullptr, hints));
  EXPECT_EQ(check(&memory, usual), before);
}

TEST_F(CacheTest, SeesChanges) {
  std::string memory;
  check(&memory);
  const auto same_as_without = [&](std::string_view what) { EXPECT_EQ(check(&memory), check_without()) << what; };
  tree.file("app/helper.py", kCheapHelper);
  same_as_without("a member of a group");
  tree.file("app/helper.py", kHelper);
  same_as_without("and back");
  std::filesystem::remove(tree.path("app/helper.py"));
  same_as_without("the target of an import is gone");
  tree.file("helper/__init__.py", kHelper);
  same_as_without("an import finds another target");
  tree.file("requirements.txt", "torch==1.7\ntensorflow==2.1\n");
  same_as_without("requirements");
  std::filesystem::rename(tree.path("broken.py"), tree.path("app/broken.py"));
  same_as_without("a file has moved");
  tree.file("app/main.py", std::string(kCommented) + "x = (\n");
  same_as_without("a syntax error in a group");
}

TEST_F(CacheTest, SeesAnEditWithinOneTick) {
  std::string memory;
  check(&memory);
  const std::string path = tree.path("app/main.py");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  std::string text(kCommented);
  text.replace(text.find("decode)"), 6, "encode");
  tree.file("app/main.py", text); // as long as it was
  const timespec times[2] = {status.st_atim, status.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  EXPECT_EQ(check(&memory), check_without());
}

TEST_F(CacheTest, DependsOnRequirementsThatRulesAskFor) {
  tree.file("app/main.py", "import numpy as np\nimport tensorflow as tf\n\nx = np.float(1)\ny = tf.to_float(x)\n");
  std::string memory;
  std::set<std::string> different;
  for (const char *requirements : {"numpy==1.19\n", "numpy>=1.24\n", "tensorflow==1.15\n", "tensorflow>=2.4\n", ""}) {
    tree.file("app/requirements.txt", requirements);
    const std::string expected = check_without();
    EXPECT_EQ(check(&memory), expected) << requirements;
    EXPECT_EQ(check(&memory), expected) << requirements;
    different.insert(expected);
  }
  EXPECT_GT(different.size(), 1U);
}

TEST_F(CacheTest, DependsOnWhatTheProjectBringsAndPackages) {
  tree.file("app/thing/__init__.py", "");
  tree.file("app/thing/train.py", R"(import numpy as np
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, data, workers=0):
        self.data = data
        self.workers = workers

    def train(self, model):
        for x, y in DataLoader(self.data, batch_size=32, num_workers=self.workers):
            model(x.cuda()).mean().backward()
        return np.float(1)
)");
  std::string memory;
  std::set<std::string> different{check(&memory)};
  for (const char *path : {"app/setup.py", "app/numpy.py"}) {
    tree.file(path, "from setuptools import setup\nsetup(name='thing')\n");
    const std::string expected = check_without();
    EXPECT_EQ(check(&memory), expected) << path;
    EXPECT_EQ(check(&memory), expected) << path;
    different.insert(expected);
    std::filesystem::remove(tree.path(path));
    EXPECT_EQ(check(&memory), check_without()) << "no " << path;
  }
  EXPECT_EQ(different.size(), 3U);
}

// ---- Damage ---------------------------------------------------------------------------------------------------------

TEST_F(CacheTest, IgnoresDamage) {
  std::string memory;
  const std::string expected = check(&memory);
  const std::string key = this->key();
  CacheContents contents;
  ASSERT_TRUE(decode_cache(memory, key, contents));
  EXPECT_FALSE(decode_cache(memory, key + "x", contents));
  EXPECT_FALSE(decode_cache(memory + "x", key, contents));
  for (std::size_t i = 0; i < memory.size(); ++i) {
    EXPECT_FALSE(decode_cache(std::string_view(memory).substr(0, i), key, contents)) << i;
    std::string damaged = memory;
    for (const int flipped : {1, 0x80, 0xFF}) {
      damaged[i] = static_cast<char>(memory[i] ^ flipped);
      EXPECT_FALSE(decode_cache(damaged, key, contents)) << i;
    }
    if (i % 97 == 0) {
      EXPECT_EQ(check(&damaged), expected) << i;
      std::string cut = memory.substr(0, i);
      EXPECT_EQ(check(&cut), expected) << i;
    }
  }
}

// Whoever can write a checksum can make us print anything, but not crash.
TEST_F(CacheTest, SurvivesLies) {
  std::string memory;
  check(&memory);
  const std::string key = this->key();
  const std::string body = memory.substr(kHeadSize);
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    for (const int written : {0, 1, 0x7F, 0x80, 0xFF}) {
      std::string lie = body;
      lie[i] = static_cast<char>(written);
      std::string sealed = seal_cache(lie);
      CacheContents contents;
      if (!decode_cache(sealed, key, contents)) {
        continue;
      }
      ++accepted;
      std::vector<model::ParsedFile> files(contents.files.size());
      std::vector<model::ParsedFile *> pointers;
      pointers.reserve(files.size());
      for (model::ParsedFile &file : files) {
        pointers.push_back(&file);
      }
      decode_imports(contents.imports, pointers);
      if (accepted % 23 == 0) {
        check(&sealed);
      }
    }
    CacheContents contents;
    EXPECT_FALSE(decode_cache(seal_cache(std::string_view(body).substr(0, i)), key, contents)) << i;
  }
  EXPECT_GT(accepted, 100U);
}

// ---- The folder -----------------------------------------------------------------------------------------------------

TEST_F(CacheTest, LivesInAFolderOfItsOwn) {
  const std::string folder = home.path("a/deepperf");
  const std::string expected = check(nullptr);
  EXPECT_EQ(check(nullptr, {.all = true}, folder), expected);
  struct stat status {};
  ASSERT_EQ(::stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  std::size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    ++files;
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
  }
  EXPECT_EQ(files, 1U);
  EXPECT_EQ(check(nullptr, {.all = true}, folder), expected);
}

TEST(CacheFolder, ReadsWhatItWrote) {
  const project::TempTree home;
  const std::string folder = home.path("cache");
  EXPECT_FALSE(read_cache_file(folder, "x").has_value());
  write_cache_file(folder, "x", "one");
  write_cache_file(folder, "x", "two");
  EXPECT_EQ(read_cache_file(folder, "x"), "two");
  EXPECT_FALSE(read_cache_file(folder, "y").has_value());
}

TEST(CacheFolder, TrustsNobody) {
  const project::TempTree home;
  const std::string folder = home.path("cache");
  write_cache_file(folder, "x", "good");
  const std::string file = folder + "/x.cache";
  ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
  EXPECT_FALSE(read_cache_file(folder, "x").has_value()) << "a file that others can write to";
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  EXPECT_FALSE(read_cache_file(folder, "x").has_value()) << "a folder that others can write to";
  ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
  EXPECT_TRUE(read_cache_file(folder, "x").has_value());
  home.link(folder, "link");
  EXPECT_FALSE(read_cache_file(home.path("link"), "x").has_value()) << "a link to a folder";
  std::filesystem::rename(file, home.path("elsewhere"));
  std::filesystem::create_symlink(home.path("elsewhere"), file);
  EXPECT_FALSE(read_cache_file(folder, "x").has_value()) << "a link to a file";
  if (::geteuid() == 0) {
    std::filesystem::remove(file);
    write_cache_file(folder, "x", "good");
    ASSERT_EQ(::chown(folder.c_str(), 12345, 12345), 0);
    EXPECT_FALSE(read_cache_file(folder, "x").has_value()) << "somebody else's folder";
    ASSERT_EQ(::chown(folder.c_str(), 0, 0), 0);
    ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
    EXPECT_FALSE(read_cache_file(folder, "x").has_value()) << "somebody else's file";
  }
}

TEST(CacheFolder, RemovesWhatIsOldOrTooMuch) {
  const project::TempTree home;
  const std::string folder = home.path("cache");
  write_cache_file(folder, "old", "x");
  home.file("cache/.new-1-0-1", "left behind");
  home.file("cache/precious.txt", "not ours");
  const auto age = [&](const std::string &name, int days) {
    std::filesystem::last_write_time(folder + "/" + name,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * days));
  };
  age("old.cache", 31);
  age(".new-1-0-1", 1);
  age("precious.txt", 1000);
  write_cache_file(folder, "young", "x");
  age("young.cache", 29);
  write_cache_file(folder, "x", "x");
  EXPECT_FALSE(std::filesystem::exists(folder + "/old.cache"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/.new-1-0-1"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/precious.txt"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/young.cache"));
  // Sparse files: large, but they take no room.
  for (const char *name : {"a.cache", "b.cache", "c.cache"}) {
    home.file(std::string("cache/") + name, "");
    std::filesystem::resize_file(folder + "/" + name, std::uintmax_t{100} << 20);
  }
  age("a.cache", 3);
  age("b.cache", 2);
  age("c.cache", 1);
  write_cache_file(folder, "y", "y");
  EXPECT_FALSE(std::filesystem::exists(folder + "/young.cache")); // the oldest goes first
  EXPECT_FALSE(std::filesystem::exists(folder + "/a.cache"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/b.cache"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/c.cache"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/y.cache"));
}

TEST(CacheFolder, IsNoProblemIfItCannotBe) {
  const project::TempTree home;
  home.file("file", "x");
  write_cache_file(home.path("file/cache"), "x", "x");
  EXPECT_FALSE(read_cache_file(home.path("file/cache"), "x").has_value());
  write_cache_file("/proc/deepperf", "x", "x");
  EXPECT_FALSE(read_cache_file("/proc/deepperf", "x").has_value());
}

} // namespace

} // namespace deepperf::check
