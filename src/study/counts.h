// What was counted on the way through a dump.
#pragma once

#include "base/types.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

// What can be wrong with a dump.
enum class Fault : u8 {
  BrokenRow,     // no row as XML has it, or with a value missing that every post has
  WrongEncoding, // not UTF-8
  Junk,          // text between rows
  CutOff,        // the dump ends early
  kCount
};

inline constexpr std::size_t kFaultCount = static_cast<std::size_t>(Fault::kCount);

struct Problem {
  Fault fault = Fault::BrokenRow;
  u64 offset = 0; // in the dump, unpacked
};

// At most so many are kept by place; the others are only counted.
inline constexpr std::size_t kMostProblems = 1000;

struct Counts {
  u64 bytes = 0; // unpacked
  u64 questions = 0;
  u64 answers = 0;
  u64 others = 0;
  std::optional<i64> first; // when the oldest question was asked
  std::optional<i64> last;  // and the newest
  std::vector<u64> steps;   // questions left after each
  std::array<u64, kFaultCount> faults{};
  std::vector<Problem> problems; // the first ones

  u64 rows() const { return questions + answers + others; }
  void add(const Counts &more);
  void add_question(i64 created);
  void report(Fault fault, u64 offset);
};

// As a text of numbers, from which an interrupted run goes on; nothing if the text is none.
std::string write_counts(const Counts &counts);
std::optional<Counts> read_counts(std::string_view text);

} // namespace deepperf::study
