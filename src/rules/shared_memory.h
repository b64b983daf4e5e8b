// Facts of a whole project that the parts of a judgment share. Each part has a memory of its own (rules/memory.h), so
// that it does not matter which thread takes which part; but what follows from the project alone is the same for all of
// them, and large: parts that one thread works on after each other take it from the memory that is set here.
#pragma once

#include "rules/memory.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace deepperf::rules {

// Of this thread; null: each memory keeps such facts itself.
inline constinit thread_local Memory *shared_memory = nullptr;

// As many memories as threads work on the project at the same time.
class SharedMemories {
public:
  // Until it goes out of scope, this thread uses one of them.
  class Use {
  public:
    explicit Use(SharedMemories &all)
        : all_(all), used_(all.take()), outer_(std::exchange(shared_memory, used_.get())) {}
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;
    ~Use() {
      shared_memory = outer_;
      all_.give_back(std::move(used_));
    }

  private:
    SharedMemories &all_;
    std::unique_ptr<Memory> used_;
    Memory *outer_;
  };

private:
  std::unique_ptr<Memory> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      return std::make_unique<Memory>();
    }
    std::unique_ptr<Memory> one = std::move(idle_.back());
    idle_.pop_back();
    return one;
  }
  void give_back(std::unique_ptr<Memory> one) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(one));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Memory>> idle_;
};

} // namespace deepperf::rules
