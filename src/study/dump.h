// The bytes of a dump, whatever they are wrapped in: plain, .gz, .zst, .xz, .bz2, .7z or .zip, a file or standard
// input.
#pragma once

#include "base/types.h"
#include "study/gunzip.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

struct archive;

namespace deepperf::study {

class Dump {
public:
  // "-" is standard input. Throws std::runtime_error if it cannot be opened, or is an archive without a Posts.xml.
  explicit Dump(const std::string &path);
  Dump(const Dump &) = delete;
  Dump &operator=(const Dump &) = delete;
  ~Dump();

  // Reads until `room` is full, less only at the end. After that `trouble` may say that it was not the real one.
  std::size_t read(char *room, std::size_t size);

  // Passes over that many bytes; a plain file is not read for it. False if there are fewer.
  bool skip(u64 size);

  // Why reading ended early (a truncated archive, a read error); empty if nothing is wrong.
  const std::string &trouble() const { return trouble_; }

  // Of the file itself, packed if it is packed. Progress may be asked for by other threads.
  u64 file_done() const { return file_done_.load(std::memory_order_relaxed); }
  u64 file_size() const { return file_size_; } // 0: not known

  // Tells this file from another one and from a later version of it; empty for standard input.
  const std::string &identity() const { return identity_; }

private:
  struct FreeArchive {
    void operator()(archive *handle) const;
  };
  friend struct ArchiveCallbacks;

  std::string open_archive();
  bool open_torn();
  bool next_block();
  std::string choose_entry();
  std::size_t read_file(char *room, std::size_t size);

  std::string path_;
  std::string name_; // for messages
  int file_ = -1;
  bool seekable_ = false;
  std::string head_; // what was read to see what it is, and not given to anybody yet
  std::unique_ptr<archive, FreeArchive> archive_;
  std::string_view block_;    // of libarchive, unpacked
  std::string unpacked_head_; // the same of what was unpacked
  bool torn_ = false;         // a .7z without its end
  std::unique_ptr<char[]> packed_;
  std::unique_ptr<Gunzip> gunzip_; // between the file and libarchive, if it is a .gz
  std::string trouble_;
  std::atomic<u64> file_done_ = 0;
  u64 file_size_ = 0;
  std::string identity_;
};

} // namespace deepperf::study
