#include "base/arena.h"

#include "base/huge_pages.h"

#include <algorithm>

namespace deepperf {

namespace {
constexpr std::size_t kFirstChunk = std::size_t{64} << 10;
constexpr std::size_t kLargestChunk = std::size_t{8} << 20;
constexpr std::size_t kMostKept = std::size_t{64} << 20; // by reset()
} // namespace

void Arena::enter_chunk(std::size_t index) {
  current_ = index;
  next_ = chunks_[index].bytes.get();
  limit_ = next_ + chunks_[index].size;
}

void *Arena::allocate_in_new_chunk(std::size_t size, std::size_t alignment) {
  std::size_t chunk_size = kFirstChunk;
  std::size_t place = 0;
  if (!chunks_.empty()) {
    Chunk &newest = chunks_[current_];
    newest.used = static_cast<std::size_t>(next_ - newest.bytes.get());
    chunk_size = std::min(newest.size * 2, kLargestChunk);
    place = current_ + 1;
  }
  chunk_size = std::max(chunk_size, size + alignment);
  if (place == chunks_.size() || chunks_[place].size < size + alignment) {
    auto *bytes = static_cast<char *>(allocate_pages(chunk_size, alignof(std::max_align_t)));
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(place),
                   Chunk{std::unique_ptr<char[], Free>(bytes), chunk_size, 0});
  }
  enter_chunk(place);
  return allocate(size, alignment);
}

void Arena::reset() {
  std::size_t kept = 0;
  std::erase_if(chunks_, [&kept](const Chunk &chunk) {
    const bool keep = chunk.size <= kLargestChunk && kept + chunk.size <= kMostKept;
    kept += keep ? chunk.size : 0;
    return !keep;
  });
  current_ = 0;
  next_ = limit_ = nullptr;
  if (!chunks_.empty()) {
    enter_chunk(0);
  }
}

std::size_t Arena::bytes_used() const {
  if (chunks_.empty()) {
    return 0;
  }
  auto total = static_cast<std::size_t>(next_ - chunks_[current_].bytes.get());
  for (std::size_t i = 0; i < current_; ++i) {
    total += chunks_[i].used;
  }
  return total;
}

} // namespace deepperf
