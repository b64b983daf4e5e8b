#include "python/encoding.h"
#include "python/source.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace deepperf::python {
namespace {

using namespace std::string_literals;

Source load(std::string_view bytes) {
  LoadResult result = load_bytes("test.py", bytes);
  EXPECT_TRUE(result.ok()) << result.errors.at(0).message;
  return std::move(result.source);
}

// "line:column" of the first place where `what` stands. It must be there.
std::string place(const Source &source, std::string_view what) {
  const std::size_t at = source.text().find(what);
  if (at == std::string_view::npos) {
    throw std::runtime_error("the text has no " + std::string(what));
  }
  const Position position = source.position(static_cast<u32>(at));
  return std::to_string(position.line) + ":" + std::to_string(position.column);
}

bool padding_is_zero(const Source &source) {
  const char *const end = source.text().data() + source.text().size();
  return std::all_of(end, end + Source::kPadding, [](char c) { return c == '\0'; });
}

class SourceFile : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "deepperf_source_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string &name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string write(const std::string &name, std::string_view bytes) const {
    std::ofstream stream(path(name), std::ios::binary);
    EXPECT_TRUE(stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush()) << name;
    return path(name);
  }

private:
  std::filesystem::path folder_;
};

TEST(SourcePosition, CountsFromOne) {
  const Source source = load("a\nbc\n");
  EXPECT_EQ(place(source, "a"), "1:1");
  EXPECT_EQ(place(source, "c"), "2:2");
  EXPECT_EQ(source.position(5).line, 3U);
  EXPECT_EQ(source.position(5).column, 1U);
  EXPECT_EQ(source.position(0).cell, 0U);
}

TEST(SourcePosition, KnowsEveryLineEnd) {
  const Source source = load("a\nb\r\nc\rd\r\re\n\r\nf");
  EXPECT_EQ(place(source, "b"), "2:1");
  EXPECT_EQ(place(source, "c"), "3:1");
  EXPECT_EQ(place(source, "d"), "4:1");
  EXPECT_EQ(place(source, "e"), "6:1");
  EXPECT_EQ(place(source, "f"), "8:1");
  EXPECT_EQ(place(source, "\r\nc"), "2:2") << "a line end belongs to the line that it ends";
}

TEST(SourcePosition, FormFeedAndOtherSeparatorsEndNoLine) {
  const Source source = load("a\f\v\xE2\x80\xA8z");
  EXPECT_EQ(place(source, "z"), "1:5");
}

TEST(SourcePosition, ColumnsAreCharacters) {
  // A tab is one, so are a CJK character (3 bytes), an emoji (4 bytes) and a combining accent.
  const Source source = load("\tx\n数据 = 'é😀'; y\ne\xCC\x81z");
  EXPECT_EQ(place(source, "x"), "1:2");
  EXPECT_EQ(place(source, "="), "2:4");
  EXPECT_EQ(place(source, "y"), "2:12");
  EXPECT_EQ(place(source, "z"), "3:3");
}

TEST(SourcePosition, ByteColumnsAreCPythons) {
  const Source source = load("x\r\n数据 = 1\n");
  const Source::LineColumn found = source.line_column(static_cast<u32>(source.text().find('=')));
  EXPECT_EQ(found.line, 2U);
  EXPECT_EQ(found.column, 7U);
}

TEST(SourcePosition, InvalidBytesCountOneEach) {
  // A lone continuation byte, a cut-off character, an overlong form, a surrogate, something above U+10FFFF.
  EXPECT_EQ(place(load("\x80x"), "x"), "1:2");
  EXPECT_EQ(place(load("\xE6\x95x"), "x"), "1:3");
  EXPECT_EQ(place(load("\xC0\x80x"), "x"), "1:3");
  EXPECT_EQ(place(load("\xED\xA0\x80x"), "x"), "1:4");
  EXPECT_EQ(place(load("\xF4\x90\x80\x80x"), "x"), "1:5");
  EXPECT_EQ(load("ab\xE6\x95").position(4).column, 5U);
}

TEST(SourcePosition, InsideACharacterIsThatCharacter) {
  const Source source = load("数据");
  EXPECT_EQ(source.position(3).column, 2U);
  EXPECT_EQ(source.position(4).column, 2U);
  EXPECT_EQ(source.position(5).column, 2U);
  EXPECT_EQ(source.position(6).column, 3U);
}

TEST(SourcePosition, PlacesFarIntoALineAreCountedAsNearOnes) {
  // Characters of every size and broken ones, so that marks fall into all of them.
  for (const std::string &part :
       {std::string("a数é😀"), std::string("\x80\x80\xE2\x82"), std::string("\xF0\x9F\x98\x80\x80\x80")}) {
    std::string line = "x\n";
    while (line.size() < 40'000) {
      line += part;
    }
    const Source source = load(line + "\ny");
    u32 column = 1;
    for (u32 at = 2; at < line.size(); ++column) {
      EXPECT_EQ(source.position(at).column, column) << at;
      at += std::max(utf8_size(source.text().data() + at, source.text().data() + source.text().size()), 1U);
    }
    EXPECT_EQ(source.position(static_cast<u32>(line.size() + 1)).line, 3U);
  }
}

TEST(SourcePosition, LongLinesAreCountedRight) {
  const std::string line = std::string(100, 'a') + "é" + std::string(100, 'b') + "é" + "c";
  EXPECT_EQ(place(load(line), "c"), "1:203");
}

TEST(SourcePosition, BehindTheEndIsTheEnd) {
  const Source source = load("ab");
  EXPECT_EQ(source.position(1000).column, 3U);
  EXPECT_EQ(source.line_text(1000), "ab");
  EXPECT_EQ(load("").position(0).line, 1U);
}

TEST(SourceLineText, LeavesTheLineEndOut) {
  const Source source = load("one\r\ntwo\rthree\n\nfive");
  EXPECT_EQ(source.line_text(0), "one");
  EXPECT_EQ(source.line_text(4), "one");
  EXPECT_EQ(source.line_text(5), "two");
  EXPECT_EQ(source.line_text(10), "three");
  EXPECT_EQ(source.line_text(15), "");
  EXPECT_EQ(source.line_text(20), "five");
  EXPECT_EQ(load("a\n").line_text(2), "");
}

TEST(SourceText, IsOneSegmentWithZerosBehind) {
  const Source source = load("x = 1\n");
  EXPECT_EQ(source.text(), "x = 1\n");
  ASSERT_EQ(source.segments.size(), 1U);
  EXPECT_EQ(source.segments[0].begin, 0U);
  EXPECT_EQ(source.segments[0].end, 6U);
  EXPECT_EQ(source.segments[0].cell, 0U);
  EXPECT_TRUE(padding_is_zero(source));
  EXPECT_FALSE(source.is_notebook);
  EXPECT_EQ(source.encoding, "utf-8");
}

TEST(SourceText, KeepsNulsAndInvalidUtf8ForTheLexer) {
  EXPECT_EQ(load("a\0b"s).text(), "a\0b"s);
  EXPECT_EQ(load("# \xFF\n").text(), "# \xFF\n");
}

TEST(SourceText, DropsTheByteOrderMark) {
  const Source source = load("\xEF\xBB\xBFx = 1\n");
  EXPECT_TRUE(source.has_bom);
  EXPECT_EQ(source.text(), "x = 1\n");
  EXPECT_EQ(source.segments.at(0).end, 6U);
  EXPECT_EQ(place(source, "x"), "1:1");
  EXPECT_TRUE(padding_is_zero(source));
  EXPECT_EQ(load("\xEF\xBB\xBF").text(), "");
  EXPECT_EQ(load("\xEF\xBB").text(), "\xEF\xBB");
}

TEST(SourceText, AllocatingAgainForgetsTheOldLines) {
  Source source = load("a\nb\nc\n");
  EXPECT_EQ(source.position(4).line, 3U);
  char *const bytes = source.allocate(5);
  std::copy_n("abcde", 5, bytes);
  source.segments = {{0, 5, 0}};
  EXPECT_EQ(source.position(4).line, 1U);
  source.shrink(2);
  EXPECT_EQ(source.text(), "ab");
  EXPECT_TRUE(padding_is_zero(source));
}

TEST(SourceText, ReusesItsBuffer) {
  Source source;
  const char *const first = source.allocate(1000);
  EXPECT_EQ(source.allocate(10), first);
  EXPECT_EQ(source.allocate(1000), first);
}

TEST_F(SourceFile, IsReadWhole) {
  const std::string big(300000, 'x');
  for (const std::string &text : {""s, "x"s, "x = 1\n"s, big}) {
    const LoadResult result = load_file(write("a.py", text));
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result.source.text(), text);
    EXPECT_EQ(result.source.path, path("a.py"));
    EXPECT_TRUE(padding_is_zero(result.source));
  }
}

TEST_F(SourceFile, LeavesNothingBehindForTheNext) {
  Source source;
  std::vector<SourceError> errors;
  ASSERT_TRUE(load_file_into(write("a.py", "\xEF\xBB\xBF# coding: utf8\nlong = 'text'\n"), source, errors));
  EXPECT_TRUE(source.has_bom);
  EXPECT_EQ(source.encoding, "utf8");

  EXPECT_FALSE(load_file_into(path("missing.py"), source, errors));
  EXPECT_EQ(errors.size(), 1U);
  EXPECT_EQ(source.text(), "");
  EXPECT_TRUE(source.segments.empty());

  ASSERT_TRUE(load_file_into(write("b.py", "b"), source, errors));
  EXPECT_TRUE(errors.empty());
  EXPECT_FALSE(source.has_bom);
  EXPECT_EQ(source.encoding, "utf-8");
  EXPECT_EQ(source.text(), "b");
  EXPECT_EQ(source.segments.size(), 1U);
  EXPECT_TRUE(padding_is_zero(source));
}

TEST_F(SourceFile, SaysWhyItCannotBeRead) {
  const LoadResult missing = load_file(path("missing.py"));
  ASSERT_EQ(missing.errors.size(), 1U);
  EXPECT_EQ(missing.errors[0].message, "cannot read: No such file or directory");
  EXPECT_EQ(missing.errors[0].line, 0U);

  EXPECT_EQ(load_file(path(".")).errors.at(0).message, "is not a regular file");
  EXPECT_EQ(load_file("/dev/zero").errors.at(0).message, "is not a regular file");
}

TEST_F(SourceFile, DoesNotWaitForAFifo) {
  ASSERT_EQ(::mkfifo(path("fifo.py").c_str(), 0600), 0);
  EXPECT_EQ(load_file(path("fifo.py")).errors.at(0).message, "is not a regular file");
}

TEST_F(SourceFile, AboveOneGibibyteIsRefused) {
  const std::string name = write("huge.py", "");
  ASSERT_EQ(::truncate(name.c_str(), (off_t{1} << 30) + 1), 0); // a hole: takes no room on the disk
  EXPECT_EQ(load_file(name).errors.at(0).message, "is larger than 1 GiB");
}

TEST_F(SourceFile, ThatSaysItIsEmptyMayNotBe) {
  if (!std::filesystem::exists("/proc/self/status")) {
    GTEST_SKIP() << "no /proc here";
  }
  const LoadResult result = load_file("/proc/self/status");
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result.source.text().starts_with("Name:"));
  EXPECT_TRUE(result.source.text().ends_with("\n"));
}

TEST_F(SourceFile, NotebookIsTakenByItsEnding) {
  const std::string json = R"({"cells": [{"cell_type": "code", "source": "x"}]})";
  const LoadResult notebook = load_file(write("a.ipynb", json));
  ASSERT_TRUE(notebook.ok());
  EXPECT_TRUE(notebook.source.is_notebook);
  EXPECT_EQ(notebook.source.text(), "x\0"s);
  EXPECT_TRUE(padding_is_zero(notebook.source));
  EXPECT_FALSE(load_file(write("a.py", json)).source.is_notebook);
}

} // namespace
} // namespace deepperf::python
