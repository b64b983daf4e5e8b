// What the engine found out, as text for people: `deepperf debug model|summaries|pipelines`.
#pragma once

#include "model/project.h"

#include <string>

namespace deepperf::model {

// What a value may be: "TorchTensor made by torch.zeros | None".
std::string describe(const Value &value);

// Modules with their imports, functions, classes, and the value of every name.
void print_model(const Project &project, std::string &out);

// Every tf.data pipeline, from its source to its end, one stage a line.
void print_pipelines(const Project &project, std::string &out);

// For each function, the operations that a call of it leads to. Works summaries out, so the project is not const.
void print_summaries(Project &project, std::string &out);

} // namespace deepperf::model
