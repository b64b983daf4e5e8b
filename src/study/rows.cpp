#include "study/rows.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace deepperf::study {

namespace {

constexpr std::size_t kLongestEntity = 16;

const char *find(const char *from, const char *end, char wanted) {
  const void *found = std::memchr(from, wanted, static_cast<std::size_t>(end - from));
  return found == nullptr ? end : static_cast<const char *>(found);
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

const char *skip_spaces(const char *at, const char *end) {
  while (at != end && is_space(*at)) {
    ++at;
  }
  return at;
}

bool starts_with(const char *at, const char *end, std::string_view text) {
  return static_cast<std::size_t>(end - at) >= text.size() && std::memcmp(at, text.data(), text.size()) == 0;
}

bool starts_row(const char *at, const char *end) {
  return starts_with(at, end, "<row") && (end - at == 4 || is_space(at[4]) || at[4] == '/' || at[4] == '>');
}

const char *find_row(const char *at, const char *end) {
  for (at = find(at, end, '<'); at != end && !starts_row(at, end);) {
    at = find(at + 1, end, '<');
  }
  return at;
}

// kCount: one that nobody asks for.
Field field_of(std::string_view name) {
  const auto is = [&](std::string_view other) { return std::memcmp(name.data(), other.data(), other.size()) == 0; };
  switch (name.size()) {
  case 2:
    return is("Id") ? Field::Id : Field::kCount;
  case 4:
    return is("Body") ? Field::Body : is("Tags") ? Field::Tags : Field::kCount;
  case 5:
    return is("Score") ? Field::Score : is("Title") ? Field::Title : Field::kCount;
  case 8:
    return is("ParentId") ? Field::Parent : Field::kCount;
  case 9:
    return is("ViewCount") ? Field::Views : Field::kCount;
  case 10:
    return is("PostTypeId") ? Field::PostType : is("ClosedDate") ? Field::Closed : Field::kCount;
  case 11:
    return is("AnswerCount") ? Field::Answers : Field::kCount;
  case 12:
    return is("CreationDate") ? Field::Created : Field::kCount;
  case 13:
    return is("FavoriteCount") ? Field::Favourites : Field::kCount;
  case 16:
    return is("AcceptedAnswerId") ? Field::AcceptedAnswer : Field::kCount;
  default:
    return Field::kCount;
  }
}

void append_utf8(u32 code, std::string &out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | code >> 6U);
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | code >> 12U);
    out += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    out += static_cast<char>(0xF0U | code >> 18U);
    out += static_cast<char>(0x80U | (code >> 12U & 0x3FU));
    out += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

// What stands between '&' and ';'.
bool append_entity(std::string_view name, std::string &out) {
  if (name == "lt") {
    out += '<';
  } else if (name == "gt") {
    out += '>';
  } else if (name == "amp") {
    out += '&';
  } else if (name == "quot") {
    out += '"';
  } else if (name == "apos") {
    out += '\'';
  } else if (name.size() >= 2 && name[0] == '#') {
    const bool hexadecimal = name[1] == 'x';
    name.remove_prefix(hexadecimal ? 2 : 1);
    u32 code = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, hexadecimal ? 16 : 10);
    if (error != std::errc() || end != name.data() + name.size() || code > 0x10FFFF) {
      return false;
    }
    // XML does not allow zero and halves of surrogate pairs, nor could they be stored as text.
    append_utf8(code == 0 || (code >= 0xD800 && code < 0xE000) ? 0xFFFD : code, out);
  } else {
    return false;
  }
  return true;
}

// Whether there is a closing tag other than </row>, and nothing but spaces after it.
bool ends_dump(std::string_view text) {
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  const std::string_view tag = text.substr(std::min(text.rfind('<'), text.size()));
  return tag.starts_with("</") && tag.find('>') == tag.size() - 1 && tag != "</row>";
}

} // namespace

RowScanner::RowScanner(std::string_view text, bool inside) : at_(text.data()), end_(text.data() + text.size()) {
  if (inside) {
    at_ = find_row(at_, end_);
  }
}

RowScanner::Event RowScanner::next(Row &row) {
  for (;;) {
    at_ = skip_spaces(at_, end_);
    if (at_ == end_) {
      return Event::End;
    }
    closed_ = false;
    if (starts_row(at_, end_)) {
      return parse_row(row);
    }
    if (*at_ != '<' || !skip_markup()) {
      return give_up(row, Event::Junk, at_);
    }
  }
}

// Passes over <?…?>, <!…>, <posts> and </posts>. False if it is none of those.
bool RowScanner::skip_markup() {
  if (starts_with(at_, end_, "<!--")) {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    const std::size_t close = rest.find("-->", 4);
    if (close == std::string_view::npos) {
      return false;
    }
    at_ += close + 3;
    return true;
  }
  const char *const end = find(at_ + 1, end_, '>');
  if (end == end_ || find(at_ + 1, end, '<') != end) {
    return false;
  }
  closed_ = ends_dump(std::string_view(at_, static_cast<std::size_t>(end + 1 - at_)));
  at_ = end + 1;
  return true;
}

// Everything up to the next row, or the end, belongs to what went wrong at `from`.
RowScanner::Event RowScanner::give_up(Row &row, Event event, const char *from) {
  at_ = find_row(from + 1, end_);
  row.text = std::string_view(from, static_cast<std::size_t>(at_ - from));
  closed_ = at_ == end_ && ends_dump(row.text); // also a dump whose last row is broken ends as it should
  return event;
}

RowScanner::Event RowScanner::parse_row(Row &row) {
  const char *const start = at_;
  const char *const limit = find(start + 1, end_, '<'); // no row reaches further
  const Event broken = limit == end_ ? Event::Unclosed : Event::Broken;
  row.present = 0;
  row.fields = {};
  for (const char *at = start + 4;;) {
    const char *const name = skip_spaces(at, limit);
    if (name == limit) {
      return give_up(row, broken, start);
    }
    if (*name == '/' && limit - name >= 2 && name[1] == '>') {
      at_ = name + 2;
      break;
    }
    if (*name == '>' && starts_with(skip_spaces(name + 1, end_), end_, "</row>")) {
      at_ = skip_spaces(name + 1, end_) + 6;
      break;
    }
    const char *equals = name;
    while (equals != limit && *equals != '=' && !is_space(*equals) && *equals != '"' && *equals != '>') {
      ++equals;
    }
    // Between two attributes there is a space, and '=' stands close to both sides in every dump.
    if (name == at || limit - equals < 2 || *equals != '=' || (equals[1] != '"' && equals[1] != '\'')) {
      return give_up(row, limit - equals < 2 ? broken : Event::Broken, start);
    }
    const char *const value = equals + 2;
    const char *const close = find(value, limit, equals[1]);
    if (close == limit) {
      return give_up(row, broken, start);
    }
    const Field field = field_of(std::string_view(name, static_cast<std::size_t>(equals - name)));
    if (field != Field::kCount) {
      const u32 bit = 1U << static_cast<u32>(field);
      if ((row.present & bit) != 0) {
        return give_up(row, Event::Broken, start);
      }
      row.present |= bit;
      row.fields[static_cast<std::size_t>(field)] = std::string_view(value, static_cast<std::size_t>(close - value));
    }
    at = close + 1;
  }
  row.text = std::string_view(start, static_cast<std::size_t>(at_ - start));
  return Event::Row;
}

bool unescape(std::string_view raw, std::string &out) {
  for (;;) {
    const std::size_t ampersand = raw.find('&');
    const std::size_t before = out.size();
    out += raw.substr(0, ampersand);
    // To XML these are spaces; a line end that is meant is written as an entity.
    std::replace_if(
        out.begin() + static_cast<std::ptrdiff_t>(before), out.end(), [](char c) { return is_space(c); }, ' ');
    if (ampersand == std::string_view::npos) {
      return true;
    }
    raw.remove_prefix(ampersand + 1);
    const std::size_t end = raw.substr(0, kLongestEntity).find(';');
    if (end == std::string_view::npos || !append_entity(raw.substr(0, end), out)) {
      return false;
    }
    raw.remove_prefix(end + 1);
  }
}

} // namespace deepperf::study
