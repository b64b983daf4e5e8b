// The calls that a search for origins went into, and what their arguments decide there.
#pragma once

#include "model/project.h"

#include <vector>

namespace deepperf::rules {

// A call that the way went into.
struct OriginFrame {
  const OriginFrame *outer = nullptr;
  const python::Call *call = nullptr;
  const model::FunctionInfo *caller = nullptr;
  const model::FunctionInfo *callee = nullptr;
  bool bound = false;
  std::vector<python::Span> unreached = {}; // parts of the callee that do not run for this call

  [[nodiscard]] bool reaches(const python::Node &node) const {
    for (const python::Span &part : unreached) {
      if (part.start <= node.start && node.end <= part.end) {
        return false;
      }
    }
    return true;
  }
};

// The branches that the call leaves out by what it passes: `build(train=False)` of `if train: …`.
std::vector<python::Span> unreached_parts(const model::Project &project, const OriginFrame &frame);

} // namespace deepperf::rules
