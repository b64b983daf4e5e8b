#include "study/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace deepperf::study {

namespace {

// From the counts of a table of agreement: observed share and the share that chance would give.
double kappa_of(double observed, double expected) {
  return expected >= 1 ? std::numeric_limits<double>::quiet_NaN() : (observed - expected) / (1 - expected);
}

struct Marginals {
  u64 first = 0;
  u64 second = 0;
  u64 both = 0;
};

} // namespace

Agreement agreement(const std::vector<std::string_view> &first, const std::vector<std::string_view> &second) {
  Agreement result;
  std::map<std::string_view, Marginals> counts;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].empty() || second[i].empty()) {
      ++(first[i].empty() && second[i].empty() ? result.both_missing : result.one_missing);
      continue;
    }
    ++result.items;
    ++counts[first[i]].first;
    ++counts[second[i]].second;
    if (first[i] == second[i]) {
      ++counts[first[i]].both;
      ++result.agreed;
    } else {
      ++result.disagreements[{std::string(first[i]), std::string(second[i])}];
      result.disagreed.push_back(i);
    }
  }
  const auto items = static_cast<double>(result.items);
  result.share = static_cast<double>(result.agreed) / items;
  double expected = 0;
  for (const auto &[label, count] : counts) {
    const double a = static_cast<double>(count.first) / items;
    const double b = static_cast<double>(count.second) / items;
    expected += a * b;
    const double both = static_cast<double>(count.both) / items;
    const double observed = both + (1 - a - b + both);
    result.labels.push_back({std::string(label), count.both, count.first - count.both, count.second - count.both,
                             kappa_of(observed, a * b + (1 - a) * (1 - b))});
  }
  std::stable_sort(result.labels.begin(), result.labels.end(), [](const LabelAgreement &a, const LabelAgreement &b) {
    return a.both * 2 + a.only_first + a.only_second > b.both * 2 + b.only_first + b.only_second;
  });
  result.kappa = kappa_of(result.share, expected);
  const double error = std::sqrt(result.share * (1 - result.share) / items) / (1 - expected);
  result.low = result.kappa - 1.96 * error;
  result.high = std::min(1.0, result.kappa + 1.96 * error);
  return result;
}

std::string_view kappa_word(double kappa) {
  if (std::isnan(kappa)) {
    return "not defined";
  }
  return kappa < 0      ? "worse than chance"
         : kappa <= 0.2 ? "slight"
         : kappa <= 0.4 ? "fair"
         : kappa <= 0.6 ? "moderate"
         : kappa <= 0.8 ? "substantial"
                        : "almost perfect";
}

} // namespace deepperf::study
