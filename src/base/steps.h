// How many steps of work a rule may still take. Rules search trees and texts; one that searches a whole function again
// for each place in it would take the square of its length. Such a rule is a mistake, and this is the net below it:
// when the steps are used up, the search ends with an exception, and the rule says nothing more about that file.
#pragma once

#include "base/types.h"

#include <limits>
#include <stdexcept>

namespace deepperf {

class TooManySteps : public std::runtime_error {
public:
  TooManySteps() : std::runtime_error("too many steps") {}
};

constexpr i64 kNoStepLimit = std::numeric_limits<i64>::max();

// Of this thread. Steps are counted at all times, and end something only below a StepLimit.
inline constinit thread_local i64 steps_left = kNoStepLimit;

[[noreturn, gnu::cold]] inline void end_of_steps() {
  steps_left = kNoStepLimit; // what cleans up may search
  throw TooManySteps();
}

// A look at a node, or at some bytes of text.
inline void take_steps(i64 count = 1) {
  steps_left -= count;
  if (steps_left < 0) [[unlikely]] {
    end_of_steps();
  }
}

// Allows so many steps until it goes out of scope.
class StepLimit {
public:
  explicit StepLimit(i64 most) : most_(most), outer_(steps_left) { steps_left = most; }
  StepLimit(const StepLimit &) = delete;
  StepLimit &operator=(const StepLimit &) = delete;
  ~StepLimit() { steps_left = outer_; }

  [[nodiscard]] i64 taken() const { return most_ - steps_left; }

private:
  i64 most_;
  i64 outer_;
};

// Takes steps on nobody's account until it goes out of scope: a fact that many rules ask for must not cost the one that
// asks first, which may be another one each time.
class SharedWork {
public:
  SharedWork() = default;
  SharedWork(const SharedWork &) = delete;
  SharedWork &operator=(const SharedWork &) = delete;

private:
  StepLimit none_{kNoStepLimit};
};

} // namespace deepperf
