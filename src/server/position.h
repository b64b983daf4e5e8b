// Places in a text as editors count them: lines and characters from 0, where a character is a unit of UTF-8, UTF-16 or
// UTF-32, whatever both sides agree on.
#pragma once

#include "base/types.h"
#include "python/source.h"
#include "server/json.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace deepperf::server {

enum class Encoding : u8 { Utf8, Utf16, Utf32 };

std::string_view encoding_name(Encoding encoding);
std::optional<Encoding> find_encoding(std::string_view name);

struct Position {
  u32 line = 0;
  u32 character = 0;
  friend auto operator<=>(const Position &, const Position &) = default;
};

struct Range {
  Position start;
  Position end;
  friend bool operator==(const Range &, const Range &) = default;
};

// How many units the text has. It is UTF-8.
u32 count_units(std::string_view text, Encoding encoding);

// A line that does not exist is the end of the text, a character that does not is the end of its line, and the middle
// of a character is its beginning.
std::size_t offset_of(std::string_view text, Position position, Encoding encoding);
Position position_of(std::string_view text, std::size_t offset, Encoding encoding);

// In a notebook the line counts within the cell.
Position position_in(const python::Source &source, u32 offset, Encoding encoding);

// The way back: in the given cell of a notebook, or in the file if that is 0. What the text does not have is its end.
std::optional<u32> offset_in(const python::Source &source, u32 cell, Position position, Encoding encoding);

Json to_json(const Position &position);
Json to_json(const Range &range);
// Throws RequestError if it is not one.
Position read_position(const Json &json);
Range read_range(const Json &json);

} // namespace deepperf::server
