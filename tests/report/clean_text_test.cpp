#include "report/clean_text.h"

#include <gtest/gtest.h>

namespace deepperf::report {

namespace {

TEST(CleanText, ValidTextStaysAsItIs) {
  for (const std::string_view text : {"", "a b", "ä 漢 🙂", "two\nlines\tand a tab", "\uFFFD"}) {
    EXPECT_EQ(clean_text(text), text);
  }
}

TEST(CleanText, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(clean_text("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(clean_text("a\xE6\xBC"), "a\uFFFD");                         // cut off
  EXPECT_EQ(clean_text("\xC0\x80"), "\uFFFD\uFFFD");                     // longer than need be
  EXPECT_EQ(clean_text("\xED\xA0\x80").find('\xED'), std::string::npos); // half of a surrogate pair
  EXPECT_EQ(clean_text(std::string_view("a\0b", 3)), "a\uFFFDb");
}

TEST(CleanText, ControlCharactersAreReplaced) {
  EXPECT_EQ(clean_text("\x1b[0m"), "\uFFFD[0m");
  EXPECT_EQ(clean_text("\x7f\u0085\u009b"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(clean_text("\u2028\uFFFE\U0001FFFF"), "\uFFFD\uFFFD\uFFFD");
}

TEST(CleanText, LineEnds) { EXPECT_EQ(clean_text("a\r\nb\rc\n"), "a\nb\nc\n"); }

} // namespace

} // namespace deepperf::report
