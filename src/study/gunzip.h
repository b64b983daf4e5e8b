// What a .gz holds, with its checksums compared: libarchive unpacks such files without looking at them.
#pragma once

#include <functional>
#include <memory>
#include <string>

struct z_stream_s;

namespace deepperf::study {

class Gunzip {
public:
  // Fills a room with packed bytes, and tells how many there are; 0 at the end.
  using Source = std::function<std::size_t(char *room, std::size_t size)>;

  explicit Gunzip(Source source);
  Gunzip(const Gunzip &) = delete;
  Gunzip &operator=(const Gunzip &) = delete;
  ~Gunzip();

  // Up to `size` unpacked bytes; 0 at the end, or where something is wrong, which `problem` then tells.
  std::size_t read(char *room, std::size_t size);
  const std::string &problem() const { return problem_; }

private:
  bool fill();            // false: there is no more
  bool begin_next_part(); // false: the end, or a problem

  Source source_;
  std::unique_ptr<z_stream_s> stream_;
  std::unique_ptr<char[]> packed_;
  std::string problem_;
  bool in_part_ = true; // a .gz may be several, one after the other
};

} // namespace deepperf::study
