// Waits for changes to what a check would look at.
//
// The system tells in which folders something happens (inotify), and a look at the files there decides whether it
// matters. Where the system does not tell, because it cannot or has too many folders to watch already, there is such a
// look every now and then.
#pragma once

#include "base/file_version.h"
#include "project/exclusions.h"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace deepperf::project {

struct WatchOptions {
  bool respect_ignore = true;          // as walk() has it
  const Exclusions *exclude = nullptr; // the same
  bool use_inotify = true;
};

class Watcher {
public:
  // What changes from now on is not missed.
  Watcher(std::vector<std::string> paths, const WatchOptions &options);
  Watcher(const Watcher &) = delete;
  Watcher &operator=(const Watcher &) = delete;
  ~Watcher();

  // Waits until something has changed and is quiet again. False: nothing has, in `most`; without that there is no
  // limit.
  bool wait(std::optional<std::chrono::milliseconds> most = std::nullopt);

  // What has changed by then: files that were written, and files that are new or gone. Empty if that is not known.
  [[nodiscard]] const std::vector<std::string> &changed() const { return changed_; }

  [[nodiscard]] bool uses_inotify() const { return inotify_ >= 0; }

private:
  using Clock = std::chrono::steady_clock;
  using Deadline = std::optional<Clock::time_point>;
  using Stamps = std::map<std::string, FileStamp>;

  struct Folder {
    std::string path;      // as those of its files begin
    bool is_above = false; // it is not checked itself, but what it says of requirements and ignored files counts
  };

  Stamps look();
  void look_into_folder(const Folder &folder, Stamps &stamps);
  void look_above(Stamps &stamps);
  void watch(const Folder &folder);
  void stop_inotify();
  bool wait_for_event(Deadline end);
  bool is_event_waiting(Clock::duration most) const;
  bool read_events();
  [[nodiscard]] bool may_matter(const Folder &folder, std::string_view name, bool is_folder) const;
  bool wait_for_next_look(Deadline end) const;

  std::vector<std::string> paths_;
  WatchOptions options_;
  int inotify_ = -1;
  std::unordered_map<int, Folder> folders_; // by the system's number for what it watches
  std::set<std::string> written_;           // files that matter and were written to since the last look
  bool has_missed_events_ = false;          // since then
  std::vector<std::string> changed_;
  Stamps stamps_;               // of all that matters, at the last look
  Clock::duration look_time_{}; // how long that took
};

} // namespace deepperf::project
