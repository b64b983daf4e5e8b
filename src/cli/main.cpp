#include "cli/commands.h"
#include "cli/suggest.h"

#include <cstdio>
#include <exception>
#include <string>

namespace {

constexpr const char *kDescription = R"(Tells why deep-learning code is slow or wrong.

Start with:
  deepperf check .             check every Python file and notebook below this folder
  deepperf check --fix .       mend what can be mended safely
  deepperf explain DP101       what a rule finds, why, and what to do
  deepperf check --help        all options of a command)";

int run(int argc, char **argv) {
  CLI::App app(kDescription, "deepperf");
  app.set_version_flag("--version,-V", "deepperf " DEEPPERF_VERSION);
  app.set_help_flag("--help,-h", "Show this help and stop");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.failure_message(CLI::FailureMessage::simple);
  int exit_code = deepperf::cli::kClean;
  deepperf::cli::add_check(app, exit_code);
  deepperf::cli::add_explain(app, exit_code);
  deepperf::cli::add_rules(app, exit_code);
  deepperf::cli::add_debug(app, exit_code);
  deepperf::cli::add_study(app, exit_code);
  if (argc == 1) {
    std::fputs(app.help().c_str(), stdout);
    return deepperf::cli::kClean;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) { // --help and --version
      return app.exit(error);
    }
    const std::string message = deepperf::cli::explain(app, error, argc, argv);
    std::fprintf(stderr, "deepperf: %s\n", message.c_str());
    return deepperf::cli::kTrouble;
  }
  return exit_code;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "deepperf: %s\n", error.what());
    return deepperf::cli::kTrouble;
  }
}
