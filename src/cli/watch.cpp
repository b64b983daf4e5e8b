#include "cli/watch.h"

#include "cli/commands.h"

#include <fmt/format.h>

#include <csignal>
#include <ctime>
#include <unistd.h>

#include <string_view>

namespace deepperf::cli {

namespace {

void write_if_terminal(int stream, std::string_view text) {
  if (::isatty(stream) != 0) {
    [[maybe_unused]] const ssize_t written = ::write(stream, text.data(), text.size());
  }
}

// Leaves neither a colour nor half a progress bar. There is nothing else to clean up: files are replaced, never
// changed.
void stop(int) {
  write_if_terminal(STDERR_FILENO, "\r\x1b[K");
  write_if_terminal(STDOUT_FILENO, "\x1b[0m\n");
  ::_exit(kClean);
}

void stop_on(int signal) {
  struct sigaction action {};
  action.sa_handler = stop;
  ::sigaction(signal, &action, nullptr);
}

} // namespace

void watch(const std::vector<std::string> &paths, const project::WatchOptions &options,
           const std::function<bool(const std::vector<std::string> &changed)> &check) {
  stop_on(SIGINT);
  stop_on(SIGTERM);
  project::Watcher watcher(paths, options);
  while (check(watcher.changed())) {
    watcher.wait();
  }
}

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

} // namespace deepperf::cli
