#include "cli/commands.h"
#include "cli/study/study_commands.h"
#include "cli/study/tables.h"
#include "study/csv.h"
#include "study/dlperf.h"
#include "study/liu.h"
#include "study/post.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

namespace deepperf::cli {

namespace {

struct ImportArguments {
  std::string study;
  std::string input;
  std::string output;
};

study::CsvTable read_liu(const std::string &path) {
  study::CsvTable table;
  table.header = {
      "id",   "title",  "tags",  "created",    "accepted",         "score",          "views", "framework", "year",
      "verb", "object", "phase", "phase_name", "published_object", "published_phase"};
  for (const study::LiuPost &post : study::read_liu(path)) {
    const bool known = post.object != nullptr;
    table.rows.push_back({std::to_string(post.id), post.title, study::join_tags(post.tags), post.created, post.answered,
                          std::to_string(post.score), std::to_string(post.views), post.framework,
                          std::to_string(post.year), post.verb, known ? std::string(post.object->name) : "",
                          known ? std::string(1, post.object->phase) : "",
                          known ? std::string(study::liu_phase_name(post.object->phase)) : "", post.raw_object,
                          std::string(1, post.raw_phase)});
  }
  return table;
}

study::CsvTable read_dlperf(const std::string &path) {
  study::CsvTable table;
  table.header = {"id",      "title",          "created",    "introducing_stage", "exposing_stage",
                  "symptom", "second_symptom", "root_cause", "symptom_category",  "root_cause_category"};
  for (const study::PerformanceProblem &problem : study::read_performance_problems(path)) {
    table.rows.push_back({problem.id, problem.title, problem.created, problem.introducing, problem.exposing,
                          problem.symptom, problem.second_symptom, problem.root_cause,
                          std::string(study::category(problem.symptom)),
                          std::string(study::category(problem.root_cause))});
  }
  return table;
}

int import_study(const ImportArguments &arguments) {
  const bool liu = arguments.study == "liu";
  std::string path = arguments.input;
  if (std::filesystem::is_directory(path)) {
    path += liu ? "/rawdata.csv" : "/empirical_study.csv";
  }
  return print_posts(arguments.output, liu ? read_liu(path) : read_dlperf(path));
}

} // namespace

void add_study_import(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App *command =
      study.add_subcommand("import", "Convert the published data of a study to a CSV file with named columns");
  command->add_option("study", arguments->study, "The study that published the data")
      ->required()
      ->check(CLI::IsMember({"liu", "dlperf"}))
      ->type_name("liu|dlperf");
  command->add_option("data", arguments->input, "rawdata.csv or empirical_study.csv, or the folder with it")
      ->required()
      ->type_name("PATH");
  command->add_option("--output,-o", arguments->output, "Write to this file")->type_name("FILE");
  command->callback([arguments, &exit_code] { exit_code = import_study(*arguments); });
}

} // namespace deepperf::cli
