// Does an operation, or a call that leads to some, give the same in every iteration of a loop?
#pragma once

#include "model/project.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace deepperf::rules {

class GraphOpRepetition {
public:
  explicit GraphOpRepetition(const model::Project &project) : project_(project) {}

  bool is_invariant(const model::OpFact &op, const model::Loop &loop);
  // Of an operation that a call leads to.
  bool stays_same(const model::CallSite &site, const model::ReachedOp &reached, const model::Loop &loop);
  bool arguments_stay_same(const model::CallSite &site, const model::Loop &loop) const;
  // With a syntax error around it nobody knows what the loop changes.
  static bool is_broken(const model::Loop &loop);
  // In a scope that is another one in each iteration. One that only gives names changes nothing but them.
  bool stands_in_scope_of_iteration(const model::OpFact &op, const model::Loop &loop, bool names) const;

private:
  // How often a loop binds each name. `x = tf.range(n); x = tf.random_shuffle(x)` goes on from it once, which any other
  // name would do for: such assignments of calls, in the loop's own block, do not count and are listed.
  struct Stores {
    std::unordered_map<u32, u32> names;
    std::vector<const python::Assign *> going_on;
  };

  bool depends_on(const python::Expr *scope, const model::Loop &loop) const;
  bool starts_accumulation(const model::OpFact &op, const model::Loop &loop);
  const Stores &stores_of(const model::Loop &loop);
  const std::unordered_set<u32> &stored_by_callees(const model::FunctionInfo &function);

  const model::Project &project_;
  std::unordered_map<const model::Loop *, Stores> stores_;
  std::unordered_map<const model::FunctionInfo *, std::unordered_set<u32>> stored_by_callees_;
};

} // namespace deepperf::rules
