#include "cli/commands.h"
#include "cli/study/study_commands.h"

#include <memory>
#include <string>

namespace deepperf::cli {

namespace {

struct SelectArguments {
  std::string dump;
  std::string recipe = "liu";
  std::string output;
};

} // namespace

void add_study_select(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<SelectArguments>();
  CLI::App *command = study.add_subcommand("select", "Pick the questions of a study out of a dump");
  command->add_option("dump", arguments->dump, "Posts.xml")->required()->type_name("DUMP");
  command->callback([&exit_code] { exit_code = kTrouble; });
}

} // namespace deepperf::cli
