// Keeps a second run of the program away from a file that a first one writes.
#pragma once

#include <string>

namespace deepperf::study {

class FileLock {
public:
  // Makes the file if it is not there. Throws std::runtime_error if that cannot be done, or if another run holds it.
  explicit FileLock(const std::string &path);
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;
  ~FileLock();

  // Nothing is in the file afterwards.
  void clear();

private:
  std::string path_;
  int file_ = -1;
};

} // namespace deepperf::study
