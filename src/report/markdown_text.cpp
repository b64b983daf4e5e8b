#include "report/markdown_text.h"

#include "base/printable.h"
#include "report/clean_text.h"
#include "report/frame.h"

#include <algorithm>

namespace deepperf::report {

namespace {

void add_plain(std::string_view text, std::string &out) {
  for (const char character : text) {
    switch (character) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '@': // somebody would be told about the comment
    case '#': // an issue would
      out += character;
      out += "<!-- -->";
      break;
    case '\\':
    case '`':
    case '*':
    case '_':
    case '[':
    case ']':
    case '~':
    case '|':
    case '!':
    case '$':
      out += '\\';
      out += character;
      break;
    default:
      out += character;
    }
  }
}

void add_code(std::string_view code, std::string &out) {
  out += '`';
  for (const char character : code) {
    if (character == '|') { // ends a cell even in code
      out += '\\';
    }
    out += character;
  }
  out += '`';
}

} // namespace

std::string markdown_line(std::string_view text) {
  const std::string line = printable(text);
  std::string_view rest = line;
  std::string out;
  while (!rest.empty()) {
    const std::size_t open = rest.find('`');
    const std::size_t close = open == std::string_view::npos ? open : rest.find('`', open + 1);
    // Two in a row open code that ends with two, which nothing of ours does.
    const bool is_code = close != std::string_view::npos && close > open + 1;
    if (!is_code) {
      const std::size_t end = close == std::string_view::npos ? rest.size() : close + 1;
      add_plain(rest.substr(0, end), out);
      rest.remove_prefix(end);
      continue;
    }
    add_plain(rest.substr(0, open), out);
    add_code(rest.substr(open + 1, close - open - 1), out);
    rest.remove_prefix(close + 1);
    if (rest.starts_with('`')) { // a backtick next to another would make a longer pair of both
      out += "<!-- -->";
    }
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most) {
  std::string valid = clean_text(text);
  if (count_characters(valid) <= most) {
    return valid;
  }
  std::size_t at = 0;
  for (std::size_t characters = 0; at < valid.size(); ++at) {
    const bool begins_one = (static_cast<unsigned char>(valid[at]) & 0xC0U) != 0x80;
    characters += begins_one ? 1 : 0;
    if (characters == most) {
      break;
    }
  }
  return valid.substr(0, at) + "…";
}

} // namespace deepperf::report
