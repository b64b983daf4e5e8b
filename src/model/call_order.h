// Functions in the order of their calls: those that a function calls before the function itself. Facts that follow from
// the same facts of all callees are worked out in this order, so that they do not depend on who asks first.
#pragma once

#include "model/project.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

namespace deepperf::model {

// Calls `work` with the functions that `first` leads to, `first` included, except those that are done. Functions that
// call each other in a circle come together, by their index; all others alone. `follows` tells whether a call counts.
template <class IsDone, class Follows, class Work>
void in_call_order(const FunctionInfo &first, IsDone is_done, Follows follows, Work work) {
  // Tarjan's strongly connected components, without recursion: chains of calls are as long as people like.
  struct Visit {
    u32 number = 0;
    u32 lowest = 0; // number that it leads back to
    bool is_open = true;
  };
  struct Frame {
    const FunctionInfo *function = nullptr;
    std::size_t next = 0; // of its calls
  };
  std::unordered_map<const FunctionInfo *, Visit> visits;
  std::vector<Frame> frames;
  std::vector<const FunctionInfo *> open;
  const auto enter = [&](const FunctionInfo &function) {
    const auto number = static_cast<u32>(visits.size() + 1);
    visits[&function] = {.number = number, .lowest = number};
    open.push_back(&function);
    frames.push_back({.function = &function});
  };
  enter(first);
  while (!frames.empty()) {
    Frame &frame = frames.back();
    const FunctionInfo &function = *frame.function;
    Visit &visit = visits[&function];
    if (frame.next < function.calls.size()) {
      const CallSite &call = function.calls[frame.next++];
      if (!follows(call) || is_done(*call.callee)) {
        continue;
      }
      const auto known = visits.find(call.callee);
      if (known == visits.end()) {
        enter(*call.callee);
      } else if (known->second.is_open) {
        visit.lowest = std::min(visit.lowest, known->second.number);
      }
      continue;
    }
    frames.pop_back();
    if (!frames.empty()) {
      Visit &caller = visits[frames.back().function];
      caller.lowest = std::min(caller.lowest, visit.lowest);
    }
    if (visit.lowest != visit.number) {
      continue;
    }
    const auto begin = std::ranges::find(open.rbegin(), open.rend(), &function).base() - 1;
    std::vector<const FunctionInfo *> circle(begin, open.end());
    open.erase(begin, open.end());
    for (const FunctionInfo *member : circle) {
      visits[member].is_open = false;
    }
    std::ranges::sort(circle, {}, &FunctionInfo::index);
    work(std::span<const FunctionInfo *const>(circle));
  }
}

} // namespace deepperf::model
