#include "model/project.h"
#include "python/parser.h"
#include "rules/linting.h"
#include "rules/site.h"
#include "rules/timings.h"
#include "rules/tree.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace deepperf::rules {
namespace {

void fail(Site & /*site*/, const python::Node & /*node*/) { throw std::runtime_error("out of range"); }

void report(Site &site, const python::Node &node) { report(site, node, "a loop", "none"); }

const Rule kFailing = {.info = {.code = "DP998", .name = "failing"}, .nodes = {python::NodeKind::For}, .on_node = fail};
const Rule kReporting = {
    .info = {.code = "DP999", .name = "telling"}, .nodes = {python::NodeKind::For}, .on_node = report};

// Looks at the whole file for each loop in it.
void search(Site &site, const python::Node & /*node*/) {
  for (const python::Stmt *statement : site.module->parsed->tree.body) {
    any_node(static_cast<const python::Node *>(statement), [](const python::Node *) { return false; });
  }
}

const Rule kSearching = {
    .info = {.code = "DP997", .name = "searching"}, .nodes = {python::NodeKind::For}, .on_node = search};

Findings linted(std::string_view text, const std::vector<const Rule *> &rules, std::vector<RuleFailure> &failures,
                Timings *timings = nullptr) {
  Arena arena;
  LocalSymbols symbols;
  model::ParsedFile file;
  file.path = "main.py";
  file.source = python::load_bytes("main.py", std::string(text)).source;
  file.tree = python::parse(file.source, arena, symbols);
  file.has_text = file.has_tree = true;
  model::find_imports(file);
  const std::unique_ptr<model::Project> project = model::analyse({&file});
  return lint(*project, RuleSet(rules), failures, nullptr, timings);
}

std::string loops(std::size_t count) {
  std::string text = "import torch\n";
  for (std::size_t i = 0; i < count; ++i) {
    text += "for i in x:\n  pass\n";
  }
  return text;
}

TEST(RuleFailure, CostsTheRuleOnThatFileAndNothingElse) {
  std::vector<RuleFailure> failures;
  const Findings findings = linted(loops(2), {&kFailing, &kReporting}, failures);
  EXPECT_EQ(findings.size(), 2U);
  ASSERT_EQ(failures.size(), 1U) << "once for a file";
  EXPECT_EQ(failures[0].rule->code, "DP998");
  EXPECT_EQ(failures[0].what, "out of range");
  EXPECT_FALSE(failures[0].is_too_long);
}

TEST(RuleFailure, StopsARuleThatTakesTheSquareOfTheFile) {
  std::vector<RuleFailure> failures;
  Timings timings;
  const Findings findings = linted(loops(3000), {&kSearching, &kReporting}, failures, &timings);
  EXPECT_EQ(findings.size(), 3000U);
  ASSERT_EQ(failures.size(), 1U) << "once for a file";
  EXPECT_EQ(failures[0].rule->code, "DP997");
  EXPECT_TRUE(failures[0].is_too_long);
  EXPECT_LT(timings.work.rule_steps, 10'000'000U) << "of 27 million";
  failures.clear();
  EXPECT_EQ(linted(loops(30), {&kSearching, &kReporting}, failures).size(), 30U);
  EXPECT_TRUE(failures.empty());
}

} // namespace
} // namespace deepperf::rules
