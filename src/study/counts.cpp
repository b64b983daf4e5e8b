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

void Counts::add_question(i64 created) {
  ++questions;
  first = std::min(first.value_or(created), created);
  last = std::max(last.value_or(created), created);
}

void Counts::add(const Counts &more) {
  bytes += more.bytes;
  if (more.first && more.last) {
    first = std::min(first.value_or(*more.first), *more.first);
    last = std::max(last.value_or(*more.last), *more.last);
  }
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
  std::string text = fmt::format("{} {} {} {} {} {} {}", counts.bytes, counts.questions, counts.answers, counts.others,
                                 counts.first.value_or(0), counts.last.value_or(0), counts.steps.size());
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
  constexpr std::size_t kStart = 7; // numbers before those of the steps
  std::vector<i64> numbers;
  const char *at = text.data();
  const char *const end = at + text.size();
  while (at != end) {
    i64 number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (next != end && *next != ' ')) {
      return std::nullopt;
    }
    numbers.push_back(number);
    at = next == end ? end : next + 1;
  }
  const std::size_t steps = numbers.size() < kStart ? 0 : static_cast<std::size_t>(numbers[kStart - 1]);
  if (steps > numbers.size() || numbers.size() < kStart + steps + kFaultCount) {
    return std::nullopt;
  }
  auto next = numbers.begin();
  const auto take = [&next] { return static_cast<u64>(*next++); };
  Counts counts;
  counts.bytes = take();
  counts.questions = take();
  counts.answers = take();
  counts.others = take();
  if (counts.questions != 0) {
    counts.first = next[0];
    counts.last = next[1];
  }
  next += 3; // those two, and the number of steps
  for (std::size_t i = 0; i < steps; ++i) {
    counts.steps.push_back(take());
  }
  for (u64 &fault : counts.faults) {
    fault = take();
  }
  while (numbers.end() - next >= 2) {
    const u64 fault = take();
    if (fault >= kFaultCount) {
      return std::nullopt;
    }
    counts.problems.push_back({static_cast<Fault>(fault), take()});
  }
  return counts;
}

} // namespace deepperf::study
