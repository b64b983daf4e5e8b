// The rows of a Stack Exchange dump (Posts.xml), straight from the bytes.
//
// A dump is one element per post, all of it in attributes: <row Id="1" PostTypeId="1" Body="&lt;p&gt;…" … />. In XML no
// value can hold a '<' or the quote around it, so a search for one byte finds the end of a row, and of a value; that is
// how fast memory can be read. A general parser would decode every value of every row, and nearly none is wanted. And
// where a row is broken, the next '<row' is a sure place to go on, while a parser would stop for good.
#pragma once

#include "base/types.h"

#include <array>
#include <string>
#include <string_view>

namespace deepperf::study {

enum class Field : u8 {
  Id,
  PostType,
  Parent,
  AcceptedAnswer,
  Created,
  Score,
  Views,
  Body,
  Title,
  Tags,
  Answers,
  Favourites,
  Closed,
  kCount
};

inline constexpr std::size_t kFieldCount = static_cast<std::size_t>(Field::kCount);

struct Row {
  std::string_view text; // from '<' to '>'
  std::array<std::string_view, kFieldCount> fields;
  u32 present = 0; // bit by Field

  bool has(Field field) const { return (present >> static_cast<u32>(field) & 1U) != 0; }
  // As it stands in the file, with its entities.
  std::string_view operator[](Field field) const { return fields[static_cast<std::size_t>(field)]; }
};

class RowScanner {
public:
  enum class Event : u8 {
    Row,
    Broken,   // a row that is none
    Junk,     // text between rows
    Unclosed, // the text ends within a row
    End,
  };

  // The text starts between rows. If `inside`, it may start within something broken, which is passed over.
  RowScanner(std::string_view text, bool inside);

  // After Row, `row` is the row; after all others but End, `row.text` is what was passed over.
  Event next(Row &row);

  // A closing tag other than </row> was seen, and nothing but spaces after it.
  bool closed() const { return closed_; }

private:
  Event parse_row(Row &row);
  Event give_up(Row &row, Event event, const char *from);
  bool skip_markup();

  const char *at_;
  const char *end_;
  bool closed_ = false;
};

// Appends what an attribute's value means: entities replaced, line ends and tabs as spaces. False: an entity that is
// none.
bool unescape(std::string_view raw, std::string &out);

} // namespace deepperf::study
