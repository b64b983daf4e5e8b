#include "bench/fork_server.h"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <utility>

namespace deepperf::bench {

namespace {

using Clock = std::chrono::steady_clock;

// Its pipes are closed, or nobody reads them any more: it is ending, and its status will say how.
void wait_for_end(pid_t server) {
  constexpr int kTries = 200;
  constexpr int kMilliseconds = 10;
  for (int tries = 0; tries < kTries && !has_ended(server); ++tries) {
    ::poll(nullptr, 0, kMilliseconds);
  }
}

void close_descriptor(int &descriptor) {
  if (descriptor >= 0) {
    ::close(std::exchange(descriptor, -1));
  }
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return true;
}

int number_in(std::string_view line) {
  int number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number);
  return number;
}

} // namespace

ForkServer::ForkServer(std::string python, std::string driver, std::string folder, const Limits &limits,
                       Interrupts &interrupts)
    : python_(std::move(python)), driver_(std::move(driver)), folder_(std::move(folder)), limits_(limits),
      interrupts_(interrupts) {}

ForkServer::~ForkServer() { stop(); }

bool ForkServer::start(Finished &finished) {
  if (server_ > 0) {
    return true;
  }
  const Command command{{python_, driver_, std::to_string(kReportDescriptor)},
                        folder_,
                        {{"PYTHONHASHSEED", "0"},
                         {"PYTHONDONTWRITEBYTECODE", "1"},
                         {"PYTHONUTF8", "1"},
                         {"TMPDIR", folder_ + "/files"},
                         {"MPLBACKEND", "Agg"},
                         {"TF_CPP_MIN_LOG_LEVEL", "2"}}};
  // The limit of a program is driver.py's to set, once libraries are imported.
  const Started started = start_process(command, limits_.of_imports().memory, true, interrupts_);
  if (started.pid < 0) {
    finished.end = Finished::End::NotStarted;
    finished.code = started.error;
    return false;
  }
  server_ = started.pid;
  requests_ = started.input;
  reports_ = started.report;
  output_ = started.output;
  unread_.clear();
  return true;
}

int ForkServer::stop() {
  if (program_ > 0) { // a process group of its own; the server has not reaped it, so the number is still its own
    ::kill(-std::exchange(program_, 0), SIGKILL);
  }
  const int status = server_ > 0 ? end_process(std::exchange(server_, 0)) : 0;
  close_descriptor(requests_);
  close_descriptor(reports_);
  close_descriptor(output_);
  return status;
}

std::string ForkServer::wait_for(char mark, double seconds, Finished &finished) {
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  bool reads = true;
  bool reads_output = true;
  for (;;) {
    for (std::size_t end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n')) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      const std::string content = line.size() > 2 ? line.substr(2) : std::string();
      if (line.starts_with(mark)) {
        return content;
      }
      if (line.starts_with('R')) {
        finished.report = content;
      }
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (interrupts_.received() != 0 || left <= 0 || !reads) {
      finished.end = interrupts_.received() != 0 ? Finished::End::Interrupted
                     : !reads                    ? Finished::End::Killed
                                                 : Finished::End::TimedOut;
      finished.code = interrupts_.received();
      return {};
    }
    std::array<pollfd, 3> waiting{
        {{interrupts_.descriptor(), POLLIN, 0}, {reports_, POLLIN, 0}, {reads_output ? output_ : -1, POLLIN, 0}}};
    ::poll(waiting.data(), waiting.size(), static_cast<int>(std::min<long long>(left, 60'000)));
    interrupts_.read();
    // Programs have the pipe, too, so that its end is not seen where one is left running: the server's death is.
    const bool has_died = has_ended(server_);
    reads = take(reports_, unread_, kMostReport, false) && !has_died;
    reads_output = reads_output && take(output_, finished.output, kMostOutput, true);
  }
}

Finished ForkServer::run(const std::string &request) {
  Finished finished;
  if (!start(finished)) {
    return finished;
  }
  std::string old; // what the program before wrote while it was ended
  take(output_, old, kMostOutput, true);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const bool is_asked = write_all(requests_, request + "\n");
  std::signal(SIGPIPE, before);
  finished.end = Finished::End::Killed;
  const std::string program = is_asked ? wait_for('P', limits_.of_imports().seconds, finished) : std::string();
  program_ = number_in(program);
  finished.in_import = program_ <= 0;
  const std::string status = program_ > 0 ? wait_for('E', limits_.seconds, finished) : std::string();
  if (status.empty()) {
    const bool has_died = finished.end == Finished::End::Killed; // in an import, say
    if (has_died) {
      wait_for_end(server_);
    }
    take(output_, finished.output, kMostOutput, true);
    const int status_of_server = stop();
    if (has_died) {
      set_end(status_of_server, finished);
    }
    return finished;
  }
  program_ = 0;
  take(output_, finished.output, kMostOutput, true);
  set_end(number_in(status), finished);
  return finished;
}

} // namespace deepperf::bench
