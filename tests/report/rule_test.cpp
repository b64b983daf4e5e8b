#include "check/checked_text.h"
#include "report/markdown.h"
#include "report/rule.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace deepperf::report {

namespace {

using check::kLoopRule;
using check::kMapRule;

TEST(Rule, Text) {
  std::string out;
  write_rule_text(kMapRule, 0, kPlain, out);
  EXPECT_EQ(out, R"(DP101 sequential-map: Elements are mapped one after the other

severity    warning
root cause  API: Inefficient API Usage
symptoms    Slow Execution Time, Abnormal GPU Utilization
stage       Data Preparation
frameworks  TensorFlow, Keras
by default  shown
fixed       by hand

What it finds

Maps.
)");
}

TEST(Rule, Lists) {
  std::string out;
  const rules::RuleInfo *const rules[] = {&kMapRule, &kLoopRule};
  write_rules_text(rules, 0, kPlain, out);
  EXPECT_EQ(out, "DP101  sequential-map    warning  on    Elements are mapped one after the other\n"
                 "DP201  graph-op-in-loop  warning  on    An op is created in each turn\n");
  out.clear();
  write_rules_text(rules, 55, kPlain, out);
  EXPECT_EQ(out, "DP101  sequential-map    warning  on    Elements are m…\n"
                 "DP201  graph-op-in-loop  warning  on    An op is creat…\n");
  out.clear();
  write_rules_json(rules, out);
  EXPECT_EQ(nlohmann::json::parse(out)["rules"][1]["code"], "DP201");
}

TEST(Rule, JsonAndMarkdown) {
  std::string out;
  write_rule_json(kMapRule, out);
  EXPECT_EQ(nlohmann::json::parse(out)["frameworks"], nlohmann::json::parse(R"(["TensorFlow", "Keras"])"));
  EXPECT_EQ(nlohmann::json::parse(out)["severity"], "warning");
  out.clear();
  write_rule_markdown(kMapRule, out);
  EXPECT_TRUE(out.starts_with("# DP101 sequential-map\n\nElements")) << out;
}

std::string rendered(std::string_view markdown, u32 width, const Style &style = kPlain) {
  std::string out;
  write_markdown(markdown, width, style, out);
  return out;
}

TEST(Markdown, ParagraphsAreWrappedAndCodeIsNot) {
  EXPECT_EQ(rendered("## Head\n\none two\nthree four\n\n```python\nx = 1 + 2 + 3 + 4 + 5\n\ny\n```\nend", 12),
            "Head\n\none two\nthree four\n\n    x = 1 + 2 + 3 + 4 + 5\n\n    y\nend\n");
}

TEST(Markdown, ListsKeepTheirIndentation) {
  EXPECT_EQ(rendered("- one two three\n- four\n  - five six seven", 11),
            "- one two\n  three\n- four\n  - five\n    six\n    seven\n");
}

TEST(Markdown, InlineCodeIsColoredAcrossWords) {
  EXPECT_EQ(rendered("use `a b` here", 0), "use `a b` here\n");
  EXPECT_EQ(rendered("use `a b` here", 0, {.blue = "<", .reset = ">"}), "use <a b> here\n");
  EXPECT_EQ(rendered("an `open end", 0, {.blue = "<", .reset = ">"}), "an <open end\n>");
}

} // namespace

} // namespace deepperf::report
