#include "fix/notebook.h"

#include "base/write.h"
#include "python/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace deepperf::fix {

namespace {

// A string literal in the JSON: where what is between its quotes begins and ends.
struct Literal {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The code of one cell: one literal, or the literals of a list.
struct CellCode {
  std::vector<Literal> pieces;
  bool is_list = false;
};

// One character of a literal: how many bytes it has there, and what it stands for.
struct Character {
  std::size_t size = 1;
  std::string value;
};

u32 hex_value(std::string_view digits) {
  u32 value = 0;
  for (const char c : digits) {
    const auto lower = static_cast<char>(c | 0x20);
    value = value * 16 + static_cast<u32>(c <= '9' ? c - '0' : lower - 'a' + 10);
  }
  return value;
}

std::string utf8_of(u32 code) {
  if (code < 0x80) {
    return {static_cast<char>(code)};
  }
  std::string bytes;
  const u32 more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::array<u32, 4> kLead = {0, 0xC0, 0xE0, 0xF0};
  bytes += static_cast<char>(kLead[more] | (code >> (6 * more)));
  for (u32 i = more; i > 0; --i) {
    bytes += static_cast<char>(0x80 | ((code >> (6 * (i - 1))) & 0x3F));
  }
  return bytes;
}

Character unicode_escape(std::string_view text) {
  if (text.size() < 6) {
    return {text.size(), "?"};
  }
  const u32 unit = hex_value(text.substr(2, 4));
  if (unit >= 0xD800 && unit <= 0xDBFF && text.size() >= 12 && text[6] == '\\' && text[7] == 'u') {
    const u32 second = hex_value(text.substr(8, 4));
    if (second >= 0xDC00 && second <= 0xDFFF) {
      return {12, utf8_of(0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00))};
    }
  }
  return {6, utf8_of(unit >= 0xD800 && unit <= 0xDFFF ? 0xFFFD : unit)};
}

Character first_character(std::string_view text) {
  if (text[0] != '\\' || text.size() < 2) {
    const u32 size = python::utf8_size(text.data(), text.data() + text.size());
    return {std::max(size, 1U), std::string(text.substr(0, std::max(size, 1U)))};
  }
  constexpr std::string_view kEscapes = "bfnrt";
  constexpr std::string_view kMeanings = "\b\f\n\r\t";
  if (text[1] == 'u') {
    return unicode_escape(text);
  }
  const std::size_t found = kEscapes.find(text[1]);
  return {2, std::string(1, found == kEscapes.npos ? text[1] : kMeanings[found])};
}

// What a literal stands for.
std::string unescaped(std::string_view text) {
  std::string value;
  while (!text.empty()) {
    const Character character = first_character(text);
    value += character.value;
    text.remove_prefix(std::min(character.size, text.size()));
  }
  return value;
}

// Finds the code of cells. The JSON has been read before and is known to be well-formed; should it be not, every step
// still goes forward and stops at the end.
class Scanner {
public:
  explicit Scanner(std::string_view json)
      : json_(json), at_(json.starts_with(python::kUtf8Mark) ? python::kUtf8Mark.size() : 0) {}

  // One for each cell, of whatever type, in order; as the reader of notebooks counts them.
  std::vector<CellCode> cells() {
    std::vector<CellCode> cells;
    std::vector<CellCode> worksheets;
    bool has_cells = false;
    each_member([&](std::string_view key) {
      if (key == "cells" && !has_cells) {
        has_cells = true;
        each_item([&] { cells.push_back(cell()); });
      } else if (key == "worksheets" && worksheets.empty()) {
        each_item([&] {
          each_member([&](std::string_view inner) {
            if (inner == "cells") {
              each_item([&] { worksheets.push_back(cell()); });
            } else {
              skip();
            }
          });
        });
      } else {
        skip();
      }
    });
    return has_cells ? cells : worksheets;
  }

private:
  CellCode cell() {
    CellCode source;
    CellCode input; // nbformat 3's name for it
    bool has_source = false;
    each_member([&](std::string_view key) {
      if (key == "source" && !has_source) {
        has_source = true;
        source = code();
      } else if (key == "input" && input.pieces.empty()) {
        input = code();
      } else {
        skip();
      }
    });
    return has_source ? source : input;
  }

  CellCode code() {
    CellCode code;
    if (peek() == '"') {
      code.pieces.push_back(string());
    } else if (peek() == '[') {
      code.is_list = true;
      each_item([&] {
        if (peek() == '"') {
          code.pieces.push_back(string());
        } else {
          skip();
        }
      });
    } else {
      skip();
    }
    return code;
  }

  // The next byte that is no white space; NUL at the end.
  char peek() {
    while (at_ < json_.size() &&
           (json_[at_] == ' ' || json_[at_] == '\t' || json_[at_] == '\n' || json_[at_] == '\r')) {
      ++at_;
    }
    return at_ < json_.size() ? json_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) {
      return false;
    }
    ++at_;
    return true;
  }

  // `use` takes the value that follows the key.
  template <class Use> void each_member(Use use) {
    if (!take('{')) {
      skip();
      return;
    }
    while (peek() == '"') {
      const Literal key = string();
      if (!take(':')) {
        break;
      }
      const std::string_view written = json_.substr(key.begin, key.end - key.begin);
      if (written.find('\\') == written.npos) {
        use(written);
      } else {
        use(unescaped(written));
      }
      take(',');
    }
    take('}');
  }
  template <class Use> void each_item(Use use) {
    if (!take('[')) {
      skip();
      return;
    }
    while (peek() != ']' && peek() != '\0') {
      const std::size_t before = at_;
      use();
      take(',');
      if (at_ == before) {
        ++at_;
      }
    }
    take(']');
  }

  Literal string() {
    Literal literal;
    literal.begin = ++at_;
    while (at_ < json_.size() && json_[at_] != '"') {
      at_ += json_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_, json_.size());
    literal.end = at_;
    at_ = std::min(at_ + 1, json_.size());
    return literal;
  }

  // Goes after the value, however deep it is.
  void skip() {
    std::size_t depth = 0;
    do {
      switch (peek()) {
      case '\0':
        return;
      case '"':
        string();
        break;
      case '{':
      case '[':
        ++depth;
        ++at_;
        break;
      case '}':
      case ']':
        if (depth == 0) {
          return; // the end of what holds the value, which is missing
        }
        --depth;
        ++at_;
        break;
      case ',':
      case ':':
        if (depth == 0) {
          return;
        }
        ++at_;
        break;
      default:
        at_ = std::min(json_.find_first_of(" \t\r\n,:]}", at_), json_.size());
      }
    } while (depth != 0);
  }

  std::string_view json_;
  std::size_t at_;
};

// Where the bytes of a cell's text stand in the JSON, asked for in ascending order.
class CellMap {
public:
  CellMap(std::string_view json, const CellCode &code) : json_(json), code_(code) {
    if (!code.pieces.empty()) {
      at_ = code.pieces[0].begin;
    }
  }

  // True if what stands in the JSON from here to the end of the cell is `text`.
  static bool matches(std::string_view json, const CellCode &code, std::string_view text) {
    for (const Literal &piece : code.pieces) {
      for (std::size_t at = piece.begin; at < piece.end;) {
        const Character character = first_character(json.substr(at, piece.end - at));
        if (!text.starts_with(character.value)) {
          return false;
        }
        text.remove_prefix(character.value.size());
        at += character.size;
      }
    }
    return text.empty();
  }

  // A place between two literals is the start of the second, so that whole lines go with their quotes.
  std::optional<std::size_t> place(std::size_t offset) {
    for (;;) {
      while (piece_ + 1 < code_.pieces.size() && at_ >= code_.pieces[piece_].end) {
        ++piece_;
        at_ = code_.pieces[piece_].begin;
      }
      if (offset_ == offset) {
        return at_;
      }
      if (offset_ > offset || piece_ >= code_.pieces.size() || at_ >= code_.pieces[piece_].end) {
        return std::nullopt;
      }
      const Character character = first_character(json_.substr(at_, code_.pieces[piece_].end - at_));
      offset_ += character.value.size();
      at_ += character.size;
    }
  }
  [[nodiscard]] bool is_at_end() const { return piece_ + 1 == code_.pieces.size() && at_ == code_.pieces[piece_].end; }

private:
  std::string_view json_;
  const CellCode &code_;
  std::size_t piece_ = 0;
  std::size_t at_ = 0;
  std::size_t offset_ = 0;
};

// What stands between two lines of the cell's list, quotes included; empty if it is no list.
std::string line_break(std::string_view json, const CellCode &code) {
  if (!code.is_list || code.pieces.empty()) {
    return {};
  }
  const std::size_t first = code.pieces[0].begin - 1; // its quote
  if (code.pieces.size() > 1) {
    return std::string(json.substr(code.pieces[0].end, code.pieces[1].begin - code.pieces[0].end));
  }
  const std::size_t bracket = json.rfind('[', first);
  return fmt::format("\",{}\"", json.substr(bracket + 1, first - bracket - 1));
}

std::string escape(std::string_view text, std::string_view between_lines, bool at_end) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      escaped += "\\n";
      if (i + 1 < text.size() || !at_end) {
        escaped += between_lines;
      }
    } else if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (c == '\t') {
      escaped += "\\t";
    } else if (c == '\r') {
      escaped += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      write(escaped, "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

} // namespace

std::optional<std::vector<rules::Edit>> edits_in_json(std::string_view json, const python::Source &source,
                                                      const std::vector<rules::Edit> &edits) {
  const std::vector<CellCode> cells = Scanner(json).cells();
  std::vector<rules::Edit> mapped;
  auto edit = edits.begin();
  for (const python::Segment &segment : source.segments) {
    if (edit == edits.end() || edit->start > segment.end) {
      continue;
    }
    if (segment.cell == 0 || segment.cell > cells.size()) {
      return std::nullopt;
    }
    const CellCode &code = cells[segment.cell - 1];
    if (!CellMap::matches(json, code, source.text().substr(segment.begin, segment.end - segment.begin))) {
      return std::nullopt;
    }
    CellMap map(json, code);
    for (; edit != edits.end() && edit->start <= segment.end; ++edit) {
      if (edit->start < segment.begin || edit->end > segment.end) {
        return std::nullopt;
      }
      const std::optional<std::size_t> start = map.place(edit->start - segment.begin);
      const std::optional<std::size_t> end = map.place(edit->end - segment.begin);
      if (!start || !end) {
        return std::nullopt;
      }
      mapped.push_back({static_cast<u32>(*start), static_cast<u32>(*end),
                        escape(edit->replacement, line_break(json, code), map.is_at_end())});
    }
  }
  return edit == edits.end() ? std::optional(std::move(mapped)) : std::nullopt;
}

std::optional<JsonLines> lines_in_json(std::string_view json, const python::Source &source, python::Span span) {
  const std::optional<std::vector<rules::Edit>> mapped = edits_in_json(json, source, {{span.start, span.end, ""}});
  if (!mapped || mapped->empty()) {
    return std::nullopt;
  }
  const auto line_of = [&](u32 offset) {
    return static_cast<u32>(std::ranges::count(json.substr(0, offset), '\n')) + 1;
  };
  const rules::Edit &place = mapped->front();
  // The place after the last character may be on the next line.
  return JsonLines{line_of(place.start), std::max(line_of(place.start), line_of(std::max(place.end, 1U) - 1))};
}

} // namespace deepperf::fix
