#include "check/suppression.h"

#include "check/joined_lines.h"
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

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return is_blank(c) || c == '\r'; };
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

// What follows the rules, without the dashes or the colon that may separate it.
std::string_view reason_in(std::string_view rest) {
  rest = trimmed(rest);
  while (!rest.empty() && (rest[0] == '-' || rest[0] == ':')) {
    rest.remove_prefix(1);
  }
  return trimmed(rest);
}

// After `noqa`: as flake8 reads it, codes up to the first word that is none; without any it means everything.
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

// After `deepperf: ignore`: selectors in brackets, or nothing; then a reason, or nothing.
void read_brackets(std::string_view rest, Suppression &found) {
  const char *const end = rest.data() + rest.size();
  skip_blanks(rest);
  if (!take(rest, "[")) {
    found.reason = reason_in(rest);
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
  if (!rest.empty()) {
    found.bracket = found.span.end - static_cast<u32>(end - rest.data());
    found.reason = reason_in(rest.substr(1));
  }
}

// What follows a `#`. False if it is nothing to us.
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
  found.is_ours = true;
  if (word == "ignore-file") {
    found.is_too_late = found.line > kHeaderLines;
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
    const std::string_view comment = source.part(span.start, span.end);
    const std::size_t first = suppressions.size();
    // One comment may hold several: `# type: ignore  # noqa: DP101`. Read from the end, each ends where the next
    // begins.
    std::size_t end = comment.size();
    for (std::size_t hash = comment.rfind('#'); hash != comment.npos;
         hash = hash == 0 ? comment.npos : comment.rfind('#', hash - 1)) {
      Suppression found;
      found.span = {span.start + static_cast<u32>(hash), span.start + static_cast<u32>(end)};
      found.line = source.line_column(span.start).line;
      if (read_directive(comment.substr(hash + 1, end - hash - 1), found)) {
        suppressions.push_back(std::move(found));
        end = hash;
      }
    }
    std::reverse(suppressions.begin() + static_cast<std::ptrdiff_t>(first), suppressions.end());
  }
  return suppressions;
}

std::vector<UnknownRule> find_unknown_rules(const python::Source &source, const std::vector<python::Span> &comments) {
  std::vector<UnknownRule> unknown;
  const char *const text = source.text().data();
  for (const python::Span &span : comments) {
    // Most comments are none of ours, and this is asked for every file.
    if (const std::string_view comment = source.part(span.start, span.end);
        comment.find('[') == comment.npos || !may_silence(comment)) {
      continue;
    }
    for (const Suppression &suppression : find_suppressions(source, {span})) {
      for (const std::string_view word : suppression.selectors) {
        const bool is_known =
            std::ranges::any_of(rules::all_rules(), [&](const rules::RuleInfo *rule) { return selects(word, *rule); });
        if (suppression.is_ours && !is_known) {
          const auto start = static_cast<u32>(word.data() - text);
          unknown.push_back({word, {start, start + static_cast<u32>(word.size())}});
        }
      }
    }
  }
  return unknown;
}

LineRange lines_of(const rules::Finding &finding, const python::Source &source) {
  return {source.line_column(finding.span.start).line,
          source.line_column(std::max(finding.span.start, finding.span.end)).line};
}

bool covers(const Suppression &suppression, LineRange lines) {
  return !suppression.is_too_late &&
         (suppression.line == 0 || (suppression.line >= lines.first && suppression.line <= lines.last));
}

bool is_about(const Suppression &suppression, const rules::RuleInfo &rule) {
  return suppression.everything ||
         std::ranges::any_of(suppression.selectors, [&](std::string_view selector) { return selects(selector, rule); });
}

Silencer::Silencer(const python::Source *source, const std::vector<python::Span> *comments) : source_(source) {
  if (source != nullptr && comments != nullptr) {
    suppressions_ = find_suppressions(*source, *comments);
  }
}

u32 Silencer::end_of_joined(u32 line) {
  if (!knows_joined_) {
    joined_ = find_joined_lines(*source_);
    knows_joined_ = true;
  }
  return check::end_of_joined(joined_, line);
}

std::vector<std::size_t> Silencer::silencing(const rules::Finding &finding) {
  std::vector<std::size_t> found;
  if (suppressions_.empty()) {
    return found;
  }
  LineRange lines = lines_of(finding, *source_);
  // Parsing the file once more is worth it only if a later comment could be meant.
  if (std::ranges::any_of(suppressions_, [&](const Suppression &suppression) {
        return suppression.line > lines.last && is_about(suppression, *finding.rule);
      })) {
    lines.last = end_of_joined(lines.last);
  }
  for (std::size_t i = 0; i < suppressions_.size(); ++i) {
    if (covers(suppressions_[i], lines) && is_about(suppressions_[i], *finding.rule)) {
      found.push_back(i);
    }
  }
  return found;
}

} // namespace deepperf::check
