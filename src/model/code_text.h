// The text of a file as far as it is code: what comments and docstrings say must not decide what a rule thinks of it.
#pragma once

#include "model/project.h"

#include <cstring>
#include <string_view>
#include <vector>

namespace deepperf::model {

// Which groups of four bytes are in a text. A word that has a group that is not there cannot be there either, and most
// words that rules look for are not in most files.
class TextGroups {
public:
  explicit TextGroups(std::string_view text);

  [[nodiscard]] bool may_have(std::string_view word) const {
    for (std::size_t at = 0; at + kBytes <= word.size(); ++at) {
      const u32 bit = bit_of(word.data() + at);
      if ((bits_[bit / 64] >> (bit % 64) & 1) == 0) {
        return false;
      }
    }
    return true;
  }

private:
  static constexpr std::size_t kBytes = 4;
  [[nodiscard]] u32 bit_of(const char *bytes) const {
    u32 group = 0;
    std::memcpy(&group, bytes, kBytes);
    return group * 0x9E3779B1U >> shift_;
  }

  u32 shift_ = 0; // to as many bits as the text is worth
  std::vector<u64> bits_;
};

// The file's text with spaces in the place of comments and docstrings, so that everything else stands where it stood.
std::string_view code_of(const Module &module);

// The groups of that text.
const TextGroups &groups_of(const Module &module);

// The part of it that a node takes; empty for a module's own code.
std::string_view code_of(const Module &module, const python::Node *node);

} // namespace deepperf::model
