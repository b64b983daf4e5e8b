// Shapes that another thread may work out while the other rules run.
#pragma once

#include "rules/memory.h"
#include "rules/registry.h"
#include "shapes/problem.h"

#include <mutex>
#include <optional>
#include <vector>

namespace deepperf::rules {

// What is wrong with the shapes of a project: worked out once, by whoever asks first; others wait for it.
class ProjectShapes {
public:
  explicit ProjectShapes(const model::Project &project) : project_(project) {}

  const std::vector<shapes::Problem> &problems();
  // Nobody looks at the project any more after this; if nobody has asked for them, there are none.
  void finish();

private:
  const model::Project &project_;
  std::mutex mutex_;
  std::optional<std::vector<shapes::Problem>> problems_;
};

bool asks_for_shapes(const RuleSet &rules);

// Runs the rules, as in registry.h, with these shapes of the project.
Findings judge(const model::Project &project, const RuleSet &rules, std::vector<RuleFailure> &failures,
               Timings *timings, ProjectShapes &shapes);

// Lets report_shape_problems find them in the memory of a walk.
void recall_shapes(const model::Project &project, ProjectShapes &shapes, Memory &memory);

} // namespace deepperf::rules
