#include "cli/commands.h"
#include "cli/output.h"
#include "cli/study/study_commands.h"
#include "study/files.h"
#include "study/html_report.h"
#include "study/table.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

namespace deepperf::cli {

namespace {

struct ReportArguments {
  std::string input;
  std::string output;
  std::string tables;
  std::vector<std::string> by;
  std::vector<std::string> crossed;
  std::string title;
  std::string separator;
};

// "Posts per year" → posts-per-year
std::string file_name(const std::string &title) {
  std::string name;
  for (const char c : title) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool plain = (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9') || low == '_';
    if (plain) {
      name += low;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name.empty() ? "table" : name;
}

void write_tables(const std::string &folder, const std::vector<study::Grid> &grids) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(fmt::format("{} cannot be created: {}", folder, error.message()));
  }
  std::string markdown;
  study::write_grids(grids, study::GridFormat::Markdown, markdown);
  study::write_file(folder + "/tables.md", markdown);
  for (std::size_t i = 0; i < grids.size(); ++i) {
    std::string csv;
    study::write_grid(grids[i], study::GridFormat::Csv, csv);
    study::write_file(fmt::format("{}/{:02}-{}.csv", folder, i + 1, file_name(grids[i].title)), csv);
  }
}

int write_report(const ReportArguments &arguments) {
  if (arguments.separator.size() > 1) {
    throw CLI::ValidationError("--several takes one character, such as ';'");
  }
  study::ReportOptions options;
  options.title = arguments.title;
  options.by = arguments.by;
  options.separator = arguments.separator.empty() ? '\0' : arguments.separator[0];
  for (const std::string &pair : arguments.crossed) {
    const std::vector<std::string_view> names = study::split_list(pair, ',');
    if (names.size() != 2) {
      throw CLI::ValidationError(fmt::format("--cross takes two columns with a comma between them, not '{}'", pair));
    }
    options.crossed.emplace_back(names[0], names[1]);
  }
  const study::Report report = study::make_report(study::read_table(arguments.input), options);
  study::write_file(arguments.output, report.html);
  if (!arguments.tables.empty()) {
    write_tables(arguments.tables, report.tables);
  }
  const std::string text =
      fmt::format("{}: {} tables and their charts{}\n", arguments.output, report.tables.size(),
                  arguments.tables.empty() ? "" : fmt::format("; as CSV and Markdown in {}", arguments.tables));
  return write_text(text) ? kClean : kTrouble;
}

} // namespace

void add_study_report(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App *command = study.add_subcommand("report", "Show posts in charts, on a self-contained HTML page");
  command->add_option("posts", arguments->input, "A store of posts, or a CSV or TSV file")
      ->required()
      ->type_name("FILE");
  command->add_option("--output,-o", arguments->output, "The HTML page to write")->required()->type_name("FILE.html");
  command->add_option("--tables", arguments->tables, "Write the tables as CSV and Markdown into this folder")
      ->type_name("FOLDER");
  command->add_option("--by", arguments->by, "A column to group by; repeatable (default: what the studies use)")
      ->type_name("COLUMN");
  command->add_option("--cross", arguments->crossed, "Two columns: ROWS,COLUMNS; repeatable")->type_name("COLUMNS");
  command->add_option("--title", arguments->title, "The page's title")->type_name("TEXT");
  command
      ->add_option("--several", arguments->separator, "Cells may contain several labels, separated by this character")
      ->type_name("CHARACTER");
  command->callback([arguments, &exit_code] { exit_code = write_report(*arguments); });
}

} // namespace deepperf::cli
