// Memory in large pages: fewer faults when it is first touched, and looking an address up costs less.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace deepperf {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Memory for std::free. What is smaller than a large page comes from where all memory comes from.
inline void *allocate_pages(std::size_t size, std::size_t alignment) {
  const bool large = size >= kHugePage;
  const std::size_t unit = large ? kHugePage : std::size_t{64};
  const std::size_t rounded = (size + unit - 1) & ~(unit - 1);
  void *memory = std::aligned_alloc(large ? kHugePage : alignment < 64 ? 64 : alignment, rounded);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  if (large) {
    madvise(memory, rounded, MADV_HUGEPAGE); // only advice: without it everything works, if slower
  }
  return memory;
}

template <class T> struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U> explicit HugePageAllocator(const HugePageAllocator<U> & /*other*/) {}

  T *allocate(std::size_t count) { return static_cast<T *>(allocate_pages(count * sizeof(T), alignof(T))); }
  void deallocate(T *memory, std::size_t /*count*/) { std::free(memory); }

  friend bool operator==(const HugePageAllocator & /*a*/, const HugePageAllocator & /*b*/) { return true; }
};

} // namespace deepperf
