// The lines of code that a report shows: those of its places and a few around them, each once.
#pragma once

#include "check/result.h"
#include "report/place.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace deepperf::report {

// Lines that follow each other.
struct LineRun {
  FileIndex file;
  u32 cell = 0;  // of a notebook, from 1
  u32 first = 1; // number of the first line, within the cell
  std::vector<std::string_view> lines;
};

class ShownLines {
public:
  void add(FileIndex file, const Place &place);
  // Sorted by file, cell and line. The texts are those of the result's sources.
  [[nodiscard]] std::vector<LineRun> runs(const check::Result &result) const;

private:
  std::map<std::pair<u32, u32>, std::set<u32>> lines_; // by file and cell
};

} // namespace deepperf::report
