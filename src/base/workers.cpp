#include "base/workers.h"

#include <pthread.h>
#include <sched.h>

#include <exception>
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

void run_workers(u32 count, const std::function<void(u32)> &work) {
  std::vector<Job> jobs(count);
  std::vector<pthread_t> threads;
  threads.reserve(count);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackSize);
  bool failed = false;
  for (u32 i = 0; i < count; ++i) {
    jobs[i] = {&work, i, nullptr};
    pthread_t thread{};
    if (pthread_create(&thread, &attributes, run_job, &jobs[i]) != 0) {
      failed = true;
      break;
    }
    threads.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  for (const pthread_t thread : threads) {
    pthread_join(thread, nullptr);
  }
  if (failed && threads.empty()) {
    throw std::runtime_error("cannot start a thread");
  }
  for (const Job &job : jobs) {
    if (job.thrown != nullptr) {
      std::rethrow_exception(job.thrown);
    }
  }
}

} // namespace deepperf
