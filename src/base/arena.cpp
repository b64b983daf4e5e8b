#include "base/arena.h"

#include "base/huge_pages.h"

#include <algorithm>

namespace deepperf {

namespace {
constexpr std::size_t kFirstChunk = std::size_t{64} << 10;
constexpr std::size_t kLargestChunk = std::size_t{8} << 20;
} // namespace

void *Arena::allocate_in_new_chunk(std::size_t size, std::size_t alignment) {
  std::size_t chunk_size = kFirstChunk;
  if (!chunks_.empty()) {
    Chunk &newest = chunks_.back();
    newest.used = static_cast<std::size_t>(next_ - newest.bytes.get());
    chunk_size = std::min(newest.size * 2, kLargestChunk);
  }
  chunk_size = std::max(chunk_size, size + alignment);
  auto *bytes = static_cast<char *>(allocate_pages(chunk_size, alignof(std::max_align_t)));
  chunks_.push_back({std::unique_ptr<char[], Free>(bytes), chunk_size, 0});
  next_ = chunks_.back().bytes.get();
  limit_ = next_ + chunk_size;
  return allocate(size, alignment);
}

void Arena::reset() {
  if (chunks_.empty()) {
    return;
  }
  // Keep the largest chunk: the next file then most likely needs no allocation at all.
  auto largest =
      std::max_element(chunks_.begin(), chunks_.end(), [](const Chunk &a, const Chunk &b) { return a.size < b.size; });
  if (largest->size > kLargestChunk) {
    chunks_.clear();
    next_ = limit_ = nullptr;
    return;
  }
  std::swap(chunks_.front(), *largest);
  chunks_.resize(1);
  next_ = chunks_.front().bytes.get();
  limit_ = next_ + chunks_.front().size;
}

void Arena::rewind(const Mark &mark) {
  if (chunks_.size() == mark.chunks) {
    next_ = mark.next;
    return;
  }
  // The first new chunk stays, empty: else each file that does not fit into the rest of the old one would get and give
  // back its pages.
  const bool keep = chunks_[mark.chunks].size <= kLargestChunk;
  chunks_.resize(mark.chunks + (keep ? 1 : 0));
  if (keep) {
    next_ = chunks_.back().bytes.get();
    limit_ = next_ + chunks_.back().size;
  } else {
    next_ = mark.next;
    limit_ = mark.limit;
  }
}

std::size_t Arena::bytes_used() const {
  std::size_t total = 0;
  for (const Chunk &chunk : chunks_) {
    total += chunk.used;
  }
  if (!chunks_.empty()) {
    const Chunk &newest = chunks_.back();
    total += static_cast<std::size_t>(next_ - newest.bytes.get()) - newest.used;
  }
  return total;
}

} // namespace deepperf
