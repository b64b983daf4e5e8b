// Which pairs the user means.
#pragma once

#include "bench/pair.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace deepperf::cli {

struct PairArguments {
  std::vector<std::string> ids; // of pairs, their beginnings with a * behind, or folders; none: all
  std::string folder;           // that has the pairs; empty: the nearest `benchmark`
};

void add_pair_options(CLI::App &command, PairArguments &arguments);

// The folder that has the pairs: the one that was named, `benchmark` here or above, or the program's own. Throws if
// there is none.
std::string benchmark_folder(const PairArguments &arguments);

// Throws if an id means nothing, or if a pp.toml is wrong; what is wrong has been written to standard error then. Codes
// that no rule has are only mentioned there: a pair may come before its rule.
std::vector<bench::Pair> chosen_pairs(const PairArguments &arguments);

} // namespace deepperf::cli
