// How much one sample is larger than another, and how sure that is.
#pragma once

#include "base/types.h"

#include <span>
#include <vector>

namespace deepperf::bench {

double median(std::vector<double> values); // not-a-number if there are none

// An estimate with the bounds of its 95% confidence interval.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

// The ratio of medians. Rounds are drawn again, each with both of its measurements, as these were taken under the same
// load. The seed is fixed: the same samples give the same interval.
Interval ratio_of_medians(std::span<const double> numerators, std::span<const double> denominators);

// The same for what grows: in each round something was measured at the smallest and the largest size. The ratio is that
// of the growth factors, median(largest) / median(smallest), of the first and the second program.
struct Growing {
  std::vector<double> smallest;
  std::vector<double> largest;
};
double growth_factor(const Growing &sample);
Interval ratio_of_growth(const Growing &first, const Growing &second);

} // namespace deepperf::bench
