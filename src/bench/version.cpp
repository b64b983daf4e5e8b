#include "bench/version.h"

#include "base/types.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace deepperf::bench {

namespace {

using Numbers = std::array<u32, 4>;

// The numbers at the beginning, up to the first part that is none; `count` is how many there were.
Numbers numbers_of(std::string_view version, std::size_t &count) {
  Numbers numbers{};
  count = 0;
  while (count < numbers.size()) {
    const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), numbers[count]);
    if (error != std::errc()) {
      break;
    }
    ++count;
    version.remove_prefix(static_cast<std::size_t>(end - version.data()));
    if (!version.starts_with('.')) {
      break;
    }
    version.remove_prefix(1);
  }
  return numbers;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

} // namespace

std::optional<bool> matches_version(std::string_view version, std::string_view range) {
  std::size_t ignored = 0;
  const Numbers mine = numbers_of(version, ignored);
  bool matches = true;
  while (!range.empty()) {
    const std::size_t comma = std::min(range.find(','), range.size());
    std::string_view part = trim(range.substr(0, comma));
    range.remove_prefix(std::min(comma + 1, range.size()));
    std::string_view comparison = part.empty() || part[0] < '0' || part[0] > '9' ? "" : "=="; // "1.7" alone
    const std::size_t written = comparison.size();
    for (const std::string_view candidate : {">=", "<=", "==", "!=", ">", "<"}) {
      if (part.starts_with(candidate)) {
        comparison = candidate;
        break;
      }
    }
    part = trim(part.substr(written == 0 ? comparison.size() : 0));
    std::size_t count = 0;
    const Numbers theirs = numbers_of(part, count);
    if (comparison.empty() || count == 0) {
      return std::nullopt;
    }
    // `==1.13` and `==1.13.*` mean every 1.13.x.
    const bool is_same = std::equal(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(count), theirs.begin());
    const bool holds = comparison == "=="   ? is_same
                       : comparison == "!=" ? !is_same
                       : comparison == ">=" ? mine >= theirs
                       : comparison == "<=" ? mine <= theirs || is_same
                       : comparison == ">"  ? mine > theirs && !is_same
                                            : mine < theirs;
    matches = matches && holds;
  }
  return matches;
}

} // namespace deepperf::bench
