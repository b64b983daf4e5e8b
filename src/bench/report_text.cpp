#include "base/write.h"
#include "bench/report.h"
#include "evidence/evidence.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace deepperf::bench {

namespace {

constexpr double kWidestBar = 40;

std::string_view color_of(Status status, const Colors &colors) {
  switch (status) {
  case Status::Shown:
  case Status::Ran:
    return colors.green;
  case Status::Differs:
  case Status::Failed:
    return colors.red;
  default:
    return colors.yellow;
  }
}

// Eighths of a block, so that small differences are seen.
std::string bar(double value, double largest) {
  constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double length = largest > 0 ? value / largest * kWidestBar * 8 : 0;
  const auto eighths = static_cast<u32>(std::max(std::lround(length), 1L));
  std::string text;
  for (u32 i = 0; i < eighths / 8; ++i) {
    text += "█";
  }
  text += kParts[eighths % 8];
  return text;
}

void write_bars(const Outcome &outcome, Metric metric, const Colors &colors, std::string &out) {
  const auto values = [&](const std::vector<Sample> &samples) {
    return median(metric == Metric::Time ? wall_times(samples) : memories(samples));
  };
  const double buggy = values(outcome.buggy);
  const double fixed = values(outcome.fixed);
  const double largest = std::max(buggy, fixed);
  const auto shown = [&](double value) { return metric == Metric::Time ? duration(value) : size(value); };
  write(out, "    {:8} {}{}{} {}\n", outcome.pair.buggy_name.label, colors.yellow, bar(buggy, largest), colors.reset,
        shown(buggy));
  write(out, "    {:8} {}{}{} {}\n", outcome.pair.fixed_name.label, colors.green, bar(fixed, largest), colors.reset,
        shown(fixed));
}

void write_growth(const Outcome &outcome, std::string &out) {
  const Growth &growth = outcome.growth;
  const bool is_time = outcome.pair.growth_metric == Metric::Time;
  for (const bool is_buggy : {true, false}) {
    std::string line;
    for (std::size_t i = 0; i < growth.sizes.size(); ++i) {
      const std::vector<Sample> &samples = (is_buggy ? growth.buggy : growth.fixed)[i];
      const double value = median(is_time ? wall_times(samples) : memories(samples));
      write(line, "{}{}: {}", line.empty() ? "" : ", ", growth.sizes[i], is_time ? duration(value) : size(value));
    }
    write(out, "    {} by {}: {}\n", is_buggy ? outcome.pair.buggy_name.label : outcome.pair.fixed_name.label,
          outcome.pair.growth_knob, line);
  }
}

std::string other_measures(const Outcome &outcome) {
  const auto one = [](std::string_view name, const Interval &interval) {
    return fmt::format("{} {}", name, evidence::times(interval.value));
  };
  std::string text = outcome.pair.measure == Measure::Time ? "" : one("time", outcome.wall) + ", ";
  text += one("CPU time", outcome.cpu);
  text += outcome.pair.measure == Measure::Memory ? "" : ", " + one("memory", outcome.memory);
  return text;
}

// Of those that ran.
std::string what_was_compared(const std::vector<Outcome> &outcomes) {
  const auto others = std::ranges::count_if(
      outcomes, [](const Outcome &one) { return one.status == Status::Ran && !one.pair.compares; });
  return others == 0 ? " and computed equal results"
                     : fmt::format(" and computed equal results, but for {} whose results are not compared", others);
}

} // namespace

std::string duration(double seconds) {
  if (seconds < 0.001) {
    return fmt::format("{:.3g} µs", seconds * 1e6);
  }
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

std::string size(double bytes) {
  constexpr double kMegabyte = 1 << 20;
  constexpr double kGigabyte = 1 << 30;
  return bytes < kGigabyte ? fmt::format("{:.3g} MB", bytes / kMegabyte) : fmt::format("{:.3g} GB", bytes / kGigabyte);
}

bool is_measured(const Outcome &outcome) {
  return outcome.status == Status::Shown || outcome.status == Status::NotShown;
}

std::string effect(const Outcome &outcome) {
  const auto bounds = [](const Interval &interval) {
    const auto bound = [](double value) {
      std::string text = evidence::times(value);
      text.pop_back();
      return text;
    };
    return fmt::format("({} to {})", bound(interval.low), bound(interval.high));
  };
  const std::string ratio = evidence::times(outcome.ratio.value);
  switch (outcome.pair.measure) {
  case Measure::Time:
    // Nobody says "0.97x slower".
    return fmt::format("{} {} {}", ratio, outcome.ratio.value < 1 ? "the time" : "slower", bounds(outcome.ratio));
  case Measure::Memory:
    return fmt::format("{} the memory {}", ratio, bounds(outcome.ratio));
  default:
    return fmt::format("grows {} as fast {}: 4x the steps {} {} the {}, {} once fixed", ratio, bounds(outcome.ratio),
                       outcome.pair.growth_metric == Metric::Time ? "take" : "need",
                       evidence::times(outcome.growth.buggy_factor), name_of(outcome.pair.growth_metric),
                       evidence::times(outcome.growth.fixed_factor));
  }
}

void write_outcome_text(const Outcome &outcome, const Colors &colors, std::string &out) {
  const std::string_view color = color_of(outcome.status, colors);
  write(out, "{}{}{}  {}{}{}", colors.bold, outcome.pair.id, colors.reset, color, name_of(outcome.status),
        colors.reset);
  if (is_measured(outcome)) {
    write(out, ": {}\n", effect(outcome));
  } else {
    write(out, "{}{}\n", outcome.reason.empty() ? "" : ": ", outcome.reason);
  }
  write(out, "    {}{}{}\n", colors.dim, outcome.pair.title, colors.reset);
  if (!is_measured(outcome)) {
    return;
  }
  if (outcome.pair.measure == Measure::Growth) {
    write_growth(outcome, out);
  } else {
    write_bars(outcome, outcome.pair.measure == Measure::Memory ? Metric::Memory : Metric::Time, colors, out);
  }
  write(out, "    {}also: {}; results {}{}\n", colors.dim, other_measures(outcome),
        outcome.pair.compares ? "equal" : "not compared", colors.reset);
  if (!outcome.pair.stand_in.empty()) {
    write(out, "    {}stands for: {}{}\n", colors.dim, outcome.pair.stand_in, colors.reset);
  }
}

void write_summary_text(const std::vector<Outcome> &outcomes, const Colors &colors, std::string &out) {
  write(out, "{}{} pair{}{}", colors.bold, outcomes.size(), outcomes.size() == 1 ? "" : "s", colors.reset);
  std::string_view separator = ": ";
  for (const Status status : {Status::Shown, Status::Ran, Status::NotShown, Status::Differs, Status::Failed,
                              Status::NotRunnable, Status::Interrupted}) {
    if (const auto count = std::ranges::count(outcomes, status, &Outcome::status); count != 0) {
      write(out, "{}{}{} {}{}{}", separator, color_of(status, colors), count, name_of(status),
            status == Status::Ran ? what_was_compared(outcomes) : "", colors.reset);
      separator = ", ";
    }
  }
  out += '\n';
}

} // namespace deepperf::bench
