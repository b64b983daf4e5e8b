// A project that stays while its files change knows, after each change, exactly what a new analysis would find out.
#include "model/resident.h"

#include "model/debug_print.h"
#include "model/forget_facts.h"
#include "python/parser.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deepperf::model {

namespace {

constexpr std::string_view kLayers = R"(import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.scale = 2.0

    def forward(self, x):
        return self.linear(x) * self.scale


def make_block(width):
    return Block(width)


def decode(path):
    return open(path).read()
)";

constexpr std::string_view kTrain = R"(import torch
from layers import Block, make_block, decode


class Net(Block):
    def __init__(self):
        super().__init__(16)
        self.head = make_block(4)

    def forward(self, x):
        return self.head(super().forward(x))


def train(loader, net):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch in loader:
        loss = net(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


def main():
    data = torch.utils.data.DataLoader([decode(name) for name in ["a", "b"]])
    print(train(data, Net()))


if __name__ == "__main__":
    main()
)";

std::string with(std::string_view text, std::string_view from, std::string_view to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string_view::npos) << from;
  return std::string(text).replace(place, from.size(), to);
}

class ResidentTest : public testing::Test {
protected:
  void SetUp() override {
    set(0, "layers.py", std::string(kLayers));
    set(1, "train.py", std::string(kTrain));
    resident = std::make_unique<Resident>(files(), 1);
    expect_same("at first");
  }

  void set(u32 index, const std::string &path, const std::string &text) {
    auto file = std::make_unique<ParsedFile>();
    file->path = path;
    file->index = {index};
    file->source = python::load_bytes(path, text).source;
    file->tree = python::parse(file->source, arena, symbols);
    file->has_text = file->has_tree = true;
    find_imports(*file);
    texts[index] = {path, text};
    parsed[index] = std::move(file);
  }

  [[nodiscard]] std::vector<ParsedFile *> files() const { return {parsed[0].get(), parsed[1].get()}; }

  // What the engine says of the files, if it has never seen them before.
  [[nodiscard]] std::string fresh() const {
    Arena memory;
    LocalSymbols names;
    std::deque<ParsedFile> all;
    std::vector<ParsedFile *> pointers;
    for (const auto &[path, text] : texts) {
      ParsedFile &file = all.emplace_back();
      file.path = path;
      file.index = {static_cast<u32>(all.size()) - 1};
      file.source = python::load_bytes(path, text).source;
      file.tree = python::parse(file.source, memory, names);
      file.has_text = file.has_tree = true;
      find_imports(file);
      pointers.push_back(&file);
    }
    std::string out;
    print_model(*analyse(pointers), out);
    return out;
  }

  void expect_same(std::string_view when) const {
    std::string out;
    print_model(resident->project(), out);
    EXPECT_EQ(out, fresh()) << when;
  }

  // Changes a file; whether the project could stay.
  bool change(u32 index, const std::string &text) {
    set(index, texts[index].first, text);
    std::vector<bool> is_changed(2, false);
    is_changed[index] = true;
    return resident->update(files(), is_changed, 1);
  }

  Arena arena;
  LocalSymbols symbols;
  std::vector<std::pair<std::string, std::string>> texts = std::vector<std::pair<std::string, std::string>>(2);
  std::vector<std::unique_ptr<ParsedFile>> parsed = std::vector<std::unique_ptr<ParsedFile>>(2);
  std::unique_ptr<Resident> resident;
};

TEST_F(ResidentTest, ABodyChanges) {
  ASSERT_TRUE(change(0, with(kLayers, "self.scale = 2.0", "self.scale = torch.ones(1)  # learned\n        x = 3")));
  expect_same("an attribute holds something else");
  EXPECT_GT(resident->reused(), 0U);
  ASSERT_TRUE(change(0, with(kLayers, "return open(path).read()", "return torch.load(path)")));
  expect_same("a function returns something else");
  ASSERT_TRUE(change(1, with(kTrain, "make_block(4)", "make_block([4])")));
  expect_same("an argument is another one");
  ASSERT_TRUE(change(1, with(kTrain, "    main()\n", "    train(None, make_block(3))\n")));
  expect_same("nobody calls a function any more, and another one is called");
  ASSERT_TRUE(change(1, std::string(kTrain)));
  ASSERT_TRUE(change(0, std::string(kLayers)));
  expect_same("all is as it was");
}

TEST_F(ResidentTest, NothingButCommentsChanges) {
  ASSERT_TRUE(change(1, "# a comment\n\n" + std::string(kTrain)));
  expect_same("a comment");
  EXPECT_GT(resident->reused(), 0U);
}

TEST_F(ResidentTest, LoopsAndCallsComeAndGo) {
  ASSERT_TRUE(
      change(1, with(kTrain, "    return loss\n", "    for i in range(3):\n        print(i)\n    return loss\n")));
  expect_same("one more loop");
  ASSERT_TRUE(change(1, with(kTrain, "    for batch in loader:\n        loss = net(batch).mean()\n",
                             "    if True:\n        loss = net(loader).mean()\n")));
  expect_same("one less");
}

TEST_F(ResidentTest, WhatOthersSeeMustStayTheSame) {
  EXPECT_FALSE(change(0, std::string(kLayers) + "\n\nbuffer = []\n")) << "one more name";
}

TEST_F(ResidentTest, ParametersMustStayTheSame) {
  EXPECT_FALSE(change(0, with(kLayers, "def make_block(width):", "def make_block(width, depth=1):")));
}

TEST_F(ResidentTest, FunctionsMustStayTheSame) {
  EXPECT_FALSE(change(0, with(kLayers, "return Block(width)", "return (lambda: Block(width))()")));
}

} // namespace

} // namespace deepperf::model
