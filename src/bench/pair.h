// A performance problem as a pair of programs: benchmark/<id>/ holds buggy.py, fixed.py and pp.toml, which describes
// it.
#pragma once

#include "base/types.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::bench {

// What shows the problem. Growth: how much more is needed when there are four times as many steps.
enum class Measure : u8 { Time, Memory, Growth };
enum class Metric : u8 { Time, Memory };

// A constant of both programs that sets a size. The value is as in JSON.
struct Knob {
  std::string name;
  std::string value;
};

// What reports call a program. `bench new` calls it as the user does, and counts lines as in the user's file.
struct ProgramName {
  std::string name;            // in sentences
  std::string label;           // next to a bar
  std::vector<u32> lines = {}; // of the user's file, by line of the program; 0 where it has none; empty: the same
};

struct Pair {
  std::string folder;
  ProgramName buggy_name = {"buggy.py", "buggy"};
  ProgramName fixed_name = {"fixed.py", "fixed"};
  std::string id;
  std::string title;
  std::string source;                 // the post or the guide that it was written after
  std::vector<std::string> libraries; // modules that it imports: torch, tensorflow, numpy
  std::string versions;               // of the first one: ">=1.4,<2.0"; empty: any
  std::string root_cause;             // these four in the codebook's words
  std::vector<std::string> symptoms;
  std::string introducing_stage;
  std::string exposing_stage;
  std::vector<std::string> rules; // codes of those that should report buggy.py
  bool is_static = true;          // visible to a static checker
  std::string static_reason;      // why not
  bool is_documented = true;      // the source says enough to write it
  bool has_programs = true;       // only what is not documented may have none
  std::string documented_reason;  // what is not known
  Measure measure = Measure::Time;
  Metric growth_metric = Metric::Time;
  std::string growth_knob;    // the constant that counts steps
  bool compares = true;       // both programs compute the same
  std::string compare_reason; // why not
  double tolerance = 1e-5;    // relative and absolute, as numpy.allclose has it
  std::string stand_in;       // what is shown on a CPU in place of what happens on a GPU
  bool is_runnable = true;
  std::string reason;      // why it cannot run here
  std::vector<Knob> knobs; // in the order of the file
  std::vector<Knob> quick; // those of a run that only shows that the programs work

  [[nodiscard]] std::string buggy() const { return folder + "/buggy.py"; }
  [[nodiscard]] std::string fixed() const { return folder + "/fixed.py"; }
};

std::string_view name_of(Measure measure);
std::string_view name_of(Metric metric);

// Something that is wrong with a file of a pair.
struct PairProblem {
  std::string path;
  u32 line = 0; // 0: the file as a whole
  std::string message;
};
std::string describe(const PairProblem &problem); // path:line: message

// Reads pp.toml. What is wrong goes to `problems`; the pair is of no use then.
Pair read_pair(const std::string &folder, std::vector<PairProblem> &problems);

// For tests and editors: the same with the text of the file at hand. Whether the programs exist is not asked.
Pair read_pair_text(const std::string &folder, std::string_view text, std::vector<PairProblem> &problems);

// Folders below `folder` that have a pp.toml, sorted by name.
std::vector<std::string> pair_folders(const std::string &folder);

} // namespace deepperf::bench
