// What depends on whether a person is watching: colour and progress.
#pragma once

#include "base/types.h"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace deepperf::cli {

// `when` is auto, always or never. auto: NO_COLOR says no, CLICOLOR_FORCE and FORCE_COLOR say yes, CLICOLOR=0 says no;
// without any of them it is yes on a terminal.
bool wants_color(std::string_view when, std::FILE *stream);

// In characters; what COLUMNS says, or what the terminal says, or 80.
u32 terminal_width(std::FILE *stream);

// Shows a text that may be longer than the screen through $PAGER (less, if that is not set), where a person is
// watching; else prints it. False: it could not be written.
bool page(std::string_view text);

// The folder with the rules' pages that belongs to this program, as an absolute path; empty if there is none.
std::string rule_pages_folder();

// Shows how far the work is, on standard error, once it has taken longer than a second and only on a terminal.
class ProgressBar {
public:
  ProgressBar(const std::atomic<u64> &done, const std::atomic<u64> &total); // of files
  // `line` is what to show, created again ten times a second, on a thread of its own.
  explicit ProgressBar(std::function<std::string()> line);
  ProgressBar(const ProgressBar &) = delete;
  ProgressBar &operator=(const ProgressBar &) = delete;
  ~ProgressBar();

private:
  void show();

  std::function<std::string()> line_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopped_ = false;
  bool shown_ = false;
  std::thread thread_;
};

// [=====     ], thirty characters wide; nothing done of nothing is none.
std::string bar(u64 done, u64 total);

} // namespace deepperf::cli
