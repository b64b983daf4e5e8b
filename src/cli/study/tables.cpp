#include "cli/study/tables.h"

#include "cli/commands.h"
#include "cli/output.h"

#include <fmt/format.h>

#include <cstdio>

namespace deepperf::cli {

void add_table_output(CLI::App &command, TableOutput &output) {
  command.add_option("--format", output.format, "Output format of tables (default: text)")
      ->check(CLI::IsMember({"text", "markdown", "csv"}))
      ->type_name("text|markdown|csv");
  command.add_option("--output,-o", output.path, "Write to this file")->type_name("FILE");
}

int print_tables(const TableOutput &output, const std::vector<study::Grid> &grids) {
  const study::GridFormat format = output.format == "csv"        ? study::GridFormat::Csv
                                   : output.format == "markdown" ? study::GridFormat::Markdown
                                                                 : study::GridFormat::Text;
  std::string text;
  study::write_grids(grids, format, text);
  const bool is_read_by_people = format != study::GridFormat::Csv && output.path.empty();
  const bool written = is_read_by_people ? write_text(text) : write_data(output.path, text, stdout);
  return written ? kClean : kTrouble;
}

int print_posts(const std::string &path, const study::CsvTable &posts) {
  std::string text;
  study::append_csv(posts.header, text);
  for (const study::CsvRow &row : posts.rows) {
    study::append_csv(row, text);
  }
  if (!write_data(path, text, stdout)) {
    return kTrouble;
  }
  if (!path.empty()) {
    return write_text(fmt::format("{}: {} posts\n", path, posts.rows.size())) ? kClean : kTrouble;
  }
  return kClean;
}

} // namespace deepperf::cli
