#include "cli/suggest.h"

#include "base/nearest.h"
#include "check/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace deepperf::cli {

namespace {

std::vector<std::string> option_names(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options()) {
    for (const std::string &name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

const CLI::App *find_command(const CLI::App &app, const std::string &name) {
  const std::vector<const CLI::App *> found =
      app.get_subcommands([&name](const CLI::App *command) { return command->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

// The innermost command that the words name.
const CLI::App *innermost(const CLI::App &app, int argc, char **argv) {
  const CLI::App *current = &app;
  for (int i = 1; i < argc; ++i) {
    const CLI::App *next = find_command(*current, argv[i]);
    if (next == nullptr) {
      break;
    }
    current = next;
  }
  return current;
}

// CLI11 says `--format: jsn not in {text,json}`; people read the same as a sentence with a proposal.
std::string explain_value(const std::string &message) {
  constexpr std::string_view kMiddle = " not in {";
  const std::size_t colon = message.find(": ");
  const std::size_t middle = message.rfind(kMiddle);
  if (colon == message.npos || middle == message.npos || middle < colon || !message.ends_with('}')) {
    return message;
  }
  const std::string option = message.substr(0, colon);
  const std::string value = message.substr(colon + 2, middle - colon - 2);
  std::vector<std::string> choices;
  std::string_view rest = std::string_view(message).substr(middle + kMiddle.size());
  rest.remove_suffix(1);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    choices.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  const std::string near = nearest(value, choices);
  return fmt::format("{} cannot be '{}'{}; it is one of {}", option, value,
                     near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near), fmt::join(choices, ", "));
}

} // namespace

std::string unknown_rule(std::string_view word) {
  const std::string near = nearest(word, check::known_selectors());
  return fmt::format("unknown rule '{}'{}\n'deepperf rules' lists all rules.", word,
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

std::string explain(const CLI::App &app, const CLI::ParseError &error, int argc, char **argv) {
  const CLI::App *command = innermost(app, argc, argv);
  std::string help = "deepperf";
  if (command != &app) {
    if (command->get_parent() != &app) {
      help += " " + command->get_parent()->get_name();
    }
    help += " " + command->get_name();
  }
  // Look for the first word that names nothing.
  const std::vector<std::string> commands = command_names(*command);
  const std::vector<std::string> options = option_names(*command);
  for (int i = 1; i < argc; ++i) {
    const std::string word(argv[i]);
    const std::string name = word.substr(0, word.find('='));
    if (word.size() > 2 && word[0] == '-' && word[1] == '-') {
      if (std::find(options.begin(), options.end(), name) != options.end()) {
        continue;
      }
      const std::string near = nearest(name, options);
      return fmt::format("unknown option '{}'{}\nSee '{} --help'.", name,
                         near.empty() ? "" : fmt::format("; did you mean '{}'?", near), help);
    }
    if (!commands.empty() && find_command(app, word) == nullptr && word != command->get_name() && word[0] != '-') {
      const std::string near = nearest(word, commands);
      return fmt::format("unknown command '{}'{}\nSee '{} --help'.", word,
                         near.empty() ? "" : fmt::format("; did you mean '{}'?", near), help);
    }
  }
  return fmt::format("{}\nSee '{} --help'.", explain_value(error.what()), help);
}

} // namespace deepperf::cli
