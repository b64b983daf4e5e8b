#include "rules/memory.h"

#include "rules/shared_memory.h"

#include <functional>

namespace deepperf::rules {

std::size_t Memory::Hash::operator()(const Key &key) const {
  const std::hash<const void *> hash;
  return hash(key.first) * 31 + hash(key.second);
}

const void *Memory::known_fact(const Key &key) const {
  if (key.second == whole_ && shared_memory != nullptr) {
    return shared_memory->known_fact(key);
  }
  const auto known = facts_.find(key);
  if (reads_now != nullptr && known != facts_.end()) [[unlikely]] {
    if (const auto reads = reads_.find(key); reads != reads_.end()) {
      note_read_set(reads->second);
    }
  }
  return known != facts_.end() ? known->second.get() : nullptr;
}

void Memory::keep(const Key &key, Kept fact) {
  if (key.second == whole_ && shared_memory != nullptr) {
    return shared_memory->keep(key, std::move(fact));
  }
  facts_.insert_or_assign(key, std::move(fact));
  if (reads_now != nullptr && !reads_now->set.empty()) [[unlikely]] {
    reads_.insert_or_assign(key, reads_now->set);
  }
}

} // namespace deepperf::rules
