#include "base/printable.h"
#include "bench/assess_report.h"
#include "cli/bench/bench_commands.h"
#include "cli/bench/pairs.h"
#include "cli/commands.h"
#include "cli/output.h"

#include <memory>

namespace deepperf::cli {

namespace {

struct BenchAssessArguments {
  PairArguments pairs;
  std::vector<std::string> tools;
  std::string format = "text";
  std::string output;
};

int assess_pairs(const BenchAssessArguments &arguments) {
  const ChosenPairs chosen = chosen_pairs(arguments.pairs);
  const std::vector<bench::Pair> &pairs = chosen.pairs;
  bench::Assessment assessment;
  assessment.pairs = bench::assess_check(pairs);
  for (const std::string &file : arguments.tools) {
    assessment.tools.push_back(bench::assess_tool(pairs, bench::read_tool_findings(file)));
  }
  std::string text;
  (arguments.format == "json"   ? bench::write_assessment_json
   : arguments.format == "html" ? bench::write_assessment_html
                                : bench::write_assessment_text)(assessment, text);
  const bool is_written = arguments.format == "text" ? write_output(arguments.output, printable_lines(text), stdout)
                                                     : write_data(arguments.output, text, stdout);
  return chosen.exit_code(is_written ? kClean : kTrouble);
}

} // namespace

void add_bench_assess(CLI::App &bench, int &exit_code) {
  auto arguments = std::make_shared<BenchAssessArguments>();
  CLI::App *command =
      bench.add_subcommand("assess", "Count which problems `check` finds in the pairs, and what other tools find");
  add_pair_options(*command, arguments->pairs);
  command
      ->add_option("--tool", arguments->tools,
                   "What another tool reports about the pairs, as SARIF or JSON; repeatable")
      ->type_name("FILE");
  command->add_option("--format", arguments->format, "Output format (default: text)")
      ->check(CLI::IsMember({"text", "json", "html"}))
      ->type_name("text|json|html");
  command->add_option("--output,-o", arguments->output, "Write the report to a file")->type_name("FILE");
  command->callback([arguments, &exit_code] { exit_code = assess_pairs(*arguments); });
}

} // namespace deepperf::cli
