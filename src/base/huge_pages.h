// Memory for large tables that are read at random: in large pages, where looking an address up costs less.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace deepperf {

template <class T> struct HugePageAllocator {
  using value_type = T;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  HugePageAllocator() = default;
  template <class U> explicit HugePageAllocator(const HugePageAllocator<U> & /*other*/) {}

  T *allocate(std::size_t count) {
    const std::size_t size = (count * sizeof(T) + kHugePage - 1) & ~(kHugePage - 1);
    void *memory =
        count * sizeof(T) < kHugePage
            ? std::aligned_alloc(alignof(T) < alignof(std::max_align_t) ? alignof(std::max_align_t) : alignof(T),
                                 (count * sizeof(T) + 63) & ~std::size_t{63})
            : std::aligned_alloc(kHugePage, size);
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    if (count * sizeof(T) >= kHugePage) {
      madvise(memory, size, MADV_HUGEPAGE); // only advice: without it everything works, if slower
    }
    return static_cast<T *>(memory);
  }
  void deallocate(T *memory, std::size_t /*count*/) { std::free(memory); }

  friend bool operator==(const HugePageAllocator & /*a*/, const HugePageAllocator & /*b*/) { return true; }
};

} // namespace deepperf
