#include "config/read.h"

#include <gtest/gtest.h>

namespace deepperf::config {
namespace {

Reading read_text(std::string text, bool is_pyproject = false) {
  FoundFile file;
  file.path = is_pyproject ? "pyproject.toml" : "deepperf.toml";
  file.folder = "/project";
  file.text = std::move(text);
  file.is_pyproject = is_pyproject;
  return read(file);
}

// All that is wrong, a line each.
std::string problems_of(std::string text, bool is_pyproject = false) {
  std::string all;
  for (const Problem &problem : read_text(std::move(text), is_pyproject).problems) {
    all += describe("f", problem) + "\n";
  }
  return all;
}

std::vector<std::string> texts(const std::vector<PlacedText> &values) {
  std::vector<std::string> result;
  for (const PlacedText &value : values) {
    result.push_back(value.text);
  }
  return result;
}

TEST(ReadConfig, EveryKey) {
  const Reading reading = read_text(R"(
select = ["DP1", "DP302"]
extend-select = ["sequential-map"]
ignore = ["DP101"]
exclude = ["legacy/"]
extend-exclude = ["*_pb2.py", "!keep_pb2.py"]
min-severity = "note"
fail-on = "never"
all = true
unsafe-fixes = false
[per-file-ignores]
"tests/**" = ["DP3", "DP101"]
[severity]
DP302 = "off"
DP1 = "note"
[target-versions]
torch = ">=2.4"
tensorflow = ">=2.10,<2.16"
[wrappers]
"my.data.load" = "Dataset"
[deprecated]
"my.old" = "use my.new"
)");
  ASSERT_TRUE(reading.problems.empty()) << describe("f", reading.problems.front());
  ASSERT_EQ(reading.settings.settings.size(), all_keys().size());
  EXPECT_EQ(texts(find_setting(reading.settings, "select")->values), (std::vector<std::string>{"DP1", "DP302"}));
  EXPECT_EQ(find_setting(reading.settings, "select")->place.line, 2U);
  EXPECT_EQ(find_value(reading.settings, "all"), "true");
  EXPECT_EQ(find_value(reading.settings, "unsafe-fixes"), "false");
  const Setting &severity = *find_setting(reading.settings, "severity");
  ASSERT_EQ(severity.entries.size(), 2U);
  EXPECT_EQ(severity.entries[0].name.text, "DP302"); // in the order of the file
  EXPECT_EQ(severity.entries[0].name.place.line, 14U);
  EXPECT_EQ(texts(find_setting(reading.settings, "per-file-ignores")->entries[0].values),
            (std::vector<std::string>{"DP3", "DP101"}));
}

TEST(ReadConfig, OurTableOfPyproject) {
  const Reading reading = read_text("[project]\nname = 'x'\n[tool.deepperf]\nignore = ['DP101']\n", true);
  EXPECT_TRUE(reading.problems.empty());
  EXPECT_EQ(find_setting(reading.settings, "ignore")->place.line, 4U);
  EXPECT_EQ(problems_of("[tool]\ndeepperf = 3\n", true), "f:2:12: 'tool.deepperf' must be a table, not a number\n");
  EXPECT_TRUE(has_tool_table("[tool.deepperf]\n"));
  EXPECT_FALSE(has_tool_table("[project]\nname = 'deepperf'\n"));
}

TEST(ReadConfig, UnknownKeysAndValuesNameTheNearest) {
  EXPECT_EQ(problems_of("ingore = []\n"), "f:1:1: unknown key 'ingore'; did you mean 'ignore'?\n");
  EXPECT_EQ(problems_of("zzzzzz = 1\n"), "f:1:1: unknown key 'zzzzzz'\n");
  EXPECT_EQ(problems_of("select = [\"DP1\",\n  \"sequential-mpa\"]\n"),
            "f:2:3: unknown rule 'sequential-mpa'; did you mean 'sequential-map'?\n");
  EXPECT_EQ(problems_of("ignore = ['ALL']\n"), "f:1:11: unknown rule 'ALL'; 'DP' selects all rules\n");
  EXPECT_EQ(problems_of("fail-on = 'eror'\n"), "f:1:11: unknown severity 'eror'; did you mean 'error'?\n");
  EXPECT_EQ(problems_of("[severity]\nDP101 = 'of'\n"), "f:2:9: unknown severity 'of'; did you mean 'off'?\n");
  EXPECT_EQ(problems_of("[severity]\nDP999 = 'off'\n").substr(0, 27), "f:2:1: unknown rule 'DP999'");
  EXPECT_EQ(problems_of("[target-versions]\ntorhc = '>=2'\n"),
            "f:2:1: unknown package 'torhc'; did you mean 'torch'?\n");
  EXPECT_EQ(problems_of("[wrappers]\n'a.b' = 'Datset'\n"),
            "f:2:9: unknown kind of value 'Datset'; did you mean 'Dataset'?\n");
}

TEST(ReadConfig, WrongTypes) {
  EXPECT_EQ(problems_of("select = 'DP101'\n"),
            "f:1:10: 'select' must be a list of rules such as [\"DP101\", \"DP2\"], not a string\n");
  EXPECT_EQ(problems_of("all = 1\n"), "f:1:7: 'all' must be true or false, not a number\n");
  EXPECT_EQ(problems_of("severity = 'off'\n"), "f:1:12: 'severity' must be a table, not a string\n");
  EXPECT_EQ(problems_of("[per-file-ignores]\n'a' = 'DP101'\n").substr(0, 44),
            "f:2:7: 'per-file-ignores.a' must be a list o");
  EXPECT_EQ(problems_of("fail-on = true\n"),
            "f:1:11: 'fail-on' must be one of 'error', 'warning', 'advice', 'note', 'never', not true or false\n");
  EXPECT_EQ(problems_of("[[wrappers]]\nx = 1\n"), "f:1:1: 'wrappers' must be a table, not a list\n");
  EXPECT_EQ(problems_of("[wrappers]\nmy.data.load = 'Dataset'\n").substr(0, 43),
            "f:2:1: a name with dots must be in quotes: ");
}

TEST(ReadConfig, AllProblemsInTheOrderOfTheFile) {
  EXPECT_EQ(problems_of("zz = 1\nall = 'yes'\naa = 2\n"), "f:1:1: unknown key 'zz'\n"
                                                          "f:2:7: 'all' must be true or false, not a string\n"
                                                          "f:3:1: unknown key 'aa'; did you mean 'all'?\n");
}

TEST(ReadConfig, Versions) {
  EXPECT_EQ(problems_of("[target-versions]\ntorch = '2.4'\n"),
            "f:2:9: '2.4' is not a version range; did you mean '>=2.4' or '==2.4'?\n");
  EXPECT_EQ(problems_of("[target-versions]\ntorch = 'new'\n"),
            "f:2:9: 'new' is not a version range such as '>=2.4' or '>=1.13,<3'\n");
  EXPECT_NE(problems_of("[target-versions]\ntorch = '>=3,<2'\n"), "");
  EXPECT_NE(problems_of("[target-versions]\ntorch = ''\n"), "");
  EXPECT_NE(problems_of("[target-versions]\ntorch = '>=2,'\n"), "");
  EXPECT_EQ(problems_of("[target-versions]\ntorch = '==2.1.*'\nnumpy = '>=1.20, <2'\njax = '~=0.4.1'\n"), "");
}

TEST(ReadConfig, NotToml) {
  EXPECT_EQ(problems_of("select = [\n").substr(0, 23), "f:1:12: not valid TOML:");
  EXPECT_EQ(problems_of("a = 1\na = 2\n").substr(0, 21), "f:2:5: not valid TOML");
  EXPECT_NE(problems_of(std::string("a = \"\0\"", 7)), "");
  EXPECT_NE(problems_of("a = \"\xff\xfe\"\n"), "");
}

// These would need more stack than there is.
TEST(ReadConfig, EndlessKeysAndNestsAreRefused) {
  std::string key = "x";
  for (int i = 0; i < 400000; ++i) {
    key += ".x";
  }
  EXPECT_EQ(problems_of(key + " = 1\n"), "f:1:1: a key with more than 100 parts\n");
  EXPECT_EQ(problems_of("\n[" + key + "]\n"), "f:2:1: a key with more than 100 parts\n");
  EXPECT_NE(problems_of("a = " + std::string(400000, '[')), "");
  EXPECT_EQ(problems_of("# " + std::string(5000, '.') + "\nall = true # " + std::string(500, '.') + "\n"), "");
}

} // namespace
} // namespace deepperf::config
