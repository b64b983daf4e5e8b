#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

namespace deepperf {

namespace {

constexpr std::size_t kStackSize = std::size_t{256} << 20; // reserved, not used, until something nests that deeply
constexpr std::size_t kMostIdle = 64;

// What somebody waits for.
class Countdown {
public:
  explicit Countdown(std::size_t count) : open_(count) {}

  // Whoever waits may be gone when this returns.
  void arrive() {
    const std::scoped_lock lock(mutex_);
    if (--open_ == 0) {
      done_.notify_one();
    }
  }
  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return open_ == 0; });
  }

private:
  std::mutex mutex_;
  std::condition_variable done_;
  std::size_t open_;
};

// Of this thread. What nested deeply may have taken much of it, and would keep it.
class Stack {
public:
  Stack() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      void *lowest = nullptr;
      std::size_t size = 0;
      pthread_attr_getstack(&attributes, &lowest, &size);
      pthread_attr_destroy(&attributes);
      lowest_ = static_cast<char *>(lowest);
    }
  }

  // All but what is in use, and the next that will be.
  void give_back() const {
    constexpr std::size_t kKept = std::size_t{1} << 20;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto *const here = static_cast<const char *>(__builtin_frame_address(0));
    const auto free = static_cast<std::size_t>(here - lowest_);
    if (lowest_ != nullptr && free > kKept) {
      madvise(lowest_, (free - kKept) / page * page, MADV_DONTNEED);
    }
  }

private:
  char *lowest_ = nullptr;
};

// Threads that have done their work wait for more. A check starts threads several times, and an editor asks for a check
// with every key: to begin a thread is cheap, but at its end it gives its memory back, which the next one has to get
// again, page by page.
class Threads {
public:
  struct Task {
    void (*run)(void *) = nullptr;
    void *argument = nullptr;
    Countdown *end = nullptr;
  };

  // Of the process, and never destroyed: threads wait there when the process ends.
  static Threads &all() {
    static auto *const threads = new Threads;
    return *threads;
  }

  // False if the system gives no more threads.
  bool start(const Task &task) {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        Seat &seat = *idle_.back();
        idle_.pop_back();
        seat.task = task;
        seat.wake.notify_one();
        return true;
      }
    }
    auto first = std::make_unique<Task>(task);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackSize);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread{};
    const bool is_started = pthread_create(&thread, &attributes, serve, first.get()) == 0;
    pthread_attr_destroy(&attributes);
    if (is_started) {
      static_cast<void>(first.release()); // the thread's
    }
    return is_started;
  }

private:
  Threads() { idle_.reserve(kMostIdle); } // a thread that has done its work must not fail

  // One thread's place to wait at.
  struct Seat {
    std::condition_variable wake;
    Task task;
  };

  static void *serve(void *first) {
    Task task;
    {
      const std::unique_ptr<Task> given(static_cast<Task *>(first));
      task = *given;
    }
    Threads &threads = all();
    const Stack stack;
    Seat seat;
    do {
      task.run(task.argument);
      stack.give_back();
    } while (threads.take_next(seat, task));
    return nullptr;
  }

  // Says that the last task has ended, and waits for another. False if enough threads wait already.
  bool take_next(Seat &seat, Task &task) {
    std::unique_lock lock(mutex_);
    const bool stays = idle_.size() < kMostIdle;
    if (stays) {
      seat.task = {};
      idle_.push_back(&seat);
    }
    Countdown *const end = task.end;
    lock.unlock();
    end->arrive(); // afterwards, so that whoever waits finds this thread idle
    if (!stays) {
      return false;
    }
    lock.lock();
    seat.wake.wait(lock, [&seat] { return seat.task.run != nullptr; });
    task = seat.task;
    return true;
  }

  std::mutex mutex_;
  std::vector<Seat *> idle_;
};

struct Job {
  const std::function<void(u32)> *work = nullptr;
  u32 index = 0;
  std::exception_ptr thrown;
};

void run_job(void *argument) {
  auto *job = static_cast<Job *>(argument);
  try {
    (*job->work)(job->index);
  } catch (...) {
    job->thrown = std::current_exception();
  }
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

void run_workers(u32 count, const std::function<void(u32)> &work) {
  std::vector<Job> jobs(count);
  Countdown end(count);
  u32 started = 0;
  for (; started < count; ++started) {
    jobs[started] = {&work, started, nullptr};
    if (!Threads::all().start({run_job, &jobs[started], &end})) {
      break;
    }
  }
  for (u32 i = started; i < count; ++i) {
    end.arrive();
  }
  end.wait();
  if (started == 0 && count != 0) {
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
  u32 threads = 0;                 // beside the caller
  std::optional<Countdown> served; // by all of them, when it is over
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

  static void serve_as_thread(void *shared) { static_cast<Shared *>(shared)->serve(); }
};

WorkerTeam::WorkerTeam(u32 size) : shared_(std::make_unique<Shared>()) {
  shared_->may_spin = size > 1 && size <= available_cores();
  const u32 wanted = size > 1 ? size - 1 : 0;
  shared_->served.emplace(wanted);
  while (shared_->threads < wanted &&
         Threads::all().start({Shared::serve_as_thread, shared_.get(), &*shared_->served})) {
    ++shared_->threads;
  }
  for (u32 i = shared_->threads; i < wanted; ++i) {
    shared_->served->arrive();
  }
}

WorkerTeam::~WorkerTeam() {
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->is_over = true;
  }
  shared_->begins.notify_all();
  shared_->served->wait();
}

u32 WorkerTeam::size() const { return shared_->threads + 1; }

void WorkerTeam::run(const std::function<void(u32)> &work) {
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->work = &work;
    shared_->thrown = nullptr;
    shared_->running = shared_->threads;
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
