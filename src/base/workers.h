// Threads for the work on many files.
#pragma once

#include "base/types.h"

#include <functional>
#include <memory>

namespace deepperf {

// Cores that this process may use.
u32 available_cores();

// Runs `work(0)` … `work(count - 1)`, each on a thread of its own, and waits for all. What one of them throws is thrown
// again when all have ended. The threads have stacks that are large enough for the deepest tree the parser allows,
// whatever the caller's stack is. They are used again, so what is thread_local may be from earlier work.
void run_workers(u32 count, const std::function<void(u32)> &work);

// Runs the work on one such thread. Whoever walks a tree does it here, or on a worker: the main thread's stack is as
// small as the user's limit.
void on_large_stack(const std::function<void()> &work);

// The same for many small pieces of work, one after the other: the threads stay. The caller is one of them.
class WorkerTeam {
public:
  explicit WorkerTeam(u32 size); // with fewer members where the system gives no more threads
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam &) = delete;
  WorkerTeam &operator=(const WorkerTeam &) = delete;

  [[nodiscard]] u32 size() const;
  void run(const std::function<void(u32)> &work);

private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

} // namespace deepperf
