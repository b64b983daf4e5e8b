#include "bench/interrupts.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace deepperf::bench {

Interrupts::Interrupts() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) { // nohup
      sigaddset(&wanted, signal);
    }
  }
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL; // a parent may have said that nobody waits for children
  sigaction(SIGCHLD, &usual, &child_before_);
  pthread_sigmask(SIG_BLOCK, &wanted, &before_);
  descriptor_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) {
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    throw std::system_error(error, std::generic_category(), "cannot wait for signals");
  }
}

Interrupts::~Interrupts() {
  read(); // what has been noticed does not strike once more
  ::close(descriptor_);
  sigaction(SIGCHLD, &child_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupts::read() {
  signalfd_siginfo info{};
  while (::read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo != SIGCHLD) {
      received_ = static_cast<int>(info.ssi_signo);
    }
  }
}

} // namespace deepperf::bench
