#include "base/symbol.h"

namespace deepperf {

u64 name_hash::long_tail(const char *text, u32 size) {
  u64 hash = size;
  for (u32 at = 16; at < size; at += 8) {
    hash = (hash ^ load(text + at, size - at)) * kMultiplier;
    hash ^= hash >> 29;
  }
  return hash;
}

} // namespace deepperf
