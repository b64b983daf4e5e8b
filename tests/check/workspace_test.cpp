#include "check/workspace.h"

#include "check/described.h"
#include "check/helpers.h"
#include "model/forget_facts.h"
#include "model/imports.h"
#include "project/temp_tree.h"
#include "rules/linting.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace deepperf::check {

namespace {

constexpr std::string_view kSlow = R"(import tensorflow as tf
from helper import decode


ds = tf.data.Dataset.list_files("*.jpg").map(decode)
)";

std::string notebook(std::string_view line) {
  return fmt::format(R"({{"nbformat": 4, "nbformat_minor": 5, "metadata": {{}}, "cells": [{{"cell_type": "code",
                         "metadata": {{}}, "outputs": [], "source": ["import tensorflow as tf\n", "{}"]}}]}})",
                     line);
}

// A Workspace over a folder, and next to it the same folder with the texts that the Workspace should see.
class WorkspaceTest : public testing::Test {
protected:
  void SetUp() override {
    for (const project::TempTree *tree : {&disk, &truth}) {
      tree->folder(".git");
      tree->file(".gitignore", "ignored/\n");
      tree->file("app/main.py", kSlow);
      tree->file("app/helper.py", kHelper);
      tree->file("other/main.py", kSlow);
      tree->file("other/helper.py", kHelper);
      tree->file("plain.py", "x = 1\n");
      tree->file("broken.py", "x = = 1\n");
      tree->file("old.py", "print 'hello'\n");
      tree->file("encoding.py", "# coding: no-such-thing\n");
      tree->file("notebook.ipynb", notebook("x = = 1"));
    }
    start = std::filesystem::current_path();
  }
  void TearDown() override { std::filesystem::current_path(start); }

  static Options options() {
    Options result;
    result.paths = {"."};
    result.jobs = 2;
    return result;
  }

  // The Workspace is made anew.
  void begin(const WorkspaceOptions &more = {}) {
    workspace = std::make_unique<Workspace>(options(), more);
    expect_same("at first");
  }

  std::string expect_same(std::string_view what) {
    Progress progress;
    std::filesystem::current_path(truth.root());
    const std::string expected = described(run(options(), progress));
    std::filesystem::current_path(disk.root());
    std::string got = described(workspace->check(progress));
    EXPECT_EQ(got, expected) << what;
    return got;
  }

  void open(const std::string &path, std::string_view text) {
    truth.file(path, text);
    workspace->open(path, std::string(text));
  }
  void change(const std::string &path, std::string_view text) {
    truth.file(path, text);
    workspace->change(path, std::string(text));
  }
  void write(const std::string &path, std::string_view text) {
    truth.file(path, text);
    disk.file(path, text);
    touch(path);
  }
  // Before there is a Workspace.
  void write_both(const std::string &path, std::string_view text) const {
    truth.file(path, text);
    disk.file(path, text);
  }
  void touch(const std::string &path) { workspace->touched({&path, 1}); }
  void remove(const std::string &path) const {
    std::filesystem::remove_all(truth.path(path));
    std::filesystem::remove_all(disk.path(path));
  }

  const WorkspaceWork &work() { return workspace->work(); }

  project::TempTree disk;
  project::TempTree truth;
  std::filesystem::path start;
  std::unique_ptr<Workspace> workspace;
};

TEST_F(WorkspaceTest, DoesNothingIfNothingHasChanged) {
  begin();
  const std::string first = expect_same("nothing has changed");
  EXPECT_NE(first.find("DP101"), std::string::npos);
  EXPECT_EQ(work().files_read, 0U);
  EXPECT_EQ(work().groups_linted, 0U);
  EXPECT_FALSE(work().walked);
  EXPECT_FALSE(work().grouped);
  workspace->refresh();
  expect_same("and after a look");
  EXPECT_TRUE(work().walked);
  EXPECT_EQ(work().groups_linted, 0U);
}

TEST_F(WorkspaceTest, LintsAgainWhatBelongsToAChangedFile) {
  begin();
  expect_same("nothing");
  const u64 trees = work().tree_bytes;
  EXPECT_GT(trees, 0U);
  open("app/helper.py", kHelper);
  expect_same("opened");
  EXPECT_EQ(work().files_read, 1U);
  EXPECT_EQ(work().groups_linted, 0U);
  change("app/helper.py", kCheapHelper);
  const std::string cheap = expect_same("changed");
  EXPECT_EQ(work().files_read, 1U);
  EXPECT_EQ(work().groups_linted, 1U);
  EXPECT_EQ(work().files_linted, 2U);
  EXPECT_EQ(work().files_parsed, 1U);
  EXPECT_FALSE(work().grouped);
  workspace->close("app/helper.py");
  truth.file("app/helper.py", kHelper);
  EXPECT_NE(expect_same("closed"), cheap);
  EXPECT_EQ(work().groups_linted, 0U); // it was like that before
  EXPECT_EQ(work().groups_recalled, 1U);
  write("app/helper.py", std::string(kCheapHelper) + "\n");
  expect_same("written");
  EXPECT_FALSE(work().walked);
  EXPECT_EQ(work().files_linted, 2U);
  EXPECT_EQ(work().files_parsed, 1U);
}

TEST_F(WorkspaceTest, LooksAtTheDiskOnlyIfItIsReported) {
  begin();
  disk.file("app/helper.py", kCheapHelper);
  expect_same("not told");
  workspace->refresh();
  truth.file("app/helper.py", kCheapHelper);
  expect_same("told");
  EXPECT_EQ(work().files_parsed, 1U);
}

TEST_F(WorkspaceTest, KnowsFilesThatAreOnlyTexts) {
  begin();
  const std::string before = expect_same("before");
  open("app/new.py", kSlow);
  EXPECT_NE(expect_same("new"), before);
  EXPECT_TRUE(work().grouped);
  change("app/new.py", "");
  expect_same("empty");
  workspace->close("app/new.py");
  std::filesystem::remove(truth.path("app/new.py"));
  EXPECT_EQ(expect_same("gone"), before);
  // Below an ignored folder it is only there while it is open.
  disk.file("ignored/main.py", kSlow);
  workspace->refresh();
  EXPECT_EQ(expect_same("ignored"), before);
  truth.file(".gitignore", "");
  open("ignored/main.py", kSlow);
  EXPECT_NE(expect_same("open"), before);
  workspace->close("ignored/main.py");
  std::filesystem::remove_all(truth.path("ignored"));
  EXPECT_EQ(expect_same("closed"), before);
}

TEST_F(WorkspaceTest, KnowsOpenTextsBeforeTheFirstCheck) {
  workspace = std::make_unique<Workspace>(options());
  open("app/helper.py", kCheapHelper);
  open("fresh/main.py", kSlow);
  open("notebook.ipynb", notebook("ds = tf.data.Dataset.range(3)"));
  expect_same("first");
  workspace->close("app/helper.py");
  truth.file("app/helper.py", kHelper);
  expect_same("closed");
}

TEST_F(WorkspaceTest, FollowsFilesThatComeAndGo) {
  begin();
  write("app/more.py", kSlow);
  expect_same("new");
  EXPECT_TRUE(work().walked);
  write("third/main.py", kSlow);
  write("third/helper.py", kHelper);
  expect_same("a folder");
  remove("app/helper.py");
  touch("app/helper.py");
  expect_same("removed");
  remove("third");
  touch("third");
  expect_same("a folder removed");
  std::filesystem::rename(disk.path("other/helper.py"), disk.path("other/decoder.py"));
  std::filesystem::rename(truth.path("other/helper.py"), truth.path("other/decoder.py"));
  touch("other/helper.py");
  touch("other/decoder.py");
  expect_same("renamed");
  for (const project::TempTree *tree : {&disk, &truth}) {
    tree->file(".gitignore", "other\n");
  }
  touch(".gitignore");
  expect_same("ignored");
}

TEST_F(WorkspaceTest, RegroupsWhenImportsChange) {
  begin();
  change("plain.py", "from app.main import ds\n");
  expect_same("joins");
  EXPECT_EQ(work().files_linted, 3U);
  change("plain.py", "from app.main import ds\nfrom other.main import ds as more\n");
  expect_same("joins two");
  EXPECT_EQ(work().files_linted, 5U);
  EXPECT_EQ(work().files_parsed, 1U); // the other group's trees are still there
  change("plain.py", "from other.main import ds as more\n");
  expect_same("leaves");
  change("plain.py", "x = 2\n");
  expect_same("belongs to none");
}

TEST_F(WorkspaceTest, TakesEditsOfSeveralFilesOfAGroupAtOnce) {
  begin();
  for (int i = 0; i < 4; ++i) { // the second one meets a project that stays
    open("app/main.py", fmt::format("{}print(name{})\n", kSlow, i));
    open("app/helper.py", fmt::format("{}print(other{})\n", kHelper, i));
    expect_same("both have changed");
  }
}

// Their texts, by which files are put together at first, may tell of imports that are none.
// Rules run again only where they read something that is different.
TEST_F(WorkspaceTest, ReportsWhatFollowsFromAnEditInOtherFiles) {
  const std::string helper = "import torch\n\n\ndef run(model, x):\n    {}\n        return model(x)\n";
  const std::string quiet = fmt::format(fmt::runtime(helper), "with torch.no_grad():");
  const std::string loud = fmt::format(fmt::runtime(helper), "if x is not None:");
  write_both("pair/helper.py", quiet);
  write_both("pair/main.py", "import torch\nfrom torch import nn\nfrom helper import run\n\n\n"
                             "def evaluate(model: nn.Module, loader):\n    model.eval()\n    total = 0\n"
                             "    for x, y in loader:\n        out = run(model, x)\n"
                             "        total += (out.argmax(1) == y).sum()\n    return total\n");
  begin();
  const auto is_reported = [](const std::string &text) { return text.find("pair/main.py:0:") != std::string::npos; };
  for (int round = 0; round < 3; ++round) {
    change("pair/helper.py", fmt::format("{}# {}\n", quiet, round));
    EXPECT_FALSE(is_reported(expect_same("no gradient"))) << round;
    change("pair/helper.py", fmt::format("# {}\n{}", round, loud));
    EXPECT_TRUE(is_reported(expect_same("a gradient"))) << round;
    change("pair/helper.py", fmt::format("def other(): pass\n# {}\n{}", round, loud)); // one more function
    EXPECT_TRUE(is_reported(expect_same("a gradient, and a function"))) << round;
  }
}

// What a rule gathers from all files is asked again; who depends on the answer is judged again if it is another one.
TEST_F(WorkspaceTest, AsksAgainWhatRulesGatherFromAllFiles) {
  const std::string main = "import torch\nimport torch.nn.functional as F\nfrom torchvision import models\n\n\n"
                           "class Distill:\n    def __init__(self):\n        self.student = models.resnet18()\n"
                           "        self.teacher = models.resnet50(weights='DEFAULT').to('cuda').eval()\n"
                           "        self.optimizer = torch.optim.SGD(self.student.parameters(), lr=0.1)\n\n"
                           "    def step(self, x):\n        loss = F.mse_loss(self.student(x), self.teacher(x))\n"
                           "        self.optimizer.zero_grad()\n        loss.backward()\n"
                           "        self.optimizer.step()\n\n\ndef main(loader):\n    distill = Distill()\n"
                           "    for x, y in loader:\n        distill.step(x)\n";
  const std::string imports = "import torch\nfrom main import Distill\n\n\n";
  const std::string quiet = imports + "def tune(owner: Distill):\n    print(owner)\n";
  const std::string one =
      imports + "def tune(owner: Distill):\n    torch.optim.SGD(owner.teacher.parameters(), lr=0.1)\n";
  const std::string unknown = imports + "def tune(owner: Distill):\n    torch.optim.SGD(some.parameters(), lr=0.1)\n";
  write_both("learn/main.py", main);
  write_both("learn/tune.py", quiet);
  begin();
  const auto is_reported = [](const std::string &text) { return text.find("DP159") != std::string::npos; };
  for (int round = 0; round < 3; ++round) {
    change("learn/tune.py", fmt::format("{}# {}\n", quiet, round));
    EXPECT_TRUE(is_reported(expect_same("nobody trains the teacher"))) << round;
    change("learn/tune.py", fmt::format("# {}\n{}", round, one));
    EXPECT_FALSE(is_reported(expect_same("somebody trains it"))) << round;
    change("learn/tune.py", fmt::format("# again {}\n{}", round, quiet));
    EXPECT_TRUE(is_reported(expect_same("nobody does any more"))) << round;
    change("learn/tune.py", fmt::format("# {}\n{}", round, unknown));
    EXPECT_FALSE(is_reported(expect_same("somebody may train it"))) << round;
  }
}

TEST_F(WorkspaceTest, KeepsAllProjectsOfOneGroupWhileItLints) {
  constexpr int kModules = 6; // more than stay
  constexpr std::string_view kAlone = "import tensorflow as tf\n"
                                      "ds = tf.data.Dataset.list_files('*').map(lambda x: tf.io.read_file(x))\n";
  std::string all = "import tensorflow as tf\n'''\n";
  for (int i = 0; i < kModules; ++i) {
    write_both(fmt::format("apart/part{}.py", i), kAlone);
    all += fmt::format("import part{}\n", i);
  }
  all += "'''\n";
  write_both("apart/all.py", all);
  begin();
  open("apart/all.py", all + "x = 1\n");
  expect_same("the first edit");
  EXPECT_EQ(work().groups_linted, 1U);
  for (int i = 0; i < kModules; ++i) {
    open("apart/all.py", all + fmt::format("x = {}\n", i + 2));
    expect_same("an edit of the text that names all");
    open(fmt::format("apart/part{}.py", i), fmt::format("{}x = {}\n", kAlone, i));
    expect_same("an edit of another one");
  }
}

TEST_F(WorkspaceTest, LivesWithMistakes) {
  begin();
  for (const std::string_view text :
       {std::string_view("def (:\n"), std::string_view("x = '\xff\xfe'\n"), std::string_view("\0\0", 2), kHelper,
        std::string_view("# coding: nothing\n"), std::string_view("print 'x'\n"), std::string_view("")}) {
    change("app/helper.py", text);
    expect_same(text);
    change("broken.py", text);
    expect_same(text);
  }
  write("encoding.py", "x = 1\n");
  expect_same("mended");
  write("encoding.py", "\xff\n");
  expect_same("broken again");
}

TEST_F(WorkspaceTest, ReadsNotebooks) {
  begin();
  for (const std::string &text :
       {notebook("from app.helper import decode\\nds = tf.data.Dataset.list_files('*').map(decode)"), std::string("{"),
        std::string("{}"), notebook("%%writefile x.py\\nimport torch")}) {
    change("notebook.ipynb", text);
    expect_same(text);
    write("app/second.ipynb", text);
    expect_same(text);
  }
}

TEST_F(WorkspaceTest, AsksForRequirementsAgain) {
  for (const project::TempTree *tree : {&disk, &truth}) {
    tree->file("app/main.py", "import numpy as np\nimport tensorflow as tf\n\nx = np.float(1)\ny = tf.to_float(x)\n");
  }
  begin();
  std::set<std::string> different;
  for (const char *requirements : {"numpy==1.19\n", "numpy>=1.24\n", "tensorflow==1.15\n", "tensorflow>=2.4\n", ""}) {
    for (const project::TempTree *tree : {&disk, &truth}) {
      tree->file("app/requirements.txt", requirements);
    }
    touch("app/requirements.txt");
    different.insert(expect_same(requirements));
    EXPECT_LE(work().groups_linted, 2U); // those below app
    EXPECT_EQ(work().files_parsed, 0U);
  }
  EXPECT_GT(different.size(), 1U);
}

constexpr std::string_view kTrainer = R"(import numpy as np
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, data, workers=0):
        self.data = data
        self.workers = workers

    def train(self, model):
        for x, y in DataLoader(self.data, batch_size=32, num_workers=self.workers):
            model(x.cuda()).mean().backward()
        return np.float(1)
)";

TEST_F(WorkspaceTest, AsksAgainWhatTheProjectBringsAndPackages) {
  write_both("app/thing/train.py", kTrainer);
  write_both("app/thing/__init__.py", "");
  begin();
  std::set<std::string> different{expect_same("before")};
  for (const char *path : {"app/setup.py", "app/numpy.py", "app/thing/numpy/__init__.py"}) {
    write(path, "from setuptools import setup\nsetup(name='thing')\n");
    touch(path);
    different.insert(expect_same(path));
    remove(path);
    touch(path);
    different.insert(expect_same(fmt::format("no {}", path)));
  }
  EXPECT_GT(different.size(), 2U);
}

TEST_F(WorkspaceTest, ReadsRequirementsOfOpenTexts) {
  for (const project::TempTree *tree : {&disk, &truth}) {
    tree->file("app/main.py", "import numpy as np\nimport torch\n\nx = np.float(1)\n");
    tree->file("app/setup.py", "setup(\n    install_requires=[\n        'numpy==1.19',\n    ],\n)\n");
  }
  begin();
  std::set<std::string> different;
  for (const char *requirements : {"numpy>=1.24", "numpy==1.19"}) {
    change("app/setup.py", std::string("setup(\n    install_requires=[\n        '") + requirements + "',\n    ],\n)\n");
    different.insert(expect_same(requirements));
  }
  EXPECT_EQ(different.size(), 2U);
}

TEST_F(WorkspaceTest, RemembersWhatItSaidBefore) {
  begin();
  const std::string before = expect_same("before");
  change("app/helper.py", std::string(kCheapHelper) + "# deepperf: ignore-file\n");
  expect_same("changed");
  EXPECT_EQ(work().groups_recalled, 0U);
  change("app/helper.py", kHelper);
  EXPECT_EQ(expect_same("undone"), before);
  EXPECT_EQ(work().groups_recalled, 1U);
  EXPECT_EQ(work().groups_linted, 0U);
  change("app/main.py", "# a comment\n" + std::string(kSlow));
  expect_same("the other one");
  EXPECT_EQ(work().files_parsed, 1U);
  change("app/main.py", kSlow);
  change("app/helper.py", std::string(kCheapHelper) + "# deepperf: ignore-file\n");
  expect_same("redone");
  EXPECT_EQ(work().groups_recalled, 1U);
  for (const project::TempTree *tree : {&disk, &truth}) {
    tree->file("app/requirements.txt", "tensorflow==1.15\n");
  }
  touch("app/requirements.txt");
  change("app/helper.py", kHelper);
  expect_same("with other requirements");
}

TEST_F(WorkspaceTest, DropsTreesBeyondItsBudget) {
  begin({.most_tree_bytes = 1});
  EXPECT_EQ(work().tree_bytes, 0U);
  change("app/helper.py", kCheapHelper);
  expect_same("changed");
  EXPECT_EQ(work().files_parsed, 2U);
  change("other/helper.py", kCheapHelper);
  expect_same("changed");
  change("other/helper.py", kHelper);
  expect_same("changed back");
  workspace->close("app/helper.py");
  truth.file("app/helper.py", kHelper);
  expect_same("closed");
}

TEST_F(WorkspaceTest, StartsFromTheCacheOnDisk) {
  const project::TempTree home;
  Options cached = options();
  cached.cache.folder = home.path("cache");
  std::filesystem::current_path(disk.root());
  Progress progress;
  run(cached, progress);
  workspace = std::make_unique<Workspace>(cached);
  expect_same("at first");
  EXPECT_EQ(work().groups_linted, 0U);
  EXPECT_EQ(work().tree_bytes, 0U);
  change("plain.py", "from app.helper import decode\n");
  expect_same("joins");
  change("app/helper.py", kCheapHelper);
  expect_same("changes");
  remove("other/helper.py");
  touch("other/helper.py");
  expect_same("one less");
  workspace = std::make_unique<Workspace>(cached);
  open("plain.py", "from app.helper import decode\nimport torch\n");
  open("app/helper.py", kCheapHelper);
  expect_same("open texts and a cache of others");
}

// ---- Trees that are analysed twice ----------------------------------------------------------------------------------

// Every rule's fixture: a tree from which all facts were taken back gives the findings of a new one.
TEST(ForgetFacts, LeavesWhatTheParserGave) {
  std::size_t files = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(DEEPPERF_SOURCE_DIR "/tests/rules")) {
    if (entry.path().extension() != ".py" || !entry.is_regular_file()) {
      continue;
    }
    ++files;
    python::LoadResult loaded = python::load_file(entry.path().string());
    ASSERT_TRUE(loaded.ok());
    model::ParsedFile file;
    file.path = entry.path().string();
    file.source = std::move(loaded.source);
    file.index = {0};
    Arena arena;
    LocalSymbols symbols;
    file.tree = python::parse(file.source, arena, symbols);
    file.has_text = file.has_tree = true;
    std::vector<std::string> reported;
    for (int round = 0; round < 3; ++round) {
      model::forget_facts(file.tree);
      model::find_imports(file);
      Result result;
      result.files.push_back({.path = file.path, .source = &file.source, .comments = &file.tree.comments});
      for (const model::Group &group : model::group_files({&file}, true)) {
        const std::unique_ptr<model::Project> project = model::analyse(group);
        std::vector<rules::RuleFailure> failures;
        result.findings = rules::lint(*project, rules::RuleSet(rules::listed_rules()), failures, nullptr);
      }
      reported.push_back(described(result));
    }
    EXPECT_EQ(reported[0], reported[1]) << file.path;
    EXPECT_EQ(reported[1], reported[2]) << file.path;
  }
  EXPECT_GT(files, 100U);
}

} // namespace

} // namespace deepperf::check
