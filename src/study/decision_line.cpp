#include "study/decision_line.h"

#include <algorithm>
#include <cstddef>

namespace deepperf::study {

namespace {

constexpr std::size_t kNeighbours = 4; // on either side

// Of each line: with the first i items, those with the highest scores, taken for the second class.
std::vector<double> qualities(const std::vector<ScoredItem> &items) {
  const auto all = static_cast<double>(items.size());
  const auto second = static_cast<double>(std::ranges::count(items, true, &ScoredItem::second));
  std::vector<double> result;
  double right = 0;
  for (std::size_t i = 0; i <= items.size(); ++i) {
    const auto taken = static_cast<double>(i);
    const double right_first = all - second - (taken - right);
    const double f1_second = 2 * right / (taken + second);
    const double f1_first = 2 * right_first / (all - taken + all - second);
    result.push_back(((right + right_first) / all + (f1_first + f1_second) / 2) / 2);
    right += i < items.size() && items[i].second ? 1 : 0;
  }
  return result;
}

} // namespace

double best_offset(std::vector<ScoredItem> items) {
  if (items.size() < 2 || std::ranges::all_of(items, &ScoredItem::second) ||
      std::ranges::none_of(items, &ScoredItem::second)) {
    return 0;
  }
  std::ranges::stable_sort(items, std::ranges::greater(), &ScoredItem::score);
  const std::vector<double> quality = qualities(items);
  double best = -1;
  double offset = 0;
  for (std::size_t line = 1; line < items.size(); ++line) {
    const std::size_t from = line - std::min(line, kNeighbours);
    const std::size_t to = std::min(items.size(), line + kNeighbours);
    double sum = 0;
    for (std::size_t i = from; i <= to; ++i) {
      sum += quality[i];
    }
    if (const double mean = sum / static_cast<double>(to - from + 1); mean > best) {
      best = mean;
      offset = -(items[line - 1].score + items[line].score) / 2;
    }
  }
  return offset;
}

} // namespace deepperf::study
