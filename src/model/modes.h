// Does a PyTorch model compute something else in evaluation mode than in training mode?
#pragma once

#include "model/project.h"

namespace deepperf::model {

enum class Modes : u8 {
  Unknown,
  Same,   // nothing but layers for which the mode does not matter
  Differ, // it has dropout or batch normalisation
};

// Of a model as a value: a layer, an object of the project, a model of torchvision, timm or Hugging Face.
Modes modes_of(const Project &project, const Value &model);

// The same for running statistics alone, which batch normalization keeps in buffers: Differ if it has some.
Modes statistics_of(const Project &project, const Value &model);

} // namespace deepperf::model
