// Which Python runs the programs: the one that the user names, or the first that has the libraries.
#pragma once

#include "bench/interrupts.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::bench {

struct Interpreter {
  std::string path;
  std::string version;                         // 3.11.2
  std::map<std::string, std::string> versions; // of the libraries that were asked for and that it has
  std::string problem;                         // why it cannot be used; empty if it can
};

// Asks interpreters what they have, each question once.
class Interpreters {
public:
  // `python` is what the user chose; empty: python3 on PATH, then /usr/bin/python3.
  Interpreters(const std::string &python, Interrupts &interrupts);

  // The first that has all of the libraries. If none does, `problem` names what is missing.
  Interpreter with(const std::vector<std::string> &libraries);

private:
  struct Known {
    std::string path;
    std::string version;
    std::string problem;
    std::map<std::string, std::string> versions; // empty text: it has none
  };
  void ask(Known &known, const std::string &library);

  std::vector<Known> known_;
  Interrupts &interrupts_;
};

} // namespace deepperf::bench
