// Questions about tf.data pipelines: what comes before a stage.
#pragma once

#include "model/project.h"

namespace deepperf::model {

// Visits the stages that a pipeline went through, from `stage` backwards, each once; where branches met, both of them.
// `visit` gets the stage and says whether to go on after it. True if every path ended in a source or where `visit`
// said so; false if somewhere nothing is known of what came before.
template <class Visit> bool walk_back(const Project &project, u32 stage, Visit visit) {
  constexpr std::size_t kMost = 200; // longer ones are no pipelines that people write
  std::vector<u32> queue = {stage};
  bool complete = true;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (i == kMost) {
      return false;
    }
    if (queue[i] == 0) {
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

// The stages right after one.
const std::vector<u32> &followers_of(const Project &project, u32 stage);

// Does any pipeline go through a stage with one of the traits somewhere after this one? With `always`, only where no
// branch between the two goes around.
bool is_followed_by(const Project &project, const Stage &stage, u64 traits, bool always = false);

// The same for a stage by the name of its method.
bool is_followed_by(const Project &project, const Stage &stage, std::string_view method);

// The stage that made a Dataset; 0 if it is not known, or if there are several.
u32 stage_of(const Project &project, const Value &dataset);

// Fills stages, followers and stage_at from the facts of the functions.
void build_stages(Project &project);

} // namespace deepperf::model
