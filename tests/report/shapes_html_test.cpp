#include "report/shapes_html.h"

#include <gtest/gtest.h>

#include <string>

namespace deepperf::report {
namespace {

TEST(ShapesHtml, DataCannotEndItsElement) {
  if (!missing_shapes_page().empty()) {
    GTEST_SKIP() << missing_shapes_page();
  }
  std::string out;
  write_shapes_html(R"({"version": 1, "file": "</script><b>.py", "roots": []})", out);
  EXPECT_NE(out.find(R"("file": "\u003c/script>\u003cb>.py")"), std::string::npos);
  EXPECT_EQ(out.find("</script><b>"), std::string::npos);
  EXPECT_EQ(out.find("@DATA@"), std::string::npos);
}

TEST(ShapesHtml, NothingIsLoadedAndOnlyTheOwnScriptRuns) {
  if (!missing_shapes_page().empty()) {
    GTEST_SKIP() << missing_shapes_page();
  }
  std::string out;
  write_shapes_html(R"({"version": 1, "file": "a.py", "roots": []})", out);
  EXPECT_NE(out.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_EQ(out.find("src=\"http"), std::string::npos);
}

} // namespace
} // namespace deepperf::report
