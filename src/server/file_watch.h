// Tells of files that change on disk, for editors that do not.
#pragma once

#include "server/queue.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace deepperf::server {

class FileWatch {
public:
  explicit FileWatch(Queue &queue) : queue_(queue) {}
  FileWatch(const FileWatch &) = delete;
  FileWatch &operator=(const FileWatch &) = delete;
  ~FileWatch();

  // From now on these, and no others.
  void watch(const std::vector<std::string> &paths);

private:
  void stop();

  Queue &queue_;
  std::vector<std::string> paths_;
  std::atomic<bool> is_stopped_{false};
  std::thread thread_;
};

} // namespace deepperf::server
