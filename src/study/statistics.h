// The few numbers that the studies use. Everything is plain double arithmetic; an empty sample gives not-a-number.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace deepperf::study {

double mean(std::span<const double> values);

// With n - 1 below.
double standard_deviation(std::span<const double> values);

// Between two values it lies on the line between them, as NumPy has it.
double quantile(std::vector<double> values, double share);
double median(std::vector<double> values);

struct Correlation {
  double r = 0;
  double p = 0; // two-sided
  std::size_t n = 0;
};

// Not-a-number where one side does not vary or there are fewer than two pairs. Both spans are of one size.
Correlation pearson(std::span<const double> x, std::span<const double> y);
Correlation spearman(std::span<const double> x, std::span<const double> y); // ties get their mean rank

// How probable a |t| of this size or more is.
double student_two_sided(double t, double degrees);

// The t that is exceeded, on either side, with probability 1 - confidence.
double student_quantile(double confidence, double degrees);

// How probable a chi-square of this size or more is.
double chi_square_tail(double value, double degrees);

} // namespace deepperf::study
