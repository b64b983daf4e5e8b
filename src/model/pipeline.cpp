#include "model/pipeline.h"

#include <unordered_map>

namespace deepperf::model {

void link_stages(Project &project) {
  // A call that was looked at twice made two stages: the first one stands for both.
  std::unordered_map<const python::Call *, u32> first_of;
  std::vector<u32> same(project.stages.size());
  for (u32 at = 1; at < project.stages.size(); ++at) {
    const Stage &stage = project.stages[at];
    same[at] = stage.call != nullptr ? first_of.try_emplace(stage.call, at).first->second : at;
  }
  project.followers.resize(project.stages.size());
  for (u32 at = 1; at < project.stages.size(); ++at) {
    const Stage &stage = project.stages[at];
    for (const u32 before : {stage.previous, stage.other}) {
      if (before != 0) {
        project.followers[same[before]].push_back(at);
      }
    }
  }
  for (u32 at = 1; at < project.stages.size(); ++at) {
    if (same[at] != at) {
      project.followers[at] = {same[at]};
    }
  }
}

const std::vector<u32> &followers_of(const Project &project, u32 stage) {
  const std::vector<u32> &behind = project.followers[stage];
  const bool is_second = behind.size() == 1 && project.stages[behind[0]].call == project.stages[stage].call &&
                         project.stages[stage].call != nullptr;
  return is_second ? project.followers[behind[0]] : behind;
}

namespace {

// Is there a stage behind that one that is wanted? With `always`, on every way.
template <class Wanted> bool leads_to(const Project &project, const Stage &stage, bool always, Wanted wanted) {
  constexpr std::size_t kMost = 200; // longer ones are no pipelines that people write
  std::vector<u32> queue = {static_cast<u32>(&stage - project.stages.data())};
  for (std::size_t i = 0; i < queue.size() && i < kMost; ++i) {
    for (const u32 next : followers_of(project, queue[i])) {
      const Stage &later = project.stages[next];
      if (later.info != nullptr && later.call != stage.call && wanted(later) && !later.info->has(kSource)) {
        return true;
      }
      const bool goes_around = always && later.other != 0;
      if (!goes_around && std::ranges::find(queue, next) == queue.end()) {
        queue.push_back(next);
      }
    }
  }
  return false;
}

} // namespace

bool is_followed_by(const Project &project, const Stage &stage, u64 traits, bool always) {
  return leads_to(project, stage, always, [traits](const Stage &later) { return later.info->has(traits); });
}

bool is_followed_by(const Project &project, const Stage &stage, std::string_view method) {
  return leads_to(project, stage, false, [method](const Stage &later) { return later.method.text() == method; });
}

} // namespace deepperf::model
