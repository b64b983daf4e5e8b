// What one chunk of a dump holds for a recipe.
#pragma once

#include "base/types.h"
#include "study/chunks.h"
#include "study/counts.h"
#include "study/post.h"
#include "study/recipe.h"

#include <vector>

namespace deepperf::study {

struct Answer {
  i64 id = 0;
  i64 question = 0;
  i64 created = 0;
};

struct Scanned {
  std::vector<Post> posts;
  std::vector<Answer> answers;
  Counts counts;       // of this chunk alone
  bool closed = false; // ends with the tag that ends a dump
};

// `found` is emptied first; handing in the same one again saves allocations. Throws std::runtime_error if the dump
// starts as a text in another encoding than UTF-8 does.
void scan_chunk(const Chunk &chunk, const Recipe &recipe, Scanned &found);

} // namespace deepperf::study
