#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace deepperf {

namespace {

TEST(Hash, DependsOnEveryByteAndOnTheLength) {
  std::set<u64> seen;
  std::string text;
  for (int size = 0; size <= 100; ++size) {
    EXPECT_TRUE(seen.insert(hash_bytes(text)).second) << size;
    text += '\0'; // the tail is filled with zeros too, and must not be mistaken for these
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = text;
      changed[i] = static_cast<char>(1 << bit);
      EXPECT_TRUE(seen.insert(hash_bytes(changed)).second) << i << ' ' << bit;
    }
  }
}

TEST(Hash, IsTheSameWhereverTheBytesAre) {
  const std::string text = "import tensorflow as tf\nprint(tf.__version__)\n";
  for (std::size_t shift = 0; shift < 16; ++shift) {
    const std::string moved = std::string(shift, '#') + text;
    EXPECT_EQ(hash_bytes(std::string_view(moved).substr(shift)), hash_bytes(text));
  }
  EXPECT_NE(hash_bytes(text, 1), hash_bytes(text));
}

} // namespace

} // namespace deepperf
