#include "server/frames.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace deepperf::server {
namespace {

struct Read {
  std::vector<std::string> messages;
  std::vector<std::string> problems;
};

Read read(std::string_view bytes, std::size_t step) {
  Read result;
  FrameParser frames;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    frames.add(bytes.substr(at, step));
    while (const std::optional<Frame> frame = frames.next()) {
      (frame->is_message ? result.messages : result.problems).push_back(frame->text);
    }
  }
  return result;
}

TEST(Frames, AreReadInAnyPieces) {
  const std::string bytes = framed("one") + framed("") + framed("{\"three\": \"ü\"}");
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
    const Read result = read(bytes, step);
    EXPECT_EQ(result.messages, (std::vector<std::string>{"one", "", "{\"three\": \"ü\"}"}));
    EXPECT_TRUE(result.problems.empty());
  }
}

TEST(Frames, HeadersAreInAnyCaseAndMayHaveATypeAndPlainLineEnds) {
  const Read result = read("content-length:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\nab"
                           "CONTENT-LENGTH: 1 \n\nc",
                           3);
  EXPECT_EQ(result.messages, (std::vector<std::string>{"ab", "c"}));
  EXPECT_TRUE(result.problems.empty());
}

TEST(Frames, GarbageIsSkippedAndReportedOnce) {
  const Read result = read("hello\nworld\n\n\x01\x02\n" + framed("good") + "more garbage\n" + framed("again"), 1);
  EXPECT_EQ(result.messages, (std::vector<std::string>{"good", "again"}));
  EXPECT_EQ(result.problems.size(), 2U);
}

TEST(Frames, AMessageIsFoundAfterABodyThatWasLongerThanAnnounced) {
  const Read result = read("Content-Length: 2\r\n\r\nabcdef" + framed("next"), 5);
  EXPECT_EQ(result.messages, (std::vector<std::string>{"ab", "next"}));
}

TEST(Frames, LengthsThatMakeNoSenseAreRefused) {
  for (const std::string_view length : {"-1", "abc", "", "1x", "99999999999999999999999", "1000000000000"}) {
    const Read result = read(fmt::format("Content-Length: {}\r\n\r\n", length) + framed("good"), 4);
    EXPECT_EQ(result.messages, std::vector<std::string>{"good"}) << length;
    EXPECT_EQ(result.problems.size(), 1U) << length;
  }
  EXPECT_EQ(read("Content-Type: x\r\n\r\n" + framed("good"), 9).problems.size(), 1U);
}

TEST(Frames, ALongLineTakesNoMemory) {
  FrameParser frames;
  for (int i = 0; i < 100; ++i) {
    frames.add(std::string(1 << 16, 'x'));
    EXPECT_FALSE(frames.next());
  }
  frames.add(framed("good"));
  std::optional<Frame> frame = frames.next();
  while (frame && !frame->is_message) {
    frame = frames.next();
  }
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->text, "good");
}

} // namespace
} // namespace deepperf::server
