#include "cli/commands.h"
#include "cli/study/study_commands.h"
#include "cli/study/tables.h"
#include "study/agreement.h"
#include "study/files.h"
#include "study/table.h"
#include "study/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>

namespace deepperf::cli {

namespace {

struct AgreeArguments {
  std::string first;
  std::string second; // empty: both raters are in the first
  std::vector<std::string> pairs;
  std::vector<std::string> labels;
  std::string id = "id";
  std::string merged;
  TableOutput output;
};

// What two raters said of the same items, side by side.
struct Rated {
  std::string name;
  std::vector<std::string_view> first;
  std::vector<std::string_view> second;
};

struct Sheets {
  study::Table first;
  study::Table second;           // empty if both raters are in one file
  std::vector<std::size_t> rows; // of the second, for each row of the first
  u64 only_first = 0;
  u64 only_second = 0;
};

std::vector<std::string_view> column(const study::Table &table, std::string_view name) {
  const std::size_t index = table.need(name);
  std::vector<std::string_view> cells;
  for (std::size_t row = 0; row < table.size(); ++row) {
    cells.push_back(study::trim(table.cell(row, index)));
  }
  return cells;
}

constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

std::map<std::string_view, std::size_t> rows_by_id(const study::Table &table, std::string_view id) {
  const std::vector<std::string_view> ids = column(table, id);
  std::map<std::string_view, std::size_t> rows;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    if (!rows.emplace(ids[row], row).second) {
      throw std::runtime_error(fmt::format("{} has the {} '{}' twice", table.source, id, study::shorten(ids[row], 40)));
    }
  }
  return rows;
}

Sheets read_sheets(const AgreeArguments &arguments) {
  Sheets sheets;
  sheets.first = study::read_table(arguments.first);
  if (arguments.second.empty()) {
    return sheets;
  }
  sheets.second = study::read_table(arguments.second);
  const std::map<std::string_view, std::size_t> second = rows_by_id(sheets.second, arguments.id);
  sheets.rows.assign(sheets.first.size(), kNoRow);
  for (const auto &[id, row] : rows_by_id(sheets.first, arguments.id)) {
    if (const auto found = second.find(id); found != second.end()) {
      sheets.rows[row] = found->second;
    }
  }
  sheets.only_first = static_cast<u64>(std::ranges::count(sheets.rows, kNoRow));
  sheets.only_second = second.size() - (sheets.rows.size() - sheets.only_first);
  return sheets;
}

std::vector<Rated> rated(const AgreeArguments &arguments, const Sheets &sheets) {
  std::vector<Rated> all;
  if (arguments.second.empty()) {
    for (const std::string &pair : arguments.pairs) {
      const std::vector<std::string_view> names = study::split_list(pair, ',');
      if (names.size() != 2) {
        throw CLI::ValidationError(fmt::format("--pair takes two columns with a comma between them, not '{}'", pair));
      }
      all.push_back({fmt::format("{} and {}", names[0], names[1]), column(sheets.first, names[0]),
                     column(sheets.first, names[1])});
    }
    return all;
  }
  for (const std::string &label : arguments.labels) {
    Rated &one = all.emplace_back();
    one.name = label;
    one.first = column(sheets.first, label);
    const std::vector<std::string_view> second = column(sheets.second, label);
    for (const std::size_t row : sheets.rows) {
      one.second.push_back(row == kNoRow ? std::string_view() : second[row]);
    }
  }
  return all;
}

std::string decimal(double value) { return std::isnan(value) ? "-" : fmt::format("{:.3f}", value); }

void add_details(const Rated &pair, const study::Agreement &found, std::vector<study::Grid> &grids) {
  study::Grid labels;
  labels.title = fmt::format("{}: per label", pair.name);
  labels.columns = {"label", "both", "only first", "only second", "kappa"};
  for (const study::LabelAgreement &label : found.labels) {
    labels.add({study::shorten(label.label, 60), std::to_string(label.both), std::to_string(label.only_first),
                std::to_string(label.only_second), decimal(label.kappa)});
  }
  grids.push_back(std::move(labels));
  if (found.disagreements.empty()) {
    return;
  }
  study::Grid disagreements;
  disagreements.title = fmt::format("{}: disagreements", pair.name);
  disagreements.columns = {"first", "second", "items"};
  std::vector<std::pair<std::pair<std::string, std::string>, u64>> sorted(found.disagreements.begin(),
                                                                          found.disagreements.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  for (const auto &[names, count] : sorted) {
    disagreements.add({study::shorten(names.first, 50), study::shorten(names.second, 50), std::to_string(count)});
  }
  grids.push_back(std::move(disagreements));
}

// The first rater's sheet with what both say; where they differ, both, for somebody to decide.
std::string merge(const Sheets &sheets, const std::vector<Rated> &pairs) {
  std::string out;
  study::CsvRow header = sheets.first.csv.header;
  for (const Rated &pair : pairs) {
    header.push_back(pair.name + " agreed");
    header.push_back(pair.name + " to decide");
  }
  study::append_csv(header, out);
  for (std::size_t row = 0; row < sheets.first.size(); ++row) {
    study::CsvRow cells = sheets.first.csv.rows[row];
    cells.resize(sheets.first.csv.header.size());
    for (const Rated &pair : pairs) {
      const bool same = pair.first[row] == pair.second[row];
      cells.emplace_back(same ? pair.first[row] : std::string_view());
      cells.push_back(same ? "" : fmt::format("{} | {}", pair.first[row], pair.second[row]));
    }
    study::append_csv(cells, out);
  }
  return out;
}

int agree(const AgreeArguments &arguments) {
  if (arguments.second.empty() && arguments.pairs.empty()) {
    throw CLI::ValidationError("with one file, name the raters' columns: --pair rater1,rater2");
  }
  if (!arguments.second.empty() && arguments.labels.empty()) {
    throw CLI::ValidationError("with two files, name the column that both filled in: --label symptom");
  }
  const Sheets sheets = read_sheets(arguments);
  const std::vector<Rated> pairs = rated(arguments, sheets);
  study::Grid summary;
  summary.title = "Agreement beyond chance (Cohen's kappa)";
  summary.columns = {"label", "items", "agreed", "share", "kappa", "from", "to", ""};
  std::vector<study::Grid> details;
  for (const Rated &pair : pairs) {
    const study::Agreement found = study::agreement(pair.first, pair.second);
    if (found.items == 0) {
      throw std::runtime_error(fmt::format("no item has a label of both raters under '{}'", pair.name));
    }
    summary.add({pair.name, std::to_string(found.items), std::to_string(found.agreed), decimal(found.share),
                 decimal(found.kappa), decimal(found.low), decimal(found.high),
                 std::string(study::kappa_word(found.kappa))});
    if (found.one_missing > 0) {
      summary.notes.push_back(
          fmt::format("{}: {} items have a label of one rater only and do not count", pair.name, found.one_missing));
    }
    if (found.both_missing > 0) {
      summary.notes.push_back(fmt::format("{}: {} items have no label of either", pair.name, found.both_missing));
    }
    add_details(pair, found, details);
  }
  if (sheets.only_first + sheets.only_second > 0) {
    summary.notes.push_back(fmt::format("{} items are only in the first file, {} only in the second", sheets.only_first,
                                        sheets.only_second));
  }
  if (!arguments.merged.empty()) {
    study::write_file(arguments.merged, merge(sheets, pairs));
  }
  std::vector<study::Grid> grids = {summary};
  grids.insert(grids.end(), details.begin(), details.end());
  return print_tables(arguments.output, grids);
}

} // namespace

void add_study_agree(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<AgreeArguments>();
  CLI::App *command =
      study.add_subcommand("agree", "Report how far two raters agree, per label, and where they disagree");
  command->add_option("first", arguments->first, "The first rater's file, or one with both raters' columns")
      ->required()
      ->type_name("FILE");
  command->add_option("second", arguments->second, "The second rater's file")->type_name("FILE");
  command->add_option("--pair", arguments->pairs, "Two columns of one file: FIRST,SECOND; repeatable")
      ->type_name("COLUMNS");
  command->add_option("--label", arguments->labels, "A column that is in both files; repeatable")->type_name("COLUMN");
  command->add_option("--id", arguments->id, "The column that identifies matching rows (default: id)")
      ->type_name("COLUMN");
  command->add_option("--merge", arguments->merged, "Write one sheet with agreed labels and those still to decide")
      ->type_name("FILE");
  add_table_output(*command, arguments->output);
  command->callback([arguments, &exit_code] { exit_code = agree(*arguments); });
}

} // namespace deepperf::cli
