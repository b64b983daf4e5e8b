// Measures pairs and reports: what `bench run` and `bench new` share.
#pragma once

#include "bench/measure.h"
#include "bench/pair.h"
#include "bench/report.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace deepperf::cli {

struct MeasuringArguments {
  bench::Settings settings;
  std::vector<std::string> overrides; // BATCH=128
  std::string python;
  double time_limit = 120;
  double memory_limit = 4; // GB
  std::string format = "text";
  std::string output;
  std::string color = "auto";
};

void add_measuring_options(CLI::App &command, MeasuringArguments &arguments);

// Measures them one after the other. As text, each is reported when it is done. An interrupt ends it early; `signal` is
// 0 or the one that came.
// `keep` is told of the report whenever an outcome was added, so that hours of work are not lost.
using Keep = std::function<void(const bench::Report &report)>;
bench::Report measure_pairs(const std::vector<bench::Pair> &pairs, const MeasuringArguments &arguments, int &signal,
                            const Keep &keep = nullptr);

// Writes the rest of the report, and returns how the program ends: with findings' code if a program failed or the
// results of a pair differ, and as a shell expects it after an interrupt.
int finish_report(const bench::Report &report, const MeasuringArguments &arguments, int signal);

} // namespace deepperf::cli
