// operator new that throws when memory is out. mimalloc brings its own, which ends the program there: it is written in
// C.
#include "cli/allocation.h"

#include <cstddef>
#include <cstdlib>
#include <new>

#if __has_include(<mimalloc.h>)
#include <mimalloc.h>

extern "C" [[gnu::weak]] decltype(mi_option_set) mi_option_set; // null where another malloc is linked

void deepperf::cli::keep_freed_memory() {
  constexpr long kMilliseconds = 10'000;
  if (mi_option_set != nullptr) {
#if MI_MALLOC_VERSION >= 210
    mi_option_set(mi_option_purge_delay, kMilliseconds);
#else
    mi_option_set(mi_option_decommit_delay, kMilliseconds);
    mi_option_set(mi_option_segment_decommit_delay, kMilliseconds);
#endif
  }
}
#else
void deepperf::cli::keep_freed_memory() {}
#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

void *given(void *memory) {
  if (memory == nullptr) [[unlikely]] {
    throw std::bad_alloc();
  }
  return memory;
}

void *allocate(std::size_t size) { return given(std::malloc(size == 0 ? 1 : size)); }

void *allocate(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return given(std::aligned_alloc(step, (size + step - (size == 0 ? 0 : 1)) / step * step));
}

} // namespace

void *operator new(std::size_t size) { return allocate(size); }
void *operator new[](std::size_t size) { return allocate(size); }
void *operator new(std::size_t size, std::align_val_t alignment) { return allocate(size, alignment); }
void *operator new[](std::size_t size, std::align_val_t alignment) { return allocate(size, alignment); }

// The variants that give back null are theirs, and do that. What was given is freed in one way.
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif
