// What the command line of `check` says.
#pragma once

#include "check/cache_folder.h"
#include "check/check.h"
#include "cli/commands.h"

#include <string>
#include <vector>

namespace deepperf::cli {

struct CheckArguments { // NOLINT(clang-analyzer-optin.performance.Padding): one of it, in the order of the help
  check::Options options;
  std::string config_file; // empty: the nearest one
  bool isolated = false;   // no configuration file
  project::Exclusions exclusions;
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  bool all = false;
  std::string min_severity; // empty: not given
  std::string fail_on;      // the same
  bool exit_zero = false;
  bool expand = false;
  bool quiet = false;
  bool verbose = false;
  std::string format = "text";
  std::string output;
  std::string stdin_filename;
  std::string color = "auto";
  bool no_ignore = false;
  bool statistics = false;
  bool fix = false;
  bool unsafe_fixes = false;
  bool diff = false;
  bool watch = false;
  bool add_suppressions = false;
  std::string reason; // of the suppressions that are added
  bool report_unused_suppressions = false;
  std::string baseline;
  std::string write_baseline;
  bool prune_baseline = false;
  bool report_stale_baseline = false;
  std::string since; // a git revision
  bool no_cache = false;
  std::string cache_folder = check::default_cache_folder();
};

// Those of `check` that configuration files have, too, and those that say which file counts.
void add_setting_options(CLI::App &command, CheckArguments &arguments);

// The options of the command, each of which sets a field of `arguments`.
void add_check_options(CLI::App &command, CheckArguments &arguments);

// Throws for options that exclude each other.
void validate_check_options(const CheckArguments &arguments);

} // namespace deepperf::cli
