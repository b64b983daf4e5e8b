// What the roots of a program came to in the last analysis, for a project that stays in memory while one of its files
// changes (model/resident.h). The code of all modules runs again each time, which is quick; a root runs again only if
// something that it may have met is different.
//
// A root meets the module that it belongs to, what that imports, directly or not, and what changes objects of these. It
// is left out if all of these files are as they were and ran in the same order. Then what it reported is reported
// again, and what it called counts as called. Whatever else one root may do to the next is noticed, and ends in an
// analysis from the beginning: the problems are the same as without the memory.
#pragma once

#include "shapes/interpreter.h"

#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace deepperf::shapes {

class RootMemory {
public:
  // By module: those that were parsed again. Nothing is left of a project with other files.
  void note_changed(const std::vector<bool> &is_changed);
  void forget() { *this = {}; }

  // The code of all modules has run.
  void begin(Interpreter &in);
  // The root's problems are reported, without running it; false if it has to run.
  bool recall(Interpreter &in, const model::Module &module, const python::Node *root);
  // Around a root that runs.
  void enter(Interpreter &in);
  void leave(Interpreter &in, const model::Module &module, const python::Node *root);
  // False if roots may have met what others did that were left out: the analysis has to begin again, without anything
  // from before.
  bool end(const Interpreter &in);

  [[nodiscard]] u64 recalled() const { return recalled_; } // by the last analysis

private:
  struct Kept {
    std::vector<Problem> problems;
    std::vector<u32> modules; // of each problem, and of its notes
    std::vector<u64> reports;
    std::vector<const python::Node *> called;
    Modes before;
    Modes after;
    u64 used = 0;
    u64 made = 0;
    u64 analysis = 0; // in which it ran
    bool is_usable = false;
  };
  // Of the interpreter, when a root began.
  struct Start {
    std::size_t problems = 0;
    std::size_t classes = 0;
    std::size_t modules_run = 0;
    std::size_t foreign = 0;
    u64 used = 0;
    u64 made = 0;
    Modes modes;
  };
  using Edges = std::set<std::pair<u32, u32>>; // the first one depends on the second

  void find_usable(const Interpreter &in, std::vector<bool> is_bad);
  [[nodiscard]] Kept kept_of(Interpreter &in) const;

  std::vector<std::unordered_map<const python::Node *, Kept>> roots_; // by module
  std::vector<bool> changed_;                                         // since the last analysis
  std::vector<ModuleRun> order_;                                      // in which modules ran
  std::vector<u64> kinds_;                                            // of modules
  std::vector<u32> stored_elsewhere_;
  Edges edges_;           // besides imports
  std::set<u32> tainted_; // modules whose objects some root changes
  bool holds_ = false;
  // Of this analysis:
  std::vector<bool> usable_;                                             // by module
  std::unordered_map<const python::Node *, FunctionObject *> functions_; // null: there are several
  std::set<std::pair<u32, u32>> foreign_;                                // when the roots began
  Start start_;
  bool had_features_ = false;
  u32 last_root_ = 0;
  u64 analysis_ = 0;
  u64 recalled_ = 0;
};

} // namespace deepperf::shapes
