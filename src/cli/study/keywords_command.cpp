#include "cli/commands.h"
#include "cli/study/study_commands.h"
#include "cli/study/tables.h"
#include "study/files.h"
#include "study/keywords.h"
#include "study/table.h"
#include "study/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>

namespace deepperf::cli {

namespace {

struct KeywordsArguments {
  std::string input;
  std::string columns;
  std::string list;
  std::string matched;
  TableOutput output;
};

struct Counted {
  std::string name;
  study::KeywordFilter filter;
  u64 posts = 0;
  std::vector<u64> hits;

  Counted(std::string list_name, std::vector<std::string> keywords)
      : name(std::move(list_name)), filter(std::move(keywords)), hits(filter.keywords().size()) {}
};

std::string text_of(const study::Table &table, std::size_t row, const std::vector<std::size_t> &columns) {
  std::string text;
  for (const std::size_t column : columns) {
    const std::string_view cell = table.cell(row, column);
    text += table.csv.header[column] == "body" ? study::split_post(cell).prose : study::decode_entities(cell);
    text += '\n';
  }
  return text;
}

std::vector<Counted> lists_of(const KeywordsArguments &arguments) {
  std::vector<Counted> lists;
  if (!arguments.list.empty()) {
    lists.emplace_back(arguments.list, study::read_keywords(arguments.list));
  } else {
    lists.emplace_back("as published", study::published_keywords());
    lists.emplace_back("corrected", study::corrected_keywords());
  }
  return lists;
}

std::vector<study::Grid> tables_of(const std::vector<Counted> &lists, u64 posts) {
  study::Grid summary;
  summary.title = "Posts that contain a keyword";
  summary.columns = {"list", "keywords", "posts", "of", "share"};
  for (const Counted &list : lists) {
    summary.add({list.name, std::to_string(list.filter.keywords().size()), std::to_string(list.posts),
                 std::to_string(posts),
                 fmt::format("{:.1f}%", 100.0 * static_cast<double>(list.posts) / static_cast<double>(posts))});
    const std::vector<std::string> impossible = study::impossible_keywords(list.filter.keywords());
    if (!impossible.empty()) {
      summary.notes.push_back(
          fmt::format("{}: can never match, because they are not stems: {}", list.name, fmt::join(impossible, ", ")));
    }
  }
  study::Grid hits;
  hits.title = "Posts per keyword";
  hits.columns = {"keyword"};
  for (const Counted &list : lists) {
    hits.columns.push_back(list.name);
  }
  const std::vector<std::string> &first = lists.front().filter.keywords();
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::string &last = lists.back().filter.keywords()[i];
    std::vector<std::string> row = {first[i] == last ? first[i] : fmt::format("{} / {}", first[i], last)};
    for (const Counted &list : lists) {
      row.push_back(std::to_string(list.hits[i]));
    }
    hits.add(std::move(row));
  }
  return {summary, hits};
}

int count_keywords(const KeywordsArguments &arguments) {
  const study::Table table = study::read_table(arguments.input);
  const std::vector<std::size_t> columns = study::need_columns(table, !arguments.columns.empty() ? arguments.columns
                                                                      : table.has("body")        ? "title,body"
                                                                                                 : "title");
  std::vector<Counted> lists = lists_of(arguments);
  std::string matched;
  if (!arguments.matched.empty()) {
    study::CsvRow header = table.csv.header;
    header.emplace_back("keywords");
    study::append_csv(header, matched);
  }
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string text = text_of(table, row, columns);
    for (Counted &list : lists) {
      const std::vector<std::size_t> found = list.filter.matches(text);
      list.posts += static_cast<u64>(!found.empty());
      std::vector<std::string_view> names;
      for (const std::size_t index : found) {
        ++list.hits[index];
        names.push_back(list.filter.keywords()[index]);
      }
      if (!matched.empty() && !found.empty() && &list == &lists.back()) {
        study::CsvRow cells = table.csv.rows[row];
        cells.resize(table.csv.header.size());
        cells.push_back(fmt::format("{}", fmt::join(names, "; ")));
        study::append_csv(cells, matched);
      }
    }
  }
  if (!arguments.matched.empty()) {
    study::write_file(arguments.matched, matched);
  }
  return print_tables(arguments.output, tables_of(lists, table.size()));
}

} // namespace

void add_study_keywords(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<KeywordsArguments>();
  CLI::App *command = study.add_subcommand(
      "keywords", "Count the posts that DLPerf's keyword filter selects, as published and corrected");
  command->add_option("posts", arguments->input, "A store of posts, or a CSV or TSV file")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--text", arguments->columns,
                   "Columns to read, separated by commas (default: title, and body if there is one)")
      ->type_name("COLUMNS");
  command->add_option("--keywords", arguments->list, "Another keyword list: one or two stems per line")
      ->type_name("FILE");
  command->add_option("--matched", arguments->matched, "Write the posts that match (the corrected list) as CSV")
      ->type_name("FILE");
  add_table_output(*command, arguments->output);
  command->callback([arguments, &exit_code] { exit_code = count_keywords(*arguments); });
}

} // namespace deepperf::cli
