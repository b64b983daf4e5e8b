// How long the phases and rules of a check took, for those who ask.
#pragma once

#include "base/types.h"
#include "base/work.h"
#include "rules/rule.h"

#include <chrono>
#include <map>

namespace deepperf::rules {

// In nanoseconds, added up over all workers.
struct Timings {
  u64 parse = 0;   // loading, decoding and parsing
  u64 analyse = 0; // bind, link, infer
  u64 lint = 0;    // the rules, and the walk that shows them the tree
  std::map<const RuleInfo *, u64> rules;
  std::map<const RuleInfo *, u64> steps;   // not nanoseconds: see base/steps.h
  std::map<const RuleInfo *, u64> stopped; // in so many files, as it took too many of them
  Work work;

  void add(const Timings &other) {
    parse += other.parse;
    analyse += other.analyse;
    lint += other.lint;
    work.add(other.work);
    for (const auto &[rule, time] : other.rules) {
      rules[rule] += time;
    }
    for (const auto &[rule, taken] : other.steps) {
      steps[rule] += taken;
    }
    for (const auto &[rule, files] : other.stopped) {
      stopped[rule] += files;
    }
  }
};

// Adds the time until it goes out of scope; with null it does nothing.
class Stopwatch {
public:
  explicit Stopwatch(u64 *total) : total_(total) {
    if (total_ != nullptr) {
      start_ = std::chrono::steady_clock::now();
    }
  }
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;
  ~Stopwatch() {
    if (total_ != nullptr) {
      *total_ += static_cast<u64>((std::chrono::steady_clock::now() - start_).count());
    }
  }

private:
  u64 *total_;
  std::chrono::steady_clock::time_point start_;
};

} // namespace deepperf::rules
