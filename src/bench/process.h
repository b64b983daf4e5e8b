// Runs a program in a process group of its own, within limits, and collects what it writes.
#pragma once

#include "base/types.h"
#include "bench/interrupts.h"

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace deepperf::bench {

struct Limits {
  double seconds = 120;
  u64 memory = u64{4} << 30; // bytes of private memory of each process (RLIMIT_DATA)

  // What importing libraries may take: a small limit is meant for the program, and some libraries hang or abort where
  // they are refused memory for their threads.
  double import_seconds = 60; // on a machine that is busy with other things
  u64 import_memory = u64{4} << 30;
  [[nodiscard]] Limits of_imports() const;
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
  bool in_import = false;  // it ended before its libraries were imported
  std::string report = {}; // what it wrote to kReportDescriptor
  std::string output = {}; // the end of what it wrote to standard output and standard error
};

// A program that was started. Whoever has it closes the descriptors, which do not block, and ends it.
struct Started {
  pid_t pid = -1; // -1: `error` says why
  int error = 0;  // errno
  int input = -1; // written to its standard input, if that was asked for
  int report = -1;
  int output = -1;
};
Started start_process(const Command &command, u64 memory_limit, bool with_input, const Interrupts &interrupts);

// Takes what is there; false at the end of the pipe. Of more than `most` bytes the end is kept, or the beginning.
bool take(int descriptor, std::string &into, std::size_t most, bool keep_end);
inline constexpr std::size_t kMostReport = std::size_t{64} << 20;
inline constexpr std::size_t kMostOutput = std::size_t{16} << 10;

// Has it ended? It stays a zombie, so that its process group is still its own.
bool has_ended(pid_t child);
// Ends it with its process group, if it still runs, and returns its status as waitpid() does.
int end_process(pid_t child);

// How it ended, by what waitpid() says.
void set_end(int status, Finished &finished);

// Returns when the program has ended. Whatever it has started is gone by then, unless it left the process group.
Finished run_process(const Command &command, const Limits &limits, Interrupts &interrupts);

} // namespace deepperf::bench
