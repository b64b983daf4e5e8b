#include "cli/commands.h"
#include "cli/output.h"
#include "cli/study/study_commands.h"
#include "study/csv.h"
#include "study/files.h"
#include "study/grid.h"
#include "study/model_file.h"
#include "study/store.h"
#include "study/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <stdexcept>

namespace deepperf::cli {

namespace {

struct ClassifyArguments {
  std::string model;
  std::string input;
  std::string text;
  double threshold = 0;
  std::string output;
  std::string store_as;
};

struct Answer {
  std::vector<std::string> labels; // none: don't know
  double probability = 0;
};

std::vector<Answer> classify_all(const study::Model &model, const study::Table &table,
                                 const ClassifyArguments &arguments) {
  const std::string columns =
      arguments.text.empty() ? fmt::format("{}", fmt::join(model.text_columns, ",")) : arguments.text;
  std::vector<Answer> answers;
  for (const study::Document &document : study::read_documents(table, study::need_columns(table, columns))) {
    const std::vector<double> found = study::predict(model, document);
    Answer &answer = answers.emplace_back();
    answer.probability = *std::max_element(found.begin(), found.end());
    for (const u32 label : study::decide(found, model.several, arguments.threshold)) {
      answer.labels.push_back(model.classes[label]);
    }
  }
  return answers;
}

std::string as_csv(const study::Table &table, const study::Model &model, const std::vector<Answer> &answers) {
  std::string out;
  study::CsvRow header = table.csv.header;
  header.push_back("predicted " + model.label_column);
  header.emplace_back("probability");
  study::append_csv(header, out);
  for (std::size_t row = 0; row < table.size(); ++row) {
    study::CsvRow cells = table.csv.rows[row];
    cells.resize(table.csv.header.size());
    cells.push_back(fmt::format("{}", fmt::join(answers[row].labels, "; ")));
    cells.push_back(fmt::format("{:.3f}", answers[row].probability));
    study::append_csv(cells, out);
  }
  return out;
}

void put_into_store(const study::Table &table, const std::vector<Answer> &answers, const std::string &name) {
  study::Store store(table.source, study::Store::Mode::Write);
  const std::size_t id = table.need("id");
  store.begin();
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string_view text = table.cell(row, id);
    i64 number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    store.set_labels(number, name, answers[row].labels);
  }
  store.commit();
}

int classify(const ClassifyArguments &arguments) {
  const std::string bytes = study::read_file(arguments.model);
  const study::Model model = study::read_model(bytes, arguments.model);
  const study::Table table = study::read_table(arguments.input);
  if (!arguments.store_as.empty() && !table.is_store) {
    throw std::runtime_error(fmt::format("--store-as needs a store of `study select`, and {} is none; -o writes a CSV "
                                         "file with the labels",
                                         arguments.input));
  }
  const std::vector<Answer> answers = classify_all(model, table, arguments);
  if (!arguments.store_as.empty()) {
    put_into_store(table, answers, arguments.store_as);
  }
  if (!arguments.output.empty()) {
    study::write_file(arguments.output, as_csv(table, model, answers));
  }
  if (arguments.output.empty() && arguments.store_as.empty()) {
    return write_data("", as_csv(table, model, answers), stdout) ? kClean : kTrouble;
  }
  study::Grid grid;
  grid.title = fmt::format("{} of {} posts", model.label_column, table.size());
  grid.columns = {"class", "posts"};
  for (const std::string &name : model.classes) {
    const auto count = std::count_if(answers.begin(), answers.end(), [&](const Answer &answer) {
      return std::find(answer.labels.begin(), answer.labels.end(), name) != answer.labels.end();
    });
    grid.add({name, std::to_string(count)});
  }
  grid.add({"don't know", std::to_string(std::count_if(answers.begin(), answers.end(),
                                                       [](const Answer &answer) { return answer.labels.empty(); }))});
  std::string text;
  study::write_grid(grid, study::GridFormat::Text, text);
  return write_text(text) ? kClean : kTrouble;
}

} // namespace

void add_study_classify(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<ClassifyArguments>();
  CLI::App *command = study.add_subcommand("classify", "Label posts with a model from `study train`");
  command->add_option("model", arguments->model, "The model")->required()->type_name("MODEL");
  command->add_option("posts", arguments->input, "A store of posts, or a CSV or TSV file")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--text", arguments->text,
                   "Columns to read, separated by commas (default: those that the model was trained on)")
      ->type_name("COLUMNS");
  command->add_option("--threshold", arguments->threshold, "Answer \"don't know\" below this probability (default: 0)")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--output,-o", arguments->output, "Write the posts with their labels as CSV")->type_name("FILE");
  command->add_option("--store-as", arguments->store_as, "Save the labels under this name in the store that was read")
      ->type_name("NAME");
  command->callback([arguments, &exit_code] { exit_code = classify(*arguments); });
}

} // namespace deepperf::cli
