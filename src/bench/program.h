// Runs one program of a pair through driver.py, and reads what it reports.
#pragma once

#include "bench/fork_server.h"
#include "bench/pair.h"
#include "bench/process.h"
#include "bench/results.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::bench {

// What one run cost. Memory is in bytes.
struct Sample {
  double wall = 0; // seconds
  double cpu = 0;  // seconds of all cores, with child processes that have ended
  double peak = 0; // resident memory of the main process at its peak, while it was measured
  double base = 0; // and before
};

// Memory that the measured part needs, and at least this much: less is noise of the allocator.
inline constexpr double kLeastMemory = 1 << 20;
double used_memory(const Sample &sample);

struct ProgramRun {
  std::optional<Sample> sample;
  std::optional<Computed> result; // if it was asked for
  std::string failure;            // why there is no sample, as the end of a sentence about the program
  bool is_interrupted = false;
  bool lacks_module = false; // a module that it imports is not installed
};

// Where programs run: a folder for their files, limits, and the interpreters.
class Workplace {
public:
  Workplace(std::string folder, const Limits &limits, Interrupts &interrupts);

  // `lines`: see ProgramName
  ProgramRun run(const std::string &script, const std::vector<Knob> &knobs, const std::string &python, bool with_result,
                 const std::vector<u32> &lines = {});
  [[nodiscard]] bool is_interrupted() const { return interrupts_.received() != 0; }

private:
  std::string folder_;
  Limits limits_;
  Interrupts &interrupts_;
  std::map<std::string, ForkServer> servers_; // by interpreter
};

} // namespace deepperf::bench
