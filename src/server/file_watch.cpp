#include "server/file_watch.h"

#include "project/watch.h"

#include <chrono>
#include <exception>

namespace deepperf::server {

FileWatch::~FileWatch() { stop(); }

void FileWatch::stop() {
  if (thread_.joinable()) {
    is_stopped_ = true;
    thread_.join();
  }
}

void FileWatch::watch(const std::vector<std::string> &paths) {
  if (paths == paths_) {
    return;
  }
  stop();
  paths_ = paths;
  is_stopped_ = false;
  thread_ = std::thread([this] {
    constexpr std::chrono::milliseconds kPause{100};
    try {
      project::Watcher watcher(paths_, {});
      queue_.push(FilesChanged{}); // what has changed before the watcher was there
      while (!is_stopped_) {
        if (watcher.wait(kPause)) {
          queue_.push(FilesChanged{watcher.changed()});
        }
      }
    } catch (const std::exception &) {
      // Then changes on disk are not seen until the editor names them: no reason to end.
    }
  });
}

} // namespace deepperf::server
