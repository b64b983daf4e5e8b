// The published tables of Liu et al. and DLPerf, computed again from their data and put next to what is printed.
#pragma once

#include "base/types.h"
#include "study/grid.h"

#include <string>
#include <vector>

namespace deepperf::study {

struct ReproducedCell {
  enum class State : u8 {
    Match,
    Known,     // differs, in the way that the notes of the data explain
    Differs,   // and nobody knows why
    Unprinted, // there is nothing legible to compare with
  };
  std::string row;
  std::string column;
  std::string computed;
  std::string printed;
  State state = State::Unprinted;
  std::string reason; // where they differ
};

struct ReproducedTable {
  std::string title;
  // What the computed values are compared with: "printed" is the paper's table. DLPerf's own tables are not at hand, so
  // there it is "reference", counts that somebody else made from the same data.
  std::string against = "printed";
  std::vector<ReproducedCell> cells;
  std::vector<std::string> notes;

  u64 count(ReproducedCell::State state) const;
};

struct Reproduction {
  std::vector<ReproducedTable> tables;
  std::vector<std::string> skipped; // what could not be done, and why

  bool as_expected() const; // no cell differs without a reason
};

// `folder` holds liu/ and dlperf/; what is printed is read from expected/ in it or next to it. Throws
// std::runtime_error if nothing at all can be reproduced.
Reproduction reproduce(const std::string &folder);

// A line per table; then the cells that differ with the reasons or, with `all`, every cell.
std::vector<Grid> reproduction_grids(const Reproduction &reproduction, bool all);

// Every cell in one table, for other programs.
Grid reproduction_cells(const Reproduction &reproduction);

} // namespace deepperf::study
