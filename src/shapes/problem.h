// What is wrong with a program, whatever its symbols are: rules make findings of it.
#pragma once

#include "model/project.h"
#include "python/ast.h"

#include <optional>
#include <string>
#include <vector>

namespace deepperf::shapes {

// The last two digits of the rule's code, which begins with DP6 unless it is said.
enum class Fault : u8 {
  LayerInputSize = 1,
  ShapesDoNotFit = 2,
  ReshapeSize = 3,
  WrongRank = 4,
  LossTargetShape = 5,
  SilentBroadcast = 6,
  DtypeMismatch = 7,
  DeviceMismatch = 8,
  NumpyOfGrad = 9,
  Arity = 10,
  ImpossibleLayer = 11,
  MapVanishes = 12,
  DataDoesNotFit = 13,
  ConstantArgmax = 14,
  MixedDimensions = 68, // of DP268
};

struct ProblemNote {
  const model::Module *module = nullptr;
  python::Span span;
  std::string message;
};

struct Problem {
  Fault fault = Fault::LayerInputSize;
  const model::Module *module = nullptr;
  python::Span span;
  std::string message;
  std::string advice;
  std::vector<ProblemNote> notes;
  struct Edit {
    python::Span span;
    std::string text;
  };
  std::optional<Edit> fix; // in the same file
};

} // namespace deepperf::shapes
