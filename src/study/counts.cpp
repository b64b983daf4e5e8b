#include "study/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace deepperf::study {

void Counts::report(Fault fault, u64 offset) {
  ++faults[static_cast<std::size_t>(fault)];
  if (problems.size() < kMostProblems) {
    problems.push_back({fault, offset});
  }
}

void Counts::add(const Counts &more) {
  bytes += more.bytes;
  questions += more.questions;
  answers += more.answers;
  others += more.others;
  steps.resize(std::max(steps.size(), more.steps.size()));
  for (std::size_t i = 0; i < more.steps.size(); ++i) {
    steps[i] += more.steps[i];
  }
  for (std::size_t i = 0; i < kFaultCount; ++i) {
    faults[i] += more.faults[i];
  }
  const std::size_t room = kMostProblems - std::min(kMostProblems, problems.size());
  const std::size_t taken = std::min(room, more.problems.size());
  problems.insert(problems.end(), more.problems.begin(), more.problems.begin() + static_cast<std::ptrdiff_t>(taken));
}

std::string write_counts(const Counts &counts) {
  std::string text =
      fmt::format("{} {} {} {} {}", counts.bytes, counts.questions, counts.answers, counts.others, counts.steps.size());
  for (const u64 step : counts.steps) {
    text += fmt::format(" {}", step);
  }
  for (const u64 fault : counts.faults) {
    text += fmt::format(" {}", fault);
  }
  for (const Problem &problem : counts.problems) {
    text += fmt::format(" {} {}", static_cast<u32>(problem.fault), problem.offset);
  }
  return text;
}

std::optional<Counts> read_counts(std::string_view text) {
  std::vector<u64> numbers;
  const char *at = text.data();
  const char *const end = at + text.size();
  while (at != end) {
    u64 number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (next != end && *next != ' ')) {
      return std::nullopt;
    }
    numbers.push_back(number);
    at = next == end ? end : next + 1;
  }
  if (numbers.size() < 5 || numbers[4] > numbers.size() || numbers.size() < 5 + numbers[4] + kFaultCount) {
    return std::nullopt;
  }
  Counts counts;
  counts.bytes = numbers[0];
  counts.questions = numbers[1];
  counts.answers = numbers[2];
  counts.others = numbers[3];
  auto next = numbers.begin() + 5;
  counts.steps.assign(next, next + static_cast<std::ptrdiff_t>(numbers[4]));
  next += static_cast<std::ptrdiff_t>(numbers[4]);
  for (u64 &fault : counts.faults) {
    fault = *next++;
  }
  for (; numbers.end() - next >= 2; next += 2) {
    if (next[0] >= kFaultCount) {
      return std::nullopt;
    }
    counts.problems.push_back({static_cast<Fault>(next[0]), next[1]});
  }
  return counts;
}

} // namespace deepperf::study
