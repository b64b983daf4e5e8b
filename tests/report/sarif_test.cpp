#include "report/sarif.h"

#include "report/example_result.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace deepperf::report {

namespace {

using nlohmann::json;

json run_of(const check::Result &result, const Options &options = {}) {
  std::string out;
  write_sarif(result, options, out);
  EXPECT_FALSE(has_raw_controls(out)) << out;
  const json log = json::parse(out);
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_EQ(log["runs"].size(), 1U);
  return log["runs"][0];
}

TEST(Sarif, RulesThatAppear) {
  const json run = run_of(example_result().result);
  const json &rules = run["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), 2U);
  const json &rule = rules[0];
  EXPECT_EQ(rule["id"], "DP101");
  EXPECT_EQ(rule["shortDescription"]["text"], "Elements are mapped one after the other");
  EXPECT_EQ(rule["fullDescription"]["text"], "Maps.");
  EXPECT_NE(rule["help"]["markdown"].get<std::string>().find("## What it finds"), std::string::npos);
  EXPECT_NE(rule["help"]["text"].get<std::string>().find("Maps."), std::string::npos);
  EXPECT_EQ(rule["defaultConfiguration"]["level"], "warning");
  EXPECT_EQ(rule["properties"]["stage"], "Data Preparation");
  EXPECT_EQ(rule["properties"]["tags"], json::parse(R"(["deep-learning", "API: Inefficient API Usage",
    "Slow Execution Time", "Abnormal GPU Utilization", "Data Preparation"])"));
  EXPECT_EQ(rule["properties"]["documentation"], "docs/rules/DP101-sequential-map.md");
  EXPECT_EQ(rules[1]["fullDescription"]["text"], rules[1]["shortDescription"]["text"]); // it has no documentation
}

TEST(Sarif, Results) {
  const json run = run_of(example_result().result);
  EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
  const json &results = run["results"];
  ASSERT_EQ(results.size(), 3U);
  const json &map = results[0];
  EXPECT_EQ(map["ruleId"], "DP101");
  EXPECT_EQ(map["ruleIndex"], 0);
  EXPECT_EQ(map["level"], "warning");
  EXPECT_EQ(map["message"]["text"], "map runs one element at a time\nHelp: pass num_parallel_calls=tf.data.AUTOTUNE");
  EXPECT_EQ(map["locations"], json::parse(R"json([{"physicalLocation": {
    "artifactLocation": {"uri": "a.py", "uriBaseId": "SRCROOT"},
    "region": {"startLine": 2, "startColumn": 6, "endLine": 3, "endColumn": 13,
               "snippet": {"text": "ds.map(  \n      parse)"}}}}])json"));
  EXPECT_FALSE(map["partialFingerprints"]["deepperfCode/v1"].get<std::string>().empty());
  EXPECT_EQ(results[1]["level"], "note"); // advice
  EXPECT_EQ(results[1]["properties"]["severity"], "advice");
  EXPECT_EQ(results[2]["level"], "error");
}

TEST(Sarif, TheReasoningIsACodeFlow) {
  const json results = run_of(example_result().result)["results"];
  const json &steps = results[0]["codeFlows"][0]["threadFlows"][0]["locations"];
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0]["location"]["message"]["text"], "in this loop");
  EXPECT_EQ(steps[1]["location"]["physicalLocation"]["artifactLocation"]["uri"], "b.ipynb");
  EXPECT_EQ(steps[1]["location"]["properties"]["cell"], 2);
  EXPECT_EQ(steps[2]["location"]["message"]["text"], "map runs one element at a time");
  EXPECT_FALSE(results[1].contains("codeFlows"));
}

TEST(Sarif, FixesAreReplacements) {
  const json results = run_of(example_result().result)["results"];
  const json &fix = results[0]["fixes"][0];
  EXPECT_EQ(fix["description"]["text"], "pass num_parallel_calls=tf.data.AUTOTUNE");
  EXPECT_EQ(fix["properties"]["safe"], true);
  EXPECT_EQ(fix["artifactChanges"], json::parse(R"([{"artifactLocation": {"uri": "a.py", "uriBaseId": "SRCROOT"},
    "replacements": [{"deletedRegion": {"startLine": 3, "startColumn": 12, "endLine": 3, "endColumn": 12},
                      "insertedContent": {"text": ", num_parallel_calls=tf.data.AUTOTUNE"}}]}])"));
  EXPECT_FALSE(results[1].contains("fixes")); // it has no edits
}

TEST(Sarif, InNotebooksPlacesAreWithinCells) {
  const json call = run_of(example_result().result)["results"][2];
  EXPECT_EQ(call["locations"][0]["properties"]["cell"], 2);
  EXPECT_EQ(call["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
  EXPECT_FALSE(call.contains("fixes")); // whoever applied it would change the notebook's JSON
}

TEST(Sarif, ProblemsWithFilesAreNotifications) {
  const json invocation = run_of(example_result().result)["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  const json &notifications = invocation["toolExecutionNotifications"];
  ASSERT_EQ(notifications.size(), 3U);
  EXPECT_EQ(notifications[0]["descriptor"]["id"], "syntax-error");
  EXPECT_EQ(notifications[0]["locations"][0]["physicalLocation"]["region"],
            json::parse(R"({"startLine": 2, "startColumn": 3, "endColumn": 4})"));
  EXPECT_EQ(notifications[0]["locations"][0]["properties"]["cell"], 2);
  EXPECT_EQ(notifications[2]["descriptor"]["id"], "unreadable-file");
}

TEST(Sarif, NothingFound) {
  check::CheckedText text;
  text.file("a.py", "x = 1\n");
  const json run = run_of(text.result);
  EXPECT_EQ(run["results"], json::array());
  EXPECT_EQ(run["tool"]["driver"]["rules"], json::array());
  EXPECT_EQ(run["invocations"], json::parse(R"([{"executionSuccessful": true}])"));
}

TEST(Sarif, PathsAreRelativeToTheRootOrAbsolute) {
  check::CheckedText text;
  text.finding(check::kMapRule, text.file("../other/a b.py", "x"), "x");
  text.finding(check::kMapRule, text.file("./a b.py", "x"), "x");
  const json run =
      run_of(text.result, {.location = {.working_folder = "/w/sub dir", .root = "/w/sub dir", .file_url = ""}});
  EXPECT_EQ(run["originalUriBaseIds"]["SRCROOT"]["uri"], "file:///w/sub%20dir/");
  const auto artifact = [&](int i) {
    return run["results"][i]["locations"][0]["physicalLocation"]["artifactLocation"];
  };
  EXPECT_EQ(artifact(0), json::parse(R"({"uri": "file:///w/other/a%20b.py"})"));
  EXPECT_EQ(artifact(1), json::parse(R"({"uri": "a%20b.py", "uriBaseId": "SRCROOT"})"));
}

TEST(Sarif, OddBytes) {
  const json run = run_of(odd_result().result);
  ASSERT_EQ(run["results"].size(), 2U);
  const json &result = run["results"][1];
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "a%FF%0A%01%3C%7C%60%25%3A%2C%26%22.py");
  // `](` would make a link of what is none.
  EXPECT_NE(result["message"]["text"].get<std::string>().find("\\]\\](x)"), std::string::npos);
}

} // namespace

} // namespace deepperf::report
