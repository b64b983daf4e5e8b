// A bump allocator: one file's tree lives in one arena and is freed in one go.
//
// Only trivially destructible things go in, so that freeing is just dropping memory.
#pragma once

#include "base/types.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace deepperf {

// A sequence inside an arena. Like std::span, but with a 32-bit size next to other small fields.
template <class T> struct Array {
  T *items = nullptr;
  u32 count = 0;

  [[nodiscard]] T *begin() const { return items; }
  [[nodiscard]] T *end() const { return items + count; }
  [[nodiscard]] u32 size() const { return count; }
  [[nodiscard]] bool empty() const { return count == 0; }
  [[nodiscard]] T &operator[](u32 index) const { return items[index]; }
  [[nodiscard]] T &front() const { return items[0]; }
  [[nodiscard]] T &back() const { return items[count - 1]; }
};

class Arena {
public:
  Arena() = default;
  Arena(Arena &&) = default;
  Arena &operator=(Arena &&) = default;

  template <class T, class... Args> T *make(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  // Copies a sequence into the arena.
  template <class T> Array<T> copy(const T *items, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) {
      return {};
    }
    auto *target = static_cast<T *>(allocate(sizeof(T) * count, alignof(T)));
    std::memcpy(static_cast<void *>(target), items, sizeof(T) * count);
    return {target, static_cast<u32>(count)};
  }

  // A sequence of the same value.
  template <class T> Array<T> fill(std::size_t count, const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) {
      return {};
    }
    auto *target = static_cast<T *>(allocate(sizeof(T) * count, alignof(T)));
    std::uninitialized_fill_n(target, count, value);
    return {target, static_cast<u32>(count)};
  }

  void *allocate(std::size_t size, std::size_t alignment) {
    const std::size_t gap = -reinterpret_cast<std::uintptr_t>(next_) & (alignment - 1);
    if (gap + size > static_cast<std::size_t>(limit_ - next_)) {
      return allocate_in_new_chunk(size, alignment);
    }
    char *result = next_ + gap;
    next_ = result + size;
    return result;
  }

  // Drops everything but keeps the memory, as far as it is not very much, so that a worker can use one arena for many
  // files: pages that are new to the process cost more than what is done with them.
  void reset();

  // Bytes handed out since construction or the last reset.
  [[nodiscard]] std::size_t bytes_used() const;

private:
  void *allocate_in_new_chunk(std::size_t size, std::size_t alignment);
  void enter_chunk(std::size_t index);

  struct Free {
    void operator()(char *memory) const { std::free(memory); }
  };
  struct Chunk {
    std::unique_ptr<char[], Free> bytes;
    std::size_t size = 0;
    std::size_t used = 0; // valid for those before the current one
  };
  std::vector<Chunk> chunks_;
  std::size_t current_ = 0; // those after it are empty
  char *next_ = nullptr;
  char *limit_ = nullptr;
};

} // namespace deepperf
