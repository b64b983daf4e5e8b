#include "bench/results.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <stdexcept>

namespace deepperf::bench {
namespace {

Computed array(std::vector<u64> shape, std::vector<double> values) {
  Computed computed;
  computed.kind = Computed::Kind::Array;
  computed.shape = std::move(shape);
  computed.values = std::move(values);
  return computed;
}

Computed text(std::string words) {
  Computed computed;
  computed.text = std::move(words);
  return computed;
}

Computed dict(std::vector<std::pair<std::string, Computed>> items) {
  Computed computed;
  computed.kind = Computed::Kind::Dict;
  computed.items = std::move(items);
  return computed;
}

TEST(Results, AreRead) {
  // base64 of the doubles 1.0 and -2.5
  const Computed computed = read_computed(nlohmann::json::parse(
      R"({"dict": [["'loss'", {"shape": [2], "step": 1, "data": "AAAAAAAA8D8AAAAAAAAEwA=="}], ["'name'", {"text": "'x'"}]]})"));
  ASSERT_EQ(computed.items.size(), 2U);
  EXPECT_EQ(computed.items[0].second.values, (std::vector<double>{1.0, -2.5}));
  EXPECT_EQ(computed.items[1].second.text, "'x'");
}

TEST(Results, DamagedReportsAreRefused) {
  for (const char *const damaged : {R"({})", R"([])", R"({"shape": [1], "step": 1, "data": "AAAA"})",
                                    R"({"shape": [1], "step": 1, "data": "AA!A"})", R"({"list": [1]})",
                                    R"({"shape": "x", "step": 1, "data": ""})"}) {
    EXPECT_THROW(read_computed(nlohmann::json::parse(damaged)), std::runtime_error) << damaged;
  }
}

TEST(Results, NumbersMayDifferByTheTolerance) {
  EXPECT_FALSE(first_difference(array({}, {100}), array({}, {100.0009}), 1e-5));
  EXPECT_TRUE(first_difference(array({}, {100}), array({}, {100.1}), 1e-5));
  EXPECT_FALSE(first_difference(array({}, {100}), array({}, {100.1}), 1e-2));
  EXPECT_FALSE(first_difference(array({}, {0}), array({}, {1e-6}), 1e-5));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(first_difference(array({}, {nan}), array({}, {nan}), 1e-5));
  EXPECT_TRUE(first_difference(array({}, {nan}), array({}, {1}), 1e-5));
  EXPECT_FALSE(first_difference(array({}, {infinity}), array({}, {infinity}), 1e-5));
  EXPECT_TRUE(first_difference(array({}, {infinity}), array({}, {-infinity}), 1e-5));
}

TEST(Results, TheWorstDifferenceIsNamed) {
  EXPECT_EQ(first_difference(array({2, 2}, {1, 2, 3, 4}), array({2, 2}, {1, 2.5, 9, 4}), 1e-5),
            "result[1, 0] is 3 in buggy.py and 9 in fixed.py (tolerance 1e-05; 2 of 4 values differ)");
  EXPECT_EQ(first_difference(array({2}, {1, 2}), array({3}, {1, 2, 3}), 1e-5),
            "result is an array of shape (2) in buggy.py and an array of shape (3) in fixed.py");
  EXPECT_EQ(first_difference(dict({{"'a'", text("'x'")}}), dict({{"'a'", text("'y'")}}), 1e-5),
            "result['a'] is the text 'x' in buggy.py and the text 'y' in fixed.py");
  EXPECT_EQ(first_difference(dict({{"'a'", text("'x'")}}), dict({{"'b'", text("'x'")}}), 1e-5),
            "result has 'a' in buggy.py and 'b' in fixed.py");
  EXPECT_TRUE(first_difference(array({}, {1}), text("'1'"), 1e-5));
}

} // namespace
} // namespace deepperf::bench
