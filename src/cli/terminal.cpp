#include "cli/terminal.h"

#include "base/printable.h"
#include "cli/environment.h"
#include "cli/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

namespace deepperf::cli {

namespace {

bool is_set(const char *name) { return !environment(name).empty() && environment(name) != "0"; }

} // namespace

bool wants_color(std::string_view when, std::FILE *stream) {
  if (when != "auto") {
    return when == "always";
  }
  if (!environment("NO_COLOR").empty()) {
    return false;
  }
  if (is_set("CLICOLOR_FORCE") || is_set("FORCE_COLOR")) {
    return true;
  }
  return environment("CLICOLOR") != "0" && environment("FORCE_COLOR") != "0" && isatty(fileno(stream)) != 0 &&
         environment("TERM") != "dumb";
}

u32 terminal_width(std::FILE *stream) {
  constexpr u32 kUsual = 80;
  const std::string_view columns = environment("COLUMNS");
  u32 width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  winsize window{};
  if (width == 0 && ioctl(fileno(stream), TIOCGWINSZ, &window) == 0) {
    width = window.ws_col;
  }
  return width == 0 ? kUsual : std::min(width, 1000U);
}

bool page(std::string_view text) {
  const bool is_watched = isatty(STDOUT_FILENO) != 0 && isatty(STDIN_FILENO) != 0;
  const std::string pager(environment("PAGER").empty() ? "less -FRX" : environment("PAGER"));
  if (!is_watched || pager == "cat" || environment("TERM") == "dumb") {
    return write_output("", text, stdout);
  }
  // Who leaves the pager early has seen enough: that is no failure of ours.
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  // The user's own command, as git and man run it.
  std::FILE *const pipe = ::popen(pager.c_str(), "we"); // NOLINT(cert-env33-c)
  int status = -1;
  if (pipe != nullptr) {
    std::fwrite(text.data(), 1, text.size(), pipe);
    status = ::pclose(pipe);
  }
  std::signal(SIGPIPE, before);
  constexpr int kNoSuchCommand = 127;
  const bool was_shown = status != -1 && !(WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchCommand);
  return was_shown || write_output("", text, stdout);
}

std::string rule_pages_folder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  // In the source tree the program is in build/<preset>; installed, next to share.
  for (const char *const pages : {"../../docs/rules", "../share/doc/deepperf/rules"}) {
    const std::filesystem::path folder = (program.parent_path() / pages).lexically_normal();
    if (!error && std::filesystem::is_directory(folder, error)) {
      return folder.string();
    }
  }
  return {};
}

ProgressBar::ProgressBar(const std::atomic<u64> &done, const std::atomic<u64> &total)
    : ProgressBar([&done, &total] {
        const u64 all = std::max<u64>(total, 1);
        const u64 now = std::min<u64>(done, all);
        return fmt::format("{} {} of {} files", bar(now, all), now, all);
      }) {}

ProgressBar::ProgressBar(std::function<std::string()> line) : line_(std::move(line)) {
  if (isatty(STDERR_FILENO) != 0) {
    thread_ = std::thread([this] { show(); });
  }
}

ProgressBar::~ProgressBar() {
  if (!thread_.joinable()) {
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  stop_.notify_all();
  thread_.join();
  if (shown_) {
    std::fputs("\r\x1b[K", stderr);
  }
}

void ProgressBar::show() {
  std::unique_lock lock(mutex_);
  auto wait = std::chrono::milliseconds(1000);
  while (!stop_.wait_for(lock, wait, [this] { return stopped_; })) {
    wait = std::chrono::milliseconds(100);
    const std::string line = fmt::format("\r{}\x1b[K", printable(line_()));
    std::fputs(line.c_str(), stderr);
    shown_ = true;
  }
}

std::string bar(u64 done, u64 total) {
  constexpr u64 kWidth = 30;
  const u64 filled = total == 0 ? 0 : std::min(done, total) * kWidth / total;
  return fmt::format("[{:=<{}}{:{}}]", "", filled, "", kWidth - filled);
}

} // namespace deepperf::cli
