#include "study/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace deepperf::study {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// std::lgamma writes to a global variable, which threads would share.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// The continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr double kEnough = 1e-15;
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double result = d;
  for (int step = 1; step <= 1000; ++step) {
    const double m = step;
    const auto turn = [&](double factor) {
      d = 1 + factor * d;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1 + factor / c;
      c = std::abs(c) < kTiny ? kTiny : c;
      result *= d * c;
    };
    turn(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    turn(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    if (std::abs(d * c - 1) < kEnough) {
      break;
    }
  }
  return result;
}

// The share of the beta distribution below x.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0 || x >= 1) {
    return x <= 0 ? 0 : 1;
  }
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on one side of the mean only.
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) {
      ++last;
    }
    const double rank = static_cast<double>(first + last) / 2 + 1;
    for (std::size_t i = first; i <= last; ++i) {
      result[order[i]] = rank;
    }
    first = last + 1;
  }
  return result;
}

} // namespace

double mean(std::span<const double> values) {
  return values.empty() ? kNone
                        : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) {
    return kNone;
  }
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) {
    squares += (value - middle) * (value - middle);
  }
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) {
    return kNone;
  }
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), nth, values.end());
  if (below + 1 >= values.size()) {
    return *nth;
  }
  const double above = *std::min_element(nth + 1, values.end());
  const double part = place - static_cast<double>(below);
  return part == 0.5 ? (*nth + above) / 2 : *nth + (above - *nth) * part; // the mean of two, exactly, as a median
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double student_two_sided(double t, double degrees) {
  return std::isnan(t) ? kNone : incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_quantile(double confidence, double degrees) {
  double low = 0;
  double high = 1e6;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    (student_two_sided(middle, degrees) > 1 - confidence ? low : high) = middle;
  }
  return (low + high) / 2;
}

double chi_square_tail(double value, double degrees) {
  if (!(value > 0) || !(degrees > 0)) {
    return degrees > 0 ? 1 : kNone;
  }
  const double a = degrees / 2;
  const double x = value / 2;
  const double front = std::exp(a * std::log(x) - x - log_gamma(a));
  if (x < a + 1) { // the series of the lower part
    double term = 1 / a;
    double sum = term;
    for (int n = 1; n < 10'000 && term > sum * 1e-16; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return std::max(0.0, 1 - front * sum);
  }
  double b = x + 1 - a; // the continued fraction of the upper part
  double c = 1e300;
  double d = 1 / b;
  double result = d;
  for (int n = 1; n < 10'000; ++n) {
    const double factor = -n * (n - a);
    b += 2;
    d = 1 / (factor * d + b);
    c = b + factor / c;
    result *= c * d;
    if (std::abs(c * d - 1) < 1e-15) {
      break;
    }
  }
  return front * result;
}

Correlation pearson(std::span<const double> x, std::span<const double> y) {
  Correlation result;
  result.n = x.size();
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (x.size() < 2 || xx == 0 || yy == 0) {
    result.r = kNone;
    result.p = kNone;
    return result;
  }
  result.r = std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0);
  const double degrees = static_cast<double>(x.size()) - 2;
  // With t = r sqrt(n-2) / sqrt(1-r²), n-2 / (n-2+t²) is 1-r²: no detour, and exact where r is near 1.
  result.p = degrees < 1 ? 1 : incomplete_beta(degrees / 2, 0.5, (1 - result.r) * (1 + result.r));
  return result;
}

Correlation spearman(std::span<const double> x, std::span<const double> y) {
  const std::vector<double> rank_x = ranks(x);
  const std::vector<double> rank_y = ranks(y);
  return pearson(rank_x, rank_y);
}

} // namespace deepperf::study
