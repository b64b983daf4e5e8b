#include "base/temporary_file.h"

#include "base/types.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>
#include <mutex>

namespace deepperf {

namespace {

// Those that people send, and those that come with a closed pipe, a limit on time or an alarm.
constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};

// A handler may call little more than unlink, so names stand where no allocation is needed to read them.
struct Slot {
  std::atomic<bool> is_taken = false;
  std::atomic<bool> is_ready = false;
  std::array<char, PATH_MAX> path{};
};

std::array<Slot, 48> slots;
std::atomic<int> files_being_created = 0;
std::atomic<bool> is_ending = false; // from here on no file is created

extern "C" void remove_and_end(int signal) {
  is_ending = true;
  // Another thread may be about to create a file that would then stay.
  for (int tries = 0; files_being_created > 0 && tries < 10'000; ++tries) {
    const timespec moment{.tv_sec = 0, .tv_nsec = 100'000};
    ::nanosleep(&moment, nullptr);
  }
  for (const Slot &slot : slots) {
    if (slot.is_ready) {
      ::unlink(slot.path.data());
    }
  }
  std::signal(signal, SIG_DFL);
  ::raise(signal); // comes when this returns
}

// Signals that are ignored (nohup) or handled stay what they are.
void install_handlers() {
  for (const int signal : kEnding) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL) {
      struct sigaction action {};
      action.sa_handler = remove_and_end;
      ::sigaction(signal, &action, nullptr);
    }
  }
}

u64 random_number() {
  u64 number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof number)) {
    timespec now{}; // before the system has gathered enough; a name that is taken is still not opened
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    number = static_cast<u64>(now.tv_nsec) * 0x9E3779B97F4A7C15U ^ static_cast<u64>(::getpid());
  }
  return number;
}

// Signals wait meanwhile in this thread, so that the handler never waits for the thread that it interrupts.
int create(const std::string &path, unsigned mode) {
  sigset_t ending;
  sigset_t before;
  ::sigemptyset(&ending);
  for (const int signal : kEnding) {
    ::sigaddset(&ending, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &ending, &before);
  ++files_being_created;
  const int descriptor =
      is_ending ? -1 : ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
  const int error = is_ending && descriptor < 0 ? EINTR : errno;
  --files_being_created;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return descriptor;
}

} // namespace

RemovedOnSignal::RemovedOnSignal(const std::string &path) {
  static std::once_flag once;
  std::call_once(once, install_handlers);
  for (std::size_t i = 0; i < slots.size() && path.size() < PATH_MAX; ++i) {
    if (!slots[i].is_taken.exchange(true)) {
      std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
      slots[i].is_ready = true;
      slot_ = static_cast<int>(i);
      return;
    }
  }
}

RemovedOnSignal::~RemovedOnSignal() {
  if (slot_ >= 0) {
    Slot &slot = slots[static_cast<std::size_t>(slot_)];
    slot.is_ready = false;
    slot.is_taken = false;
  }
}

TemporaryFile::TemporaryFile(const std::string &folder, unsigned mode)
    : path_(fmt::format("{}.deepperf-{:016x}", folder, random_number())), removed_(path_),
      descriptor_(create(path_, mode)) {}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) {
    const int error = errno;
    ::close(descriptor_);
    if (!renamed_) {
      ::unlink(path_.c_str());
    }
    errno = error;
  }
}

bool TemporaryFile::write(std::string_view bytes) const { return write_all(descriptor_, bytes); }

bool TemporaryFile::rename_to(const std::string &target) {
  renamed_ = ::rename(path_.c_str(), target.c_str()) == 0;
  return renamed_;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return true;
}

} // namespace deepperf
