// Running the rules on a project.
#pragma once

#include "rules/registry.h"
#include "rules/shared_memory.h"

#include <cstddef>
#include <string>
#include <vector>

namespace deepperf::rules {

class KeptLinting;
class ProjectShapes;
class Subscriptions;

// A rule has thrown an exception, or takes too many steps: it says nothing more about that file, or, as it looks at all
// files together, about any.
struct RuleFailure {
  const RuleInfo *rule = nullptr;
  FileIndex file;
  std::string what;
  bool is_too_long = false; // no mistake that anybody has to know of
};

// Rules at work on a project, in parts that several threads may share.
class Linting {
public:
  // `shapes`, if given, are asked for in finish(). With `kept`, which has begun with this project, only what may be
  // different is judged. With `timings` or a `trace`, all parts run on one thread.
  Linting(const model::Project &project, const RuleSet &rules, ProjectShapes *shapes = nullptr,
          KeptLinting *kept = nullptr, Timings *timings = nullptr, Trace *trace = nullptr);

  [[nodiscard]] std::size_t parts() const { return parts_.size(); }
  // Each part once, on any thread.
  void run(std::size_t part);
  // After all parts.
  Findings finish(std::vector<RuleFailure> &failures);

private:
  struct Part {
    std::vector<const model::Module *> modules;
    Findings findings;
    std::vector<RuleFailure> failures;
    bool takes_many_steps = false;
  };

  void run_kept(Part &part);
  void lint_all_again();

  const model::Project &project_;
  const Subscriptions &subscriptions_;
  ProjectShapes *shapes_;
  KeptLinting *kept_;
  Timings *timings_;
  Trace *trace_;
  std::vector<Part> parts_;
  SharedMemories memories_;
};

// Runs the rules. `timings`, if given, is told how long each took; then nothing is kept.
Findings lint(const model::Project &project, const RuleSet &rules, std::vector<RuleFailure> &failures,
              KeptLinting *kept = nullptr, Timings *timings = nullptr);

// The same, and writes down what they ask.
Findings lint(const model::Project &project, const RuleSet &rules, std::vector<RuleFailure> &failures, Trace &trace);

} // namespace deepperf::rules
