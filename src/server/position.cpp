#include "server/position.h"

#include "server/message.h"

#include <algorithm>
#include <limits>

namespace deepperf::server {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

u32 units_of(char first, std::size_t bytes, Encoding encoding) {
  switch (encoding) {
  case Encoding::Utf8:
    return static_cast<u32>(bytes);
  case Encoding::Utf16:
    return static_cast<unsigned char>(first) >= 0xF0 ? 2 : 1;
  default:
    return 1;
  }
}

// Bytes of the character at `at`, counted by what follows its first.
std::size_t size_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && continues(text[end])) {
    ++end;
  }
  return end - at;
}

// Where the line that begins at `start` ends, without its line end.
std::size_t line_end(std::string_view text, std::size_t start) {
  return std::min(text.find_first_of("\r\n", start), text.size());
}

// Where the line after the one that ends at `end` begins; nothing if that was the last.
std::optional<std::size_t> next_line(std::string_view text, std::size_t end) {
  if (end >= text.size()) {
    return std::nullopt;
  }
  return end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
}

// Most texts have no '\r', and one character is found much faster than one of two.
std::size_t find_line_end(std::string_view text, std::size_t start, bool has_returns) {
  return has_returns ? line_end(text, start) : std::min(text.find('\n', start), text.size());
}

} // namespace

std::string_view encoding_name(Encoding encoding) {
  switch (encoding) {
  case Encoding::Utf8:
    return "utf-8";
  case Encoding::Utf16:
    return "utf-16";
  default:
    return "utf-32";
  }
}

std::optional<Encoding> find_encoding(std::string_view name) {
  for (const Encoding encoding : {Encoding::Utf8, Encoding::Utf16, Encoding::Utf32}) {
    if (encoding_name(encoding) == name) {
      return encoding;
    }
  }
  return std::nullopt;
}

u32 count_units(std::string_view text, Encoding encoding) {
  u32 units = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = size_at(text, at);
    units += units_of(text[at], size, encoding);
    at += size;
  }
  return units;
}

std::size_t offset_of(std::string_view text, Position position, Encoding encoding) {
  const bool has_returns = text.find('\r') != text.npos;
  std::size_t start = 0;
  std::size_t end = find_line_end(text, 0, has_returns);
  for (u32 line = 0; line < position.line; ++line) {
    const std::optional<std::size_t> next = next_line(text, end);
    if (!next) {
      return text.size();
    }
    start = *next;
    end = find_line_end(text, start, has_returns);
  }
  std::size_t at = start;
  for (u32 left = position.character; at < end;) {
    const std::size_t size = size_at(text, at);
    const u32 units = units_of(text[at], size, encoding);
    if (units > left) {
      break;
    }
    left -= units;
    at += size;
  }
  return at;
}

Position position_of(std::string_view text, std::size_t offset, Encoding encoding) {
  offset = std::min(offset, text.size());
  const bool has_returns = text.find('\r') != text.npos;
  Position position;
  std::size_t start = 0;
  while (true) {
    const std::optional<std::size_t> next = next_line(text, find_line_end(text, start, has_returns));
    if (!next || *next > offset) {
      break;
    }
    start = *next;
    ++position.line;
  }
  position.character = count_units(text.substr(start, offset - start), encoding);
  return position;
}

Position position_in(const python::Source &source, u32 offset, Encoding encoding) {
  const python::Position position = source.position(offset);
  const std::string_view line = source.line_text(offset);
  const u32 column = source.line_column(offset).column;
  return {position.line - 1, count_units(line.substr(0, std::min<std::size_t>(column, line.size())), encoding)};
}

std::optional<u32> offset_in(const python::Source &source, u32 cell, Position position, Encoding encoding) {
  const std::string_view text = source.text();
  if (cell == 0) {
    return source.is_notebook ? std::nullopt : std::optional(static_cast<u32>(offset_of(text, position, encoding)));
  }
  for (const python::Segment &segment : source.segments) {
    if (segment.cell == cell) {
      const std::string_view code = text.substr(segment.begin, segment.end - segment.begin);
      return static_cast<u32>(segment.begin + offset_of(code, position, encoding));
    }
  }
  return std::nullopt;
}

Json to_json(const Position &position) { return {{"line", position.line}, {"character", position.character}}; }

Json to_json(const Range &range) { return {{"start", to_json(range.start)}, {"end", to_json(range.end)}}; }

Position read_position(const Json &json) {
  const auto read = [&](std::string_view name) {
    const Json &number = member(json, name);
    if (!number.is_number_unsigned()) {
      throw RequestError(ErrorCode::InvalidParams, "a position needs a line and a character, both from 0");
    }
    return static_cast<u32>(std::min<u64>(number.get<u64>(), std::numeric_limits<u32>::max()));
  };
  return {read("line"), read("character")};
}

Range read_range(const Json &json) {
  Range range{read_position(member(json, "start")), read_position(member(json, "end"))};
  if (range.end < range.start) {
    std::swap(range.start, range.end);
  }
  return range;
}

} // namespace deepperf::server
