#include "base/json.h"
#include "cli/bench/bench_commands.h"
#include "cli/bench/pairs.h"
#include "cli/commands.h"
#include "cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace deepperf::cli {

namespace {

using Json = nlohmann::ordered_json;

struct BenchListArguments {
  PairArguments pairs;
  std::string format = "text";
};

Json to_json(const bench::Pair &pair) {
  Json json;
  json["id"] = pair.id;
  json["title"] = pair.title;
  json["source"] = pair.source;
  json["libraries"] = pair.libraries;
  json["versions"] = pair.versions;
  json["root_cause"] = pair.root_cause;
  json["symptoms"] = pair.symptoms;
  json["introducing_stage"] = pair.introducing_stage;
  json["exposing_stage"] = pair.exposing_stage;
  json["rules"] = pair.rules;
  json["static"] = pair.is_static;
  json["static_reason"] = pair.static_reason;
  json["documented"] = pair.is_documented;
  json["documented_reason"] = pair.documented_reason;
  json["measure"] = bench::name_of(pair.measure);
  json["runnable"] = pair.is_runnable;
  json["reason"] = pair.reason;
  json["stand_in"] = pair.stand_in;
  return json;
}

int list_pairs(const BenchListArguments &arguments) {
  const ChosenPairs chosen = chosen_pairs(arguments.pairs);
  const std::vector<bench::Pair> &pairs = chosen.pairs;
  std::string text;
  if (arguments.format == "json") {
    Json json;
    json["version"] = 1;
    for (const bench::Pair &pair : pairs) {
      json["pairs"].push_back(to_json(pair));
    }
    text = json_text(json, 1) + "\n";
  } else {
    const auto libraries_of = [](const bench::Pair &pair) {
      return fmt::format("{}", fmt::join(pair.libraries, ", "));
    };
    std::size_t id_width = 0;
    std::size_t library_width = 0;
    for (const bench::Pair &pair : pairs) {
      id_width = std::max(id_width, pair.id.size());
      library_width = std::max(library_width, libraries_of(pair).size());
    }
    for (const bench::Pair &pair : pairs) {
      text += fmt::format("{:{}}  {:{}}  {:6}  {}{}\n", pair.id, id_width, libraries_of(pair), library_width,
                          bench::name_of(pair.measure), pair.title, pair.is_runnable ? "" : " (not runnable)");
    }
    text += fmt::format("{} pair{}\n", pairs.size(), pairs.size() == 1 ? "" : "s");
  }
  return chosen.exit_code((arguments.format == "json" ? write_data("", text, stdout) : write_text(text)) ? kClean
                                                                                                         : kTrouble);
}

} // namespace

void add_bench_list(CLI::App &bench, int &exit_code) {
  auto arguments = std::make_shared<BenchListArguments>();
  CLI::App *command = bench.add_subcommand("list", "List the pairs, and report what is wrong in their pp.toml");
  add_pair_options(*command, arguments->pairs);
  command->add_option("--format", arguments->format, "Output format (default: text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("text|json");
  command->callback([arguments, &exit_code] { exit_code = list_pairs(*arguments); });
}

} // namespace deepperf::cli
