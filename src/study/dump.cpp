#include "study/dump.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

namespace deepperf::study {

namespace {

constexpr std::size_t kPackedRoom = std::size_t{256} << 10;
constexpr std::size_t kHeadSize = 8;
constexpr std::size_t kTornLook = 65536; // enough for the first rows

std::string reason(int error) { return std::generic_category().message(error); }

bool is_packed(std::string_view head) {
  using namespace std::string_view_literals;
  constexpr std::array kMagic = {"\x1F\x8B"sv, "\x28\xB5\x2F\xFD"sv,         "7z\xBC\xAF\x27\x1C"sv,
                                 "BZh"sv,      "\xFD\x37\x7A\x58\x5A\x00"sv, "PK\x03\x04"sv};
  return std::ranges::any_of(kMagic, [&](std::string_view magic) { return head.starts_with(magic); });
}

std::string error_text(archive *handle) {
  const char *const message = archive_error_string(handle);
  return message == nullptr ? "the archive is damaged" : message;
}

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); }

bool is_posts(std::string_view entry) {
  constexpr std::string_view kName = "posts.xml";
  const std::string_view name = base_name(entry);
  return name.size() == kName.size() && std::ranges::equal(name, kName, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
         });
}

constexpr std::size_t k7zHeaderSize = 32;

bool is_7z(std::string_view head) { return head.starts_with("7z\xBC\xAF\x27\x1C"); }

// A .7z has its directory at the end, so that of one that is cut off nothing can be unpacked by its rules. But the data
// itself begins right after the first 32 bytes, and how it is packed can be told from its first byte; all that is
// missing is the start of a format that stands for itself. These are such starts, for what 7-Zip writes by default.
std::string_view start_for_torn(u8 first_byte) {
  using namespace std::string_view_literals;
  if (first_byte == 'B') {
    return ""sv; // bzip2 has its own
  }
  if (first_byte == 0) { // LZMA: parameters, a dictionary of 64 MB, length not known
    return "\x5D\x00\x00\x00\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv;
  }
  // LZMA2: the start of an .xz file and of its first block, without checksums of the data
  return "\xFD\x37\x7A\x58\x5A\x00\x00\x00\xFF\x12\xD9\x41"
         "\x02\x00\x21\x01\x1C\x00\x00\x00\x10\xCF\x58\xCC"sv;
}

// What libarchive says of a .7z that it cannot open tells nobody what to do.
std::string explain(const std::string &problem, std::string_view head, bool seekable) {
  if (!is_7z(head)) {
    return problem;
  }
  return seekable ? problem + "; a .7z has its directory at its end: is the file complete?"
                  : "a .7z cannot be read from a pipe, because its directory is at its end. Pass the file itself, or "
                    "unpack it on the fly: 7z x -so FILE.7z Posts.xml | deepperf study select - …";
}

} // namespace

// What libarchive asks for bytes.
struct ArchiveCallbacks {
  static la_ssize_t read(archive *handle, void *data, const void **bytes) {
    auto *const dump = static_cast<Dump *>(data);
    *bytes = dump->packed_.get();
    if (dump->gunzip_ != nullptr) {
      // A problem looks like the end, and is told there: libarchive would forget what it has and did not give yet.
      return static_cast<la_ssize_t>(dump->gunzip_->read(dump->packed_.get(), kPackedRoom));
    }
    const std::size_t got = dump->read_file(dump->packed_.get(), kPackedRoom);
    if (got == 0 && !dump->trouble_.empty()) {
      archive_set_error(handle, EIO, "%s", dump->trouble_.c_str());
      return -1;
    }
    return static_cast<la_ssize_t>(got);
  }

  static la_int64_t seek(archive * /*handle*/, void *data, la_int64_t offset, int whence) {
    auto *const dump = static_cast<Dump *>(data);
    const off_t at = ::lseek(dump->file_, offset, whence);
    return at < 0 ? ARCHIVE_FATAL : at;
  }

  static la_int64_t skip(archive * /*handle*/, void *data, la_int64_t size) {
    auto *const dump = static_cast<Dump *>(data);
    return ::lseek(dump->file_, size, SEEK_CUR) < 0 ? 0 : size;
  }
};

void Dump::FreeArchive::operator()(archive *handle) const { archive_read_free(handle); }

Dump::Dump(const std::string &path) : path_(path), name_(path == "-" ? "standard input" : path) {
  file_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) {
    throw std::runtime_error(fmt::format("cannot read {}: {}", name_, reason(errno)));
  }
  struct stat facts {};
  const bool is_known = ::fstat(file_, &facts) == 0;
  if (is_known && S_ISCHR(facts.st_mode) && path != "-" && ::isatty(file_) == 0) {
    ::close(file_);
    throw std::runtime_error(fmt::format("cannot read {}: it is a device", name_)); // and may never end
  }
  if (is_known && S_ISREG(facts.st_mode)) {
    seekable_ = ::lseek(file_, 0, SEEK_CUR) == 0;
    file_size_ = static_cast<u64>(facts.st_size);
    if (path != "-") {
      identity_ = fmt::format("{} bytes of {}.{:09}", facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
    }
    ::posix_fadvise(file_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  try {
    std::array<char, kHeadSize> head{};
    const std::size_t got = read_file(head.data(), head.size());
    if (!trouble_.empty()) {
      throw std::runtime_error(fmt::format("cannot read {}: {}", name_, trouble_));
    }
    if (seekable_) {
      ::lseek(file_, 0, SEEK_SET);
    } else {
      head_.assign(head.data(), got);
    }
    file_done_ = 0;
    const std::string_view start(head.data(), got);
    if (is_packed(start)) {
      const bool seekable = seekable_;
      if (start.starts_with("\x1F\x8B")) {
        seekable_ = false; // what libarchive sees is not where it is in the file
        gunzip_ = std::make_unique<Gunzip>([this](char *room, std::size_t size) { return read_file(room, size); });
      }
      std::string problem = open_archive();
      if (!problem.empty() && gunzip_ != nullptr && !gunzip_->problem().empty()) {
        problem = gunzip_->problem();
      }
      if (!problem.empty() && !(is_7z(start) && open_torn())) {
        throw std::runtime_error(fmt::format("cannot unpack {}: {}", name_, explain(problem, start, seekable)));
      }
    }
  } catch (...) {
    archive_.reset();
    if (file_ != STDIN_FILENO) {
      ::close(file_);
    }
    throw;
  }
}

Dump::~Dump() {
  archive_.reset();
  if (file_ != STDIN_FILENO) {
    ::close(file_);
  }
}

std::size_t Dump::read_file(char *room, std::size_t size) {
  std::size_t done = std::min(size, head_.size());
  std::memcpy(room, head_.data(), done);
  head_.erase(0, done);
  while (done < size) {
    const ssize_t got = ::read(file_, room + done, size - done);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      trouble_ = reason(errno);
    }
    if (got <= 0) {
      break;
    }
    done += static_cast<std::size_t>(got);
  }
  if (seekable_ && archive_ != nullptr) { // it jumps
    const off_t at = ::lseek(file_, 0, SEEK_CUR);
    file_done_.store(static_cast<u64>(std::max<off_t>(at, 0)), std::memory_order_relaxed);
  } else {
    file_done_.fetch_add(done, std::memory_order_relaxed);
  }
  return done;
}

// Gives back what is wrong, or nothing. Throws if the archive is whole but the wrong one.
std::string Dump::open_archive() {
  packed_ = std::make_unique<char[]>(kPackedRoom);
  archive_.reset(archive_read_new());
  archive *const handle = archive_.get();
  if (handle == nullptr) {
    throw std::bad_alloc();
  }
  archive_read_support_filter_all(handle);
  archive_read_support_format_7zip(handle);
  archive_read_support_format_zip(handle);
  archive_read_support_format_tar(handle);
  archive_read_support_format_raw(handle);
  archive_read_set_callback_data(handle, this);
  archive_read_set_read_callback(handle, ArchiveCallbacks::read);
  if (seekable_) {
    archive_read_set_seek_callback(handle, ArchiveCallbacks::seek);
    archive_read_set_skip_callback(handle, ArchiveCallbacks::skip);
  }
  if (archive_read_open1(handle) != ARCHIVE_OK) {
    return error_text(handle);
  }
  return choose_entry();
}

// Of a .7z without its end. False if what comes out is no dump, or nothing does.
bool Dump::open_torn() {
  u8 first = 0;
  if (!seekable_ || ::pread(file_, &first, 1, k7zHeaderSize) != 1 || ::lseek(file_, k7zHeaderSize, SEEK_SET) < 0) {
    return false;
  }
  seekable_ = false; // what libarchive sees is not where it is in the file
  head_ = start_for_torn(first);
  trouble_.clear();
  file_done_ = 0;
  if (!open_archive().empty() || archive_format(archive_.get()) != ARCHIVE_FORMAT_RAW) {
    return false;
  }
  std::string start(kTornLook, '\0');
  start.resize(read(start.data(), start.size()));
  unpacked_head_ = std::move(start);
  torn_ = true;
  return unpacked_head_.find("PostTypeId=") != std::string::npos;
}

// Stands at the entry to read when it gives back nothing; what it gives back else is why.
std::string Dump::choose_entry() {
  archive *const handle = archive_.get();
  std::vector<std::string> seen;
  for (;;) {
    archive_entry *entry = nullptr;
    const int result = archive_read_next_header(handle, &entry);
    if (result == ARCHIVE_EOF) {
      break;
    }
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) {
      return error_text(handle);
    }
    const char *const path = archive_entry_pathname(entry);
    if (archive_format(handle) == ARCHIVE_FORMAT_RAW || (path != nullptr && is_posts(path))) {
      return "";
    }
    seen.emplace_back(path == nullptr ? "?" : path);
  }
  if (seen.size() > 10) {
    seen.resize(10);
    seen.emplace_back("…");
  }
  if (seen.empty()) {
    return "it is empty";
  }
  throw std::runtime_error(
      fmt::format("cannot unpack {}: it contains no Posts.xml, but {}", name_, fmt::join(seen, ", ")));
}

std::size_t Dump::read(char *room, std::size_t size) {
  std::size_t done = std::min(size, unpacked_head_.size());
  std::memcpy(room, unpacked_head_.data(), done);
  unpacked_head_.erase(0, done);
  if (!trouble_.empty()) {
    return done;
  }
  if (archive_ == nullptr) {
    return read_file(room, size);
  }
  // Block by block: archive_read_data would give nothing of what it has when it runs into an error.
  while (done < size) {
    if (block_.empty() && !next_block()) {
      break;
    }
    const std::size_t taken = std::min(size - done, block_.size());
    std::memcpy(room + done, block_.data(), taken);
    block_.remove_prefix(taken);
    done += taken;
  }
  return done;
}

bool Dump::next_block() {
  for (;;) {
    const void *bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int result = archive_read_data_block(archive_.get(), &bytes, &size, &offset);
    if (result == ARCHIVE_EOF) {
      if (gunzip_ != nullptr && trouble_.empty() && !gunzip_->problem().empty()) {
        trouble_ = fmt::format("the archive is cut off or damaged ({})", gunzip_->problem());
      }
      return false;
    }
    if (result == ARCHIVE_RETRY || (result == ARCHIVE_OK && size == 0)) {
      continue;
    }
    if (result != ARCHIVE_OK) {
      trouble_ = torn_ ? "the end of the archive is missing"
                       : fmt::format("the archive is cut off or damaged ({})", error_text(archive_.get()));
      return false;
    }
    block_ = std::string_view(static_cast<const char *>(bytes), size);
    return true;
  }
}

bool Dump::skip(u64 size) {
  if (archive_ == nullptr && seekable_) {
    if (size > file_size_ || ::lseek(file_, static_cast<off_t>(size), SEEK_SET) < 0) {
      return false;
    }
    file_done_ = size;
    return true;
  }
  std::vector<char> room(std::size_t{1} << 20);
  while (size > 0) {
    const std::size_t got = read(room.data(), static_cast<std::size_t>(std::min<u64>(size, room.size())));
    if (got == 0) {
      return false;
    }
    size -= got;
  }
  return true;
}

} // namespace deepperf::study
