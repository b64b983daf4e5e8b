#include "base/write.h"
#include "cli/command_line.h"
#include "cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

namespace deepperf::cli {

namespace {

// For a shell's single quotes.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return result + "'";
}

std::string joined(const std::vector<std::string> &words) { return fmt::format("{}", fmt::join(words, " ")); }

std::vector<std::string> option_names(const DescribedCommand &command) {
  std::vector<std::string> names;
  for (const DescribedOption &option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// What may stand where no option does: commands, or the values of the arguments if they can be listed.
std::vector<std::string> plain_words(const DescribedCommand &command) {
  std::vector<std::string> words;
  for (const DescribedCommand &inner : command.commands) {
    words.push_back(inner.name);
  }
  for (const DescribedOption &option : command.options) {
    if (option.names.empty()) {
      words.insert(words.end(), option.choices.begin(), option.choices.end());
    }
  }
  return words;
}

// ---- bash -----------------------------------------------------------------------------------------------------------

struct BashCases {
  std::string commands; // from the command so far and a word to the command
  std::string values;   // of options
  std::string words;    // of commands
};

void add_bash(const DescribedCommand &command, const std::string &path, BashCases &cases) {
  for (const DescribedCommand &inner : command.commands) {
    const std::string inner_path = path.empty() ? inner.name : path + " " + inner.name;
    write(cases.commands, "    {}) command={} ;;\n", in_quotes(path + "|" + inner.name), in_quotes(inner_path));
    add_bash(inner, inner_path, cases);
  }
  for (const DescribedOption &option : command.options) {
    for (const std::string &name : option.names) {
      if (!option.value.empty()) {
        write(cases.values, "    {}) words={} ;;\n", in_quotes(path + "|" + name), in_quotes(joined(option.choices)));
      }
    }
  }
  write(cases.words, "    {}) options={} words={} ;;\n", in_quotes(path), in_quotes(joined(option_names(command))),
        in_quotes(joined(plain_words(command))));
}

// Where nothing is offered, bash completes names of files.
std::string bash_script(const DescribedCommand &program) {
  BashCases cases;
  add_bash(program, "", cases);
  return fmt::format(R"(# Completion of {0} for bash.
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command= options= words=none i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command|${{COMP_WORDS[i]}}" in
{1}    esac
  done
  case "$command|${{COMP_WORDS[COMP_CWORD - 1]}}" in
{2}    *) words=none ;;
  esac
  if [[ $words == none ]]; then
    case "$command" in
{3}    esac
    if [[ $current == -* ]]; then words=$options; fi
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _{0} {0}
)",
                     program.name, cases.commands, cases.values, cases.words);
}

// ---- zsh ------------------------------------------------------------------------------------------------------------

// Brackets and colons mean something in what _arguments takes.
std::string for_arguments(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result;
}

std::string zsh_value(const DescribedOption &option) {
  const std::string action = !option.choices.empty() ? "(" + joined(option.choices) + ")"
                             : takes_path(option)    ? "_files"
                                                     : " ";
  return fmt::format(":{}:{}", for_arguments(option.value), action);
}

void add_zsh(const DescribedCommand &command, const std::string &function, std::string &out) {
  write(out, "{}() {{\n  local curcontext=$curcontext state line\n  typeset -A opt_args\n  _arguments -C", function);
  for (const DescribedOption &option : command.options) {
    for (const std::string &name : option.names) {
      write(out, " \\\n    {}",
            in_quotes(fmt::format("{}[{}]{}", name, for_arguments(option.description),
                                  option.value.empty() ? "" : zsh_value(option))));
    }
    if (option.names.empty()) {
      write(out, " \\\n    {}", in_quotes("*" + zsh_value(option)));
    }
  }
  if (command.commands.empty()) {
    out += "\n}\n";
    return;
  }
  out += " \\\n    '1: :->command' '*::: :->rest'\n  case $state in\n  command)\n    local -a commands=(\n";
  for (const DescribedCommand &inner : command.commands) {
    write(out, "      {}\n", in_quotes(inner.name + ":" + for_arguments(inner.description)));
  }
  out += "    )\n    _describe command commands\n    ;;\n  rest)\n    case $line[1] in\n";
  for (const DescribedCommand &inner : command.commands) {
    write(out, "    {0}) {1}_{0} ;;\n", inner.name, function);
  }
  out += "    esac\n    ;;\n  esac\n}\n";
  for (const DescribedCommand &inner : command.commands) {
    add_zsh(inner, function + "_" + inner.name, out);
  }
}

std::string zsh_script(const DescribedCommand &program) {
  std::string out = fmt::format("#compdef {0}\n# Completion of {0} for zsh.\n", program.name);
  const std::string function = "_" + program.name;
  add_zsh(program, function, out);
  // As a file of $fpath it is called; as a script that is sourced it only makes itself known.
  return out + fmt::format("if [ \"$funcstack[1]\" = {0} ]; then {0} \"$@\"; else compdef {0} {1}; fi\n", function,
                           program.name);
}

// ---- fish -----------------------------------------------------------------------------------------------------------

void add_fish(const DescribedCommand &command, const std::string &program, const std::string &seen, std::string &out) {
  std::string condition = seen.empty() ? "__fish_use_subcommand" : seen;
  std::vector<std::string> names;
  for (const DescribedCommand &inner : command.commands) {
    names.push_back(inner.name);
  }
  if (!seen.empty() && !names.empty()) {
    condition += "; and not __fish_seen_subcommand_from " + joined(names);
  }
  const std::string start = fmt::format("complete -c {} -n {}", program, in_quotes(condition));
  for (const DescribedOption &option : command.options) {
    if (option.names.empty() && option.choices.empty()) {
      continue; // fish completes files by itself
    }
    out += start;
    for (const std::string &name : option.names) {
      write(out, " {} {}", name.starts_with("--") ? "-l" : "-s", name.substr(name.starts_with("--") ? 2 : 1));
    }
    if (!option.choices.empty()) {
      write(out, " {} -a {}", option.names.empty() ? "-f" : "-x", in_quotes(joined(option.choices)));
    } else if (!option.value.empty()) {
      out += takes_path(option) ? " -r -F" : " -x";
    }
    write(out, " -d {}\n", in_quotes(option.description));
  }
  for (const DescribedCommand &inner : command.commands) {
    write(out, "{} -f -a {} -d {}\n", start, inner.name, in_quotes(inner.description));
  }
  for (const DescribedCommand &inner : command.commands) {
    add_fish(inner, program, (seen.empty() ? "" : seen + "; and ") + "__fish_seen_subcommand_from " + inner.name, out);
  }
}

std::string fish_script(const DescribedCommand &program) {
  std::string out = fmt::format("# Completion of {} for fish.\n", program.name);
  add_fish(program, program.name, "", out);
  return out;
}

} // namespace

std::string completion_script(const DescribedCommand &program, std::string_view shell) {
  return shell == "bash" ? bash_script(program) : shell == "zsh" ? zsh_script(program) : fish_script(program);
}

void add_completion(CLI::App &app, int &exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand("completion", "Print a script that completes this command line in a shell");
  command->footer(R"(For bash:  deepperf completion bash >~/.local/share/bash-completion/completions/deepperf
For zsh:   deepperf completion zsh >DIR/_deepperf, where DIR is a folder of $fpath
For fish:  deepperf completion fish >~/.config/fish/completions/deepperf.fish)");
  command->add_option("shell", *shell, "Which shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("bash|zsh|fish");
  command->callback([shell, &app, &exit_code] {
    exit_code = write_output("", completion_script(describe(app), *shell), stdout) ? kClean : kTrouble;
  });
}

} // namespace deepperf::cli
