// What is in force: the configuration file and the command line together.
#pragma once

#include "check/filter.h"
#include "cli/check_arguments.h"
#include "config/settings.h"

namespace deepperf::cli {

rules::Severity severity_called(std::string_view name);

// Reads the configuration file that counts for the paths. Throws std::runtime_error with all that is wrong with it, and
// CLI::ValidationError for the command line.
config::Settings settings_in_force(const CheckArguments &arguments);

check::FilterOptions filter_options(const config::Settings &settings);

// Everything else: sets fields of the arguments, and tells the engine which versions, wrappers and deprecated names the
// user has named.
void apply_settings(const config::Settings &settings, CheckArguments &arguments);

} // namespace deepperf::cli
