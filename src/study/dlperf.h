// The data and the codebook of DLPerf (Cao et al., "Understanding Performance Problems in Deep Learning Systems",
// ESEC/FSE 2022): 224 performance problems from 210 posts, 58 of them as a benchmark.
#pragma once

#include "base/types.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

struct PerformanceProblem {
  std::string id; // of the post, with _1, _2 where it has several problems
  std::string created;
  std::string title;
  std::string introducing; // stages, in the codebook's words
  std::string exposing;
  std::string symptom;
  std::string second_symptom; // often empty
  std::string root_cause;
  // Of the benchmark only: -1 not applied, 0 not solved, 1 partially solved.
  std::string library;
  int profiler = 0;
  int xla = 0;
  int modified = 0;

  std::string_view post() const { return std::string_view(id).substr(0, id.find('_')); }
};

// empirical_study.csv and benchmark.csv. Throw std::runtime_error.
std::vector<PerformanceProblem> read_performance_problems(const std::string &path);
std::vector<PerformanceProblem> read_performance_benchmark(const std::string &path);

// One spelling for what the files spell in several ways: Unkown, env, computation model.
std::string canonical_stage(std::string_view written);
std::string canonical_symptom(std::string_view written);
std::string canonical_root_cause(std::string_view written);

// "Time" of "Time: program hang"; all of it where there is no colon.
std::string_view category(std::string_view label);

// In the codebook's order, the last one is Unknown.
const std::vector<std::string> &stages();

} // namespace deepperf::study
