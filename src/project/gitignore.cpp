#include "project/gitignore.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace deepperf::project {
namespace {

constexpr std::string_view kSpecial = "*?[\\";

// git's own idea of character classes: ASCII, whatever the locale; and its space has no \v and \f.
bool in_class(std::string_view name, u8 c) {
  const bool upper = c >= 'A' && c <= 'Z';
  const bool lower = c >= 'a' && c <= 'z';
  const bool digit = c >= '0' && c <= '9';
  const bool print = c >= 0x20 && c <= 0x7e;
  if (name == "alnum") {
    return upper || lower || digit;
  }
  if (name == "alpha") {
    return upper || lower;
  }
  if (name == "blank") {
    return c == ' ' || c == '\t';
  }
  if (name == "cntrl") {
    return c < 0x20 || c == 0x7f;
  }
  if (name == "digit") {
    return digit;
  }
  if (name == "graph") {
    return print && c != ' ';
  }
  if (name == "lower") {
    return lower;
  }
  if (name == "print") {
    return print;
  }
  if (name == "punct") {
    return print && c != ' ' && !upper && !lower && !digit;
  }
  if (name == "space") {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }
  if (name == "upper") {
    return upper;
  }
  return name == "xdigit" && (digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
}

bool is_class_name(std::string_view name) {
  constexpr std::string_view kNames[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph",
                                         "lower", "print", "punct", "space", "upper", "xdigit"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// A bracket expression. `at` is after the `[`, and afterwards after the `]`; nothing if it is malformed, which makes
// the pattern match nothing. Follows git's wildmatch step by step, for its corners are where people's files differ.
std::optional<std::bitset<256>> read_class(std::string_view pattern, std::size_t &at) {
  std::bitset<256> members;
  auto here = [&]() -> u8 { return at < pattern.size() ? static_cast<u8>(pattern[at]) : 0; };
  const bool negated = here() == '!' || here() == '^';
  if (negated) {
    ++at;
  }
  u8 previous = 0; // what a range may start from
  bool first = true;
  while (first || here() != ']') { // a `]` that comes first stands for itself
    first = false;
    u8 c = here();
    if (c == 0) {
      return std::nullopt;
    }
    const u8 next = at + 1 < pattern.size() ? static_cast<u8>(pattern[at + 1]) : 0;
    if (c == '\\') {
      ++at;
      c = here();
      if (c == 0) {
        return std::nullopt;
      }
      members.set(c);
    } else if (c == '-' && previous != 0 && next != 0 && next != ']') {
      ++at;
      c = here();
      if (c == '\\') {
        ++at;
        c = here();
        if (c == 0) {
          return std::nullopt;
        }
      }
      for (unsigned member = previous; member <= c; ++member) {
        members.set(member);
      }
      c = 0;
    } else if (c == '[' && next == ':') {
      const std::size_t begin = at + 2;
      const std::size_t close = pattern.find(']', begin);
      if (close == std::string_view::npos) {
        return std::nullopt;
      }
      if (close == begin || pattern[close - 1] != ':') {
        members.set('['); // no `:]`: an ordinary set that has a `[`
      } else {
        const std::string_view name = pattern.substr(begin, close - 1 - begin);
        if (!is_class_name(name)) {
          return std::nullopt;
        }
        for (unsigned member = 0; member < 256; ++member) {
          if (in_class(name, static_cast<u8>(member))) {
            members.set(member);
          }
        }
        at = close;
        c = 0;
      }
    } else {
      members.set(c);
    }
    previous = c;
    ++at;
  }
  ++at;
  if (negated) {
    members.flip();
  }
  members.reset('/');
  return members;
}

// The text of a line without the spaces at its end, unless they are escaped.
std::string_view trim_trailing_spaces(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
      if (i == line.size()) {
        return line;
      }
      end = i + 1;
    } else if (line[i] != ' ') {
      end = i + 1;
    }
  }
  return line.substr(0, end);
}

std::optional<IgnorePattern> compile_line(std::string_view line) {
  IgnorePattern pattern;
  if (line.starts_with('!')) {
    pattern.negated = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    pattern.directory_only = true;
    line.remove_suffix(1);
  }
  pattern.name_only = line.find('/') == std::string_view::npos;
  if (line.starts_with('/')) {
    line.remove_prefix(1);
  }
  if (line.empty()) {
    return std::nullopt;
  }
  const std::size_t special = line.find_first_of(kSpecial);
  if (special == std::string_view::npos) {
    pattern.literal = line;
    return pattern;
  }
  if (pattern.name_only && line[0] == '*' && line.find_first_of(kSpecial, 1) == std::string_view::npos) {
    pattern.shape = IgnorePattern::Shape::Suffix;
    pattern.literal = line.substr(1);
    return pattern;
  }
  // git compares the text before the first wildcard and then forgets it, so that the `**` of `a**/b` stands at the
  // start of what is left and crosses folders. That is not documented, but it is what git does.
  pattern.shape = IgnorePattern::Shape::Wild;
  pattern.literal = line.substr(0, special);
  pattern.glob = compile_glob(line.substr(special));
  if (pattern.glob.never) {
    return std::nullopt;
  }
  return pattern;
}

bool matches(const IgnorePattern &pattern, std::string_view path, std::string_view name) {
  const std::string_view subject = pattern.name_only ? name : path;
  switch (pattern.shape) {
  case IgnorePattern::Shape::Literal:
    return subject == pattern.literal;
  case IgnorePattern::Shape::Suffix:
    return subject.ends_with(pattern.literal);
  case IgnorePattern::Shape::Wild:
    return subject.starts_with(pattern.literal) && matches(pattern.glob, subject.substr(pattern.literal.size()));
  }
  return false;
}

// Whether a step that stands for one byte accepts this one.
bool takes(const Glob &glob, const GlobStep &step, u8 byte) {
  switch (step.kind) {
  case GlobStep::Kind::Byte:
    return byte == step.byte;
  case GlobStep::Kind::AnyByte:
    return byte != '/';
  case GlobStep::Kind::Class:
    return glob.classes[step.index].test(byte);
  default:
    return false;
  }
}

} // namespace

Glob compile_glob(std::string_view pattern) {
  Glob glob;
  std::size_t at = 0;
  while (at < pattern.size()) {
    const char c = pattern[at];
    if (c == '*') {
      const std::size_t begin = at;
      at = std::min(pattern.find_first_not_of('*', at), pattern.size());
      const std::string_view rest = pattern.substr(at);
      const bool whole_component = (begin == 0 || pattern[begin - 1] == '/') &&
                                   (rest.empty() || rest.starts_with('/') || rest.starts_with("\\/"));
      if (at - begin < 2 || !whole_component) {
        glob.steps.push_back({.kind = GlobStep::Kind::Star});
      } else if (rest.starts_with('/')) {
        glob.steps.push_back({.kind = GlobStep::Kind::AnyFolder});
        ++at;
      } else {
        glob.steps.push_back({.kind = GlobStep::Kind::StarStar});
      }
    } else if (c == '?') {
      glob.steps.push_back({.kind = GlobStep::Kind::AnyByte});
      ++at;
    } else if (c == '[') {
      ++at;
      auto members = read_class(pattern, at);
      if (!members) {
        glob.never = true;
        return glob;
      }
      glob.steps.push_back({.kind = GlobStep::Kind::Class, .index = static_cast<u32>(glob.classes.size())});
      glob.classes.push_back(*members);
    } else {
      if (c == '\\') {
        ++at;
        if (at == pattern.size()) {
          glob.never = true;
          return glob;
        }
      }
      glob.steps.push_back({.kind = GlobStep::Kind::Byte, .byte = static_cast<u8>(pattern[at])});
      ++at;
    }
  }
  return glob;
}

// Takes the shortest match for every wildcard, and on a mismatch goes back to the last `*`, or, when that would have to
// cross a slash, to the last `**`. Earlier wildcards need no second try: whatever they could take in, the last one of
// their kind can.
bool matches(const Glob &glob, std::string_view text) {
  constexpr auto kNone = static_cast<std::size_t>(-1);
  struct Retry {
    std::size_t step = kNone; // where to go on
    std::size_t at = 0;       // with the text from here
  };
  if (glob.never) {
    return false;
  }
  Retry star;
  Retry deep; // of StarStar or AnyFolder
  std::size_t step = 0;
  std::size_t at = 0;
  while (true) {
    if (step == glob.steps.size()) {
      if (at == text.size()) {
        return true;
      }
    } else if (const GlobStep &wanted = glob.steps[step]; wanted.kind == GlobStep::Kind::Star) {
      star = {++step, at};
      continue;
    } else if (wanted.kind == GlobStep::Kind::StarStar || wanted.kind == GlobStep::Kind::AnyFolder) {
      star = {};
      deep = {++step, at};
      continue;
    } else if (at < text.size() && takes(glob, wanted, static_cast<u8>(text[at]))) {
      ++step;
      ++at;
      continue;
    }

    if (star.step != kNone && star.at < text.size() && text[star.at] != '/') {
      ++star.at;
      step = star.step;
      at = star.at;
      continue;
    }
    if (deep.step == kNone || deep.at >= text.size()) {
      return false;
    }
    if (glob.steps[deep.step - 1].kind == GlobStep::Kind::AnyFolder) {
      const std::size_t slash = text.find('/', deep.at);
      if (slash == std::string_view::npos) {
        return false;
      }
      deep.at = slash + 1;
    } else {
      ++deep.at;
    }
    star = {};
    step = deep.step;
    at = deep.at;
  }
}

void add_rules(std::string_view text, IgnoreRules &rules) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    line = line.substr(0, line.find('\0')); // git's lines are C strings
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    if (auto pattern = compile_line(trim_trailing_spaces(line))) {
      rules.patterns.push_back(std::move(*pattern));
    }
  }
}

Verdict lint(const IgnoreRules &rules, std::string_view path, bool is_directory) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  for (std::size_t i = rules.patterns.size(); i > 0; --i) { // the last match decides
    const IgnorePattern &pattern = rules.patterns[i - 1];
    if ((is_directory || !pattern.directory_only) && matches(pattern, path, name)) {
      return pattern.negated ? Verdict::Keep : Verdict::Ignore;
    }
  }
  return Verdict::None;
}

} // namespace deepperf::project
