#include "cli/bench/pairs.h"

#include "base/nearest.h"
#include "check/selection.h"
#include "cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

namespace deepperf::cli {

namespace {

namespace fs = std::filesystem;

std::string name_of_folder(const std::string &folder) { return fs::path(folder).filename().string(); }

bool is_pair(const fs::path &folder) {
  std::error_code error;
  return fs::exists(folder / "pp.toml", error);
}

// A folder with pairs in it, and not one of them.
bool is_set(const std::string &folder) { return !is_pair(folder) && !bench::pair_folders(folder).empty(); }

// The folders that a word means.
std::vector<std::string> meant_by(const std::string &word, const std::vector<std::string> &folders) {
  std::vector<std::string> found;
  const bool is_beginning = word.ends_with('*');
  const std::string beginning = word.substr(0, word.size() - (is_beginning ? 1 : 0));
  for (const std::string &folder : folders) {
    const std::string name = name_of_folder(folder);
    if (is_beginning ? name.starts_with(beginning) : name == word) {
      found.push_back(folder);
    }
  }
  if (found.empty() && is_pair(word)) {
    found.push_back(fs::path(word).lexically_normal().string());
    while (found.back().size() > 1 && found.back().ends_with('/')) {
      found.back().pop_back();
    }
  } else if (found.empty() && is_set(word)) {
    found = bench::pair_folders(word);
  }
  return found;
}

void mention_unknown_rules(const std::vector<bench::Pair> &pairs) {
  std::map<std::string, std::vector<std::string>> unknown; // ids of pairs by rule
  for (const bench::Pair &pair : pairs) {
    for (const std::string &rule : pair.rules) {
      if (const rules::RuleInfo *const found = check::find_rule(rule); found == nullptr || found->code != rule) {
        unknown[rule].push_back(pair.id);
      }
    }
  }
  for (const auto &[rule, ids] : unknown) {
    complain(fmt::format("there is no rule with the code '{}', which {} names", rule, fmt::join(ids, ", ")));
  }
}

} // namespace

void add_pair_options(CLI::App &command, PairArguments &arguments) {
  command
      .add_option("ids", arguments.ids,
                  "Pairs: ids such as torch-loss-list, beginnings such as 'torch-*', or folders of or with pairs "
                  "(default: all)")
      ->type_name("ID");
  command
      .add_option("--folder", arguments.folder,
                  "The folder with the pairs (default: 'benchmark' here or above, otherwise the one installed with the "
                  "program)")
      ->type_name("FOLDER");
}

std::string benchmark_folder(const PairArguments &arguments) {
  std::error_code error;
  if (!arguments.folder.empty()) {
    if (!fs::is_directory(arguments.folder, error)) {
      throw std::runtime_error(fmt::format("there is no folder {}", arguments.folder));
    }
    return arguments.folder;
  }
  const fs::path here = fs::current_path();
  for (fs::path above = here; !above.empty(); above = above.parent_path()) {
    if (fs::path folder = above / "benchmark"; !bench::pair_folders(folder.string()).empty()) {
      return above == here ? "benchmark" : folder.string();
    }
    if (above == above.parent_path()) {
      break;
    }
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const char *const own : {"../../benchmark", "../share/deepperf/benchmark"}) {
    if (fs::path folder = (program.parent_path() / own).lexically_normal(); fs::is_directory(folder, error)) {
      return folder.string();
    }
  }
  throw std::runtime_error("there is no folder 'benchmark' with pairs here or above; name one with --folder");
}

ChosenPairs chosen_pairs(const PairArguments &arguments) {
  std::vector<std::string> chosen;
  const bool needs_folder =
      arguments.ids.empty() || !arguments.folder.empty() ||
      !std::ranges::all_of(arguments.ids, [](const std::string &id) { return is_pair(id) || is_set(id); });
  for (const std::string &word : arguments.ids) {
    if (std::error_code error;
        word.find('/') != std::string::npos && fs::is_directory(word, error) && !is_pair(word) && !is_set(word)) {
      throw CLI::ValidationError(fmt::format("{} has no pp.toml, and no folders with one", word));
    }
  }
  const std::vector<std::string> folders =
      needs_folder ? bench::pair_folders(benchmark_folder(arguments)) : std::vector<std::string>();
  if (arguments.ids.empty()) {
    chosen = folders;
    if (chosen.empty()) {
      throw std::runtime_error(fmt::format("{} has no folders with a pp.toml", benchmark_folder(arguments)));
    }
  }
  for (const std::string &word : arguments.ids) {
    const std::vector<std::string> meant = meant_by(word, folders);
    if (meant.empty()) {
      std::vector<std::string> names;
      std::ranges::transform(folders, std::back_inserter(names), name_of_folder);
      throw CLI::ValidationError(fmt::format("there is no pair '{}'{}", word, did_you_mean(word, names)));
    }
    chosen.insert(chosen.end(), meant.begin(), meant.end());
  }
  ChosenPairs result;
  for (const std::string &folder : chosen) {
    std::vector<bench::PairProblem> problems;
    const bool is_known = std::ranges::find(result.pairs, folder, &bench::Pair::folder) != result.pairs.end();
    bench::Pair pair = is_known ? bench::Pair() : bench::read_pair(folder, problems);
    for (const bench::PairProblem &problem : problems) {
      complain(bench::describe(problem));
    }
    if (!problems.empty()) {
      ++result.left_out;
    } else if (!is_known) {
      result.pairs.push_back(std::move(pair));
    }
  }
  if (result.pairs.empty()) {
    throw std::runtime_error("nothing was done, because every selected pair is invalid");
  }
  if (result.left_out != 0) {
    fmt::print(stderr, "deepperf: {} of {} pairs {} skipped, because of errors in {}\n", result.left_out,
               result.left_out + result.pairs.size(), result.left_out == 1 ? "is" : "are",
               result.left_out == 1 ? "it" : "them");
  }
  mention_unknown_rules(result.pairs);
  return result;
}

} // namespace deepperf::cli
