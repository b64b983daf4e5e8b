#include "base/printable.h"
#include "base/workers.h"
#include "check/project_around.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/shapes_output.h"
#include "report/shapes_html.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace deepperf::cli {

namespace {

struct ShapesArguments {
  std::vector<std::string> files;
  std::vector<std::string> around;
  std::string entry;
  std::vector<std::string> inputs;
  std::string format = "text";
  std::string out;
  u32 line = 0;
  i64 batch = 32;
};

int run(const ShapesArguments &arguments) {
  if (arguments.format == "html") {
    if (const std::string missing = report::missing_shapes_page(); !missing.empty()) {
      complain(missing);
      return kTrouble;
    }
    if (arguments.files.size() != 1) {
      throw CLI::ValidationError("--format html takes only one file");
    }
  }
  shapes::AnalysisOptions options;
  options.for_people = true;
  options.entry = arguments.entry;
  for (const std::string &text : arguments.inputs) {
    std::string error;
    shapes::GivenInput input;
    if (!shapes::read_input(text, input, error)) {
      throw CLI::ValidationError("--input " + text + ": " + error);
    }
    options.inputs.push_back(std::move(input));
  }
  int exit_code = kClean;
  std::string text;
  for (const std::string &path : arguments.files) {
    const std::string error = check::with_project_around(
        path, arguments.around, [&](const model::Project &project, const model::Module &module) {
          shapes::AnalysisOptions own = options;
          own.only = &module;
          const std::unique_ptr<shapes::Analysis> analysis = shapes::analyse(project, own);
          if (!analysis->is_entry_found) {
            complain(fmt::format("{} has no class or function '{}'", path, arguments.entry));
            exit_code = kTrouble;
            return;
          }
          const ShapesFormat format{arguments.batch, arguments.line};
          if (arguments.format == "html") {
            report::write_shapes_html(shapes_json(*analysis, module, format), text);
          } else if (arguments.format == "json") {
            text += shapes_json(*analysis, module, format);
          } else {
            text += shapes_text(*analysis, module, format);
          }
        });
    if (!error.empty()) {
      complain(error);
      exit_code = kTrouble;
    }
  }
  const bool is_written = arguments.format == "text" ? write_output(arguments.out, printable_lines(text), stdout)
                                                     : write_data(arguments.out, text, stdout);
  return is_written ? exit_code : kTrouble;
}

} // namespace

void add_shapes(CLI::App &app, int &exit_code) {
  auto arguments = std::make_shared<ShapesArguments>();
  CLI::App *command =
      app.add_subcommand("shapes", "Show the shapes of a model's layers and operations, without running it");
  command->footer("Sizes that the code does not specify are symbols: [N, 3, H, W].");
  command->add_option("files", arguments->files, "Python files or notebooks; each is reported separately")
      ->required()
      ->type_name("FILE...");
  command->add_option("--entry", arguments->entry, "One class or function, instead of everything the file runs")
      ->type_name("NAME");
  command
      ->add_option("--input", arguments->inputs, "The arguments of the entry, such as \"x: [N, 3, 224, 224] float32\"")
      ->type_name("INPUT");
  command->add_option("--with", arguments->around, "Files and folders to analyze together with the file")
      ->type_name("PATH...");
  command->add_option("--line", arguments->line, "Only the operations on this line")->type_name("N");
  command->add_option("--batch", arguments->batch, "The batch size to estimate memory for")->type_name("N");
  command
      ->add_option("--format", arguments->format,
                   "text: a table; json: for programs; html: a diagram of the model, for a browser")
      ->check(CLI::IsMember({"text", "json", "html"}))
      ->type_name("text|json|html");
  command->add_option("-o,--output", arguments->out, "Write to a file instead of standard output")->type_name("FILE");
  command->callback([arguments, &exit_code] {
    exit_code = kTrouble;
    on_large_stack([&] { exit_code = run(*arguments); });
  });
}

} // namespace deepperf::cli
