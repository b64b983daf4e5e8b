// A fact that is worked out when somebody first asks for it, and that all threads read from then on. Whoever finds it
// missing works it out; where two threads do so at the same time, both must come to the same, and one of the two stays.
#pragma once

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
    return *this;
  }
  ~Lazy() { forget(); }

  // Null if nobody has worked it out.
  [[nodiscard]] const Fact *get() const { return fact_.load(std::memory_order_acquire); }

  // Returns the one that stays.
  const Fact &set(std::unique_ptr<const Fact> fact) const {
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
  }

private:
  mutable std::atomic<const Fact *> fact_{nullptr};
  mutable std::atomic<void (*)(const Fact *)> drop_{nullptr};
};

} // namespace deepperf
