#include "server/position.h"

#include "server/message.h"

#include <gtest/gtest.h>

#include <string>

namespace deepperf::server {
namespace {

// One byte, two, three and four.
constexpr std::string_view kText = "aé\n€😀b\r\nx\ry";

TEST(Positions, CountUnitsOfEachEncoding) {
  EXPECT_EQ(count_units("aé€😀", Encoding::Utf8), 10U);
  EXPECT_EQ(count_units("aé€😀", Encoding::Utf16), 5U);
  EXPECT_EQ(count_units("aé€😀", Encoding::Utf32), 4U);
}

TEST(Positions, AreOffsetsAndBack) {
  const std::size_t b = kText.find('b');
  EXPECT_EQ(offset_of(kText, {1, 7}, Encoding::Utf8), b);
  EXPECT_EQ(offset_of(kText, {1, 3}, Encoding::Utf16), b);
  EXPECT_EQ(offset_of(kText, {1, 2}, Encoding::Utf32), b);
  for (const Encoding encoding : {Encoding::Utf8, Encoding::Utf16, Encoding::Utf32}) {
    for (std::size_t offset = 0; offset <= kText.size(); ++offset) {
      const bool is_inside = offset < kText.size() && (static_cast<unsigned char>(kText[offset]) & 0xC0U) == 0x80;
      const bool is_in_line_end = offset > 0 && kText.substr(offset - 1, 2) == "\r\n";
      if (!is_inside && !is_in_line_end) {
        EXPECT_EQ(offset_of(kText, position_of(kText, offset, encoding), encoding), offset);
      }
    }
  }
}

TEST(Positions, EveryLineEndCounts) {
  EXPECT_EQ(position_of(kText, kText.size(), Encoding::Utf16), (Position{3, 1}));
  EXPECT_EQ(offset_of(kText, {2, 0}, Encoding::Utf16), kText.find('x'));
  EXPECT_EQ(offset_of(kText, {3, 0}, Encoding::Utf16), kText.find('y'));
}

TEST(Positions, WhatDoesNotExistIsTheNearestThatDoes) {
  EXPECT_EQ(offset_of(kText, {0, 99}, Encoding::Utf16), kText.find('\n'));
  EXPECT_EQ(offset_of(kText, {99, 0}, Encoding::Utf16), kText.size());
  EXPECT_EQ(offset_of(kText, {1, 2}, Encoding::Utf16), kText.find("😀")); // between two surrogates
  EXPECT_EQ(offset_of(kText, {1, 5}, Encoding::Utf8), kText.find("😀"));
  EXPECT_EQ(offset_of("", {5, 5}, Encoding::Utf16), 0U);
}

TEST(Positions, AreReadWithCare) {
  EXPECT_EQ(read_position(Json::parse(R"({"line": 3, "character": 99999999999})")).line, 3U);
  for (const char *const wrong : {"{}", "null", "[]", R"({"line": -1, "character": 0})", R"({"line": "1"})"}) {
    EXPECT_THROW(read_position(Json::parse(wrong)), RequestError) << wrong;
  }
}

} // namespace
} // namespace deepperf::server
