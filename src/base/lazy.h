// A fact that is worked out when somebody first asks for it, and that all threads read from then on. Whoever finds it
// missing works it out; where two threads do so at the same time, both must come to the same, and one of the two stays.
// Who asks for it has read what it was worked out from (base/reads.h).
#pragma once

#include "base/reads.h"

#include <atomic>
#include <memory>
#include <utility>

namespace deepperf {

template <class Fact> class Lazy { // Fact may be incomplete except where it is set
public:
  Lazy() = default;
  Lazy(Lazy &&other) noexcept { *this = std::move(other); }
  Lazy &operator=(Lazy &&other) noexcept { // only while nobody looks at either
    forget();
    fact_ = other.fact_.exchange(nullptr, std::memory_order_relaxed);
    drop_ = other.drop_.load(std::memory_order_relaxed);
    reads_ = other.reads_.exchange(nullptr, std::memory_order_relaxed);
    return *this;
  }
  ~Lazy() { forget(); }

  // Null if nobody has worked it out.
  [[nodiscard]] const Fact *get() const {
    const Fact *const fact = fact_.load(std::memory_order_acquire);
    if (reads_now != nullptr && fact != nullptr) [[unlikely]] {
      const ReadSet *const reads = reads_.load(std::memory_order_acquire);
      reads != nullptr ? note_read_set(*reads) : note_read_everything();
    }
    return fact;
  }

  // The same for a fact that follows from nothing but the module that it belongs to, which who asks has read anyway.
  [[nodiscard]] const Fact *get_local() const { return fact_.load(std::memory_order_acquire); }

  // Returns the one that stays. All that was read since the last ReadScope began counts.
  const Fact &set(std::unique_ptr<const Fact> fact) const {
    if (reads_now != nullptr) [[unlikely]] {
      auto reads = std::make_unique<const ReadSet>(reads_now->set);
      const ReadSet *before = nullptr;
      if (reads_.compare_exchange_strong(before, reads.get(), std::memory_order_acq_rel)) {
        static_cast<void>(reads.release());
      }
    }
    const Fact *known = nullptr;
    if (!fact_.compare_exchange_strong(known, fact.get(), std::memory_order_acq_rel)) {
      return *known;
    }
    drop_.store([](const Fact *some) { delete some; }, std::memory_order_relaxed);
    return *fact.release();
  }

  // Only while nobody else looks at it.
  void forget() {
    if (const Fact *const fact = fact_.exchange(nullptr, std::memory_order_relaxed)) {
      drop_.load(std::memory_order_relaxed)(fact);
    }
    delete reads_.exchange(nullptr, std::memory_order_relaxed);
  }

private:
  mutable std::atomic<const Fact *> fact_{nullptr};
  mutable std::atomic<void (*)(const Fact *)> drop_{nullptr};
  mutable std::atomic<const ReadSet *> reads_{nullptr};
};

} // namespace deepperf
