#include "bench/assess_report.h"

#include "base/json.h"
#include "base/write.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace deepperf::bench {

namespace {

using Json = nlohmann::ordered_json;

std::string set_of(const Pair &pair) {
  if (is_of_study(pair)) {
    return "DLPerf study";
  }
  return pair.libraries.empty() ? "Python" : pair.libraries[0];
}
std::string cause_of(const Pair &pair) { return pair.root_cause; }
std::string introducing_stage_of(const Pair &pair) { return pair.introducing_stage; }
std::string exposing_stage_of(const Pair &pair) { return pair.exposing_stage; }
std::string all_of(const Pair & /*pair*/) { return "all"; }

constexpr Grouping kGroupings[] = {{"by origin", "sets", set_of},
                                   {"by root cause", "root_causes", cause_of},
                                   {"by introducing stage", "introducing_stages", introducing_stage_of},
                                   {"by exposing stage", "exposing_stages", exposing_stage_of}};

void write_rows(const std::vector<Tally> &rows, const Assessment &assessment, std::string &out) {
  for (const Tally &row : rows) {
    write(out, "  {:42} {:5} {:8} {:6} {:12}", row.name.empty() ? "(not said)" : row.name, row.pairs, row.in_scope,
          row.found, row.false_alarms);
    for (std::size_t i = 0; i < assessment.tools.size(); ++i) {
      write(out, " {:>{}}", row.found_by_tools[i], std::max<std::size_t>(assessment.tools[i].tool.size(), 8));
    }
    out += '\n';
  }
}

void write_missed(const Assessment &assessment, std::string &out) {
  std::string missed;
  std::string alarms;
  std::string by_place;
  for (const Assessed &one : assessment.pairs) {
    if (is_in_scope(one.pair) && !one.is_found) {
      write(missed, "  {}: {} expected{}\n", one.pair.id, codes(one.pair.rules),
            one.others.empty() ? "" : fmt::format("; reported: {}", fmt::join(one.others, ", ")));
    }
    if (is_in_scope(one.pair) && !one.by_place.empty()) {
      write(by_place, "  {}: {}\n", one.pair.id, codes(rules_of(one.by_place)));
    }
    for (const Reported &finding : one.on_fixed) {
      if (std::ranges::find(one.pair.rules, finding.rule) != one.pair.rules.end()) {
        write(alarms, "  {}:{}: {}\n", one.pair.fixed(), finding.line, finding.rule);
      }
    }
  }
  if (!missed.empty()) {
    out += "\nmissed\n" + missed;
  }
  if (!by_place.empty()) {
    out += "\nfound at most: these name no rule, and something is reported on a line that the fix changes\n" + by_place;
  }
  if (!alarms.empty()) {
    out += "\nfalse alarms\n" + alarms;
  }
}

void write_tools(const Assessment &assessment, std::string &out) {
  const Tally whole = tally_of_all(assessment);
  out += "\nnext to others\n";
  write(out, "  {:24} {} of {} ({:.0f}%)\n", "deepperf check", whole.found, whole.in_scope,
        percent(whole.found, whole.in_scope));
  for (std::size_t i = 0; i < assessment.tools.size(); ++i) {
    const u32 found = whole.found_by_tools[i];
    write(out, "  {:24} {} of {} ({:.0f}%) at most: something is reported on a line that the fix changes\n",
          assessment.tools[i].tool, found, whole.in_scope, percent(found, whole.in_scope));
    for (std::size_t pair = 0; pair < assessment.pairs.size(); ++pair) {
      const ToolVerdict &verdict = assessment.tools[i].verdicts[pair];
      if (is_in_scope(assessment.pairs[pair].pair) && !verdict.findings.empty()) {
        write(out, "    {}: {}\n", verdict.id, codes(rules_of(verdict.findings)));
      }
    }
  }
  for (const StudiedTool &tool : kStudiedTools) {
    write(out, "  {:24} {} of {} ({:.0f}%) of the study's own programs, as the DLPerf study reports\n", tool.name,
          tool.helped, tool.applied, percent(tool.helped, tool.applied));
  }
}

Json reported_json(const std::vector<Reported> &reported) {
  Json list = Json::array();
  for (const Reported &finding : reported) {
    list.push_back({{"rule", finding.rule}, {"line", finding.line}});
  }
  return list;
}

Json tally_json(const Tally &row, const Assessment &assessment) {
  Json json;
  json["name"] = row.name;
  json["pairs"] = row.pairs;
  json["in_scope"] = row.in_scope;
  json["found"] = row.found;
  json["missed"] = row.in_scope - row.found;
  json["false_alarms"] = row.false_alarms;
  for (std::size_t i = 0; i < assessment.tools.size(); ++i) {
    json["found_by_tools"][assessment.tools[i].tool] = row.found_by_tools[i];
  }
  return json;
}

} // namespace

std::span<const Grouping> groupings() { return kGroupings; }

std::string_view verdict_of(const Assessed &assessed) {
  if (!is_in_scope(assessed.pair)) {
    return assessed.is_found ? "found, not counted" : "not counted";
  }
  return assessed.is_found ? "found" : "missed";
}

std::string codes(const std::vector<std::string> &rules) {
  return rules.empty() ? "no rule" : fmt::format("{}", fmt::join(rules, ", "));
}

std::vector<std::string> rules_of(const std::vector<Reported> &findings) {
  std::vector<std::string> rules;
  for (const Reported &finding : findings) {
    if (std::ranges::find(rules, finding.rule) == rules.end()) {
      rules.push_back(finding.rule);
    }
  }
  return rules;
}

double percent(u32 part, u32 all) { return all == 0 ? 0.0 : 100.0 * part / all; }

Tally tally_of_all(const Assessment &assessment) { return tally(assessment, all_of).front(); }

std::vector<Tally> tally(const Assessment &assessment, std::string (*group_of)(const Pair &)) {
  std::vector<Tally> rows;
  for (std::size_t i = 0; i < assessment.pairs.size(); ++i) {
    const Assessed &one = assessment.pairs[i];
    const std::string name = group_of(one.pair);
    auto row = std::ranges::find(rows, name, &Tally::name);
    if (row == rows.end()) {
      row = rows.insert(rows.end(), Tally{name, 0, 0, 0, 0, std::vector<u32>(assessment.tools.size())});
    }
    ++row->pairs;
    row->false_alarms += one.is_false_alarm ? 1 : 0;
    if (is_in_scope(one.pair)) {
      ++row->in_scope;
      row->found += one.is_found ? 1 : 0;
      for (std::size_t tool = 0; tool < assessment.tools.size(); ++tool) {
        row->found_by_tools[tool] += assessment.tools[tool].verdicts[i].findings.empty() ? 0 : 1;
      }
    }
  }
  std::ranges::stable_sort(rows, [](const Tally &left, const Tally &right) { return left.pairs > right.pairs; });
  return rows;
}

void write_assessment_text(const Assessment &assessment, std::string &out) {
  write(out, "  {:42} {:>5} {:>8} {:>6} {:>12}", "", "pairs", "in scope", "found", "false alarms");
  for (const ToolAssessment &tool : assessment.tools) {
    write(out, " {:>8}", tool.tool);
  }
  out += '\n';
  write_rows(tally(assessment, all_of), assessment, out);
  for (const Grouping &grouping : kGroupings) {
    write(out, "\n{}\n", grouping.title);
    write_rows(tally(assessment, grouping.group_of), assessment, out);
  }
  write_missed(assessment, out);
  write_tools(assessment, out);
}

void write_assessment_json(const Assessment &assessment, std::string &out) {
  Json json;
  json["version"] = 1;
  json["all"] = tally_json(tally_of_all(assessment), assessment);
  for (const Grouping &grouping : kGroupings) {
    Json &rows = json[std::string(grouping.key)] = Json::array();
    for (const Tally &row : tally(assessment, grouping.group_of)) {
      rows.push_back(tally_json(row, assessment));
    }
  }
  Json &pairs = json["pairs"] = Json::array();
  for (const Assessed &one : assessment.pairs) {
    Json pair;
    pair["id"] = one.pair.id;
    pair["verdict"] = verdict_of(one);
    pair["in_scope"] = is_in_scope(one.pair);
    pair["expected"] = one.pair.rules;
    pair["found"] = one.is_found;
    pair["found_by_place"] = !one.by_place.empty();
    pair["false_alarm"] = one.is_false_alarm;
    pair["root_cause"] = one.pair.root_cause;
    pair["introducing_stage"] = one.pair.introducing_stage;
    pair["exposing_stage"] = one.pair.exposing_stage;
    pair["buggy"] = reported_json(one.on_buggy);
    pair["fixed"] = reported_json(one.on_fixed);
    pairs.push_back(std::move(pair));
  }
  Json &tools = json["tools"] = Json::array();
  for (const ToolAssessment &tool : assessment.tools) {
    Json one;
    one["tool"] = tool.tool;
    Json &found = one["found_at_most"] = Json::array();
    for (const ToolVerdict &verdict : tool.verdicts) {
      if (!verdict.findings.empty()) {
        found.push_back({{"id", verdict.id}, {"findings", reported_json(verdict.findings)}});
      }
    }
    tools.push_back(std::move(one));
  }
  Json &studied = json["study"] = Json::array();
  for (const StudiedTool &tool : kStudiedTools) {
    studied.push_back({{"tool", tool.name}, {"helped", tool.helped}, {"applied", tool.applied}});
  }
  out += json_text(json, 1);
  out += '\n';
}

} // namespace deepperf::bench
