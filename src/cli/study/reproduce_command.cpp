#include "cli/commands.h"
#include "cli/study/study_commands.h"
#include "cli/study/tables.h"
#include "study/reproduce.h"

#include <memory>
#include <string>

namespace deepperf::cli {

namespace {

struct ReproduceArguments {
  std::string data;
  bool cells = false;
  TableOutput output;
};

int reproduce_tables(const ReproduceArguments &arguments) {
  const study::Reproduction reproduction = study::reproduce(arguments.data);
  const int printed = print_tables(arguments.output, arguments.output.format == "csv"
                                                         ? std::vector{study::reproduction_cells(reproduction)}
                                                         : study::reproduction_grids(reproduction, arguments.cells));
  return printed != kClean ? printed : reproduction.as_expected() ? kClean : kFindings;
}

} // namespace

void add_study_reproduce(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<ReproduceArguments>();
  CLI::App *command = study.add_subcommand(
      "reproduce", "Recompute the published tables of Liu et al. and DLPerf, and compare them cell by cell");
  command->add_option("--data", arguments->data, "The folder with liu/, dlperf/ and expected/")
      ->required()
      ->type_name("DIR");
  command->add_flag("--cells", arguments->cells, "Show every cell, not only those that differ");
  add_table_output(*command, arguments->output);
  command->callback([arguments, &exit_code] { exit_code = reproduce_tables(*arguments); });
}

} // namespace deepperf::cli
