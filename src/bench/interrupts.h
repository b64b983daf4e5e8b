// Signals as something to wait for: a benchmark that the user breaks off ends its programs and removes its files first.
#pragma once

#include <csignal>

namespace deepperf::bench {

// As long as one exists, SIGINT, SIGTERM, SIGHUP and SIGCHLD arrive at its descriptor, in this thread and in those that
// it starts, and end nothing. Signals that were ignored before stay ignored.
class Interrupts {
public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts &) = delete;
  Interrupts &operator=(const Interrupts &) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Takes what has arrived.
  void read();
  // The signal that asked to stop; 0 if none did.
  [[nodiscard]] int received() const { return received_; }
  // What a program that is started must have.
  [[nodiscard]] const sigset_t &mask_before() const { return before_; }

private:
  sigset_t before_{};
  struct sigaction child_before_ {};
  int descriptor_ = -1;
  int received_ = 0;
};

} // namespace deepperf::bench
