#include "study/text.h"

#include <algorithm>
#include <array>

namespace deepperf::study {

namespace {

struct Rune {
  char32_t value = 0;
  u32 size = 1;
};

// The character at `at`. A byte that starts none is taken as one by itself.
Rune rune_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  const unsigned char first = byte(at);
  const u32 size = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1;
  char32_t value = size == 1 ? first : first & (0x7FU >> size);
  for (u32 i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) {
      return {0xFFFD, 1};
    }
    value = (value << 6) | (byte(at + i) & 0x3FU);
  }
  return {value, size};
}

void append_rune(char32_t value, std::string &out) {
  if (value < 0x80) {
    out += static_cast<char>(value);
  } else if (value < 0x800) {
    out += static_cast<char>(0xC0 | (value >> 6));
    out += static_cast<char>(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    out += static_cast<char>(0xE0 | (value >> 12));
    out += static_cast<char>(0x80 | ((value >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (value & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (value >> 18));
    out += static_cast<char>(0x80 | ((value >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((value >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (value & 0x3F));
  }
}

// Punctuation and signs beyond ASCII; everything else there is a letter to us.
bool is_word(char32_t c) {
  if (c < 0x80) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  const bool sign = (c < 0xC0 && c != 0xAA && c != 0xB5 && c != 0xBA) || c == 0xD7 || c == 0xF7 ||
                    (c >= 0x2000 && c <= 0x206F) || (c >= 0x20A0 && c <= 0x2BFF) || (c >= 0x2E00 && c <= 0x2E7F) ||
                    (c >= 0x3000 && c <= 0x303F) || (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xFF00 && c <= 0xFF0F) ||
                    c == 0xFEFF || c == 0xFFFD || c >= 0x1F000;
  return !sign;
}

// The entity that starts with the & at `at`, without & and ;. Empty if it is none.
std::string_view entity_at(std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(at + 1, 12);
  const std::size_t end = near.find(';');
  return end == std::string_view::npos ? std::string_view() : near.substr(0, end);
}

// The character that an entity means, or 0.
char32_t entity_value(std::string_view name) {
  if (name.size() > 1 && name[0] == '#') {
    const bool hex = name[1] == 'x' || name[1] == 'X';
    const char32_t base = hex ? 16 : 10;
    char32_t value = 0;
    for (const char c : name.substr(hex ? 2 : 1)) {
      const char low = static_cast<char>(c | 0x20);
      const bool digit = c >= '0' && c <= '9';
      if (!digit && !(hex && low >= 'a' && low <= 'f')) {
        return 0;
      }
      value = value * base + static_cast<char32_t>(digit ? c - '0' : low - 'a' + 10);
      if (value > 0x10FFFF) {
        return 0;
      }
    }
    return value >= 0xD800 && value < 0xE000 ? 0 : value;
  }
  struct Named {
    std::string_view name;
    char32_t value;
  };
  constexpr std::array kNamed = std::to_array<Named>({{"quot", '"'},
                                                      {"amp", '&'},
                                                      {"lt", '<'},
                                                      {"gt", '>'},
                                                      {"apos", '\''},
                                                      {"nbsp", ' '},
                                                      {"hellip", 0x2026},
                                                      {"ndash", 0x2013},
                                                      {"mdash", 0x2014}});
  const auto *found = std::find_if(kNamed.begin(), kNamed.end(), [&](const Named &n) { return n.name == name; });
  return found == kNamed.end() ? 0 : found->value;
}

bool is_tag(std::string_view html, std::size_t at, std::string_view name) {
  if (html.size() - at <= name.size() || lower_ascii(html.substr(at, name.size())) != name) {
    return false;
  }
  const char next = html[at + name.size()];
  return next == '>' || next == ' ' || next == '/' || next == '\n' || next == '\t';
}

bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// A line such as `ValueError: shapes do not fit`: the exception's name, as tracebacks end.
std::string_view error_name(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && is_identifier(line[end])) {
    ++end;
  }
  const std::string_view name = line.substr(0, end);
  const bool named = name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning");
  return named && name.size() > 5 && end < line.size() && line[end] == ':' ? name : std::string_view();
}

void look_for_errors(std::string_view text, PostText &out) {
  constexpr std::size_t kMostErrors = 20;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t>"), line.size()));
    if (line.starts_with("Traceback (most recent call last)") || line.starts_with("File \"") ||
        line.starts_with("at java.") || line.starts_with("at org.")) {
      out.has_trace = true;
    }
    const std::string_view name = error_name(line);
    if (!name.empty() && out.errors.size() < kMostErrors) {
      out.errors.emplace_back(name);
    }
  }
}

} // namespace

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  std::size_t start = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const Rune rune = rune_at(text, at);
    if (!is_word(rune.value)) {
      if (at > start) {
        found.push_back(text.substr(start, at - start));
      }
      start = at + rune.size;
    }
    at += rune.size;
  }
  if (start < text.size()) {
    found.push_back(text.substr(start));
  }
  return found;
}

std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (char &c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

std::string decode_entities(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '&') {
      const std::string_view entity = entity_at(text, at);
      if (const char32_t value = entity_value(entity); value != 0) {
        append_rune(value, out);
        at += entity.size() + 1;
        continue;
      }
    }
    out += text[at];
  }
  return out;
}

PostText split_post(std::string_view html) {
  PostText out;
  bool in_block = false;
  std::string plain_prose;
  std::string plain_code;
  const std::size_t last_close = html.rfind('>'); // without one ahead, no < starts a tag
  std::size_t at = 0;
  while (at < html.size()) {
    std::string &target = in_block ? plain_code : plain_prose;
    if (html[at] != '<') {
      const std::size_t next = std::min(html.find('<', at), html.size());
      target += html.substr(at, next - at);
      at = next;
      continue;
    }
    const bool closed = last_close != std::string_view::npos && at < last_close;
    const std::size_t close = closed ? html.find('>', at) : std::string_view::npos;
    const bool tag = closed && (html[at + 1] == '/' || html[at + 1] == '!' ||
                                ((html[at + 1] | 0x20) >= 'a' && (html[at + 1] | 0x20) <= 'z'));
    if (!tag) {
      target += html[at++]; // a < that nobody escaped
      continue;
    }
    if (is_tag(html, at, "<pre")) {
      in_block = true;
    } else if (is_tag(html, at, "</pre")) {
      in_block = false;
      plain_code += '\n';
    } else if (!in_block && !is_tag(html, at, "<code") && !is_tag(html, at, "</code") && !is_tag(html, at, "<em") &&
               !is_tag(html, at, "</em") && !is_tag(html, at, "<strong") && !is_tag(html, at, "</strong")) {
      plain_prose += '\n'; // other tags stand between words
    }
    at = close + 1;
  }
  out.prose = decode_entities(plain_prose);
  out.code = decode_entities(plain_code);
  look_for_errors(out.code, out);
  look_for_errors(out.prose, out);
  return out;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string shorten(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t columns = 0;
  std::size_t cut = 0; // where the last column that leaves room for the ellipsis ends
  for (std::size_t at = 0; at < text.size();) {
    const Rune rune = rune_at(text, at);
    if (columns + 1 == width) {
      cut = out.size();
    }
    if (columns == width) {
      out.resize(cut);
      return out + "…";
    }
    if (rune.value < 0x20 || (rune.value >= 0x7F && rune.value < 0xA0)) {
      out += ' ';
    } else if (rune.value == 0xFFFD) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(at, rune.size);
    }
    ++columns;
    at += rune.size;
  }
  return out;
}

} // namespace deepperf::study
