// Names a file of a check by its place in the list of all its files.
#pragma once

#include "base/types.h"

#include <compare>

namespace deepperf {

struct FileIndex {
  u32 value = 0;
  friend auto operator<=>(const FileIndex &, const FileIndex &) = default;
};

} // namespace deepperf
