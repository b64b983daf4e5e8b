#include "cli/commands.h"
#include "cli/output.h"
#include "cli/study/study_commands.h"
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

std::string liu_csv(const std::string &path) {
  std::string out;
  study::append_csv({"id", "title", "tags", "created", "accepted", "score", "views", "framework", "year", "verb",
                     "object", "phase", "phase_name", "published_object", "published_phase"},
                    out);
  for (const study::LiuPost &post : study::read_liu(path)) {
    const bool known = post.object != nullptr;
    study::append_csv({std::to_string(post.id), post.title, study::join_tags(post.tags), post.created, post.answered,
                       std::to_string(post.score), std::to_string(post.views), post.framework,
                       std::to_string(post.year), post.verb, known ? std::string(post.object->name) : "",
                       known ? std::string(1, post.object->phase) : "",
                       known ? std::string(study::liu_phase_name(post.object->phase)) : "", post.raw_object,
                       std::string(1, post.raw_phase)},
                      out);
  }
  return out;
}

std::string dlperf_csv(const std::string &path) {
  std::string out;
  study::append_csv({"id", "title", "created", "introducing_stage", "exposing_stage", "symptom", "second_symptom",
                     "root_cause", "symptom_category", "root_cause_category"},
                    out);
  for (const study::PerformanceProblem &problem : study::read_performance_problems(path)) {
    study::append_csv({problem.id, problem.title, problem.created, problem.introducing, problem.exposing,
                       problem.symptom, problem.second_symptom, problem.root_cause,
                       std::string(study::category(problem.symptom)), std::string(study::category(problem.root_cause))},
                      out);
  }
  return out;
}

int import_study(const ImportArguments &arguments) {
  const bool liu = arguments.study == "liu";
  std::string path = arguments.input;
  if (std::filesystem::is_directory(path)) {
    path += liu ? "/rawdata.csv" : "/empirical_study.csv";
  }
  return write_output(arguments.output, liu ? liu_csv(path) : dlperf_csv(path), stdout) ? kClean : kTrouble;
}

} // namespace

void add_study_import(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App *command =
      study.add_subcommand("import", "Turn the published data of a study into a CSV file with named columns");
  command->add_option("study", arguments->study, "Whose data it is")
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
