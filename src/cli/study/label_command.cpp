#include "cli/commands.h"
#include "cli/output.h"
#include "cli/study/study_commands.h"
#include "cli/study/tables.h"
#include "study/files.h"
#include "study/label.h"
#include "study/model_file.h"
#include "study/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace deepperf::cli {

namespace {

struct LabelArguments {
  std::string input;
  std::string scheme = "liu";
  std::string text;
  std::string model;
  std::string output;
  std::string review;
  bool blind = false;
};

struct NamedProposal {
  std::string name;
  study::Proposal proposal;
};

std::vector<NamedProposal> propose(const std::string &scheme, const study::Document &document) {
  if (scheme == "liu") {
    const study::HowToLabel label = study::label_how_to(document.title);
    return {{"verb", label.verb}, {"object", label.object}, {"phase", label.phase}};
  }
  const study::PerformanceLabel label = study::label_performance(document);
  return {{"symptom", label.symptom},
          {"root_cause", label.root_cause},
          {"introducing_stage", label.introducing},
          {"exposing_stage", label.exposing}};
}

// What a trained model says takes the place of the rules' proposal under the same name.
void ask_model(const study::Model &model, const study::Document &document, std::vector<NamedProposal> &proposals) {
  const std::vector<double> found = study::predict(model, document);
  const auto best = static_cast<std::size_t>(std::max_element(found.begin(), found.end()) - found.begin());
  const study::Proposal proposal{model.classes[best], found[best], "the model"};
  const auto same = std::find_if(proposals.begin(), proposals.end(),
                                 [&](const NamedProposal &other) { return other.name == model.label_column; });
  if (same != proposals.end()) {
    same->proposal = proposal;
  } else {
    proposals.push_back({model.label_column, proposal});
  }
}

struct Labelled {
  study::Table table;
  std::vector<std::vector<NamedProposal>> proposals;
};

Labelled label_all(const LabelArguments &arguments) {
  Labelled result;
  result.table = study::read_table(arguments.input);
  const bool body = result.table.has("body") && arguments.scheme == "dlperf";
  const std::string columns = !arguments.text.empty() ? arguments.text : body ? "title,body" : "title";
  std::unique_ptr<study::Model> model;
  if (!arguments.model.empty()) {
    model = std::make_unique<study::Model>(study::read_model(study::read_file(arguments.model), arguments.model));
  }
  for (const study::Document &document :
       study::read_documents(result.table, study::need_columns(result.table, columns))) {
    result.proposals.push_back(propose(arguments.scheme, document));
    if (model) {
      ask_model(*model, document, result.proposals.back());
    }
  }
  return result;
}

study::CsvTable with_proposals(const Labelled &labelled) {
  study::CsvTable result;
  study::CsvRow &header = result.header;
  header = labelled.table.csv.header;
  for (const NamedProposal &entry : labelled.proposals.front()) {
    header.push_back("proposed " + entry.name);
    header.push_back(entry.name + " score");
    header.push_back(entry.name + " because of");
  }
  for (std::size_t row = 0; row < labelled.table.size(); ++row) {
    study::CsvRow cells = labelled.table.csv.rows[row];
    cells.resize(labelled.table.csv.header.size());
    for (const NamedProposal &entry : labelled.proposals[row]) {
      cells.push_back(entry.proposal.value);
      cells.push_back(fmt::format("{:.2f}", entry.proposal.score));
      cells.push_back(entry.proposal.why);
    }
    result.rows.push_back(std::move(cells));
  }
  return result;
}

// One sheet per rater: what there is to read, what is proposed unless they are to be blind, and empty columns to fill
// in.
std::string review_sheet(const Labelled &labelled, bool blind) {
  const study::Table &table = labelled.table;
  std::vector<std::size_t> shown;
  for (const char *name : {"id", "title", "url", "tags"}) {
    if (const auto column = table.csv.column(name)) {
      shown.push_back(*column);
    }
  }
  const bool has_id = table.has("id");
  std::string out;
  study::CsvRow header;
  if (!has_id) {
    header.emplace_back("id");
  }
  for (const std::size_t column : shown) {
    header.push_back(table.csv.header[column]);
  }
  for (const NamedProposal &entry : labelled.proposals.front()) {
    if (!blind) {
      header.push_back("proposed " + entry.name);
      header.push_back(entry.name + " score");
    }
    header.push_back(entry.name);
  }
  header.emplace_back("remark");
  study::append_csv(header, out);
  for (std::size_t row = 0; row < table.size(); ++row) {
    study::CsvRow cells;
    if (!has_id) {
      cells.push_back(std::to_string(row + 1));
    }
    for (const std::size_t column : shown) {
      cells.push_back(study::without_formula(table.cell(row, column)));
    }
    for (const NamedProposal &entry : labelled.proposals[row]) {
      if (!blind) {
        cells.push_back(entry.proposal.value);
        cells.push_back(fmt::format("{:.2f}", entry.proposal.score));
      }
      cells.emplace_back();
    }
    cells.emplace_back();
    study::append_csv(cells, out);
  }
  return out;
}

int write_review(const LabelArguments &arguments, const Labelled &labelled) {
  const std::string sheet = review_sheet(labelled, arguments.blind);
  const std::string first = arguments.review + "-1.csv";
  const std::string second = arguments.review + "-2.csv";
  for (const std::string &path : {first, second}) {
    if (std::filesystem::exists(path)) { // somebody's work may be in it
      throw std::runtime_error(fmt::format("{} already exists; move it or choose another name", path));
    }
  }
  study::write_file(first, sheet);
  study::write_file(second, sheet);
  std::string labels;
  for (const NamedProposal &entry : labelled.proposals.front()) {
    labels += fmt::format(" --label {}", entry.name);
  }
  const std::string text =
      fmt::format("{} posts are in {} and {}, one for each rater.\n1. Each fills in the empty columns independently, "
                  "and leaves undecided cells empty.\n2. Compare: deepperf study agree {} {}{} --merge "
                  "{}-merged.csv\n3. Decide together what is left in the columns \"to decide\" of the merged sheet.\n",
                  labelled.table.size(), first, second, first, second, labels, arguments.review);
  return write_text(text) ? kClean : kTrouble;
}

int label_posts(const LabelArguments &arguments) {
  const Labelled labelled = label_all(arguments);
  if (!arguments.review.empty()) {
    return write_review(arguments, labelled);
  }
  return print_posts(arguments.output, with_proposals(labelled));
}

} // namespace

void add_study_label(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<LabelArguments>();
  CLI::App *command =
      study.add_subcommand("label", "Propose labels, each with a score, and prepare two raters' review");
  command->add_option("posts", arguments->input, "A store of posts, or a CSV or TSV file")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--scheme", arguments->scheme,
                   "liu: verb, object and phase; dlperf: symptom, root cause and stages (default: liu)")
      ->check(CLI::IsMember({"liu", "dlperf"}))
      ->type_name("liu|dlperf");
  command
      ->add_option("--text", arguments->text,
                   "Columns to read, separated by commas (default: title; with dlperf also body)")
      ->type_name("COLUMNS");
  command->add_option("--model", arguments->model, "Use this model from `study train` to propose its label")
      ->type_name("MODEL");
  CLI::Option *const output =
      command->add_option("--output,-o", arguments->output, "Write to this file")->type_name("FILE");
  CLI::Option *const review =
      command->add_option("--review", arguments->review, "Write NAME-1.csv and NAME-2.csv for two raters to fill in")
          ->type_name("NAME")
          ->excludes(output);
  command->add_flag("--blind", arguments->blind, "With --review: omit the proposals from the raters' sheets")
      ->needs(review);
  command->callback([arguments, &exit_code] { exit_code = label_posts(*arguments); });
}

} // namespace deepperf::cli
