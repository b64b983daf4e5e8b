#include "study/chunks.h"

#include <cstring>

namespace deepperf::study {

namespace {

// A post has at most 30,000 characters, so that no row comes near. Without a limit a file that is no dump would be read
// into memory as a whole.
constexpr std::size_t kLongestRow = std::size_t{8} << 20;

// Where the last row starts, or what may become the start of one when more is read; 0 if nowhere.
std::size_t last_row(const char *text, std::size_t size) {
  constexpr std::string_view kRow = "<row";
  for (std::size_t end = size;;) {
    const void *const found = ::memrchr(text, '<', end);
    if (found == nullptr) {
      return 0;
    }
    end = static_cast<std::size_t>(static_cast<const char *>(found) - text);
    const std::string_view start(text + end, std::min(kRow.size(), size - end));
    if (kRow.starts_with(start)) {
      return end;
    }
  }
}

} // namespace

Chunks::Chunks(Dump &dump, u64 offset, std::size_t size) : dump_(dump), size_(size), offset_(offset) {}

bool Chunks::next(Chunk &chunk) {
  if (ended_ && rest_.empty()) {
    return false;
  }
  chunk.offset = offset_;
  chunk.index = index_++;
  chunk.inside = inside_;
  std::size_t filled = rest_.size();
  chunk.room.resize(std::max(chunk.room.size(), filled + size_));
  std::memcpy(chunk.room.data(), rest_.data(), filled);
  rest_.clear();
  inside_ = false;
  std::size_t cut = 0;
  while (!ended_) {
    chunk.room.resize(std::max(chunk.room.size(), filled + size_));
    const std::size_t got = dump_.read(chunk.room.data() + filled, size_);
    filled += got;
    if (got < size_) {
      ended_ = true;
      break;
    }
    cut = last_row(chunk.room.data(), filled);
    if (cut != 0) {
      break;
    }
    if (filled > kLongestRow) {
      inside_ = true;
      break;
    }
  }
  if (ended_ || inside_) {
    cut = filled;
  }
  chunk.text = std::string_view(chunk.room.data(), cut);
  chunk.last = ended_;
  rest_.assign(chunk.room.data() + cut, filled - cut);
  offset_ += cut;
  return true;
}

} // namespace deepperf::study
