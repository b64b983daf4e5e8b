// What `bench run` found, in the forms that it has: each has a file, report_<form>.cpp.
#pragma once

#include "bench/machine.h"
#include "bench/measure.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::bench {

struct Report {
  Machine machine;
  Settings settings;
  std::string date;
  std::string commit;
  std::vector<Outcome> outcomes;
};

// Escape sequences, or nothing.
struct Colors {
  std::string_view bold, dim, red, green, yellow, reset;
};
inline constexpr Colors kNoColors{};
inline constexpr Colors kColors{"\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"};

// One pair: what was measured, with a bar for each program.
void write_outcome_text(const Outcome &outcome, const Colors &colors, std::string &out);
// How many pairs came out in which way.
void write_summary_text(const std::vector<Outcome> &outcomes, const Colors &colors, std::string &out);

void write_report_json(const Report &report, std::string &out);
void write_report_html(const Report &report, std::string &out);

// For all of them. 1.24 s, 310 ms; 12.5 MB
std::string duration(double seconds);
std::string size(double bytes);
// "6.3x slower (5.9 to 6.8)", in the words of what the pair measures; only of pairs that were measured.
std::string effect(const Outcome &outcome);
bool is_measured(const Outcome &outcome);

} // namespace deepperf::bench
