#include "project/watch.h"

#include "project/requirement_files.h"
#include "project/walk.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

namespace deepperf::project {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kQuiet{50}; // a program that saves several files, or one in several steps, is done by then
constexpr milliseconds kLongestNoise{1000}; // and one that never is done is not waited for
constexpr milliseconds kBetweenLooks{500};
constexpr u32 kEvents = IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                        IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

bool is_ignore_file(std::string_view name) { return name == ".gitignore" || name == ".ignore"; }

std::string name_of_folder(const std::string &path) { return path.empty() ? "." : path; }

} // namespace

Watcher::Watcher(std::vector<std::string> paths, const WatchOptions &options)
    : paths_(std::move(paths)), options_(options) {
  if (options_.use_inotify) {
    inotify_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  }
  stamps_ = look();
}

Watcher::~Watcher() { stop_inotify(); }

void Watcher::stop_inotify() {
  if (inotify_ >= 0) {
    ::close(inotify_);
    inotify_ = -1;
    folders_.clear();
  }
}

void Watcher::watch(const Folder &folder) {
  if (inotify_ < 0) {
    return;
  }
  const int number = ::inotify_add_watch(inotify_, name_of_folder(folder.path).c_str(), kEvents);
  if (number >= 0) {
    folders_[number] = folder;
  } else if (errno == ENOSPC || errno == ENOMEM) {
    stop_inotify(); // half of the folders are as good as none
  }
}

void Watcher::look_into_folder(const Folder &folder, Stamps &stamps) {
  watch(folder);
  for (const RequirementFile &file : requirement_files_in(folder.path)) {
    std::string path = folder.path + file.path;
    if (const std::optional<FileStamp> stamp = find_stamp(path)) {
      stamps.emplace(std::move(path), *stamp);
    }
  }
}

// The folders above those that are checked, up to the top of the repository.
void Watcher::look_above(Stamps &stamps) {
  constexpr int kHighest = 12; // as requirements_of() goes
  for (const std::string &path : paths_) {
    std::error_code error;
    std::filesystem::path folder = std::filesystem::absolute(path, error).lexically_normal();
    if (!folder.has_filename()) { // it ended in a slash
      folder = folder.parent_path();
    }
    for (int height = 0; !error && height < kHighest && folder.has_relative_path(); ++height) {
      if (std::filesystem::exists(folder / ".git", error)) {
        break;
      }
      folder = folder.parent_path();
      look_into_folder({.path = folder.string() + '/', .is_above = true}, stamps);
    }
  }
}

Watcher::Stamps Watcher::look() {
  const Clock::time_point start = Clock::now();
  Stamps stamps;
  look_above(stamps); // first: where a folder is above one path and below another, the latter counts
  for (const std::string &path : paths_) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
      look_into_folder({.path = path.substr(0, path.rfind('/') + 1)}, stamps);
    }
  }
  WalkOptions options;
  options.respect_ignore = options_.respect_ignore;
  options.exclude = options_.exclude;
  options.on_folder = [&](const std::string &folder) { look_into_folder({.path = folder}, stamps); };
  walk(
      paths_, options,
      [&](std::string path) {
        const FileStamp stamp = find_stamp(path).value_or(FileStamp{});
        stamps.emplace(std::move(path), stamp);
      },
      [&](std::string path, const std::string &) { stamps.emplace(std::move(path), FileStamp{}); });
  look_time_ = Clock::now() - start;
  return stamps;
}

bool Watcher::may_matter(const Folder &folder, std::string_view name, bool is_folder) const {
  if (is_ignore_file(name) || is_requirements_name(name)) {
    return true;
  }
  return !folder.is_above && (is_folder || is_python_name(name) || name == "pyvenv.cfg");
}

// True if one of them may matter.
bool Watcher::read_events() {
  bool found = false;
  alignas(inotify_event) std::array<char, 16384> room; // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  for (;;) {
    const ssize_t size = ::read(inotify_, room.data(), room.size());
    if (size <= 0) {
      return found;
    }
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, room.data() + at, sizeof event);
      const char *const name_start = room.data() + at + sizeof event;
      const std::string_view name(name_start, event.len == 0 ? 0 : ::strnlen(name_start, event.len));
      at += sizeof event + event.len;
      const auto folder = folders_.find(event.wd);
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        found = has_missed_events_ = true; // anything may have happened
      } else if (folder != folders_.end()) {
        const bool is_folder = (event.mask & (IN_ISDIR | IN_DELETE_SELF | IN_MOVE_SELF)) != 0;
        found = may_matter(folder->second, name, is_folder) || found;
        if (std::string path = folder->second.path + std::string(name); stamps_.contains(path)) {
          written_.insert(std::move(path));
        }
        if ((event.mask & IN_IGNORED) != 0) {
          folders_.erase(folder);
        }
      }
    }
  }
}

bool Watcher::is_event_waiting(Clock::duration most) const {
  pollfd descriptor{.fd = inotify_, .events = POLLIN, .revents = 0};
  const i64 count = std::chrono::ceil<milliseconds>(most).count();
  return ::poll(&descriptor, 1, static_cast<int>(std::clamp<i64>(count, 0, 60'000))) > 0;
}

// False: the time is over.
bool Watcher::wait_for_event(Deadline end) {
  for (;;) {
    const Clock::duration left = end ? *end - Clock::now() : std::chrono::minutes(1);
    if (end && left <= Clock::duration::zero()) {
      return false;
    }
    if (is_event_waiting(left) && read_events()) {
      break;
    }
  }
  const Clock::time_point latest = Clock::now() + kLongestNoise;
  while (Clock::now() < latest && is_event_waiting(kQuiet)) {
    read_events();
  }
  return true;
}

// Looking takes a tenth of the time at most.
bool Watcher::wait_for_next_look(Deadline end) const {
  const Clock::time_point next = Clock::now() + std::max<Clock::duration>(kBetweenLooks, look_time_ * 9);
  std::this_thread::sleep_until(end ? std::min(*end, next) : next);
  return !end || next < *end;
}

bool Watcher::wait(std::optional<milliseconds> most) {
  const Deadline end = most ? Deadline(Clock::now() + *most) : std::nullopt;
  while (uses_inotify() ? wait_for_event(end) : wait_for_next_look(end)) {
    Stamps now = look();
    std::set<std::string> changed = std::exchange(written_, {});
    for (const auto &[path, stamp] : now) {
      if (const auto before = stamps_.find(path); before == stamps_.end() || before->second != stamp) {
        changed.insert(path);
      }
    }
    for (const auto &[path, stamp] : stamps_) {
      if (!now.contains(path)) {
        changed.insert(path);
      }
    }
    stamps_ = std::move(now);
    const bool is_known = !std::exchange(has_missed_events_, false);
    changed_.assign(changed.begin(), changed.end());
    if (!is_known) {
      changed_.clear();
    }
    if (!is_known || !changed_.empty()) {
      return true;
    }
  }
  return false;
}

} // namespace deepperf::project
