// A project that stays, for files that change one after the other. What other files would read the same is taken from
// the last time (see solver_memory.h); the result is, fact for fact, that of analyze().
#pragma once

#include "model/declare.h"
#include "model/imports.h"
#include "model/project.h"
#include "model/solver_memory.h"

#include <memory>
#include <vector>

namespace deepperf::model {

class Resident {
public:
  // Their trees must be as the parser gave them.
  Resident(const std::vector<ParsedFile *> &files, u32 workers);

  // The same files; those with `is_changed` were parsed again, and the trees of the others are as the last analysis
  // left them. False if only a new Resident can tell, for which the trees have to be as the parser gave them: then this
  // one is of no use any more.
  bool update(const std::vector<ParsedFile *> &files, const std::vector<bool> &is_changed, u32 workers);

  [[nodiscard]] const Project &project() const { return *project_; }
  // Walks of functions that were not done again.
  [[nodiscard]] u64 reused() const { return memory_.reused; }

private:
  void analyse(u32 workers);
  void forget_results();

  std::unique_ptr<Project> project_;
  std::unique_ptr<ModuleIndex> index_;
  Declared declared_;
  Arena declared_values_; // of what was declared
  SolverMemory memory_;
};

} // namespace deepperf::model
