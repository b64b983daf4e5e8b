#include "bench/changed_lines.h"

#include <algorithm>
#include <vector>

namespace deepperf::bench {

namespace {

constexpr std::size_t kMostCells = 40'000'000; // programs of pairs have some hundred lines

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

} // namespace

std::set<u32> changed_lines(std::string_view text, std::string_view other) {
  const std::vector<std::string_view> here = lines_of(text);
  const std::vector<std::string_view> there = lines_of(other);
  std::set<u32> changed;
  const std::size_t width = there.size() + 1;
  if ((here.size() + 1) * width > kMostCells) {
    for (u32 line = 1; line <= here.size(); ++line) {
      changed.insert(line);
    }
    return changed;
  }
  // Lengths of the longest common subsequences of the ends.
  std::vector<u32> lengths((here.size() + 1) * width);
  for (std::size_t i = here.size(); i-- > 0;) {
    for (std::size_t j = there.size(); j-- > 0;) {
      lengths[i * width + j] = here[i] == there[j] ? lengths[(i + 1) * width + j + 1] + 1
                                                   : std::max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  const auto note_gap = [&] {
    if (i > 0) {
      changed.insert(static_cast<u32>(i));
    }
    if (i < here.size()) {
      changed.insert(static_cast<u32>(i + 1));
    }
  };
  bool is_replacing = false; // lines that are there instead leave no gap
  while (i < here.size() || j < there.size()) {
    if (i < here.size() && j < there.size() && here[i] == there[j]) {
      ++i;
      ++j;
      is_replacing = false;
    } else if (j == there.size() || (i < here.size() && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      changed.insert(static_cast<u32>(++i));
      is_replacing = true;
    } else {
      if (!is_replacing) {
        note_gap();
      }
      ++j;
    }
  }
  return changed;
}

} // namespace deepperf::bench
