#include "model/imports.h"

#include "base/arena.h"
#include "python/parser.h"

#include <deque>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace deepperf::model {
namespace {

class Grouped {
public:
  explicit Grouped(const std::vector<std::pair<std::string, std::string>> &texts, bool with_tests = true) {
    for (const auto &[path, text] : texts) {
      ParsedFile &file = files_.emplace_back();
      file.path = path;
      file.source = python::load_bytes(path, text).source;
      file.size = text.size();
      file.tree = python::parse(file.source, arena_, symbols_);
      file.is_test = is_test_path(path);
      find_imports(file);
      all_.push_back(&file);
    }
    groups_ = group_files(all_, with_tests);
  }

  // The paths in a group, in the order of the files.
  [[nodiscard]] std::vector<std::string> group(std::size_t index) const {
    std::vector<std::string> paths;
    for (const ParsedFile *file : groups_.at(index)) {
      paths.push_back(file->path);
    }
    return paths;
  }
  [[nodiscard]] std::size_t count() const { return groups_.size(); }
  [[nodiscard]] Module module(std::size_t file) const { return make_module(files_.at(file)); }

private:
  Arena arena_;
  LocalSymbols symbols_;
  std::deque<ParsedFile> files_;
  std::vector<ParsedFile *> all_;
  std::vector<Group> groups_;
};

using Paths = std::vector<std::string>;

TEST(Groups, FilesThatNoFrameworkReachesAreInNone) {
  const Grouped files({{"a.py", "import torch"}, {"b.py", "import os"}, {"c.py", "import b"}});
  EXPECT_EQ(files.count(), 1U);
  EXPECT_EQ(files.group(0), Paths({"a.py"}));
}

TEST(Groups, AFileThatReachesAFrameworkThroughOthersIsLookedAt) {
  for (const char *framework : {"torch", "tensorflow", "jax"}) {
    const Grouped files({{"far.py", "from launch import main"},
                         {"launch.py", "from net import Net"},
                         {"net.py", std::string("import ") + framework},
                         {"other.py", "import os"}});
    ASSERT_EQ(files.count(), 1U) << framework;
    EXPECT_EQ(files.group(0), Paths({"far.py", "launch.py", "net.py"})) << framework;
    EXPECT_TRUE(files.module(0).is_linted);
    EXPECT_TRUE(files.module(1).is_linted);
    EXPECT_EQ(files.module(1).torch, std::string_view(framework) == "torch"); // its backward() is PyTorch's
    EXPECT_FALSE(files.module(0).torch);
  }
}

TEST(Groups, APackageHandsOnWhatItImports) {
  const Grouped files({{"models/__init__.py", "from .net import Net"},
                       {"models/net.py", "import torch"},
                       {"train.py", "from models import Net"}});
  EXPECT_EQ(files.count(), 1U);
  EXPECT_TRUE(files.module(2).torch);
}

TEST(Groups, AFrameworkUnderTheNameOfAnotherModule) {
  const Grouped files({{"compat.py", "from torch import *"},
                       {"common.py", "import torch\nimport os"},
                       {"a.py", "import compat as torch"},
                       {"b.py", "from common import torch"},
                       {"c.py", "from common import *"}});
  for (const std::size_t file : {2U, 3U, 4U}) {
    EXPECT_TRUE(files.module(file).torch) << file;
  }
}

TEST(Groups, WhatAFileImportsIsThereButNotLinted) {
  const Grouped files({{"net.py", "import torch\nimport numbers_of_mine"}, {"numbers_of_mine.py", "import os"}});
  EXPECT_EQ(files.group(0), Paths({"net.py", "numbers_of_mine.py"}));
  EXPECT_FALSE(files.module(1).is_linted);
}

TEST(Groups, TestsOfAProjectAreNotLookedAtUnlessWanted) {
  const std::vector<std::pair<std::string, std::string>> texts = {{"net.py", "import torch"},
                                                                  {"tests/net_test.py", "from net import Net"}};
  EXPECT_EQ(Grouped(texts, false).group(0), Paths({"net.py"}));
  EXPECT_EQ(Grouped(texts, true).group(0), Paths({"net.py", "tests/net_test.py"}));
}

} // namespace
} // namespace deepperf::model
