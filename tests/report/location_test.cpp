#include "report/location.h"

#include "check/checked_text.h"
#include "report/rule_link.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace deepperf::report {

namespace {

TEST(Location, PathsAreRelativeToTheRoot) {
  const Location in_root{.working_folder = "/w", .root = "/w", .file_url = ""};
  EXPECT_EQ(path_in_repository("./a/../b.py", in_root), "b.py");
  EXPECT_EQ(path_in_repository("/w/a/b.py", in_root), "a/b.py");
  EXPECT_EQ(path_in_repository("../b.py", in_root), "/b.py");
  EXPECT_EQ(path_in_repository("/else/b.py", in_root), "/else/b.py");
  EXPECT_EQ(path_in_repository("<stdin>", in_root), "<stdin>");
  const Location below{.working_folder = "/w/models", .root = "/w", .file_url = ""};
  EXPECT_EQ(path_in_repository("b.py", below), "models/b.py");
  EXPECT_EQ(path_in_repository("../b.py", below), "b.py");
  EXPECT_EQ(path_in_repository("./b.py", {}), "b.py"); // nothing is known
  EXPECT_EQ(path_in_repository("b.py", {.working_folder = "/", .root = "/", .file_url = ""}), "b.py");
}

TEST(Location, AUriHoldsEveryByte) {
  EXPECT_EQ(path_uri("a/b-1_2.~py"), "a/b-1_2.~py");
  EXPECT_EQ(path_uri("a b%#?:\xC3\xA4\xFF\n.py"), "a%20b%25%23%3F%3A%C3%A4%FF%0A.py");
  EXPECT_EQ(path_uri("/w/a b.py"), "file:///w/a%20b.py");
}

TEST(RuleLink, NamesAPageThatIsThere) {
  for (const rules::RuleInfo *rule : rules::all_rules()) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(DEEPPERF_SOURCE_DIR) / rule_page(*rule)))
        << rule_page(*rule);
  }
  EXPECT_TRUE(rule_link(check::kMapRule).ends_with("docs/rules/DP101-sequential-map.md"));
}

} // namespace

} // namespace deepperf::report
