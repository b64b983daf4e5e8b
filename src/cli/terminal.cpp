#include "cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

namespace deepperf::cli {

bool wants_color(std::string_view when, std::FILE *stream) {
  if (when != "auto") {
    return when == "always";
  }
  const char *no_color = std::getenv("NO_COLOR");
  const char *terminal = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && isatty(fileno(stream)) != 0 &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
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
    const std::string line = fmt::format("\r{}\x1b[K", line_());
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
