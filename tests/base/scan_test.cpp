#include "base/scan.h"

#include <gtest/gtest.h>
#include <string>

namespace deepperf::scan {
namespace {

// The same with the slow search of the standard library, at every place of the word and every length of the text.
TEST(FindWord, FindsWhatStandsThere) {
  constexpr std::size_t kPadding = 64;
  for (const std::string_view word : {"import", "ab", "sixteen-bytes-16"}) {
    for (std::size_t size = 0; size < 70; ++size) {
      for (std::size_t place = 0; place <= size; ++place) {
        std::string text(size, word[0]); // many that begin like it
        text.replace(place, word.size(), word.substr(0, std::min(word.size(), size - place)));
        const std::size_t expected = std::string_view(text).find(word);
        const std::size_t end = text.size();
        text += std::string(kPadding, word.back()); // what stands behind does not count
        const char *const found = find_word(text.data(), text.data() + end, word);
        EXPECT_EQ(found != nullptr ? static_cast<std::size_t>(found - text.data()) : std::string_view::npos, expected)
            << word << " at " << place << " of " << size;
      }
    }
  }
}

} // namespace
} // namespace deepperf::scan
