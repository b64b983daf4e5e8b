// Which pairs the user means.
#pragma once

#include "bench/pair.h"
#include "cli/commands.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace deepperf::cli {

struct PairArguments {
  std::vector<std::string> ids; // of pairs, their beginnings with a * after, or folders; none: all
  std::string folder;           // that has the pairs; empty: the nearest `benchmark`
};

void add_pair_options(CLI::App &command, PairArguments &arguments);

// The folder that has the pairs: the one that was named, `benchmark` here or above, or the program's own. Throws if
// there is none.
std::string benchmark_folder(const PairArguments &arguments);

struct ChosenPairs {
  std::vector<bench::Pair> pairs; // at least one
  std::size_t left_out = 0;       // as something is wrong in them, which has been written to standard error

  // A command that left pairs out did not do what it was asked for.
  [[nodiscard]] int exit_code(int code) const { return left_out == 0 || code > kFindings ? code : kTrouble; }
};

// Throws if an id means nothing, or if no pair is left. Codes that no rule has are only mentioned on standard error: a
// pair may come before its rule.
ChosenPairs chosen_pairs(const PairArguments &arguments);

} // namespace deepperf::cli
