// A dump in pieces that end between rows, so that several threads can look at them.
#pragma once

#include "base/types.h"
#include "study/dump.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

struct Chunk {
  std::vector<char> room; // is used again for the next one
  std::string_view text;  // in `room`
  u64 offset = 0;         // of the text in the dump, unpacked
  u64 index = 0;
  bool inside = false; // starts within a row that was too long to be one
  bool last = false;
};

class Chunks {
public:
  // At `offset` of the dump, which has been passed over already, a row starts. `size` is what to aim for.
  Chunks(Dump &dump, u64 offset, std::size_t size);

  // False at the end. Not for several threads at once.
  bool next(Chunk &chunk);

private:
  Dump &dump_;
  std::size_t size_;
  std::string rest_; // what was read but is not complete
  u64 offset_;
  u64 index_ = 0;
  bool inside_ = false;
  bool ended_ = false;
};

} // namespace deepperf::study
