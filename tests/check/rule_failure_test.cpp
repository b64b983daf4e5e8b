#include "model/project.h"
#include "python/parser.h"
#include "rules/registry.h"
#include "rules/site.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace deepperf::rules {
namespace {

void fail(Site & /*site*/, const python::Node & /*node*/) { throw std::runtime_error("out of range"); }

void tell(Site &site, const python::Node &node) { report(site, node, "a loop", "none"); }

const Rule kFailing = {.info = {.code = "DP998", .name = "failing"}, .nodes = {python::NodeKind::For}, .on_node = fail};
const Rule kTelling = {.info = {.code = "DP999", .name = "telling"}, .nodes = {python::NodeKind::For}, .on_node = tell};

TEST(RuleFailure, CostsTheRuleOnThatFileAndNothingElse) {
  Arena arena;
  LocalSymbols symbols;
  model::ParsedFile file;
  file.path = "main.py";
  file.source = python::load_bytes("main.py", "import torch\nfor i in x:\n  pass\nfor i in x:\n  pass\n").source;
  file.tree = python::parse(file.source, arena, symbols);
  file.has_text = file.has_tree = true;
  model::find_imports(file);
  const std::unique_ptr<model::Project> project = model::analyse({&file});
  const std::vector<const Rule *> rules = {&kFailing, &kTelling};
  std::vector<RuleFailure> failures;
  const Findings findings = judge(*project, RuleSet(rules), failures);
  EXPECT_EQ(findings.size(), 2U);
  ASSERT_EQ(failures.size(), 1U) << "once for a file";
  EXPECT_EQ(failures[0].rule->code, "DP998");
  EXPECT_EQ(failures[0].what, "out of range");
}

} // namespace
} // namespace deepperf::rules
