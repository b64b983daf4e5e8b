#include "rules/shape_problems.h"

#include "base/steps.h"
#include "rules/project_shapes.h"
#include "shapes/analysis.h"

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules {

using namespace python;

namespace {

struct ShapeProblems {
  std::unordered_map<const model::Module *, std::vector<shapes::Problem>> of;
};

ShapeProblems by_module(const std::vector<shapes::Problem> &problems) {
  ShapeProblems found;
  for (const shapes::Problem &problem : problems) {
    found.of[problem.module].push_back(problem);
  }
  return found;
}

// In one place, because a memory finds a fact again only by the same way to find it.
const ShapeProblems &problems_in(const model::Project &project, ProjectShapes *known, Memory &memory) {
  return memory.recall<ShapeProblems>(
      &project, [&] { return by_module(known != nullptr ? known->problems() : ProjectShapes(project).problems()); });
}

} // namespace

const std::vector<shapes::Problem> &ProjectShapes::problems() {
  if (!problems_) {
    const StepLimit none(kNoStepLimit); // it has limits of its own
    problems_ = std::move(shapes::analyse(project_, {}, memory_)->interpreter.problems);
  }
  return *problems_;
}

void recall_shapes(const model::Project &project, ProjectShapes &shapes, Memory &memory) {
  problems_in(project, &shapes, memory);
}

namespace {

// In a function of a notebook, one of whose cells calls something and shows the exception that this gives.
bool is_shown_by_caller(const Site &site, Span place) {
  const Source &source = site.module->parsed->source;
  const auto is_around = [place](const Stmt *statement) {
    return statement->start <= place.start && place.end <= statement->end &&
           (statement->kind == NodeKind::FunctionDef || statement->kind == NodeKind::ClassDef);
  };
  return source.is_notebook && std::ranges::any_of(site.module->parsed->tree.body, is_around) &&
         std::ranges::any_of(source.segments, &Segment::shows_error);
}

} // namespace

void report_shape_problems(Site &site, shapes::Fault fault) {
  const ShapeProblems &problems = problems_in(site.project, nullptr, site.memory);
  const auto here = problems.of.find(site.module);
  if (here == problems.of.end()) {
    return;
  }
  for (const shapes::Problem &problem : here->second) {
    const bool is_said = std::ranges::any_of(site.findings, [&](const Finding &known) { // without shapes
      return known.rule == &site.rule->info && known.file.value == site.module->file.value &&
             known.span.start == problem.span.start;
    });
    if (problem.fault != fault || is_said) {
      continue;
    }
    Finding &finding = report(site, problem.span, problem.message, problem.advice);
    if (is_shown_by_caller(site, problem.span)) {
      finding.tier = Tier::Hint;
    }
    for (const shapes::ProblemNote &note : problem.notes) {
      finding.notes.push_back({note.module->file, note.span, note.message});
    }
    if (problem.fix) {
      set_fix(finding, false, {{problem.fix->span.start, problem.fix->span.end, problem.fix->text}});
    }
  }
}

} // namespace deepperf::rules
