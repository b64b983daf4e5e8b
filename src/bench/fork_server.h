// A Python process that imports frameworks once and runs each program in a fork of itself: see driver.py. Importing
// takes longer than most programs, and a benchmark makes hundreds of runs.
#pragma once

#include "bench/process.h"

#include <sys/types.h>

#include <string>

namespace deepperf::bench {

class ForkServer {
public:
  // `driver` is the path of driver.py; both run in `folder`.
  ForkServer(std::string python, std::string driver, std::string folder, const Limits &limits, Interrupts &interrupts);
  ~ForkServer();
  ForkServer(const ForkServer &) = delete;
  ForkServer &operator=(const ForkServer &) = delete;

  // Runs one program. `report` of what is returned is the JSON that driver.py wrote. The server is started if it does
  // not run; it is ended after whatever was not a clean end.
  Finished run(const std::string &request);

private:
  bool start(Finished &finished);
  int stop(); // the status of the server, as waitpid() says it
  // Reads until a line that begins with `mark` is complete, and returns it; empty if none comes in time.
  std::string wait_for(char mark, double seconds, Finished &finished);

  std::string python_;
  std::string driver_;
  std::string folder_;
  Limits limits_;
  Interrupts &interrupts_;
  pid_t server_ = 0;
  pid_t program_ = 0; // that is running now
  int requests_ = -1;
  int reports_ = -1;
  int output_ = -1;
  std::string unread_; // of the reports
};

} // namespace deepperf::bench
