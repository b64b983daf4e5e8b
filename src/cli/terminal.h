// What depends on whether a person is watching: colour and progress.
#pragma once

#include "base/types.h"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <thread>

namespace deepperf::cli {

// `when` is auto, always or never; auto is yes on a terminal, unless NO_COLOR is set.
bool wants_color(std::string_view when, std::FILE *stream);

// Shows how far the work is, on standard error, once it has taken longer than a second and only on a terminal.
class ProgressBar {
public:
  ProgressBar(const std::atomic<u64> &done, const std::atomic<u64> &total);
  ProgressBar(const ProgressBar &) = delete;
  ProgressBar &operator=(const ProgressBar &) = delete;
  ~ProgressBar();

private:
  void show();

  const std::atomic<u64> &done_;
  const std::atomic<u64> &total_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopped_ = false;
  bool shown_ = false;
  std::thread thread_;
};

} // namespace deepperf::cli
