#include "bench/pair.h"

#include <gtest/gtest.h>

#include <string>

namespace deepperf::bench {
namespace {

constexpr std::string_view kGood = R"(id = "slow-loop"
title = "A loop"
source = "https://example.org"
library = ["torch", "numpy"]
versions = ">=1.4,<2.0"
root_cause = "API: not using efficient API"
symptoms = ["Memory: memory leak"]
introducing_stage = "training"
exposing_stage = "training"
rules = ["DP133"]
static = false
static_reason = "it is in the library"
measure = "growth"
growth_knob = "STEPS"
tolerance = 0.01
[knobs]
STEPS = 100
BATCH = 64
RATE = 0.5
[quick]
STEPS = 5
)";

std::vector<std::string> problems_of(std::string_view text) {
  std::vector<PairProblem> problems;
  read_pair_text("somewhere/slow-loop", text, problems);
  std::vector<std::string> messages;
  for (const PairProblem &problem : problems) {
    messages.push_back(describe(problem));
  }
  return messages;
}

TEST(Pair, IsRead) {
  std::vector<PairProblem> problems;
  const Pair pair = read_pair_text("somewhere/slow-loop", kGood, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(pair.libraries, (std::vector<std::string>{"torch", "numpy"}));
  EXPECT_EQ(pair.measure, Measure::Growth);
  EXPECT_EQ(pair.growth_metric, Metric::Memory); // as the symptom is one of memory
  EXPECT_FALSE(pair.is_static);
  EXPECT_TRUE(pair.is_documented);
  ASSERT_EQ(pair.knobs.size(), 3U);
  EXPECT_EQ(pair.knobs[0].name, "STEPS"); // in the order of the file
  EXPECT_EQ(pair.knobs[1].value, "64");
  EXPECT_EQ(pair.knobs[2].value, "0.5");
  EXPECT_EQ(pair.quick[0].value, "5");
  EXPECT_EQ(pair.buggy(), "somewhere/slow-loop/buggy.py");
}

std::string without(std::string_view line) {
  std::string text(kGood);
  const std::size_t at = text.find(line);
  return text.erase(at, text.find('\n', at) - at + 1);
}

std::string with(std::string_view line, std::string_view instead) {
  std::string text(kGood);
  const std::size_t at = text.find(line);
  return text.replace(at, text.find('\n', at) - at, instead);
}

TEST(Pair, ProblemsHaveTheirPlace) {
  using Messages = std::vector<std::string>;
  const std::string file = "somewhere/slow-loop/pp.toml";
  EXPECT_EQ(problems_of(with("title", "titel = 'x'")),
            (Messages{file + ":2: unknown key 'titel'; did you mean 'title'?", file + ": 'title' is missing"}));
  EXPECT_EQ(problems_of(with("measure", "measure = 'speed'")),
            Messages{file + R"(:13: 'measure' must be "time", "memory" or "growth")"});
  EXPECT_EQ(problems_of(without("static_reason")), Messages{file + ":11: 'static = false' needs a 'static_reason'"});
  EXPECT_EQ(problems_of(without("growth_knob")),
            Messages{file + ": a pair that measures growth needs 'growth_knob', the name of an integer in [knobs]"});
  EXPECT_EQ(problems_of(with("id", "id = 'other'")),
            Messages{file + ":1: the id is 'other', but the folder is called 'slow-loop'"});
  EXPECT_EQ(problems_of(with("rules", "rules = 1")),
            Messages{file + ":10: expected a list of strings for 'rules', not a number"});
  EXPECT_EQ(problems_of(with("BATCH", "BATCH = [1]")),
            Messages{file + ":18: expected a number, a string, true or false, not a list"});
  EXPECT_EQ(problems_of(with("tolerance", "tolerance = -1")),
            Messages{file + ":15: 'tolerance' must be a number that is not negative"});
  EXPECT_EQ(problems_of(std::string(kGood) + "WIDTH = 3\n").size(), 1U); // in [quick] only
  EXPECT_EQ(problems_of(with("versions", "versions = 'newest'")).size(), 1U);
  EXPECT_TRUE(problems_of("id = ").front().starts_with(file + ":1: not valid TOML"));
}

TEST(Pair, OfAFolderThatIsNotThere) {
  std::vector<PairProblem> problems;
  read_pair("there/is/no/such/folder", problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].message.find("cannot read"), std::string::npos);
}

} // namespace
} // namespace deepperf::bench
