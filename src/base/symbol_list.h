// Lists of names that are kept sorted, to be searched quickly.
#pragma once

#include "base/symbol.h"

#include <algorithm>
#include <vector>

namespace deepperf {

inline bool contains(const std::vector<Symbol> &sorted, Symbol name) {
  return std::ranges::binary_search(sorted, name.id, {}, &Symbol::id);
}

inline void sort_unique(std::vector<Symbol> &names) {
  std::ranges::sort(names, {}, &Symbol::id);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

} // namespace deepperf
