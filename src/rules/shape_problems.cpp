#include "rules/shape_problems.h"

#include "shapes/analysis.h"

namespace deepperf::rules {

namespace {

struct ShapeProblems {
  std::vector<shapes::Problem> all;
};

} // namespace

void report_shape_problems(Site &site, shapes::Fault fault) {
  const ShapeProblems &problems = site.memory.recall<ShapeProblems>(
      &site.project, [&] { return ShapeProblems{std::move(shapes::analyse(site.project)->interpreter.problems)}; });
  for (const shapes::Problem &problem : problems.all) {
    if (problem.fault != fault || problem.module != site.module) {
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
