// Runs a program in a process group of its own, within limits, and collects what it writes.
#pragma once

#include "base/types.h"
#include "bench/interrupts.h"

#include <string>
#include <utility>
#include <vector>

namespace deepperf::bench {

struct Limits {
  double seconds = 120;
  u64 memory = u64{4} << 30; // bytes of private memory of each process (RLIMIT_DATA)
};

struct Command {
  std::vector<std::string> arguments; // the first is the program: a path, or a name to be found on PATH
  std::string folder;                 // to run in; empty: this one
  std::vector<std::pair<std::string, std::string>> environment = {}; // in addition to ours
};

// Where a program writes what is not meant for people.
inline constexpr int kReportDescriptor = 3;

struct Finished {
  enum class End : u8 { Exited, Killed, TimedOut, Interrupted, NotStarted };
  End end = End::NotStarted;
  int code = 0;            // exit code, signal, or errno of what could not be started
  std::string report = {}; // what it wrote to kReportDescriptor
  std::string output = {}; // the end of what it wrote to standard output and standard error
};

// Returns when the program has ended. Whatever it has started is gone by then, unless it left the process group.
Finished run_process(const Command &command, const Limits &limits, Interrupts &interrupts);

} // namespace deepperf::bench
