#include "check/cache_folder.h"

#include "base/file_version.h"
#include "base/temporary_file.h"
#include "base/types.h"

#include <fmt/format.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <vector>

namespace deepperf::check {

namespace {

constexpr u64 kLargestTotal = u64{256} << 20;
constexpr i64 kSecond = 1'000'000'000;
constexpr i64 kHour = 3600 * kSecond;
constexpr i64 kDay = 24 * kHour;
constexpr i64 kOldest = 30 * kDay;
constexpr i64 kOldestUnfinished = kHour; // what a process left behind that ended while it wrote
constexpr std::string_view kEnding = ".cache";
constexpr std::string_view kUnfinished = ".new-";

class Descriptor {
public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  [[nodiscard]] bool ok() const { return descriptor_ >= 0; }
  [[nodiscard]] int get() const { return descriptor_; }

private:
  int descriptor_;
};

// What others can write to could tell us anything.
bool is_ours_alone(const struct stat &status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int open_folder(const std::string &folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  struct stat status {};
  if (descriptor >= 0 && (::fstat(descriptor, &status) != 0 || !is_ours_alone(status))) {
    ::close(descriptor);
    return -1;
  }
  return descriptor;
}

void make_folders(const std::string &folder) {
  for (std::size_t slash = folder.find('/', 1); slash != std::string::npos; slash = folder.find('/', slash + 1)) {
    ::mkdir(folder.substr(0, slash).c_str(), 0700);
  }
  ::mkdir(folder.c_str(), 0700);
}

struct Entry {
  std::string name;
  u64 size = 0;
  i64 used = 0;
};

struct CloseDirectory {
  void operator()(DIR *directory) const { ::closedir(directory); }
};

void remove_old(int folder) {
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(::dup(folder)));
  if (directory == nullptr) {
    return;
  }
  const i64 now = clock_now();
  std::vector<Entry> entries;
  u64 total = 0;
  while (const dirent *found = ::readdir(directory.get())) { // NOLINT(concurrency-mt-unsafe): the stream is ours
    Entry entry{.name = found->d_name};
    struct stat status {};
    const bool is_unfinished = entry.name.starts_with(kUnfinished);
    if ((!entry.name.ends_with(kEnding) && !is_unfinished) ||
        ::fstatat(folder, entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) {
      continue;
    }
    const FileStamp stamp = stamp_of(status);
    entry.size = stamp.size;
    entry.used = stamp.modified;
    if (entry.used < now - (is_unfinished ? kOldestUnfinished : kOldest)) {
      ::unlinkat(folder, entry.name.c_str(), 0);
    } else if (!is_unfinished) {
      total += entry.size;
      entries.push_back(std::move(entry));
    }
  }
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry &entry : entries) {
    if (total <= kLargestTotal) {
      break;
    }
    ::unlinkat(folder, entry.name.c_str(), 0);
    total -= entry.size;
  }
}

} // namespace

std::string default_cache_folder() {
  const char *const cache = std::getenv("XDG_CACHE_HOME"); // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (cache != nullptr && *cache == '/') {                 // others are invalid, says the specification
    return std::string(cache) + "/deepperf";
  }
  const char *const home = std::getenv("HOME"); // NOLINT(concurrency-mt-unsafe): as above
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/deepperf" : std::string();
}

std::optional<std::string> read_cache_file(const std::string &folder, const std::string &name) {
  const Descriptor directory(open_folder(folder));
  if (!directory.ok()) {
    return std::nullopt;
  }
  const Descriptor file(
      ::openat(directory.get(), (name + std::string(kEnding)).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file.ok() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || !is_ours_alone(status) ||
      static_cast<u64>(status.st_size) > kLargestTotal) {
    return std::nullopt;
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (got == 0 || (got < 0 && errno != EINTR)) {
      return std::nullopt;
    }
    size += got < 0 ? 0 : static_cast<std::size_t>(got);
  }
  // What is used is not old. The time of a file tells that, but need not be exact.
  if (stamp_of(status).modified < clock_now() - kDay) {
    ::futimens(file.get(), nullptr);
  }
  return bytes;
}

void write_cache_file(const std::string &folder, const std::string &name, std::string_view bytes) {
  if (bytes.size() > kLargestTotal) {
    return;
  }
  make_folders(folder);
  const Descriptor directory(open_folder(folder));
  if (!directory.ok()) {
    return;
  }
  static std::atomic<u32> count{0};
  const std::string unfinished = fmt::format("{}{}-{}-{}", kUnfinished, ::getpid(), count++, clock_now());
  const RemovedOnSignal removed(folder + '/' + unfinished);
  bool written = false;
  {
    const Descriptor file(
        ::openat(directory.get(), unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.ok()) {
      return;
    }
    written = write_all(file.get(), bytes);
  }
  if (!written ||
      ::renameat(directory.get(), unfinished.c_str(), directory.get(), (name + std::string(kEnding)).c_str()) != 0) {
    ::unlinkat(directory.get(), unfinished.c_str(), 0);
    return;
  }
  remove_old(directory.get());
}

} // namespace deepperf::check
