// Files that are there only until the program has done something with them.
#pragma once

#include <string>
#include <string_view>

namespace deepperf {

// While it lives, SIGINT, SIGTERM, SIGHUP and other signals that end a program remove the file of this name before. A
// name that is longer than the system takes is left alone, as are more than a few dozen at once.
class RemovedOnSignal {
public:
  explicit RemovedOnSignal(const std::string &path);
  RemovedOnSignal(const RemovedOnSignal &) = delete;
  RemovedOnSignal &operator=(const RemovedOnSignal &) = delete;
  ~RemovedOnSignal();

private:
  int slot_ = -1;
};

// A new file in a folder, under a name that nobody can guess: a file or link that is there already is never opened.
// It is gone again, whatever happens, unless it was renamed.
class TemporaryFile {
public:
  // `folder` ends with a slash, or is empty. `mode` is less what the user masks.
  TemporaryFile(const std::string &folder, unsigned mode);
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile();

  [[nodiscard]] int descriptor() const { return descriptor_; } // negative: it could not be made, and errno says why
  [[nodiscard]] bool write(std::string_view bytes) const;
  bool rename_to(const std::string &target);

private:
  std::string path_;
  RemovedOnSignal removed_;
  int descriptor_;
  bool renamed_ = false;
};

// All of it; false and errno if that cannot be.
bool write_all(int descriptor, std::string_view bytes);

} // namespace deepperf
