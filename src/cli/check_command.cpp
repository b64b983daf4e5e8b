#include "check/check.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "report/text.h"

#include <cstdio>
#include <memory>
#include <string>

namespace deepperf::cli {

namespace {

struct CheckArguments {
  check::Options options;
  std::string color = "auto";
  bool no_ignore = false;
};

int run_check(CheckArguments &arguments) {
  arguments.options.respect_ignore = !arguments.no_ignore;
  if (arguments.options.paths.empty()) {
    arguments.options.paths.emplace_back(".");
  }
  check::Progress progress;
  check::Result result;
  {
    const ProgressBar bar(progress.done, progress.found);
    result = check::run(arguments.options, progress);
  }
  std::string text;
  report::write_text(result, {wants_color(arguments.color, stdout)}, text);
  std::fwrite(text.data(), 1, text.size(), stdout);
  int exit_code = kClean;
  for (const check::FileProblems &file : result.files) {
    for (const check::Problem &problem : file.problems) {
      if (problem.level == check::Problem::Level::Unreadable) {
        return kTrouble;
      }
      if (problem.level == check::Problem::Level::SyntaxError) {
        exit_code = kFindings;
      }
    }
  }
  return exit_code;
}

} // namespace

void add_check(CLI::App &app, int &exit_code) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App *command = app.add_subcommand("check", "Check Python files, notebooks and folders of them");
  command->footer(R"(Folders are searched for .py, .pyw and .ipynb files. What .gitignore names is left out, and so are
virtual environments, build folders and caches; a file or folder that you name is always checked.

Exit status: 0 nothing found, 1 something found, 2 wrong usage or a file that could not be checked.)");
  command->add_option("paths", arguments->options.paths, "Files and folders (default: this folder)")
      ->type_name("PATH...");
  command->add_flag("--no-ignore", arguments->no_ignore,
                    "Also check what .gitignore and the usual exclusions leave out");
  command->add_option("--jobs,-j", arguments->options.jobs, "Threads (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_option("--color", arguments->color, "When to use colour")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("auto|always|never");
  command->callback([arguments, &exit_code] { exit_code = run_check(*arguments); });
}

} // namespace deepperf::cli
