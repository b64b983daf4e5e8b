// How much work a check did, in steps that do not depend on the machine. A program of twice the size may need twice as
// many; what needs more is a mistake in the engine. See tests/check/growth_test.py.
#pragma once

#include "base/types.h"

namespace deepperf {

struct Work {
  u64 rounds = 0;       // of the solver
  u64 walks = 0;        // of functions
  u64 expressions = 0;  // evaluated in these walks
  u64 copies = 0;       // of the values of names, where branches part and meet
  u64 merges = 0;       // of what a function gives to another one
  u64 joins = 0;        // of what several functions give to the same one
  u64 spread_steps = 0; // from function to function along calls
  u64 rule_visits = 0;  // of a node by a rule
  u64 rule_queries = 0; // of a rule to the engine
  u64 rule_steps = 0;   // looks of a rule at nodes and texts: base/steps.h

  void add(const Work &other) {
    rounds += other.rounds;
    walks += other.walks;
    expressions += other.expressions;
    copies += other.copies;
    merges += other.merges;
    joins += other.joins;
    spread_steps += other.spread_steps;
    rule_visits += other.rule_visits;
    rule_queries += other.rule_queries;
    rule_steps += other.rule_steps;
  }
};

} // namespace deepperf
