#include "base/write.h"
#include "cli/command_line.h"
#include "cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

namespace deepperf::cli {

namespace {

// What is text to us must not be a request or a special character to troff.
std::string for_troff(std::string_view text) {
  std::string result;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) {
      result += "\\&";
    }
    at_start = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string shown_value(const DescribedOption &option) {
  return fmt::format("\\fI{}\\fR{}", for_troff(option.value), option.is_list ? "..." : "");
}

void add_option(const DescribedOption &option, std::string &out) {
  out += ".TP\n";
  std::vector<std::string> names;
  for (const std::string &name : option.names) {
    names.push_back("\\fB" + for_troff(name) + "\\fR");
  }
  write(out, "{}{}{}\n{}\n", fmt::join(names, ", "), names.empty() || option.value.empty() ? "" : " ",
        option.value.empty() ? "" : shown_value(option), for_troff(option.description));
  // What the value's name says already need not be listed; nor need hundreds of rules.
  if (!option.choices.empty() && option.choices.size() < 20 && option.value.find('|') == std::string::npos) {
    write(out, "One of {}.\n", for_troff(fmt::format("{}", fmt::join(option.choices, ", "))));
  }
}

// Paragraphs; a line that is indented or has columns stays a line.
void add_notes(std::string_view notes, std::string &out) {
  out += ".PP\n";
  while (!notes.empty()) {
    const std::size_t end = std::min(notes.find('\n'), notes.size());
    const std::string_view line = notes.substr(0, end);
    notes.remove_prefix(std::min(end + 1, notes.size()));
    if (line.empty()) {
      out += ".PP\n";
    } else if (line.find("  ") != std::string_view::npos) {
      write(out, ".nf\n{}\n.fi\n", for_troff(line));
    } else {
      out += for_troff(line) + "\n";
    }
  }
}

void add_command(const DescribedCommand &command, const std::string &path, std::string &out) {
  if (!command.commands.empty()) {
    for (const DescribedCommand &inner : command.commands) {
      add_command(inner, path + " " + inner.name, out);
    }
    return;
  }
  write(out, ".SS \"{}\"\n{}.\n", for_troff(path), for_troff(command.description));
  for (const DescribedOption &option : command.options) {
    if (option.names.empty()) {
      add_option(option, out);
    }
  }
  for (const DescribedOption &option : command.options) {
    if (!option.names.empty() && option.names.back() != "--help") {
      add_option(option, out);
    }
  }
  if (!command.notes.empty()) {
    add_notes(command.notes, out);
  }
}

} // namespace

std::string manual_page(const DescribedCommand &program) {
  std::string out;
  write(out, R"(.TH DEEPPERF 1 "" "{0} {1}" "User Commands"
.SH NAME
{0} \- find what makes deep\-learning code slow or wrong, before it runs
.SH SYNOPSIS
.B {0}
.I COMMAND
.RI [ OPTION "]... [" ARGUMENT ]...
.SH DESCRIPTION
{2}
Every command explains its options with
.BR \-\-help .
.SH OPTIONS
)",
        program.name, DEEPPERF_VERSION, for_troff(program.description));
  for (const DescribedOption &option : program.options) {
    add_option(option, out);
  }
  out += ".SH COMMANDS\n";
  for (const DescribedCommand &command : program.commands) {
    add_command(command, command.name, out);
  }
  out += R"(.SH FILES
.TP
.IR deepperf.toml ", " pyproject.toml
Settings of a project; the nearest file above the checked path applies.
.TP
.I ~/.cache/deepperf
Results of unchanged files. It can be deleted at any time.
)";
  return out;
}

void add_manual(CLI::App &app, int &exit_code) {
  CLI::App *command = app.add_subcommand("manual", "Print the manual page, for man(1)");
  command->footer("To read it: deepperf manual | man -l -");
  command->callback(
      [&app, &exit_code] { exit_code = write_output("", manual_page(describe(app)), stdout) ? kClean : kTrouble; });
}

} // namespace deepperf::cli
