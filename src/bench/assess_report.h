// What assess.h found, as text, JSON and HTML.
#pragma once

#include "bench/assess.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::bench {

struct Assessment {
  std::vector<Assessed> pairs;
  std::vector<ToolAssessment> tools;
};

void write_assessment_text(const Assessment &assessment, std::string &out);
void write_assessment_json(const Assessment &assessment, std::string &out);
void write_assessment_html(const Assessment &assessment, std::string &out); // assess_html.cpp

// How many of a group are found; groups by a word such as the root cause, in the order in which they first appear.
struct Tally {
  std::string name;
  u32 pairs = 0;
  u32 in_scope = 0;
  u32 found = 0; // of those in scope
  u32 false_alarms = 0;
  std::vector<u32> found_by_tools; // in scope; by tool
};
struct Grouping {
  std::string_view title;
  std::string_view key;
  std::string (*group_of)(const Pair &);
};
std::span<const Grouping> groupings();
std::vector<Tally> tally(const Assessment &assessment, std::string (*group_of)(const Pair &));
Tally tally_of_all(const Assessment &assessment);
double percent(u32 part, u32 all);

// "found", "missed", …
std::string_view verdict_of(const Assessed &assessed);
// "DP138, DP155", or "no rule"
std::string codes(const std::vector<std::string> &rules);
// Each of them once.
std::vector<std::string> rules_of(const std::vector<Reported> &findings);

} // namespace deepperf::bench
