// Messages as they come over the wire: a header with `Content-Length`, an empty line, and that many bytes.
//
// Whatever arrives, the next well-formed message is found again: bytes that are neither header nor body are skipped.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace deepperf::server {

struct Frame {
  bool is_message = true;
  std::string text; // the body or, if it is not a message, what is wrong
};

class FrameParser {
public:
  // No editor sends more; a length above that is a mistake or an attack.
  static constexpr std::size_t kLargestMessage = std::size_t{256} << 20;

  void add(std::string_view bytes);
  // Nothing if more bytes are needed.
  std::optional<Frame> next();
  // Bytes that belong to no complete message.
  [[nodiscard]] bool has_rest() const { return in_body_ || at_ < buffer_.size(); }

private:
  std::optional<Frame> read_header_line(std::string_view line);
  std::optional<Frame> problem(std::string text);
  void forget_read();

  std::string buffer_;
  std::size_t at_ = 0;      // what lies before has been read
  std::size_t scanned_ = 0; // no line ends before this
  std::optional<std::size_t> length_;
  bool in_body_ = false;
  bool has_header_ = false;     // a line that is not empty has been read since the last message
  bool has_complained_ = false; // once is enough until the next good message
};

// With the header in front.
std::string framed(std::string_view body);

} // namespace deepperf::server
