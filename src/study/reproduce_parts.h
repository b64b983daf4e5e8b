// What the parts of `reproduce` share. Not for others.
#pragma once

#include "study/reproduce.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

using Json = nlohmann::json;

// One file of expected/: what is printed, and what others have computed. Null if it is not there; throws if it is no
// JSON.
Json read_expected(const std::string &folder, std::string_view name);

// The part of a file under a name, or null: so that a file that lacks something costs one table, not the command.
const Json &part(const Json &value, std::string_view name);
const Json &part(const Json &value, std::size_t index);

struct Precision {
  int decimals = 2;     // that are printed, unless it is a whole number
  double tolerance = 0; // beyond rounding
};

// Adds the cell; `printed` and `reference` are numbers or null.
void compare(ReproducedTable &table, std::string row, std::string column, double computed, const Json &printed,
             const Json &reference, const std::string &reason, Precision precision = {});

// For tables of which only the reference counts are at hand.
void compare_count(ReproducedTable &table, std::string row, std::string column, double computed, const Json &reference,
                   int decimals = 4);

std::string number_text(double value);

void reproduce_liu(const std::string &folder, const std::string &expected, Reproduction &out);
void reproduce_dlperf(const std::string &folder, const std::string &expected, Reproduction &out);

} // namespace deepperf::study
