#include "study/reproduce.h"

#include "base/json.h"
#include "study/files.h"
#include "study/reproduce_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace deepperf::study {

namespace {

using State = ReproducedCell::State;

// Counts are compared as they are, other numbers after rounding to as many decimals as are printed.
bool near(double computed, const Json &value, Precision precision) {
  if (!value.is_number() || std::isnan(computed)) {
    return false;
  }
  const auto expected = value.get<double>();
  if (std::abs(computed - expected) <= std::max(precision.tolerance, 1e-9)) {
    return true;
  }
  return !value.is_number_integer() &&
         std::abs(std::strtod(fmt::format("{:.{}f}", computed, precision.decimals).c_str(), nullptr) - expected) < 1e-9;
}

std::string_view state_text(State state) {
  switch (state) {
  case State::Match:
    return "match";
  case State::Known:
    return "differs, known";
  case State::Differs:
    return "DIFFERS";
  case State::Unprinted:
    return "nothing printed";
  }
  return "";
}

std::string count_text(u64 count) { return count == 0 ? "-" : std::to_string(count); }

} // namespace

u64 ReproducedTable::count(State state) const {
  return static_cast<u64>(
      std::count_if(cells.begin(), cells.end(), [&](const ReproducedCell &cell) { return cell.state == state; }));
}

bool Reproduction::as_expected() const {
  return std::all_of(tables.begin(), tables.end(),
                     [](const ReproducedTable &table) { return table.count(State::Differs) == 0; });
}

std::string number_text(double value) {
  if (std::isnan(value)) {
    return "-";
  }
  if (value == std::floor(value) && std::abs(value) < 1e15) {
    return fmt::format("{:.0f}", value);
  }
  std::string text = fmt::format("{:.4f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

Json read_expected(const std::string &folder, std::string_view name) {
  const std::string path = fmt::format("{}/{}.json", folder, name);
  if (folder.empty() || !std::filesystem::exists(path)) {
    return nullptr;
  }
  Json json = parse_json<Json>(read_file(path));
  if (json.is_discarded()) {
    throw std::runtime_error(fmt::format("{} is not JSON", path));
  }
  return json;
}

const Json &part(const Json &value, std::string_view name) {
  static const Json none;
  const auto found = value.is_object() ? value.find(name) : value.end();
  return value.is_object() && found != value.end() ? *found : none;
}

const Json &part(const Json &value, std::size_t index) {
  static const Json none;
  return value.is_array() && index < value.size() ? value[index] : none;
}

void compare(ReproducedTable &table, std::string row, std::string column, double computed, const Json &printed,
             const Json &reference, const std::string &reason, Precision precision) {
  ReproducedCell cell{std::move(row), std::move(column), number_text(computed), "", State::Unprinted, ""};
  if (printed.is_number()) {
    cell.printed = json_text(printed);
    if (near(computed, printed, precision)) {
      cell.state = State::Match;
    } else {
      // What others computed is given with at least two decimals.
      const bool known = near(computed, reference, {precision.decimals, std::max(precision.tolerance, 0.00501)});
      cell.state = known ? State::Known : State::Differs;
      cell.reason = reason;
    }
  }
  table.cells.push_back(std::move(cell));
}

void compare_count(ReproducedTable &table, std::string row, std::string column, double computed, const Json &reference,
                   int decimals) {
  compare(table, std::move(row), std::move(column), computed, reference, nullptr, "", {decimals, 0});
}

Reproduction reproduce(const std::string &folder) {
  namespace fs = std::filesystem;
  std::string expected;
  for (const fs::path &candidate : {fs::path(folder) / "expected", fs::path(folder) / ".." / "expected"}) {
    if (fs::is_directory(candidate)) {
      expected = candidate.string();
      break;
    }
  }
  Reproduction result;
  if (expected.empty()) {
    result.skipped.push_back("what is printed: there is no folder 'expected' in or next to " + folder);
  }
  if (fs::exists(fs::path(folder) / "liu" / "rawdata.csv")) {
    reproduce_liu(folder + "/liu", expected, result);
  } else {
    result.skipped.push_back("Liu et al.: there is no liu/rawdata.csv in " + folder);
  }
  if (fs::exists(fs::path(folder) / "dlperf" / "empirical_study.csv")) {
    reproduce_dlperf(folder + "/dlperf", expected, result);
  } else {
    result.skipped.push_back("DLPerf: there is no dlperf/empirical_study.csv in " + folder);
  }
  if (result.tables.empty()) {
    throw std::runtime_error(fmt::format("{} holds neither liu/rawdata.csv nor dlperf/empirical_study.csv", folder));
  }
  return result;
}

std::vector<Grid> reproduction_grids(const Reproduction &reproduction, bool all) {
  std::vector<Grid> grids;
  Grid summary;
  summary.title = "Tables computed again";
  summary.columns = {"table", "cells", "match", "differ, known why", "differ", "nothing printed", "compared with"};
  u64 totals[4] = {};
  for (const ReproducedTable &table : reproduction.tables) {
    const u64 counts[4] = {table.count(State::Match), table.count(State::Known), table.count(State::Differs),
                           table.count(State::Unprinted)};
    for (std::size_t i = 0; i < 4; ++i) {
      totals[i] += counts[i];
    }
    summary.add({table.title, std::to_string(table.cells.size()), count_text(counts[0]), count_text(counts[1]),
                 count_text(counts[2]), count_text(counts[3]), table.against});
  }
  summary.add({"all", std::to_string(totals[0] + totals[1] + totals[2] + totals[3]), count_text(totals[0]),
               count_text(totals[1]), count_text(totals[2]), count_text(totals[3]), ""});
  for (const std::string &skipped : reproduction.skipped) {
    summary.notes.push_back("not done: " + skipped);
  }
  grids.push_back(std::move(summary));
  for (const ReproducedTable &table : reproduction.tables) {
    Grid grid;
    grid.title = table.title;
    grid.columns = {"row", "column", "computed", table.against, ""};
    std::vector<std::string> reasons; // each once, below the table
    for (const ReproducedCell &cell : table.cells) {
      const bool differs = cell.state == State::Known || cell.state == State::Differs;
      if (all || differs) {
        grid.add({cell.row, cell.column, cell.computed, cell.printed.empty() ? "-" : cell.printed,
                  std::string(state_text(cell.state))});
      }
      if (!cell.reason.empty() && std::find(reasons.begin(), reasons.end(), cell.reason) == reasons.end()) {
        reasons.push_back(cell.reason);
      }
    }
    for (const std::string &reason : reasons) {
      grid.notes.push_back("why: " + reason);
    }
    if (!grid.rows.empty()) {
      grids.push_back(std::move(grid));
    }
  }
  return grids;
}

Grid reproduction_cells(const Reproduction &reproduction) {
  Grid grid;
  grid.columns = {"table", "row", "column", "computed", "expected", "compared with", "state", "reason"};
  for (const ReproducedTable &table : reproduction.tables) {
    for (const ReproducedCell &cell : table.cells) {
      grid.add({table.title, cell.row, cell.column, cell.computed, cell.printed, table.against,
                std::string(state_text(cell.state)), cell.reason});
    }
  }
  return grid;
}

} // namespace deepperf::study
