#include "base/printable.h"
#include "cli/allocation.h"
#include "cli/commands.h"
#include "cli/commit.h"
#include "cli/output.h"
#include "cli/suggest.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace {

constexpr const char *kDescription = "Finds what makes deep-learning code slow or wrong, before it runs.";

constexpr const char *kStart = R"(deepperf finds what makes deep-learning code slow or wrong, before it runs.

  deepperf check                 check every Python file and notebook below this folder
  deepperf check train.py        check one file
  deepperf check --diff          show what can be fixed automatically; --fix changes the files
  deepperf explain DP101         what a rule finds, why it matters, and what to write instead
  deepperf rules                 list all rules
  deepperf shapes net.py         the shapes of a model's layers and operations
  deepperf config                the effective settings, and where they come from
  deepperf server                a language server for editors
  deepperf help check            all options of a command

Other commands: bench (measure problems and your own fixes), study (mine questions about deep learning), debug (what the
analysis knows), completion (for your shell), manual (for man).
)";

// `help check` is `check --help`.
void iteration_help_around(std::vector<std::string> &words) {
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
}

// With the commit, so that a report about a problem tells which program it was.
std::string version() {
  const std::string commit = deepperf::cli::commit();
  return "deepperf " DEEPPERF_VERSION + (commit.empty() ? "" : " (" + commit + ")");
}

int run(int argc, char **argv) {
  CLI::App app(kDescription, "deepperf");
  app.set_version_flag("--version,-V", version());
  app.set_help_flag("--help,-h", "Show this help and exit");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.failure_message(CLI::FailureMessage::simple);
  int exit_code = deepperf::cli::kClean;
  deepperf::cli::add_check(app, exit_code);
  deepperf::cli::add_explain(app, exit_code);
  deepperf::cli::add_rules(app, exit_code);
  deepperf::cli::add_config(app, exit_code);
  deepperf::cli::add_shapes(app, exit_code);
  deepperf::cli::add_server(app, exit_code);
  deepperf::cli::add_completion(app, exit_code);
  deepperf::cli::add_manual(app, exit_code);
  deepperf::cli::add_bench(app, exit_code);
  deepperf::cli::add_debug(app, exit_code);
  // Describing the options of study takes longer than a check of a small file; these list them.
  const bool lists_study = std::any_of(argv + 1, argv + argc, [](std::string_view word) {
    return word == "study" || word == "completion" || word == "manual";
  });
  deepperf::cli::add_study(app, exit_code, lists_study);
  if (argc == 1) {
    return deepperf::cli::write_output("", kStart, stdout) ? deepperf::cli::kClean : deepperf::cli::kTrouble;
  }
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    iteration_help_around(words);
    std::ranges::reverse(words); // as CLI11 takes them
    app.parse(words);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) { // --help and --version
      return app.exit(error);
    }
    const std::string message = deepperf::cli::explain(app, error, argc, argv);
    const std::string shown = deepperf::printable_lines(message);
    std::fprintf(stderr, "deepperf: %s\n", shown.c_str());
    return deepperf::cli::kTrouble;
  }
  return exit_code;
}

} // namespace

// What a command has printed without looking: a full disk is found out here.
static int finished(int exit_code) {
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.flush().good();
  if (is_written || exit_code == deepperf::cli::kTrouble) { // the latter has been explained
    return exit_code;
  }
  std::fputs("deepperf: cannot write the output\n", stderr);
  return deepperf::cli::kTrouble;
}

static int guarded(int argc, char **argv) {
  try {
    return finished(run(argc, argv));
  } catch (const std::bad_alloc &) {
    std::fputs("deepperf: out of memory\n", stderr);
    return deepperf::cli::kTrouble;
  } catch (const std::exception &error) {
    deepperf::cli::complain(error.what());
    return deepperf::cli::kTrouble;
  }
}

// With so little memory that there is no room for the exception that says so, which is before anything else has begun,
// the library ends the program. That is no crash.
[[noreturn]] static void end_without_memory() {
  if (std::current_exception() != nullptr) {
    std::abort(); // a mistake: one that nobody catches
  }
  constexpr std::string_view kMessage = "deepperf: out of memory\n";
  (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  std::_Exit(deepperf::cli::kTrouble);
}

// Before the objects that are made before main().
[[gnu::constructor(101)]] static void prepare_for_little_memory() { std::set_terminate(end_without_memory); }

int main(int argc, char **argv) {
  deepperf::cli::keep_freed_memory();
  std::signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is a full disk, which is reported
  const int exit_code = guarded(argc, argv);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Nothing is left to do. A library that `study` needs has threads of its own, and waits for them at the end: forever
  // if they cannot get memory.
  std::fflush(nullptr);
  std::_Exit(exit_code);
#else
  return exit_code;
#endif
}
