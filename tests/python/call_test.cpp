#include "python/call.h"

#include "parse_text.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace deepperf::python {
namespace {

class CallTest : public testing::Test {
protected:
  const Call &call(std::string_view text) {
    parsed_ = parse_text(text);
    const auto *statement = parsed_.tree.body.empty() ? nullptr : as<ExprStmt>(parsed_.tree.body[0]);
    const auto *found = statement != nullptr ? as<Call>(statement->value) : nullptr;
    if (found == nullptr) {
      throw std::runtime_error("this is no call: " + std::string(text));
    }
    return *found;
  }
  [[nodiscard]] std::string_view text(const Expr *expr) const {
    return expr != nullptr ? parsed_.text(*expr) : std::string_view("none");
  }

private:
  Parsed parsed_;
};

TEST_F(CallTest, ReportsWhatIsCalled) {
  EXPECT_EQ(called_name(call("f(1)")), "f");
  EXPECT_EQ(called_method(call("f(1)")), "");
  EXPECT_EQ(receiver_of(call("f(1)")), nullptr);
  EXPECT_EQ(called_name(call("a.b.f(1)")), "f");
  EXPECT_EQ(called_method(call("a.b.f(1)")), "f");
  EXPECT_EQ(text(receiver_of(call("a.b.f(1)"))), "a.b");
  EXPECT_EQ(called_name(call("f()()")), "");
}

TEST_F(CallTest, FindsArgumentsByPlaceOrName) {
  EXPECT_EQ(text(argument(call("f(1, 2)"), 1, "axis")), "2");
  EXPECT_EQ(text(argument(call("f(1, axis=3)"), 1, "axis")), "3");
  EXPECT_EQ(text(argument(call("f(1)"), 1, "axis")), "none");
  EXPECT_EQ(text(argument(call("f(*x, 2)"), 1, "axis")), "none"); // nobody knows how many there are
  EXPECT_EQ(keyword_argument(call("f(1, axis=3)"), "other"), nullptr);
}

TEST_F(CallTest, KnowsWhereArgumentsMayHide) {
  EXPECT_FALSE(has_hidden_arguments(call("f(1, axis=3)")));
  EXPECT_TRUE(has_hidden_arguments(call("f(*x)")));
  EXPECT_TRUE(has_hidden_arguments(call("f(**x)")));
}

} // namespace
} // namespace deepperf::python
