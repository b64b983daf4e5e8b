#include "bench/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

namespace deepperf::bench {

namespace {

using Clock = std::chrono::steady_clock;

struct Descriptor {
  Descriptor() = default;
  explicit Descriptor(int number) : value(number) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (value >= 0) {
      ::close(std::exchange(value, -1));
    }
  }
  int release() { return std::exchange(value, -1); }
  int value = -1;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "cannot create a pipe");
    }
    read.value = ends[0];
    write.value = ends[1];
  }
  Descriptor read;
  Descriptor write;
};

// Everything that the child needs after fork(), where only system calls are allowed.
struct Child {
  std::vector<char *> arguments;
  std::vector<char *> environment;
  const char *folder = nullptr;
  rlimit memory{};
  sigset_t mask{};
  int input = -1; // -1: nothing
  int report = -1;
  int output = -1;
  int failure = -1;
  pid_t parent = 0;
};

[[noreturn]] void become(const Child &child) {
  int failure = child.failure;
  const auto give_up = [&] {
    const int error = errno;
    (void)!::write(failure, &error, sizeof error);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != child.parent) {
    ::_exit(127); // it ended before we could ask
  }
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::setrlimit(RLIMIT_DATA, &child.memory);
  ::sigprocmask(SIG_SETMASK, &child.mask, nullptr);
  const int input = child.input >= 0 ? child.input : ::open("/dev/null", O_RDONLY);
  // The descriptors may be those that they are to become, so they go out of the way first.
  constexpr int kAside = 10;
  const int report = ::fcntl(child.report, F_DUPFD, kAside);
  const int output = ::fcntl(child.output, F_DUPFD, kAside);
  const int aside = ::fcntl(child.failure, F_DUPFD_CLOEXEC, kAside);
  failure = aside < 0 ? failure : aside;
  if (report < 0 || output < 0 || aside < 0 || ::dup2(input, STDIN_FILENO) < 0 || ::dup2(output, STDOUT_FILENO) < 0 ||
      ::dup2(output, STDERR_FILENO) < 0 || ::dup2(report, kReportDescriptor) < 0) {
    give_up();
  }
  ::close(report);
  ::close(output);
  if (child.folder != nullptr && ::chdir(child.folder) != 0) {
    give_up();
  }
  ::execvpe(child.arguments[0], child.arguments.data(), child.environment.data());
  give_up();
  ::_exit(127);
}

std::vector<char *> pointers(std::vector<std::string> &texts) {
  std::vector<char *> list;
  list.reserve(texts.size() + 1);
  for (std::string &text : texts) {
    list.push_back(text.data());
  }
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>> &additions) {
  std::vector<std::string> variables;
  for (char **variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('='));
    if (std::ranges::none_of(additions, [&](const auto &addition) { return addition.first == name; })) {
      variables.emplace_back(text);
    }
  }
  for (const auto &[name, value] : additions) {
    variables.push_back(name + "=" + value);
  }
  return variables;
}

void make_nonblocking(int descriptor) { ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

} // namespace

bool take(int descriptor, std::string &into, std::size_t most, bool keep_end) {
  std::array<char, 65536> room; // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  for (;;) {
    const ssize_t got = ::read(descriptor, room.data(), room.size());
    if (got > 0) {
      into.append(room.data(), static_cast<std::size_t>(got));
      if (keep_end && into.size() > 2 * most) {
        into.erase(0, into.size() - most);
      } else if (!keep_end && into.size() > most) {
        into.resize(most); // the report is damaged then, and is seen to be
      }
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else {
      return got < 0 && errno == EAGAIN;
    }
  }
}

bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

int end_process(pid_t child) {
  ::kill(-child, SIGKILL); // it, if it still runs, and whatever it has started
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

Started start_process(const Command &command, u64 memory_limit, bool with_input, const Interrupts &interrupts) {
  Pipe input;
  Pipe report;
  Pipe output;
  Pipe failure;
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> variables = environment_with(command.environment);
  Child child;
  child.arguments = pointers(arguments);
  child.environment = pointers(variables);
  child.folder = command.folder.empty() ? nullptr : command.folder.c_str();
  child.memory = {memory_limit, memory_limit};
  child.mask = interrupts.mask_before();
  child.input = with_input ? input.read.value : -1;
  child.report = report.write.value;
  child.output = output.write.value;
  child.failure = failure.write.value;
  child.parent = ::getpid();

  Started started;
  started.pid = ::fork();
  if (started.pid < 0) {
    started.error = errno;
    return started;
  }
  if (started.pid == 0) {
    become(child);
  }
  ::setpgid(started.pid, started.pid); // whoever is first
  failure.write.close();
  // The pipe is closed by a successful exec, and says otherwise why there was none.
  if (::read(failure.read.value, &started.error, sizeof started.error) == static_cast<ssize_t>(sizeof started.error)) {
    end_process(std::exchange(started.pid, -1));
    return started;
  }
  started.error = 0;
  started.input = with_input ? input.write.release() : -1;
  started.report = report.read.release();
  started.output = output.read.release();
  make_nonblocking(started.report);
  make_nonblocking(started.output);
  return started;
}

Finished run_process(const Command &command, const Limits &limits, Interrupts &interrupts) {
  Finished finished;
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
  const Started started = start_process(command, limits.memory, false, interrupts);
  if (started.pid < 0) {
    finished.code = started.error;
    return finished;
  }
  const Descriptor report(started.report);
  const Descriptor output(started.output);
  bool timed_out = false;
  bool reads_report = true;
  bool reads_output = true;
  while (!has_ended(started.pid)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || interrupts.received() != 0) {
      timed_out = interrupts.received() == 0;
      break;
    }
    std::array<pollfd, 3> waiting{{{interrupts.descriptor(), POLLIN, 0},
                                   {reads_report ? report.value : -1, POLLIN, 0},
                                   {reads_output ? output.value : -1, POLLIN, 0}}};
    ::poll(waiting.data(), waiting.size(), static_cast<int>(std::min<long long>(left, 60'000)));
    interrupts.read();
    reads_report = reads_report && take(report.value, finished.report, kMostReport, false);
    reads_output = reads_output && take(output.value, finished.output, kMostOutput, true);
  }
  const int status = end_process(started.pid);
  take(report.value, finished.report, kMostReport, false);
  take(output.value, finished.output, kMostOutput, true);
  if (interrupts.received() != 0) {
    finished.end = Finished::End::Interrupted;
    finished.code = interrupts.received();
  } else if (timed_out) {
    finished.end = Finished::End::TimedOut;
  } else {
    set_end(status, finished);
  }
  return finished;
}

Limits Limits::of_imports() const {
  Limits limits = *this;
  limits.seconds = std::max(seconds, import_seconds);
  limits.memory = std::max(memory, import_memory);
  return limits;
}

void set_end(int status, Finished &finished) {
  finished.end = WIFSIGNALED(status) ? Finished::End::Killed : Finished::End::Exited;
  finished.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace deepperf::bench
