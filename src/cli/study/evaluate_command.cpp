#include "cli/commands.h"
#include "cli/study/learning.h"
#include "cli/study/study_commands.h"
#include "cli/study/tables.h"
#include "cli/terminal.h"
#include "study/evaluate.h"

#include <atomic>
#include <memory>

namespace deepperf::cli {

namespace {

struct EvaluateArguments {
  LearningArguments learning;
  u32 splits = 10;
  double train = 0.6;
  u32 folds = 0;
  double threshold = 0;
  TableOutput output;
};

int evaluate_classifier(const EvaluateArguments &arguments) {
  const study::Samples samples = read_labelled(arguments.learning);
  study::EvaluateOptions options;
  options.keywords = arguments.learning.method == "keywords";
  options.splits = arguments.splits;
  options.train_share = arguments.train;
  options.folds = arguments.folds;
  options.seed = arguments.learning.seed;
  options.threshold = arguments.threshold;
  options.features = feature_options(arguments.learning);
  options.keyword_options = keyword_options(arguments.learning, samples);
  std::atomic<u64> done = 0;
  const std::atomic<u64> total = options.folds > 0 ? options.folds : options.splits;
  study::Evaluation result;
  {
    const ProgressBar bar(done, total);
    result = study::evaluate(samples, options, done);
  }
  return print_tables(arguments.output, study::evaluation_grids(samples, options, result));
}

} // namespace

void add_study_evaluate(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<EvaluateArguments>();
  CLI::App *command = study.add_subcommand("evaluate", "Evaluate a classifier on posts that it has not seen");
  add_learning(*command, arguments->learning);
  CLI::Option *const splits =
      command->add_option("--splits", arguments->splits, "Repeated stratified splits (default: 10)")
          ->check(CLI::Range(1, 1000));
  CLI::Option *const train =
      command->add_option("--train", arguments->train, "Share of each split to train on (default: 0.6)")
          ->check(CLI::Range(0.05, 0.95));
  command->add_option("--folds", arguments->folds, "Use cross-validation with this many folds instead")
      ->check(CLI::Range(2, 100))
      ->excludes(splits)
      ->excludes(train);
  command->add_option("--threshold", arguments->threshold, "Answer \"don't know\" below this probability (default: 0)")
      ->check(CLI::Range(0.0, 1.0));
  add_table_output(*command, arguments->output);
  command->callback([arguments, &exit_code] { exit_code = evaluate_classifier(*arguments); });
}

} // namespace deepperf::cli
