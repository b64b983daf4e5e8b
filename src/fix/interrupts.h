// Signals that end the program, while something must not be left half done.
#pragma once

#include <csignal>

namespace deepperf::fix {

// As long as one exists, SIGINT, SIGTERM, SIGHUP and SIGQUIT wait, in this thread and in those that it starts; they
// arrive when it ends. Writing beyond a limit on the size of files gives an error instead of a signal.
class HeldInterrupts {
public:
  HeldInterrupts();
  ~HeldInterrupts();
  HeldInterrupts(const HeldInterrupts &) = delete;
  HeldInterrupts &operator=(const HeldInterrupts &) = delete;

  // Is one waiting, so that it is time to stop?
  static bool is_pending();

private:
  sigset_t before_{};
  struct sigaction file_size_ {};
};

} // namespace deepperf::fix
