#include "report/timings.h"

#include "base/json.h"
#include "base/write.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace deepperf::report {

namespace {

double milliseconds(u64 nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; }

std::array<std::pair<std::string_view, u64>, 10> counters_of(const Work &work) {
  return {{{"solver rounds", work.rounds},
           {"function walks", work.walks},
           {"expressions evaluated", work.expressions},
           {"branch copies", work.copies},
           {"merges", work.merges},
           {"joins", work.joins},
           {"spread steps", work.spread_steps},
           {"rule visits", work.rule_visits},
           {"rule queries", work.rule_queries},
           {"rule steps", work.rule_steps}}};
}

} // namespace

void write_timings(const rules::Timings &timings, std::string &out) {
  u64 in_rules = 0;
  std::vector<std::pair<u64, const rules::RuleInfo *>> slowest;
  for (const auto &[rule, time] : timings.rules) {
    in_rules += time;
    slowest.emplace_back(time, rule);
  }
  std::ranges::sort(slowest, [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first : a.second->code < b.second->code;
  });
  const u64 before = timings.parse + timings.analyse;
  const double share = before != 0 ? 100.0 * static_cast<double>(timings.lint) / static_cast<double>(before) : 0;
  const auto line = [&out](std::string_view what, u64 time) {
    write(out, "{:34}{:10.1f} ms\n", what, milliseconds(time));
  };
  out += "time over all workers\n";
  line("load and parse", timings.parse);
  line("bind, link and infer", timings.analyse);
  line("lint", timings.lint);
  write(out, "{:34}{:10.1f} %\n", "  on top of the phases before", share);
  line("  in rules, measuring included", in_rules);
  for (const auto &[time, rule] : slowest) {
    line(fmt::format("  {} {}", rule->code, rule->name), time);
  }
  out += "work, which does not depend on the machine\n";
  for (const auto &[what, steps] : counters_of(timings.work)) {
    write(out, "{:34}{:10}\n", what, steps);
  }
}

void write_timings_json(const rules::Timings &timings, std::string &out) {
  nlohmann::ordered_json json;
  json["milliseconds"] = {{"parse", milliseconds(timings.parse)},
                          {"analyse", milliseconds(timings.analyse)},
                          {"rules", milliseconds(timings.lint)}};
  for (const auto &[rule, time] : timings.rules) {
    json["rules"][std::string(rule->code)] = milliseconds(time);
  }
  for (const auto &[rule, steps] : timings.steps) {
    json["steps"][std::string(rule->code)] = steps;
  }
  for (const auto &[rule, files] : timings.stopped) {
    json["stopped"][std::string(rule->code)] = files;
  }
  for (const auto &[what, steps] : counters_of(timings.work)) {
    json["work"][std::string(what)] = steps;
  }
  out += json_text(json) + "\n";
}

} // namespace deepperf::report
