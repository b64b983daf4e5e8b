// What the solver remembers of a project whose files change one after the other: what each walk of a function read, and
// what it gave. A walk that would read the same gives the same, so that it need not be done again; everything else
// about the rounds is done as if for the first time, and so the result is the one that a new start would have.
//
// What was read is remembered as a hash of all that the tables say under a key (see Units). A function of a file that
// has changed, and a value that was made there, are never the same as before.
#pragma once

#include "base/arena.h"
#include "model/transfer.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace deepperf::model {

class SolverMemory {
public:
  // A module's code is another one, as at the start.
  void note_changed(const Module &module);

  // Before the rounds begin. What was worked out of the tables is forgotten.
  void begin(const Project &project, const Units &units);
  // What the tables say under the key is another thing now.
  void note_event(u64 key);

  // The result of the function's walk of that number, if it would be the same again; else nothing. Good until the next
  // walk is remembered.
  std::optional<FunctionResult> find(const FunctionInfo &function, u32 number, Assume assume,
                                     const std::vector<u64> &known_reads);
  // To be called before the result is merged: the tables are still those that the walk read.
  void remember(const FunctionInfo &function, u32 number, Assume assume, const FunctionResult &result);
  void forget_results() { scratch_.reset(); }

  // When all is solved. Does it hold so much, most of it of no use any more, that it should be created again?
  void end() { first_size_ = first_size_ == 0 ? arena_.bytes_used() : first_size_; }
  [[nodiscard]] bool is_large() const { return arena_.bytes_used() > 2 * first_size_ + (std::size_t{16} << 20U); }

  u64 reused = 0; // walks, since the beginning

private:
  struct Walk {
    Assume assume = Assume::Nothing;
    u64 inputs = 0;
    Array<u64> keys;
    Array<u64> states; // of the keys
    FunctionResult result;
  };

  u64 inputs_of(const FunctionInfo &function) const;
  u64 state_of(u64 key);
  [[nodiscard]] u64 state_of_attribute(const ClassInfo &type, u32 name) const;
  [[nodiscard]] u64 state_of_class(const ClassInfo &type) const;
  [[nodiscard]] u64 hash(const Value &value) const;

  const Project *project_ = nullptr;
  Units units_;
  std::vector<u64> versions_;                    // of each module, by its index
  std::unordered_map<u32, u64> version_of_file_; // the same by the file's number
  u64 last_version_ = 0;
  std::vector<std::vector<Walk>> walks_;                    // of each function
  std::unordered_map<u64, u64> states_;                     // of keys, as far as they were asked for since they changed
  std::unordered_map<u32, std::vector<u64>> keys_of_class_; // of these, by the class
  Arena arena_;                                             // of the walks
  Arena scratch_;                                           // of the results that were found
  std::size_t first_size_ = 0;
};

} // namespace deepperf::model
