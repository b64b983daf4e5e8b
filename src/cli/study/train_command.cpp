#include "cli/commands.h"
#include "cli/output.h"
#include "cli/study/learning.h"
#include "cli/study/study_commands.h"
#include "study/files.h"
#include "study/grid.h"
#include "study/model_file.h"
#include "study/text.h"

#include <fmt/format.h>

#include <memory>

namespace deepperf::cli {

namespace {

struct TrainArguments {
  LearningArguments learning;
  std::string output;
};

int train(const TrainArguments &arguments) {
  const study::Samples samples = read_labelled(arguments.learning);
  const study::Model model =
      study::train_model(samples, arguments.learning.method == "keywords", feature_options(arguments.learning),
                         keyword_options(arguments.learning, samples), arguments.learning.seed);
  const std::string bytes = study::write_model(model);
  study::write_file(arguments.output, bytes);
  study::Grid grid;
  grid.title = fmt::format("{}: {} from {} posts of {}, {:.0f} KB", arguments.output, model.label_column, model.rows,
                           model.source, static_cast<double>(bytes.size()) / 1024);
  grid.columns = {"class", "posts", "evidence for it"};
  for (u32 label = 0; label < model.classes.size(); ++label) {
    std::string words;
    for (const auto &[word, weight] : study::strongest(model, label, 6)) {
      words += (words.empty() ? "" : ", ") + word;
    }
    grid.add({study::shorten(model.classes[label], 50), std::to_string(model.class_sizes[label]), words});
  }
  if (!model.keywords) {
    grid.notes.push_back(
        fmt::format("C {:g}, balance {:g}; on posts held back: accuracy {:.3f}, macro F1 {:.3f}. These "
                    "parameters are the best of several on the same posts: `study evaluate` is fairer",
                    model.linear.options.cost, model.linear.options.balance, model.linear.inner_accuracy,
                    model.linear.inner_macro_f1));
  }
  if (samples.unlabelled > 0) {
    grid.notes.push_back(fmt::format("{} rows without a label were skipped", samples.unlabelled));
  }
  std::string text;
  study::write_grid(grid, study::GridFormat::Text, text);
  return write_text(text) ? kClean : kTrouble;
}

} // namespace

void add_study_train(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<TrainArguments>();
  CLI::App *command = study.add_subcommand("train", "Train a classifier on labeled posts");
  add_learning(*command, arguments->learning);
  command->add_option("--output,-o", arguments->output, "The model")->required()->type_name("FILE");
  command->callback([arguments, &exit_code] { exit_code = train(*arguments); });
}

} // namespace deepperf::cli
