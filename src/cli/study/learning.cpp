#include "cli/study/learning.h"

#include "study/text.h"

namespace deepperf::cli {

void add_learning(CLI::App &command, LearningArguments &arguments) {
  command.add_option("posts", arguments.input, "Labeled posts: a store, or a CSV or TSV file")
      ->required()
      ->type_name("FILE");
  command.add_option("--label", arguments.label, "The column with the labels")->required()->type_name("COLUMN");
  command
      .add_option("--text", arguments.text,
                  "Columns to learn from, separated by commas: the title, then bodies (default: title, and body if "
                  "there is one)")
      ->type_name("COLUMNS");
  command
      .add_option("--method", arguments.method, "linear, or keywords: formula (1) of Zhang et al. (default: linear)")
      ->check(CLI::IsMember({"linear", "keywords"}))
      ->type_name("linear|keywords");
  command.add_option("--several", arguments.separator, "Cells may contain several labels, separated by this character")
      ->type_name("CHARACTER");
  command.add_option("--drop-words", arguments.dropped, "Words to exclude from learning, separated by commas")
      ->type_name("WORDS");
  command.add_flag("--no-concepts", arguments.no_concepts, "Do not use the built-in list of deep-learning terms");
  command
      .add_option("--keywords", arguments.keywords, "Chosen words for --method keywords: CSV with class and keyword")
      ->type_name("FILE");
  command.add_option("--alpha", arguments.alpha, "Extra weight of a chosen word (default: tuned on the training part)")
      ->check(CLI::Range(0.0, 1.0));
  command.add_option("--top", arguments.top, "Words per class for --method keywords (default: 200)")
      ->check(CLI::Range(1, 100'000));
  command
      .add_option("--norm", arguments.norm,
                  "sum, as formula (1) says, or root, as the authors' code does (default: sum)")
      ->check(CLI::IsMember({"sum", "root"}))
      ->type_name("sum|root");
  command.add_option("--seed", arguments.seed, "Seed of the random splits (default: 1)");
}

study::Samples read_labelled(const LearningArguments &arguments) {
  if (arguments.separator.size() > 1) {
    throw CLI::ValidationError("--several takes one character, such as ';'");
  }
  const study::Table table = study::read_table(arguments.input);
  const std::string columns = !arguments.text.empty() ? arguments.text : table.has("body") ? "title,body" : "title";
  return study::read_samples(table, columns, arguments.label,
                             arguments.separator.empty() ? '\0' : arguments.separator[0]);
}

study::FeatureOptions feature_options(const LearningArguments &arguments) {
  study::FeatureOptions options;
  options.concepts = !arguments.no_concepts;
  for (const std::string_view word : study::words(arguments.dropped)) {
    options.dropped.push_back(study::lower_ascii(word));
  }
  return options;
}

study::KeywordModelOptions keyword_options(const LearningArguments &arguments, const study::Samples &samples) {
  study::KeywordModelOptions options;
  options.top = arguments.top;
  options.euclidean = arguments.norm == "root";
  options.alpha = arguments.alpha;
  if (!arguments.keywords.empty()) {
    options.chosen = study::read_chosen_keywords(arguments.keywords, samples.classes);
  }
  return options;
}

} // namespace deepperf::cli
