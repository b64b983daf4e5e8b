#include "report/coverage.h"

#include "base/json.h"
#include "base/write.h"
#include "report/place.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

namespace deepperf::report {

namespace {

struct Cause {
  std::string_view name;
  u32 problems; // that the study found to have it
};

// The study's root causes and how many of its 224 problems have each.
constexpr std::array<Cause, 15> kCauses = {{
    {"API: Not Using Efficient API", 52},
    {"API: Inefficient API Usage", 45},
    {"Model: Confusion with Computation Graph", 27},
    {"API: Not Using Batch API", 18},
    {"Library: Buggy Library Version", 15},
    {"Data: Inefficient Data Transmission", 12},
    {"Model: Improper Hyper Parameter", 12},
    {"Library: Mismatched Library Version", 9},
    {"Hardware: Hardware and Code Mismatch", 7},
    {"Model: Inefficient Model Structure", 6},
    {"Data: Improper Data Input", 6},
    {"Model: Improper Model Parameter", 5},
    {"Hardware: Hardware and Library Mismatch", 4},
    {"Data: Inefficient Data Preprocessing", 3},
    {"Hardware: Improper Configuration", 3},
}};

bool same_cause(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c == '-' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

struct Line {
  std::string_view cause;
  u32 problems = 0; // 0: a cause that the study does not have
  u32 rules = 0;
  std::set<std::string_view> covered;
};

std::vector<Line> count(std::span<const rules::RuleInfo *const> rules) {
  std::vector<Line> lines;
  for (const Cause &cause : kCauses) {
    lines.push_back({cause.name, cause.problems, 0, {}});
  }
  std::set<std::string_view> counted; // a problem that two rules cover counts once
  for (const rules::RuleInfo *rule : rules) {
    auto line =
        std::ranges::find_if(lines, [&](const Line &known) { return same_cause(known.cause, rule->root_cause); });
    if (line == lines.end()) {
      lines.push_back({rule->root_cause, 0, 0, {}});
      line = std::prev(lines.end());
    }
    ++line->rules;
    for (const std::string_view post : split_words(rule->posts)) {
      if (counted.insert(post).second) {
        line->covered.insert(post);
      }
    }
  }
  return lines;
}

} // namespace

void write_coverage_text(std::span<const rules::RuleInfo *const> rules, std::string &out) {
  const std::vector<Line> lines = count(rules);
  std::size_t width = 0;
  u32 problems = 0;
  std::size_t covered = 0;
  for (const Line &line : lines) {
    width = std::max(width, line.cause.size());
    problems += line.problems;
    covered += line.covered.size();
  }
  write(out, "{:{}}  rules  covered  of the study's problems\n", "root cause", width);
  for (const Line &line : lines) {
    write(out, "{:{}}  {:5}  {:7}  {}\n", line.cause, width, line.rules, line.covered.size(),
          line.problems != 0 ? std::to_string(line.problems) : "-");
  }
  write(out, "{:{}}  {:5}  {:7}  {}\n", "all", width, rules.size(), covered, problems);
}

void write_coverage_json(std::span<const rules::RuleInfo *const> rules, std::string &out) {
  nlohmann::ordered_json json;
  json["version"] = 1;
  nlohmann::ordered_json &list = json["coverage"] = nlohmann::ordered_json::array();
  for (const Line &line : count(rules)) {
    list.push_back({{"root_cause", line.cause},
                    {"rules", line.rules},
                    {"covered", line.covered.size()},
                    {"problems", line.problems}});
  }
  out += json_text(json, 2);
  out += '\n';
}

} // namespace deepperf::report
