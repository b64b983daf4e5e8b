#include "model/pipeline.h"

#include <algorithm>
#include <map>

namespace deepperf::model {

namespace {

// Puts the stages together that the functions' walks have seen.
class StageBuilder {
public:
  explicit StageBuilder(Project &project) : project_(project) {}

  void run() {
    for (FunctionInfo &function : project_.functions) {
      for (const StageFact &fact : function.stages) {
        add(function, fact);
      }
    }
    // A Transform can be applied in several places: then its stage has all of them before it.
    std::vector<std::vector<u32>> before(project_.stages.size());
    for (const FunctionInfo &function : project_.functions) {
      for (const StageFact &fact : function.stages) {
        add_stages(fact.previous, before[project_.stage_of_call.at(fact.call)]);
      }
    }
    for (u32 at = 1; at < before.size(); ++at) {
      const u32 previous = meeting_of(before[at], project_.stages[at]);
      project_.stages[at].previous = previous; // only now: the list of stages may have moved
    }
    for (FunctionInfo &function : project_.functions) {
      for (const auto &[expr, value] : function.datasets) {
        if (const u32 stage = stage_of(value, function); stage != 0) {
          project_.stage_at[expr] = stage;
        }
      }
    }
  }

private:
  void add(FunctionInfo &function, const StageFact &fact) {
    const auto [known, is_new] =
        project_.stage_of_call.try_emplace(fact.call, static_cast<u32>(project_.stages.size()));
    if (!is_new) {
      return;
    }
    Stage stage;
    stage.info = fact.info;
    stage.method = fact.method;
    stage.call = fact.call;
    stage.module = function.module;
    stage.function = &function;
    stage.mapper = fact.mapper;
    project_.stages.push_back(stage);
  }

  // The stages that made the Datasets which the value may be, as far as they are known.
  void add_stages(const Value &value, std::vector<u32> &stages) const {
    for_each_alternative(value, [&](const Value &one) {
      const auto known =
          one.is_kind(Kind::Dataset) ? project_.stage_of_call.find(one.maker()) : project_.stage_of_call.end();
      if (known != project_.stage_of_call.end() && std::ranges::find(stages, known->second) == stages.end()) {
        stages.push_back(known->second);
      }
    });
  }

  u32 stage_of(const Value &value, FunctionInfo &function) {
    std::vector<u32> stages;
    add_stages(value, stages);
    Stage where;
    where.function = &function;
    where.module = function.module;
    return meeting_of(stages, where);
  }

  // Where pipelines meet there is a stage without a call, with two before it.
  u32 meeting_of(std::vector<u32> stages, const Stage &where) {
    if (stages.size() < 2) {
      return stages.empty() ? 0 : stages[0];
    }
    std::ranges::sort(stages);
    const FunctionInfo *const function = where.function;
    if (const auto known = meetings_.find(stages); known != meetings_.end()) {
      return known->second;
    }
    Stage meeting;
    meeting.module = where.module;
    meeting.function = const_cast<FunctionInfo *>(function);
    meeting.other = stages.back();
    meeting.previous = meeting_of({stages.begin(), stages.end() - 1}, meeting);
    project_.stages.push_back(meeting);
    const auto place = static_cast<u32>(project_.stages.size() - 1);
    meetings_.emplace(std::move(stages), place);
    return place;
  }

  Project &project_;
  std::map<std::vector<u32>, u32> meetings_;
};

} // namespace

void build_stages(Project &project) {
  StageBuilder(project).run();
  project.followers.resize(project.stages.size());
  for (u32 at = 1; at < project.stages.size(); ++at) {
    const Stage &stage = project.stages[at];
    for (const u32 before : {stage.previous, stage.other}) {
      if (before != 0) {
        project.followers[before].push_back(at);
      }
    }
  }
}

const std::vector<u32> &followers_of(const Project &project, u32 stage) { return project.followers[stage]; }

u32 stage_of(const Project &project, const Value &dataset) {
  const auto known =
      dataset.is_kind(Kind::Dataset) ? project.stage_of_call.find(dataset.maker()) : project.stage_of_call.end();
  return known != project.stage_of_call.end() ? known->second : 0;
}

namespace {

// Is there a stage after that one that is wanted? With `always`, on every way.
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
