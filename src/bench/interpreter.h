// Which Python runs the programs: the one that the user names, or the first that has the libraries.
#pragma once

#include "bench/interrupts.h"
#include "bench/process.h"

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
  Interpreters(const std::string &python, const Limits &limits, Interrupts &interrupts);

  // The first that has all of the libraries. If none does, `problem` names what is missing.
  Interpreter with(const std::vector<std::string> &libraries);

private:
  struct Known {
    std::string path;
    std::string version = {};
    std::string problem = {};
    std::map<std::string, std::string> versions = {}; // empty text: it cannot be imported
    std::map<std::string, std::string> failures = {}; // why not, if it is there
  };
  void ask(Known &known, const std::string &library);
  static std::string lack_of(const Known &known, const std::vector<std::string> &missing);

  std::vector<Known> known_;
  Limits limits_; // of an import
  Interrupts &interrupts_;
};

} // namespace deepperf::bench
