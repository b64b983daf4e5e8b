#include "model/analysed.h"
#include "rules/linting.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace deepperf::rules {
namespace {

// A project of so many files that it is judged in parts.
std::vector<std::pair<std::string, std::string>> large_project() {
  std::vector<std::pair<std::string, std::string>> files;
  files.emplace_back("helper.py", "import torch\n\ndef grow(x, y):\n    return torch.cat([x, y])\n");
  for (int i = 0; i < 6; ++i) {
    std::string text = "import torch\nfrom helper import grow\n\ndef run(items):\n    x = torch.zeros(1)\n"
                       "    for item in items:\n        x = torch.cat([x, item])\n    return grow(x, x)\n";
    text += "#" + std::string(400'000, 'x') + "\n";
    files.emplace_back("part" + std::to_string(i) + ".py", text);
  }
  return files;
}

std::string reported(const Findings &findings) {
  std::string text;
  for (const Finding &finding : findings) {
    text += std::to_string(finding.file.value) + ":" + std::to_string(finding.span.start) + " " +
            std::string(finding.rule->code) + "\n";
  }
  return text;
}

TEST(Linting, TakesPartsInAnyOrder) {
  const model::Analysed code(large_project());
  const RuleSet rules(listed_rules());
  std::vector<RuleFailure> failures;
  const std::string expected = reported(lint(code.project(), rules, failures));
  EXPECT_NE(expected.find("DP138"), std::string::npos);
  Linting backwards(code.project(), rules);
  ASSERT_GT(backwards.parts(), 1U);
  for (std::size_t part = backwards.parts(); part-- > 0;) {
    backwards.run(part);
  }
  EXPECT_EQ(reported(backwards.finish(failures)), expected);
  EXPECT_TRUE(failures.empty());
}

} // namespace
} // namespace deepperf::rules
