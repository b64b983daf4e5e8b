// A user's own before and after in one file, split into the two programs of a pair.
//
// Either the file has two functions, `before` and `after`, and what they return is compared; or it has sections,
//
//   # before
//   …
//   # after
//   …
//   # end
//
// of which each program gets its own; the last `# end` may be omitted. Everything else is in both programs.
#pragma once

#include "bench/pair.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::bench {

struct SplitOptions {
  std::string before = "before"; // names of the functions
  std::string after = "after";
};

struct Split {
  std::string buggy;
  std::string fixed;
  // Lines of the file, by line of the program; 0 for what was added.
  std::vector<u32> buggy_lines;
  std::vector<u32> fixed_lines;
  bool has_functions = false;         // and not sections
  std::string title;                  // the first line of the file's docstring; empty if it has none
  bool has_result = false;            // both set `result`
  std::vector<std::string> libraries; // frameworks that are imported
  std::vector<Knob> knobs;            // constants with names in capitals, set to a number in both programs
};

// Throws std::runtime_error with the place and the reason if the file cannot be split.
Split split_program(const std::string &path, const SplitOptions &options);
Split split_text(const std::string &path, std::string_view text, const SplitOptions &options);

// pp.toml for it. The rules are those that tell the programs apart.
std::string describe_split(const Split &split, const std::string &id, Measure measure, const std::string &growth_knob,
                           const std::vector<std::string> &rules);

} // namespace deepperf::bench
