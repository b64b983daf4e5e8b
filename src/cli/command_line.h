// The command line as data: what the manual page and the shells' completions are made from.
#pragma once

#include "cli/commands.h"

#include <string>
#include <vector>

namespace deepperf::cli {

struct DescribedOption {
  std::vector<std::string> names; // with their dashes; none: an argument by its place
  std::string value;              // what stands for the value: "FILE"; empty: it takes none
  std::string description;
  std::vector<std::string> choices; // values that are allowed, if these can be listed
  bool is_list = false;
};

struct DescribedCommand {
  std::string name;
  std::string description;
  std::string notes; // below the options, in paragraphs
  std::vector<DescribedOption> options;
  std::vector<DescribedCommand> commands;
};

DescribedCommand describe(const CLI::App &app);

// Values are names of files or folders, which a shell completes by itself.
bool takes_path(const DescribedOption &option);

// A script that completes commands, options and values; `shell` is "bash", "zsh" or "fish".
std::string completion_script(const DescribedCommand &program, std::string_view shell);

// In the language of man(1).
std::string manual_page(const DescribedCommand &program);

} // namespace deepperf::cli
