// Why may an operation be in a loop all the same: it costs too little, or each iteration needs and keeps its own?
#pragma once

#include "model/project.h"

#include <unordered_map>

namespace deepperf::rules {

class GraphOpExcuses {
public:
  // True, but too little to be sure that it matters.
  bool is_minor(const model::OpFact &op, const model::Loop &loop);
  // `for name, value in data.items(): …; variables[name] = variable`: each entry needs one of its own, and keeps it.
  bool keeps_variable_of_entry(const model::OpFact &op, const model::Loop &loop);

private:
  bool draws(const model::Loop &loop);

  std::unordered_map<const model::Loop *, bool> drawing_;
  std::unordered_map<const model::Loop *, bool> keeping_variables_;
};

// `for variable in variables: session.run(variable.assign(…))`, which is not repeated itself: each is set once, most
// likely where a model is loaded.
bool sets_each_variable(const model::OpFact &op, const model::Loop &loop);

// `for variable in tf.global_variables(): …`, which is not repeated itself: a few dozen iterations, once.
bool goes_over_variables(const model::Loop &loop);

// `worker = Worker(i); workers.append(worker)`, or a thread gets it: as many objects as are needed, each with a part
// of the graph.
bool keeps_object(const model::CallSite &site, const model::Loop &loop);

} // namespace deepperf::rules
