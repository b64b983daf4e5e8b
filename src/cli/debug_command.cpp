#include "base/arena.h"
#include "base/printable.h"
#include "base/workers.h"
#include "check/why.h"
#include "cli/commands.h"
#include "model/debug_print.h"
#include "python/cpython_dump.h"
#include "python/lexer.h"
#include "python/parser.h"
#include "python/source.h"
#include "python/token_dump.h"
#include "python/tree_dump.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

namespace deepperf::cli {

namespace {

struct AstArguments {
  std::vector<std::string> files;
  std::string format = "tree";
  bool attributes = false;
  bool stdin_list = false;
};

// For people; a full disk is noticed at the end.
void print(std::string &text) {
  const std::string shown = printable_lines(text);
  std::fwrite(shown.data(), 1, shown.size(), stdout);
  text.clear();
}

// For a program that compares.
void print_raw(std::string &text) {
  if (isatty(STDOUT_FILENO) != 0) {
    return print(text);
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  text.clear();
}

void print_error(const python::Source &source, const python::SyntaxError &error) {
  const python::Position position = source.position(error.span.start);
  std::fprintf(stderr, "%s:%u:%u: syntax error: %s\n", printable(source.path).c_str(), position.line, position.column,
               printable(error.message).c_str());
}

// False, and says why, if the file cannot be read.
bool load(const std::string &path, python::Source &source) {
  std::vector<python::SourceError> errors;
  if (python::load_file_into(path, source, errors)) {
    return true;
  }
  for (const python::SourceError &error : errors) {
    std::fprintf(stderr, "%s: %s\n", printable(path).c_str(), printable(error.message).c_str());
  }
  return false;
}

// One line of output for each path on standard input, empty where a file cannot be read: made for comparing thousands.
int dump_list(const AstArguments &arguments) {
  Arena arena;
  LocalSymbols symbols;
  python::Source source;
  std::string out;
  std::string path;
  while (std::getline(std::cin, path)) {
    if (load(path, source)) {
      arena.reset();
      const python::Tree tree = python::parse(source, arena, symbols);
      python::dump_cpython(source, tree, arguments.attributes, out);
    }
    out += '\n';
    print_raw(out);
    std::fflush(stdout);
  }
  return kClean;
}

int dump_ast(const AstArguments &arguments) {
  int exit_code = kClean;
  Arena arena;
  LocalSymbols symbols;
  python::Source source;
  std::string out;
  for (const std::string &path : arguments.files) {
    if (!load(path, source)) {
      exit_code = kTrouble;
      continue;
    }
    arena.reset();
    const python::Tree tree = python::parse(source, arena, symbols);
    if (arguments.format == "cpython") {
      python::dump_cpython(source, tree, arguments.attributes, out);
      out += '\n';
      print_raw(out);
    } else {
      python::dump_tree(source, tree, out);
      print(out);
    }
    for (const python::SyntaxError &error : tree.errors) {
      print_error(source, error);
      exit_code = std::max<int>(exit_code, kFindings);
    }
  }
  return exit_code;
}

int dump_tokens(const std::vector<std::string> &files) {
  int exit_code = kClean;
  LocalSymbols symbols;
  python::Source source;
  std::string out;
  for (const std::string &path : files) {
    if (!load(path, source)) {
      exit_code = kTrouble;
      continue;
    }
    python::dump_tokens(source, symbols, out);
    print(out);
  }
  return exit_code;
}

// Several files are analyzed together, as those of a project that import each other are.
int dump_model(const std::vector<std::string> &files,
               const std::function<void(model::Project &, std::string &)> &write) {
  int exit_code = kClean;
  Arena arena;
  LocalSymbols symbols;
  std::deque<model::ParsedFile> parsed;
  std::vector<model::ParsedFile *> group;
  for (const std::string &path : files) {
    model::ParsedFile file;
    if (!load(path, file.source)) {
      exit_code = kTrouble;
      continue;
    }
    file.path = path;
    file.index = {static_cast<u32>(parsed.size())};
    file.tree = python::parse(file.source, arena, symbols);
    model::find_imports(file);
    for (const python::SyntaxError &error : file.tree.errors) {
      print_error(file.source, error);
      exit_code = std::max<int>(exit_code, kFindings);
    }
    group.push_back(&parsed.emplace_back(std::move(file)));
  }
  const std::unique_ptr<model::Project> project = model::analyse(group);
  std::string out;
  write(*project, out);
  print(out);
  return exit_code;
}

// The deepest trees need more stack than the main thread may have.
template <class Function> int run_on_large_stack(Function function) {
  int exit_code = kTrouble;
  on_large_stack([&] { exit_code = function(); });
  return exit_code;
}

void add_tokens(CLI::App &debug, int &exit_code) {
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App *command = debug.add_subcommand("tokens", "Print the tokens of Python files, one per line");
  command->add_option("files", *files, "Python files or notebooks")->required()->type_name("FILE...");
  command->callback([files, &exit_code] { exit_code = dump_tokens(*files); });
}

void add_ast(CLI::App &debug, int &exit_code) {
  auto arguments = std::make_shared<AstArguments>();
  CLI::App *command = debug.add_subcommand("ast", "Print the syntax tree of Python files");
  command->add_option("files", arguments->files, "Python files or notebooks")->type_name("FILE...");
  command->add_option("--format", arguments->format, "tree: one node per line; cpython: like ast.dump of Python 3.11")
      ->check(CLI::IsMember({"tree", "cpython"}))
      ->type_name("tree|cpython");
  command->add_flag("--attributes", arguments->attributes, "With cpython: like ast.dump(…, include_attributes=True)");
  command->add_flag("--stdin-list", arguments->stdin_list,
                    "With cpython: read paths from standard input and print one line for each");
  command->callback([arguments, &exit_code] {
    if (arguments->stdin_list) {
      exit_code = run_on_large_stack([&] { return dump_list(*arguments); });
    } else if (arguments->files.empty()) {
      throw CLI::RequiredError("FILE");
    } else {
      exit_code = run_on_large_stack([&] { return dump_ast(*arguments); });
    }
  });
}

void add_model(CLI::App &debug, int &exit_code, const std::string &name, const std::string &help,
               const std::function<void(model::Project &, std::string &)> &write) {
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App *command = debug.add_subcommand(name, help);
  command->footer("Several files are analyzed together, as one project.");
  command->add_option("files", *files, "Python files or notebooks")->required()->type_name("FILE...");
  command->callback(
      [files, write, &exit_code] { exit_code = run_on_large_stack([&] { return dump_model(*files, write); }); });
}

// ---- why ------------------------------------------------------------------------------------------------------------

// The folder that a file's project begins at: the nearest one around it that git knows, or its own.
std::string project_of(const std::string &path) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::path(path).parent_path();
  const std::filesystem::path start = std::filesystem::absolute(own.empty() ? "." : own, error);
  std::filesystem::path relative = own.empty() ? "." : own;
  for (std::filesystem::path at = start; at.has_relative_path(); at = at.parent_path(), relative /= "..") {
    if (std::filesystem::exists(at / ".git", error)) {
      return relative.lexically_normal().string();
    }
  }
  return own.empty() ? "." : own.string();
}

// FILE:LINE, and FILE:CELL:LINE of a notebook. False if it is neither.
bool read_place(const std::string &place, check::WhyQuestion &question) {
  const auto take_number = [](std::string &text, u32 &number) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) {
      return false;
    }
    const char *const end = text.data() + text.size();
    const auto [behind, error] = std::from_chars(text.data() + colon + 1, end, number);
    if (error != std::errc() || behind != end || number == 0) {
      return false;
    }
    text.resize(colon);
    return true;
  };
  question.path = place;
  if (!take_number(question.path, question.line)) {
    return false;
  }
  if (question.path.find(".ipynb:") != std::string::npos) {
    return take_number(question.path, question.cell);
  }
  return !question.path.empty();
}

int explain_why(const std::string &place, const std::string &rule, std::vector<std::string> around) {
  check::WhyQuestion question;
  if (!read_place(place, question)) {
    throw CLI::ValidationError("expected FILE:LINE, or FILE.ipynb:CELL:LINE for a notebook, not '" + place + "'");
  }
  if (!rule.empty()) {
    const auto rules = rules::all_rules();
    const auto found = std::ranges::find_if(
        rules, [&](const rules::RuleInfo *info) { return info->code == rule || info->name == rule; });
    if (found == rules.end()) {
      throw CLI::ValidationError("there is no rule '" + rule + "'; `deepperf rules` lists them");
    }
    question.rule = *found;
  }
  question.around = around.empty() ? std::vector{project_of(question.path)} : std::move(around);
  check::WhyAnswer answer = check::explain_line(question);
  std::fputs(printable_lines(answer.text).c_str(), answer.found ? stdout : stderr);
  return answer.found ? kClean : kTrouble;
}

void add_why(CLI::App &debug, int &exit_code) {
  struct DebugArguments {
    std::string place;
    std::string rule;
    std::vector<std::string> around;
  };
  auto arguments = std::make_shared<DebugArguments>();
  CLI::App *command = debug.add_subcommand("why", "Print what rules ask about a line, and what the engine answers");
  command->footer("The file is analyzed with the rest of its repository, or with the given paths. Without a rule, all "
                  "rules\nthat check something beginning on the line are shown.");
  command->add_option("place", arguments->place, "The line, or FILE.ipynb:CELL:LINE")
      ->required()
      ->type_name("FILE:LINE");
  command->add_option("rule", arguments->rule, "Code or name of a rule")->type_name("RULE");
  command->add_option("--with", arguments->around, "Files and folders to analyze together with the file")
      ->type_name("PATH...");
  command->callback([arguments, &exit_code] {
    exit_code = run_on_large_stack(
        [&] { return explain_why(arguments->place, arguments->rule, std::move(arguments->around)); });
  });
}

} // namespace

void add_debug(CLI::App &app, int &exit_code) {
  CLI::App *debug = app.add_subcommand("debug", "Show what deepperf knows about a file");
  debug->require_subcommand(1);
  add_tokens(*debug, exit_code);
  add_ast(*debug, exit_code);
  add_model(*debug, exit_code, "model", "Print modules, functions and classes, and the value of every name",
            [](model::Project &project, std::string &out) { model::print_model(project, out); });
  add_model(*debug, exit_code, "summaries", "Print which operations a call of each function leads to",
            [](model::Project &project, std::string &out) { model::print_summaries(project, out); });
  add_model(*debug, exit_code, "pipelines", "Print the tf.data pipelines, stage by stage",
            [](model::Project &project, std::string &out) { model::print_pipelines(project, out); });
  add_why(*debug, exit_code);
}

} // namespace deepperf::cli
