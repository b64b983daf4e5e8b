#include "fix/interrupts.h"

#include <array>

namespace deepperf::fix {

namespace {

constexpr std::array kInterrupts = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

} // namespace

HeldInterrupts::HeldInterrupts() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : kInterrupts) {
    sigaddset(&held, signal);
  }
  pthread_sigmask(SIG_BLOCK, &held, &before_);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, &file_size_);
}

HeldInterrupts::~HeldInterrupts() {
  sigaction(SIGXFSZ, &file_size_, nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool HeldInterrupts::is_pending() {
  sigset_t waiting;
  sigemptyset(&waiting);
  sigpending(&waiting);
  for (const int signal : kInterrupts) {
    if (sigismember(&waiting, signal) == 1) {
      return true;
    }
  }
  return false;
}

} // namespace deepperf::fix
