#include "base/workers.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace deepperf {

namespace {

constexpr std::size_t kStackSize = std::size_t{256} << 20; // reserved, not used, until something nests that deeply

struct Job {
  const std::function<void(u32)> *work = nullptr;
  u32 index = 0;
  std::exception_ptr thrown;
};

void *run_job(void *argument) {
  auto *job = static_cast<Job *>(argument);
  try {
    (*job->work)(job->index);
  } catch (...) {
    job->thrown = std::current_exception();
  }
  return nullptr;
}

} // namespace

u32 available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    return 1;
  }
  const int count = CPU_COUNT(&set);
  return count < 1 ? 1 : static_cast<u32>(count);
}

namespace {

// False if the system gives no more threads.
bool start_thread(void *(*run)(void *), void *argument, std::vector<pthread_t> &threads) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackSize);
  pthread_t thread{};
  const bool is_started = pthread_create(&thread, &attributes, run, argument) == 0;
  pthread_attr_destroy(&attributes);
  if (is_started) {
    threads.push_back(thread);
  }
  return is_started;
}

void join_all(const std::vector<pthread_t> &threads) {
  for (const pthread_t thread : threads) {
    pthread_join(thread, nullptr);
  }
}

} // namespace

void run_workers(u32 count, const std::function<void(u32)> &work) {
  std::vector<Job> jobs(count);
  std::vector<pthread_t> threads;
  threads.reserve(count);
  bool failed = false;
  for (u32 i = 0; i < count && !failed; ++i) {
    jobs[i] = {&work, i, nullptr};
    failed = !start_thread(run_job, &jobs[i], threads);
  }
  join_all(threads);
  if (failed && threads.empty()) {
    throw std::runtime_error(
        "cannot start a thread: its stack of 256 MiB is too much for the limit on memory (ulimit -v), or there may "
        "be no more threads (ulimit -u)");
  }
  for (const Job &job : jobs) {
    if (job.thrown != nullptr) {
      std::rethrow_exception(job.thrown);
    }
  }
}

void on_large_stack(const std::function<void()> &work) {
  run_workers(1, [&work](u32) { work(); });
}

namespace {

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace

struct WorkerTeam::Shared {
  std::mutex mutex;
  std::condition_variable begins;
  std::condition_variable ends;
  const std::function<void(u32)> *work = nullptr;
  std::atomic<u64> round{0};   // of work; threads that have done an earlier one begin
  std::atomic<u32> running{0}; // threads that have not ended this round
  std::atomic<bool> is_over{false};
  bool may_spin = false; // each thread has a core
  std::exception_ptr thrown;
  std::vector<pthread_t> threads;
  std::atomic<u32> next_member{1};

  void work_as(u32 member) {
    try {
      (*work)(member);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      thrown = thrown == nullptr ? std::current_exception() : thrown;
    }
  }

  // Rounds follow each other so quickly that waking a thread would take longer than waiting for the next one.
  template <class Condition> void wait_for(std::condition_variable &event, Condition holds) {
    constexpr u32 kSpins = 1000;
    for (u32 i = 0; i < kSpins && may_spin; ++i) {
      if (holds()) {
        return;
      }
      pause_briefly();
    }
    std::unique_lock lock(mutex);
    event.wait(lock, holds);
  }

  void serve() {
    const u32 member = next_member.fetch_add(1);
    for (u64 done = 0;;) {
      wait_for(begins, [&] { return is_over || round != done; });
      if (is_over) {
        return;
      }
      done = round;
      work_as(member);
      if (--running == 0) {
        const std::scoped_lock lock(mutex);
        ends.notify_one();
      }
    }
  }

  static void *serve_as_thread(void *shared) {
    static_cast<Shared *>(shared)->serve();
    return nullptr;
  }
};

WorkerTeam::WorkerTeam(u32 size) : shared_(std::make_unique<Shared>()) {
  shared_->may_spin = size > 1 && size <= available_cores();
  for (u32 i = 1; i < size && start_thread(Shared::serve_as_thread, shared_.get(), shared_->threads); ++i) {
  }
}

WorkerTeam::~WorkerTeam() {
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->is_over = true;
  }
  shared_->begins.notify_all();
  join_all(shared_->threads);
}

u32 WorkerTeam::size() const { return static_cast<u32>(shared_->threads.size()) + 1; }

void WorkerTeam::run(const std::function<void(u32)> &work) {
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->work = &work;
    shared_->thrown = nullptr;
    shared_->running = static_cast<u32>(shared_->threads.size());
    ++shared_->round;
  }
  shared_->begins.notify_all();
  shared_->work_as(0);
  shared_->wait_for(shared_->ends, [&] { return shared_->running == 0; });
  if (shared_->thrown != nullptr) {
    std::rethrow_exception(shared_->thrown);
  }
}

} // namespace deepperf
