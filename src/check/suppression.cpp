#include "check/suppression.h"

#include "check/selection.h"

#include <algorithm>

namespace deepperf::check {

namespace {

// `# deepperf: ignore-file` counts only up to here: who reads a file must see it.
constexpr u32 kHeaderLines = 10;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

void skip_blanks(std::string_view &text) {
  text.remove_prefix(static_cast<std::size_t>(std::ranges::find_if_not(text, is_blank) - text.begin()));
}

// Takes `word`, in lower case, off the text if that starts with it in any case.
bool take(std::string_view &text, std::string_view word) {
  if (text.size() < word.size() || !std::ranges::equal(text.substr(0, word.size()), word, [](char a, char b) {
        return (is_letter(a) ? static_cast<char>(a | 0x20) : a) == b;
      })) {
    return false;
  }
  text.remove_prefix(word.size());
  return true;
}

std::string_view take_word(std::string_view &text) {
  const auto size = static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(size);
  return word;
}

// Letters, then digits, as every linter's codes are.
bool looks_like_code(std::string_view word) {
  const auto digits = std::ranges::find_if_not(word, is_letter);
  return digits != word.begin() && digits != word.end() && std::all_of(digits, word.end(), is_digit);
}

// Behind `noqa`: as flake8 reads it, codes up to the first word that is none; without any it means everything.
void read_noqa(std::string_view rest, Suppression &found) {
  skip_blanks(rest);
  if (!take(rest, ":")) {
    return;
  }
  for (;;) {
    while (!rest.empty() && (is_blank(rest[0]) || rest[0] == ',')) {
      rest.remove_prefix(1);
    }
    const std::string_view word = take_word(rest);
    if (!looks_like_code(word) && find_rule(word) == nullptr) {
      break;
    }
    found.selectors.push_back(word);
  }
  found.everything = found.selectors.empty();
}

// Behind `deepperf: ignore`: selectors in brackets, or nothing.
void read_brackets(std::string_view rest, Suppression &found) {
  skip_blanks(rest);
  if (!take(rest, "[")) {
    return;
  }
  found.everything = false;
  while (!rest.empty() && rest[0] != ']') {
    if (const std::string_view word = take_word(rest); !word.empty()) {
      found.selectors.push_back(word);
    } else {
      rest.remove_prefix(1);
    }
  }
}

// What stands behind a `#`. False if it is nothing to us.
bool read_directive(std::string_view text, Suppression &found) {
  skip_blanks(text);
  if (take(text, "noqa")) {
    if (!text.empty() && is_word(text[0])) {
      return false;
    }
    read_noqa(text, found);
    return true;
  }
  if (!take(text, "deepperf:")) {
    return false;
  }
  skip_blanks(text);
  const std::string_view word = take_word(text);
  if (word != "ignore" && word != "ignore-file") {
    return false;
  }
  if (word == "ignore-file") {
    if (found.line > kHeaderLines) {
      return false;
    }
    found.line = 0;
  }
  read_brackets(text, found);
  return true;
}

} // namespace

bool may_silence(std::string_view comment) {
  for (; !comment.empty(); comment.remove_prefix(1)) {
    std::string_view rest = comment;
    if (take(rest, "noqa") || take(rest, "deepperf:")) {
      return true;
    }
  }
  return false;
}

std::vector<Suppression> find_suppressions(const python::Source &source, const std::vector<python::Span> &comments) {
  std::vector<Suppression> suppressions;
  for (const python::Span &span : comments) {
    const std::string_view comment = source.text().substr(span.start, span.end - span.start);
    // One comment may hold several: `# type: ignore  # noqa: DP101`.
    for (std::size_t hash = comment.find('#'); hash != comment.npos; hash = comment.find('#', hash + 1)) {
      Suppression found;
      found.line = source.line_column(span.start).line;
      if (read_directive(comment.substr(hash + 1), found)) {
        suppressions.push_back(std::move(found));
      }
    }
  }
  return suppressions;
}

bool is_suppressed(const rules::Finding &finding, const python::Source &source,
                   const std::vector<Suppression> &suppressions) {
  if (suppressions.empty()) {
    return false;
  }
  const u32 first = source.line_column(finding.span.start).line;
  const u32 last = source.line_column(std::max(finding.span.start, finding.span.end)).line;
  return std::ranges::any_of(suppressions, [&](const Suppression &suppression) {
    const bool is_here = suppression.line == 0 || (suppression.line >= first && suppression.line <= last);
    return is_here &&
           (suppression.everything || std::ranges::any_of(suppression.selectors, [&](std::string_view selector) {
              return selects(selector, *finding.rule);
            }));
  });
}

} // namespace deepperf::check
