#include "cli/commands.h"
#include "cli/study/study_commands.h"
#include "cli/study/tables.h"
#include "study/summary.h"
#include "study/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

namespace deepperf::cli {

namespace {

struct StatsArguments {
  std::string input;
  std::vector<std::string> by;
  std::vector<std::string> crossed;
  std::string separator;
  TableOutput output;
};

// Without one, the first line is more likely a row than column names.
void need_known_column(const study::Table &table) {
  constexpr std::array kKnown = {"id", "title", "body", "score", "views", "answers", "accepted_id", "accepted"};
  if (std::ranges::none_of(kKnown, [&](const char *name) { return table.has(name); })) {
    throw std::runtime_error(fmt::format(
        "{} has no known column, such as {}; its first line should name the columns. --by groups by any other column",
        table.source, fmt::join(kKnown, ", ")));
  }
}

int print_stats(const StatsArguments &arguments) {
  if (arguments.separator.size() > 1) {
    throw CLI::ValidationError("--several takes one character, such as ';'");
  }
  const char separator = arguments.separator.empty() ? '\0' : arguments.separator[0];
  const study::Table table = study::read_table(arguments.input);
  const study::Facts facts = study::read_facts(table);
  std::vector<std::string> by = arguments.by;
  if (by.empty() && arguments.crossed.empty()) { // what there is to group by without being told
    for (const auto &[name, source] : {std::pair{"framework", "tags"}, std::pair{"year", "created"}}) {
      if (table.has(name) || table.has(source)) {
        by.emplace_back(name);
      }
    }
  }
  std::vector<study::Grid> grids;
  grids.reserve(by.size());
  for (const std::string &column : by) {
    grids.push_back(study::group_grid(facts, study::groups_of(table, column, separator), "By " + column));
  }
  for (const std::string &pair : arguments.crossed) {
    const std::vector<std::string_view> names = study::split_list(pair, ',');
    if (names.size() != 2) {
      throw CLI::ValidationError(fmt::format("--cross takes two columns with a comma between them, not '{}'", pair));
    }
    grids.push_back(study::cross_grid(
        study::cross(study::groups_of(table, names[0], separator), study::groups_of(table, names[1], separator)),
        fmt::format("{} (rows) by {}", names[0], names[1])));
  }
  study::Grid correlations = study::correlation_grid(facts);
  if (!correlations.rows.empty() && arguments.crossed.empty()) {
    grids.push_back(std::move(correlations));
  }
  if (grids.empty()) {
    need_known_column(table);
    grids.push_back(
        study::group_grid(facts, std::vector<std::vector<std::string>>(table.size(), {"posts"}), "All posts"));
  }
  if (facts.unreadable > 0) {
    grids.back().notes.push_back(
        fmt::format("{} numbers or times could not be read and do not count", facts.unreadable));
  }
  return print_tables(arguments.output, grids);
}

} // namespace

void add_study_stats(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<StatsArguments>();
  CLI::App *command = study.add_subcommand(
      "stats", "Popularity and difficulty by framework, year or label; correlations; cross tables");
  command->add_option("posts", arguments->input, "A store of posts, or a CSV or TSV file")
      ->required()
      ->type_name("FILE");
  command->add_option("--by", arguments->by, "A column to group by, or framework or year; repeatable")
      ->type_name("COLUMN");
  command->add_option("--cross", arguments->crossed, "Two columns: ROWS,COLUMNS; repeatable")->type_name("COLUMNS");
  command
      ->add_option("--several", arguments->separator, "Cells may contain several labels, separated by this character")
      ->type_name("CHARACTER");
  add_table_output(*command, arguments->output);
  command->callback([arguments, &exit_code] { exit_code = print_stats(*arguments); });
}

} // namespace deepperf::cli
