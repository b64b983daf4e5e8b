// What checkers say about the programs of pairs: `deepperf check`, and others by their reports.
#pragma once

#include "bench/pair.h"
#include "bench/tool_findings.h"

#include <string>
#include <vector>

namespace deepperf::bench {

// A pair counts if its source says enough to write it and a static checker can see the problem.
bool is_in_scope(const Pair &pair);

struct Reported {
  std::string rule;
  u32 line = 0;
  std::vector<u32> noted = {}; // lines of the same program that its notes point at
};

// `deepperf check` finds a problem if a rule that the pair names reports buggy.py. A report by such a rule about
// fixed.py is a false alarm. `others` are rules that report buggy.py only, without being named. Of a pair that names no
// rule, `by_place` are those that count, as with other tools: see ToolVerdict.
struct Assessed {
  Pair pair;
  std::vector<Reported> on_buggy;
  std::vector<Reported> on_fixed;
  bool is_found = false;
  bool is_false_alarm = false;
  std::vector<std::string> others;
  std::vector<Reported> by_place;
};
std::vector<Assessed> assess_check(const std::vector<Pair> &pairs);

// Other tools have other rules, and nobody has said which of them fit. So this is what they find at most: something is
// reported on a line that the fix changes, by a rule that reports more in buggy.py than in fixed.py.
struct ToolVerdict {
  std::string id;
  std::vector<Reported> findings; // empty: nothing found
};
struct ToolAssessment {
  std::string tool;
  std::vector<ToolVerdict> verdicts; // one for each pair
};
ToolAssessment assess_tool(const std::vector<Pair> &pairs, const ToolFindings &findings);

// The tools that the DLPerf study ran on its 58 problems (benchmark.csv of its artifact, columns profiler_status and
// xla_status; arXiv 2112.01771): problems that a tool could be applied to, and those that it solved at least partially.
struct StudiedTool {
  std::string_view name;
  u32 helped = 0;
  u32 applied = 0;
};
inline constexpr StudiedTool kStudiedTools[] = {{"TensorFlow Profiler", 2, 15}, {"XLA", 4, 24}};

// One of the study's own problems: its id is that of a post.
bool is_of_study(const Pair &pair);

} // namespace deepperf::bench
