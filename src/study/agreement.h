// How far two raters agree beyond chance.
#pragma once

#include "base/types.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deepperf::study {

struct LabelAgreement {
  std::string label;
  u64 both = 0;
  u64 only_first = 0;
  u64 only_second = 0;
  double kappa = 0; // of "this label or another one"
};

struct Agreement {
  u64 items = 0; // that both rated
  u64 one_missing = 0;
  u64 both_missing = 0;
  u64 agreed = 0;
  double share = 0;
  double kappa = 0;
  double low = 0; // the 95% interval of kappa
  double high = 0;
  std::vector<LabelAgreement> labels;                               // most frequent first
  std::map<std::pair<std::string, std::string>, u64> disagreements; // first's label, second's label
  std::vector<std::size_t> disagreed;                               // indices
};

// Cohen's kappa. An item is rated by both if neither label is empty. Where both only ever use one label, kappa is not
// defined and not-a-number.
Agreement agreement(const std::vector<std::string_view> &first, const std::vector<std::string_view> &second);

// The words of Landis and Koch: slight, fair, moderate, substantial, almost perfect.
std::string_view kappa_word(double kappa);

} // namespace deepperf::study
