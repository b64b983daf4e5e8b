#include "rules/shape_problems.h"

#include "shapes/analysis.h"

#include <unordered_map>

namespace deepperf::rules {

namespace {

struct ShapeProblems {
  std::unordered_map<const model::Module *, std::vector<shapes::Problem>> of;
};

ShapeProblems find_problems(const model::Project &project) {
  const StepLimit none(kNoStepLimit); // it has limits of its own
  ShapeProblems found;
  const auto analysis = shapes::analyse(project);
  for (shapes::Problem &problem : analysis->interpreter.problems) {
    found.of[problem.module].push_back(std::move(problem));
  }
  return found;
}

} // namespace

void report_shape_problems(Site &site, shapes::Fault fault) {
  const ShapeProblems &problems =
      site.memory.recall<ShapeProblems>(&site.project, [&] { return find_problems(site.project); });
  const auto here = problems.of.find(site.module);
  if (here == problems.of.end()) {
    return;
  }
  for (const shapes::Problem &problem : here->second) {
    if (problem.fault != fault) {
      continue;
    }
    Finding &finding = report(site, problem.span, problem.message, problem.advice);
    for (const shapes::ProblemNote &note : problem.notes) {
      finding.notes.push_back({note.module->file, note.span, note.message});
    }
    if (problem.fix) {
      set_fix(finding, false, {{problem.fix->span.start, problem.fix->span.end, problem.fix->text}});
    }
  }
}

} // namespace deepperf::rules
