// What assess.h found, as text and as JSON.
#pragma once

#include "bench/assess.h"

#include <string>
#include <vector>

namespace deepperf::bench {

struct Assessment {
  std::vector<Assessed> pairs;
  std::vector<ToolAssessment> tools;
};

void write_assessment_text(const Assessment &assessment, std::string &out);
void write_assessment_json(const Assessment &assessment, std::string &out);

// How many of a group are found; groups by a word such as the root cause, in the order in which they first appear.
struct Tally {
  std::string name;
  u32 pairs = 0;
  u32 in_scope = 0;
  u32 found = 0; // of those in scope
  u32 false_alarms = 0;
  std::vector<u32> found_by_tools; // in scope; by tool
};
std::vector<Tally> tally(const Assessment &assessment, std::string (*group_of)(const Pair &));

} // namespace deepperf::bench
