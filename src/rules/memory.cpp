#include "rules/memory.h"

#include "rules/shared_memory.h"

namespace deepperf::rules {

Memory::~Memory() {
  for (const Place &place : places_) {
    if (place.fact != nullptr) {
      place.drop(place.fact);
    }
  }
}

std::size_t Memory::place_of(const Key &key) const {
  const u64 mixed = (reinterpret_cast<std::uintptr_t>(key.tag) * 31 + reinterpret_cast<std::uintptr_t>(key.about)) *
                    0x9E3779B97F4A7C15U;
  const std::size_t mask = places_.size() - 1;
  std::size_t at = (mixed >> 32U) & mask;
  while (places_[at].key.tag != nullptr && places_[at].key != key) {
    at = (at + 1) & mask;
  }
  return at;
}

void Memory::note_reads(const Key &key) const {
  if (const auto reads = reads_.find({key.tag, key.about}); reads != reads_.end()) {
    note_read_set(reads->second);
  }
}

const void *Memory::known_fact(const Key &key) const {
  if (key.about == whole_ && shared_memory != nullptr) {
    return shared_memory->known_fact(key);
  }
  if (places_.empty()) {
    return nullptr;
  }
  const void *const known = places_[place_of(key)].fact;
  if (reads_now != nullptr && known != nullptr) [[unlikely]] {
    note_reads(key);
  }
  return known;
}

void Memory::grow() {
  constexpr std::size_t kFirst = 64;
  const std::vector<Place> before =
      std::exchange(places_, std::vector<Place>(places_.empty() ? kFirst : places_.size() * 2));
  for (const Place &place : before) {
    if (place.key.tag != nullptr) {
      places_[place_of(place.key)] = place;
    }
  }
}

void Memory::keep(const Key &key, Kept fact) {
  if (key.about == whole_ && shared_memory != nullptr) {
    return shared_memory->keep(key, std::move(fact));
  }
  if (count_ * 2 >= places_.size()) {
    grow();
  }
  Place &place = places_[place_of(key)];
  if (place.fact != nullptr) { // somebody asked for it while it was worked out
    place.drop(place.fact);
  } else {
    place.key = key;
    ++count_;
  }
  place.drop = fact.get_deleter();
  place.fact = fact.release();
  if (reads_now != nullptr && !reads_now->set.empty()) [[unlikely]] {
    reads_.insert_or_assign({key.tag, key.about}, reads_now->set);
  }
}

} // namespace deepperf::rules
