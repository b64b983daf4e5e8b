#include "server/progress.h"

#include "server/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace deepperf::server {

ProgressReport::ProgressReport(Output &output, std::string token, const check::Progress &progress,
                               const std::atomic<bool> &may_begin)
    : output_(output), token_(std::move(token)), progress_(progress), may_begin_(may_begin),
      thread_([this] { run(); }) {}

ProgressReport::~ProgressReport() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  stopped_.notify_all();
  thread_.join();
  if (has_begun_) {
    send({{"kind", "end"}});
  }
}

void ProgressReport::send(Json value) {
  output_.send(notification("$/progress", {{"token", token_}, {"value", std::move(value)}}));
}

void ProgressReport::run() {
  constexpr std::chrono::milliseconds kPause{100};
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, kPause, [this] { return is_stopped_; })) {
    if (!may_begin_) {
      continue;
    }
    if (!has_begun_) {
      has_begun_ = true;
      send({{"kind", "begin"}, {"title", "DeepPerf"}, {"message", "checking the workspace"}, {"percentage", 0}});
    }
    const u64 found = std::max<u64>(progress_.found, 1);
    const u64 done = std::min<u64>(progress_.done, found);
    send({{"kind", "report"},
          {"message", fmt::format("{} of {} files", done, found)},
          {"percentage", 100 * done / found}});
  }
}

} // namespace deepperf::server
