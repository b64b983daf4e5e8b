#include "fix/diff.h"

#include "base/printable.h"
#include "base/write.h"
#include "fix/edits.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace deepperf::fix {

namespace {

constexpr std::size_t kContext = 3;

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// Old lines [first, last) become `replacement`.
struct Change {
  std::size_t first = 0;
  std::size_t last = 0;
  std::vector<std::string> replacement;
};

class Lines {
public:
  explicit Lines(std::string_view text) : text_(text), lines_(split_lines(text)) {}

  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t index) const { return lines_[index]; }
  // The line that holds the byte; one past the last at the end of the text.
  [[nodiscard]] std::size_t at(std::size_t offset) const {
    const auto behind = std::ranges::upper_bound(lines_, text_.data() + offset, {}, &std::string_view::data);
    const auto index = static_cast<std::size_t>(behind - lines_.begin());
    if (index != 0 && offset == text_.size() && text_.ends_with('\n')) {
      return index;
    }
    return index == 0 ? 0 : index - 1;
  }
  [[nodiscard]] std::size_t start(std::size_t line) const {
    return line < lines_.size() ? static_cast<std::size_t>(lines_[line].data() - text_.data()) : text_.size();
  }

private:
  std::string_view text_;
  std::vector<std::string_view> lines_;
};

// The lines that the edits touch; edits on the same lines make one change.
std::vector<Change> changes_of(std::string_view before, const Lines &lines, const std::vector<rules::Edit> &edits) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < edits.size();) {
    Change change;
    change.first = lines.at(edits[i].start);
    std::vector<rules::Edit> group;
    do {
      change.last = std::max(change.last, std::min(lines.at(edits[i].end) + 1, lines.size()));
      group.push_back(edits[i]);
      ++i;
    } while (i < edits.size() && lines.at(edits[i].start) < change.last);
    const std::size_t begin = lines.start(change.first);
    for (rules::Edit &edit : group) {
      edit.start -= static_cast<u32>(begin);
      edit.end -= static_cast<u32>(begin);
    }
    const std::string after = edited(before.substr(begin, lines.start(change.last) - begin), group);
    for (const std::string_view line : split_lines(after)) {
      change.replacement.emplace_back(line);
    }
    // An edit touches its lines as a whole; those that stay as they are need not be told.
    while (change.first < change.last && !change.replacement.empty() &&
           lines[change.last - 1] == change.replacement.back()) {
      --change.last;
      change.replacement.pop_back();
    }
    std::size_t same = 0;
    while (change.first < change.last && same < change.replacement.size() &&
           lines[change.first] == change.replacement[same]) {
      ++change.first;
      ++same;
    }
    change.replacement.erase(change.replacement.begin(),
                             change.replacement.begin() + static_cast<std::ptrdiff_t>(same));
    if (!changes.empty() && changes.back().last == change.first) {
      Change &above = changes.back();
      above.last = change.last;
      std::ranges::move(change.replacement, std::back_inserter(above.replacement));
    } else if (change.first != change.last || !change.replacement.empty()) {
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

// What text is between; nothing without colour.
struct Style {
  std::string_view on;
  std::string_view off;
};

Style style_of(char mark, bool color) {
  constexpr std::string_view kOff = "\x1b[0m";
  if (!color || mark == ' ') {
    return {};
  }
  return {mark == '-' ? "\x1b[31m" : mark == '+' ? "\x1b[32m" : mark == '@' ? "\x1b[36m" : "\x1b[1m", kOff};
}

// The line end stays outside of the colour, or else terminals colour what comes after it.
void write_line(char mark, std::string_view line, bool color, std::string &out) {
  const Style style = style_of(mark, color);
  const bool has_end = line.ends_with('\n');
  line.remove_suffix(has_end ? 1 : 0);
  const bool has_return = color && line.ends_with('\r');
  line.remove_suffix(has_return ? 1 : 0);
  out += style.on;
  out += mark;
  if (color) { // for eyes
    out += printable_lines(line);
  } else {
    out += line;
  }
  out += style.off;
  out += has_return ? "\r\n" : "\n";
  if (!has_end) {
    out += "\\ No newline at end of file\n";
  }
}

// `-3,4`; a range without lines names the line before it.
void write_range(char mark, std::size_t first, std::size_t count, std::string &out) {
  write(out, "{}{}", mark, count == 0 ? first : first + 1);
  if (count != 1) {
    write(out, ",{}", count);
  }
}

// Changes [begin, end) are near enough to share a hunk; `shift` is by how much the lines before it have moved.
void write_hunk(const Lines &lines, std::span<const Change> changes, std::ptrdiff_t shift, bool color,
                std::string &out) {
  const std::size_t first = changes.front().first - std::min(changes.front().first, kContext);
  const std::size_t last = std::min(changes.back().last + kContext, lines.size());
  std::size_t new_count = last - first;
  for (const Change &change : changes) {
    new_count = new_count - (change.last - change.first) + change.replacement.size();
  }
  const Style style = style_of('@', color);
  out += style.on;
  out += "@@ ";
  write_range('-', first, last - first, out);
  out += ' ';
  write_range('+', static_cast<std::size_t>(static_cast<std::ptrdiff_t>(first) + shift), new_count, out);
  out += " @@";
  out += style.off;
  out += '\n';
  std::size_t at = first;
  const auto context_to = [&](std::size_t end) {
    for (; at < end; ++at) {
      write_line(' ', lines[at], color, out);
    }
  };
  for (const Change &change : changes) {
    context_to(change.first);
    for (; at < change.last; ++at) {
      write_line('-', lines[at], color, out);
    }
    for (const std::string &line : change.replacement) {
      write_line('+', line, color, out);
    }
  }
  context_to(last);
}

} // namespace

void write_diff(std::string_view path, std::string_view before, const std::vector<rules::Edit> &edits, std::string &out,
                bool color) {
  const Lines lines(before);
  const std::vector<Change> changes = changes_of(before, lines, edits);
  if (changes.empty()) {
    return;
  }
  const Style style = style_of('h', color);
  write(out, "{0}--- {2}{1}\n{0}+++ {2}{1}\n", style.on, style.off, printable(path));
  std::ptrdiff_t shift = 0;
  for (std::size_t begin = 0; begin < changes.size();) {
    std::size_t end = begin + 1;
    while (end < changes.size() && changes[end].first <= changes[end - 1].last + 2 * kContext) {
      ++end;
    }
    const std::span<const Change> near(changes.data() + begin, end - begin);
    write_hunk(lines, near, shift, color, out);
    for (const Change &change : near) {
      shift += static_cast<std::ptrdiff_t>(change.replacement.size()) -
               static_cast<std::ptrdiff_t>(change.last - change.first);
    }
    begin = end;
  }
}

} // namespace deepperf::fix
