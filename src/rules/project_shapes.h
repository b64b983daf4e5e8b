// Shapes that another thread may work out while the other rules run.
#pragma once

#include "rules/memory.h"
#include "shapes/problem.h"

#include <optional>
#include <vector>

namespace deepperf::shapes {
class RootMemory;
} // namespace deepperf::shapes

namespace deepperf::rules {

// What is wrong with the shapes of a project: worked out once, when somebody first asks; one thread at a time does.
class ProjectShapes {
public:
  // The memory is of the same project, as it was when its shapes were last worked out; null if it does not stay.
  explicit ProjectShapes(const model::Project &project, shapes::RootMemory *memory = nullptr)
      : project_(project), memory_(memory) {}

  const std::vector<shapes::Problem> &problems();

private:
  const model::Project &project_;
  shapes::RootMemory *memory_;
  std::optional<std::vector<shapes::Problem>> problems_;
};

// Lets report_shape_problems find them in the memory of a walk.
void recall_shapes(const model::Project &project, ProjectShapes &shapes, Memory &memory);

} // namespace deepperf::rules
