#include "server/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace deepperf::server {

namespace {

constexpr std::string_view kLengthHeader = "content-length:";
// A line that is longer is not a header. Its end stays, as a header may begin in it.
constexpr std::size_t kLongestLine = std::size_t{1} << 16;
constexpr std::size_t kKeptOfLongLine = 64;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Anywhere in the line: after a body that was longer than announced, the header follows without a line end.
std::optional<std::string_view> find_length(std::string_view line) {
  const auto found = std::search(line.begin(), line.end(), kLengthHeader.begin(), kLengthHeader.end(),
                                 [](char a, char b) { return lower(a) == b; });
  if (found == line.end()) {
    return std::nullopt;
  }
  std::string_view value(found + kLengthHeader.size(), line.end());
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) {
    value.remove_prefix(1);
  }
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) {
    value.remove_suffix(1);
  }
  return value;
}

bool is_other_header(std::string_view line) {
  constexpr std::string_view kType = "content-type:";
  return line.size() >= kType.size() && std::ranges::equal(line.substr(0, kType.size()), kType, {}, lower);
}

} // namespace

void FrameParser::add(std::string_view bytes) { buffer_ += bytes; }

void FrameParser::forget_read() {
  buffer_.erase(0, at_);
  scanned_ = scanned_ > at_ ? scanned_ - at_ : 0;
  at_ = 0;
}

std::optional<Frame> FrameParser::problem(std::string text) {
  if (has_complained_) {
    return std::nullopt;
  }
  has_complained_ = true;
  return Frame{.is_message = false, .text = std::move(text)};
}

std::optional<Frame> FrameParser::read_header_line(std::string_view line) {
  has_header_ = true;
  const std::optional<std::string_view> value = find_length(line);
  if (!value) {
    return is_other_header(line) ? std::nullopt : problem("expected a header such as `Content-Length: 52`");
  }
  length_ = std::nullopt;
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), length);
  if (error == std::errc::result_out_of_range || (error == std::errc() && length > kLargestMessage)) {
    return problem(fmt::format("a message may have at most {} bytes", kLargestMessage));
  }
  if (error != std::errc() || end != value->data() + value->size()) {
    return problem("Content-Length is not a number");
  }
  length_ = length;
  return std::nullopt;
}

std::optional<Frame> FrameParser::next() {
  while (true) {
    if (in_body_) {
      if (buffer_.size() - at_ < *length_) {
        return std::nullopt;
      }
      Frame frame{.is_message = true, .text = buffer_.substr(at_, *length_)};
      at_ += *length_;
      length_ = std::nullopt;
      in_body_ = has_header_ = has_complained_ = false;
      forget_read();
      return frame;
    }
    const std::size_t end = buffer_.find('\n', std::max(at_, scanned_));
    if (end == std::string::npos) {
      if (buffer_.size() - at_ > kLongestLine) {
        at_ = buffer_.size() - kKeptOfLongLine;
      }
      forget_read();
      scanned_ = buffer_.size();
      return std::nullopt;
    }
    std::string_view line = std::string_view(buffer_).substr(at_, end - at_);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    std::optional<Frame> frame;
    if (!line.empty()) {
      frame = read_header_line(line);
    } else if (length_) {
      in_body_ = true;
    } else if (has_header_) {
      has_header_ = false;
      frame = problem("a header without Content-Length");
    }
    at_ = end + 1;
    if (frame) {
      return frame;
    }
  }
}

std::string framed(std::string_view body) { return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body); }

} // namespace deepperf::server
