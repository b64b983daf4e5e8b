// Does a loop run its session only in branches that exclude a place?
#pragma once

#include "model/project.h"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace deepperf::rules {

class SessionBranches {
public:
  explicit SessionBranches(const model::Project &project) : project_(project) {}

  // `if eager: build(x) else: session.run(y)`: the branch of the node does not change in the loop, and no session runs
  // but in the other one.
  bool runs_elsewhere_only(const python::Node *node, const model::Loop &loop);

private:
  // An `if` with an `else`, and the place of the one around it; -1 if there is none.
  struct Branch {
    const python::If *statement = nullptr;
    std::ptrdiff_t parent = -1;
  };

  struct Branches {
    std::vector<Branch> all; // in the order of their places
  };

  const Branches &branches_of(const model::Loop &loop);
  bool runs_session(const python::Node *code, const python::Block *without) const;

  const model::Project &project_;
  std::unordered_map<const model::Loop *, Branches> branches_;
  // By the loop and the branch left out.
  std::map<std::pair<const model::Loop *, python::Stmt *const *>, bool> session_elsewhere_;
};

} // namespace deepperf::rules
