// Shows in the editor how far a check is, while it runs.
#pragma once

#include "check/check.h"
#include "server/output.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace deepperf::server {

// `may_begin` is set once the editor has accepted the token.
class ProgressReport {
public:
  ProgressReport(Output &output, std::string token, const check::Progress &progress,
                 const std::atomic<bool> &may_begin);
  ProgressReport(const ProgressReport &) = delete;
  ProgressReport &operator=(const ProgressReport &) = delete;
  ~ProgressReport();

private:
  void run();
  void send(Json value);

  Output &output_;
  std::string token_;
  const check::Progress &progress_;
  const std::atomic<bool> &may_begin_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool is_stopped_ = false;
  bool has_begun_ = false;
  std::thread thread_;
};

} // namespace deepperf::server
