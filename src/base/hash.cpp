#include "base/hash.h"

#include <array>
#include <cstring>

namespace deepperf {

namespace {

__extension__ using u128 = unsigned __int128;

constexpr std::array<u64, 4> kKeys = {0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3};

u64 load(const char *bytes) {
  u64 word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Both halves of a full product: every bit of the input reaches every bit of the result.
u64 fold(u64 a, u64 b) {
  const u128 product = static_cast<u128>(a) * b;
  return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
}

} // namespace

u64 hash_bytes(std::string_view bytes, u64 seed) {
  const char *at = bytes.data();
  std::size_t left = bytes.size();
  u64 first = seed ^ kKeys[0];
  u64 second = seed ^ kKeys[1];
  // Two chains, so that one multiplication need not wait for the other.
  while (left >= 32) {
    first = fold(load(at) ^ kKeys[1], load(at + 8) ^ first);
    second = fold(load(at + 16) ^ kKeys[2], load(at + 24) ^ second);
    at += 32;
    left -= 32;
  }
  std::array<char, 32> tail{};
  if (left != 0) {
    std::memcpy(tail.data(), at, left);
  }
  first = fold(load(tail.data()) ^ kKeys[1], load(tail.data() + 8) ^ first);
  second = fold(load(tail.data() + 16) ^ kKeys[2], load(tail.data() + 24) ^ second);
  return fold(first ^ kKeys[3], second ^ bytes.size());
}

} // namespace deepperf
