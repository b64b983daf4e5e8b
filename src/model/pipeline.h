// Questions about tf.data pipelines: what a stage stands behind.
#pragma once

#include "model/project.h"

namespace deepperf::model {

// Visits the stages that a pipeline went through, from `stage` backwards, each once; where branches met, both of them.
// `visit` gets the stage and says whether to go on behind it. True if every path ended in a source or where `visit`
// said so; false if somewhere nothing is known of what came before.
template <class Visit> bool walk_back(const Project &project, u32 stage, Visit visit) {
  constexpr std::size_t kMost = 200; // longer ones are no pipelines that people write
  std::vector<u32> queue = {stage};
  bool complete = true;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (queue[i] == 0 || i == kMost) {
      complete = false;
      continue;
    }
    const Stage &at = project.stages[queue[i]];
    if (at.call != nullptr && !visit(at)) {
      continue;
    }
    if (at.info != nullptr && at.info->has(kSource)) {
      continue;
    }
    const auto add = [&queue](u32 next) {
      if (std::find(queue.begin(), queue.end(), next) == queue.end()) {
        queue.push_back(next);
      }
    };
    add(at.previous);
    if (at.call == nullptr) {
      add(at.other);
    }
  }
  return complete;
}

// Does any pipeline go through a stage with one of the traits somewhere behind this one? With `always`, only where no
// branch between the two goes around.
inline bool is_followed_by(const Project &project, const Stage &stage, u64 traits, bool always = false) {
  const auto index = static_cast<u32>(&stage - project.stages.data());
  for (u32 later = index + 1; later < project.stages.size(); ++later) {
    const Stage &candidate = project.stages[later];
    if (candidate.info == nullptr || candidate.call == nullptr || !candidate.info->has(traits) ||
        candidate.info->has(kSource)) {
      continue;
    }
    bool found = false;
    bool branches = false;
    if (always) {
      for (u32 at = candidate.previous; at > index && !branches; at = project.stages[at].previous) {
        branches = project.stages[at].other != 0;
      }
    }
    if (branches) {
      continue;
    }
    walk_back(project, candidate.previous, [&](const Stage &earlier) {
      found |= earlier.call == stage.call;
      return !found;
    });
    if (found) {
      return true;
    }
  }
  return false;
}

} // namespace deepperf::model
