#include "python/encoding.h"

#include <gtest/gtest.h>

#include <string>

namespace deepperf::python {
namespace {

using namespace std::string_literals;

// "name@line:column" of the declaration, "" if there is none.
std::string cookie(std::string_view bytes) {
  const std::optional<EncodingCookie> found = find_encoding_cookie(bytes);
  if (!found) {
    return "";
  }
  return std::string(found->name) + "@" + std::to_string(found->place.line) + ":" + std::to_string(found->place.column);
}

// The text of a file with a `# coding: <encoding>` line, without that line.
std::string converted(const std::string &encoding, const std::string &bytes) {
  const LoadResult result = load_bytes("test.py", "# coding: " + encoding + "\n" + bytes);
  if (!result.ok()) {
    return "error: " + result.errors[0].message;
  }
  return std::string(result.source.text().substr(result.source.text().find('\n') + 1));
}

// "line:column message" of the only error.
std::string encoding_error(std::string_view bytes) {
  const LoadResult result = load_bytes("test.py", bytes);
  EXPECT_EQ(result.errors.size(), 1U);
  if (result.ok()) {
    return "";
  }
  EXPECT_EQ(result.source.text(), "");
  const SourceError &only = result.errors[0];
  return std::to_string(only.line) + ":" + std::to_string(only.column) + " " + only.message;
}

TEST(EncodingCookie, IsFoundInEveryUsualForm) {
  EXPECT_EQ(cookie("# coding: gbk\n"), "gbk@1:11");
  EXPECT_EQ(cookie("# -*- coding: latin-1 -*-\n"), "latin-1@1:15");
  EXPECT_EQ(cookie("# vim: set fileencoding=iso-8859-15 :\n"), "iso-8859-15@1:25");
  EXPECT_EQ(cookie("#coding=utf_8.x"), "utf_8.x@1:9");
  EXPECT_EQ(cookie(" \t\f# coding:\t cp1252\n"), "cp1252@1:15");
  EXPECT_EQ(cookie("# encoding: ascii\r\nx"), "ascii@1:13");
  EXPECT_EQ(cookie("# 编码 coding: gbk\n"), "gbk@1:14") << "columns count characters";
}

TEST(EncodingCookie, StandsInOneOfTheFirstTwoLines) {
  EXPECT_EQ(cookie("#!/usr/bin/env python\n# coding: gbk\n"), "gbk@2:11");
  EXPECT_EQ(cookie("#!/usr/bin/env python\r\n# coding: gbk\r\n"), "gbk@2:11");
  EXPECT_EQ(cookie("#!/usr/bin/env python\r# coding: gbk\r"), "gbk@2:11");
  EXPECT_EQ(cookie("\n# coding: gbk\n"), "gbk@2:11");
  EXPECT_EQ(cookie("  \t\n# coding: gbk\n"), "gbk@2:11");
  EXPECT_EQ(cookie("#\n#\n# coding: gbk\n"), "");
  EXPECT_EQ(cookie("\n\n# coding: gbk\n"), "");
  EXPECT_EQ(cookie("# coding: gbk\n# coding: big5\n"), "gbk@1:11") << "the first one counts";
  EXPECT_EQ(cookie("#" + std::string(5000, ' ') + "\n# coding: gbk\n"), "gbk@2:11");
}

TEST(EncodingCookie, BehindCodeIsNone) {
  EXPECT_EQ(cookie("import os\n# coding: gbk\n"), "");
  EXPECT_EQ(cookie("import os # coding: gbk\n"), "");
  EXPECT_EQ(cookie("'''\n# coding: gbk\n'''\n"), "");
  EXPECT_EQ(cookie("\\\n# coding: gbk\n"), "");
}

TEST(EncodingCookie, NeedsItsPunctuationAndAName) {
  EXPECT_EQ(cookie("# coding gbk\n"), "");
  EXPECT_EQ(cookie("# coding : gbk\n"), "");
  EXPECT_EQ(cookie("# coding:\n"), "");
  EXPECT_EQ(cookie("# coding:"), "");
  EXPECT_EQ(cookie("# coding"), "");
  EXPECT_EQ(cookie("# decoding things; coding: ! coding=big5\n"), "big5@1:37");
  EXPECT_EQ(cookie(""), "");
  EXPECT_EQ(cookie("   "), "");
}

TEST(Encoding, Utf8HasManyNames) {
  for (const char *name :
       {"utf-8", "UTF-8", "utf8", "Utf_8", "utf-8-sig", "utf-8-unix", "utf-8-dos", "utf8-unix", "u8"}) {
    EXPECT_TRUE(means_utf8(name)) << name;
  }
  for (const char *name : {"utf-16", "utf-7", "latin-1", "utf-80", ""}) {
    EXPECT_FALSE(means_utf8(name)) << name;
  }
}

TEST(Encoding, DeclaredNameIsRemembered) {
  EXPECT_EQ(load_bytes("a.py", "# coding: UTF8\n").source.encoding, "utf8");
  EXPECT_EQ(load_bytes("a.py", "# coding: GBK\n").source.encoding, "gbk");
  EXPECT_EQ(load_bytes("a.py", "x = 1\n").source.encoding, "utf-8");
}

TEST(Encoding, ConvertsWesternText) {
  EXPECT_EQ(converted("latin-1", "x = '\xE9\x80'\n"), "x = 'é\xC2\x80'\n");
  EXPECT_EQ(converted("Latin1", "\xE9"), "é");
  EXPECT_EQ(converted("latin-1-unix", "\xE9"), "é");
  EXPECT_EQ(converted("iso-8859-1", "\xE9"), "é");
  EXPECT_EQ(converted("iso-8859-15", "\xA4"), "€");
  EXPECT_EQ(converted("cp1252", "\x80\x93\x94"), "€“”");
  EXPECT_EQ(converted("windows-1252", "\x80"), "€");
  EXPECT_EQ(converted("koi8-r", "\xD0\xD2\xC9"), "при");
  EXPECT_EQ(converted("cp1251", "\xEF\xF0\xE8"), "при");
  EXPECT_EQ(converted("mac-roman", "\x8E"), "é");
}

TEST(Encoding, ConvertsEastAsianText) {
  EXPECT_EQ(converted("gbk", "# \xC4\xE3\xBA\xC3\n"), "# 你好\n");
  EXPECT_EQ(converted("cp936", "\xC4\xE3"), "你");
  EXPECT_EQ(converted("gb2312", "\xC4\xE3"), "你");
  EXPECT_EQ(converted("gb18030", "\x81\x30\x84\x36"), "¥");
  EXPECT_EQ(converted("gb18030", "\x94\x39\xFC\x36"), "😀");
  EXPECT_EQ(converted("big5", "\xA7\x41"), "你");
  EXPECT_EQ(converted("shift_jis", "\x93\xFA\x96\x7B"), "日本");
  EXPECT_EQ(converted("cp932", "\x87\x40"), "①");
  EXPECT_EQ(converted("euc-jp", "\xC6\xFC"), "日");
  EXPECT_EQ(converted("euc-kr", "\xC7\xD1"), "한");
  EXPECT_EQ(converted("cp949", "\x8C\x63"), "똠") << "Microsoft's code page 949, not IBM's";
}

TEST(Encoding, KeepsAsciiAndLineEndsAsTheyAre) {
  std::string ascii;
  for (char c = 1; c < 127; ++c) {
    ascii += c;
  }
  for (const char *name :
       {"ascii", "us-ascii", "latin-1", "cp1252", "gbk", "gb2312", "big5", "euc-kr", "cp949", "koi8-r"}) {
    EXPECT_EQ(converted(name, ascii + "\r\n\r\n"), ascii + "\r\n\r\n") << name;
  }
}

TEST(Encoding, LongTextsDoNotLoseHalvesOfCharacters) {
  // Characters outside the basic plane take two UTF-16 units: at some length the pair lies across a buffer's end.
  for (std::size_t before : {0U, 1U, 4080U, 4090U, 4095U}) {
    std::string bytes(before, 'a');
    std::string expected(before, 'a');
    for (int i = 0; i < 5000; ++i) {
      bytes += "\x94\x39\xFC\x36";
      expected += "😀";
    }
    EXPECT_EQ(converted("gb18030", bytes), expected);
  }
}

TEST(Encoding, UnknownIsAnErrorAtTheName) {
  EXPECT_EQ(encoding_error("#!/usr/bin/python\n# -*- coding: foo -*-\n"), "2:15 unknown encoding: foo");
  EXPECT_EQ(encoding_error("# coding: utf-9\n"), "1:11 unknown encoding: utf-9");
}

TEST(Encoding, WideEncodingsCannotBeDeclared) {
  EXPECT_EQ(encoding_error("# coding: utf-16\n"), "1:11 declares the encoding utf-16 in bytes that are not utf-16");
}

TEST(Encoding, InvalidBytesAreAnErrorAtTheirPlace) {
  EXPECT_EQ(encoding_error("# coding: ascii\nx = 1\ny = '\xE9'\n"),
            "3:6 byte 0xe9 is not valid in the declared encoding ascii");
  EXPECT_EQ(encoding_error("# coding: gbk\r\n# \xC4\xE3\xC4 \r\n"),
            "2:4 byte 0xc4 is not valid in the declared encoding gbk");
  EXPECT_EQ(encoding_error("# coding: gbk\n# \xC4"), "2:3 byte 0xc4 is not valid in the declared encoding gbk");
}

TEST(Encoding, InvalidUtf8IsLeftToTheLexer) { EXPECT_EQ(converted("utf-8", "x = '\xE9'\n"), "x = '\xE9'\n"); }

TEST(Encoding, ByteOrderMarkAndDeclarationMustAgree) {
  EXPECT_TRUE(load_bytes("a.py", "\xEF\xBB\xBF# coding: utf-8\n").ok());
  EXPECT_TRUE(load_bytes("a.py", "\xEF\xBB\xBF# coding: utf-8-sig\n").ok());
  EXPECT_EQ(encoding_error("\xEF\xBB\xBF# coding: latin-1\n"),
            "1:11 declares the encoding latin-1 but starts with a UTF-8 byte order mark");
}

TEST(Encoding, WideTextIsNamed) {
  EXPECT_EQ(encoding_error("\xFF\xFEx\0"s), "0:0 is UTF-16 text; Python needs UTF-8 or a declared encoding");
  EXPECT_EQ(encoding_error("\xFE\xFF\0x"s), "0:0 is UTF-16 text; Python needs UTF-8 or a declared encoding");
  EXPECT_EQ(encoding_error("\xFF\xFE\0\0x\0\0\0"s), "0:0 is UTF-32 text; Python needs UTF-8 or a declared encoding");
  EXPECT_EQ(encoding_error("\0\0\xFE\xFF\0\0\0x"s), "0:0 is UTF-32 text; Python needs UTF-8 or a declared encoding");
}

TEST(Encoding, PositionsAreThoseOfTheConvertedText) {
  const LoadResult result = load_bytes("a.py", "# coding: gbk\n\xC4\xE3 = x\n");
  ASSERT_TRUE(result.ok());
  const Position position = result.source.position(static_cast<u32>(result.source.text().find('=')));
  EXPECT_EQ(position.line, 2U);
  EXPECT_EQ(position.column, 3U);
}

} // namespace
} // namespace deepperf::python
