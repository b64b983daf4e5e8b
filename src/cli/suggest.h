// Turns a command line that was not understood into a sentence that helps.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::cli {

// What to say of a word that should have been the code or name of a rule.
std::string unknown_rule(std::string_view word);

std::string explain(const CLI::App &app, const CLI::ParseError &error, int argc, char **argv);

} // namespace deepperf::cli
