#include "base/json.h"
#include "study/select.h"

#include "base/printable.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/study/study_commands.h"
#include "cli/terminal.h"
#include "study/post.h"
#include "study/recipe_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace deepperf::cli {

namespace {

using study::Counts;
using study::Fault;
using study::SelectResult;
using Clock = std::chrono::steady_clock;

struct SelectArguments {
  std::string dump;
  std::string recipe;
  std::string output;
  std::string format = "text";
  bool resume = false;
  bool force = false;
  u32 jobs = 0;
};

// Problems that are shown by place; the rest is only counted.
constexpr std::size_t kShownProblems = 20;

std::atomic<bool> *wants_stop = nullptr; // NOLINT: a signal handler can be told of it in no other way

void ask_to_stop(int /*signal*/) { *wants_stop = true; }

// While it lives, ^C asks for an end instead of making one, so that what is done is kept; a second one does end it.
class OnInterrupt {
public:
  explicit OnInterrupt(std::atomic<bool> &flag) {
    wants_stop = &flag;
    struct sigaction action {};
    action.sa_handler = ask_to_stop;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
    sigaction(SIGHUP, nullptr, &hang_up_);
    if (hang_up_.sa_handler != SIG_IGN) { // else it is to run on: nohup
      sigaction(SIGHUP, &action, nullptr);
    }
  }
  OnInterrupt(const OnInterrupt &) = delete;
  OnInterrupt &operator=(const OnInterrupt &) = delete;
  ~OnInterrupt() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
    sigaction(SIGHUP, &hang_up_, nullptr);
  }

private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
  struct sigaction hang_up_ {};
};

// 1234567 as 1,234,567
std::string grouped(u64 number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string counted(u64 number, std::string_view what) {
  return fmt::format("{} {}{}", grouped(number), what, number == 1 ? "" : "s");
}

std::string size_text(double bytes) {
  constexpr const char *kUnits[] = {"bytes", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(kUnits); ++unit) {
    bytes /= 1000;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, kUnits[unit]);
}

std::string time_text(double seconds) {
  const auto whole = static_cast<u64>(std::llround(seconds));
  return whole < 60     ? fmt::format("{} s", whole)
         : whole < 3600 ? fmt::format("{} min {:02} s", whole / 60, whole % 60)
                        : fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string progress_line(const study::SelectProgress &progress, Clock::time_point start) {
  const u64 done = progress.done;
  const u64 total = progress.total;
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const double rate = static_cast<double>(done - std::min<u64>(progress.first, done)) / std::max(seconds, 0.001);
  const std::string speed = size_text(rate) + "/s";
  if (total == 0) {
    return fmt::format("{} read, {}", size_text(static_cast<double>(done)), speed);
  }
  const std::string left =
      rate <= 0 ? "" : fmt::format(", {} left", time_text(static_cast<double>(total - std::min(done, total)) / rate));
  return fmt::format("{} {} of {}, {}{}", bar(done, total), size_text(static_cast<double>(done)),
                     size_text(static_cast<double>(total)), speed, left);
}

std::string_view fault_text(Fault fault) {
  switch (fault) {
  case Fault::BrokenRow:
    return "broken row";
  case Fault::WrongEncoding:
    return "not UTF-8";
  case Fault::Junk:
    return "text that is not a row";
  case Fault::CutOff:
  case Fault::kCount:
    break;
  }
  return "the dump is truncated here";
}

bool has_faults(const Counts &counts) {
  return std::ranges::any_of(counts.faults, [](u64 count) { return count != 0; });
}

std::string day(i64 milliseconds) { return study::format_time(milliseconds).substr(0, 10); }

std::string funnel_text(const SelectArguments &arguments, const study::Recipe &recipe, const SelectResult &result) {
  const Counts &counts = result.counts;
  std::string text = fmt::format(
      "{}: {} in {}: {}, {}, {}\n", arguments.dump == "-" ? "standard input" : arguments.dump,
      counted(counts.rows(), "row"), size_text(static_cast<double>(counts.bytes)),
      counted(counts.questions, "question"), counted(counts.answers, "answer"), counted(counts.others, "other"));
  if (counts.first && counts.last) {
    text += fmt::format("the questions are from {} to {}\n", day(*counts.first), day(*counts.last));
  }
  text += fmt::format("recipe {}{}{}\n", recipe.name, recipe.about.empty() ? "" : ": ", recipe.about);
  const bool published =
      std::ranges::any_of(recipe.steps, [](const study::Step &step) { return step.published.has_value(); });
  const auto line = [&](std::string_view name, std::string_view left, std::string_view printed, std::string_view asks) {
    std::string row = fmt::format("  {:<16}{:>14}", name, left);
    row += published ? fmt::format("{:>14}", printed) : "";
    row += asks.empty() ? "" : fmt::format("  {}", asks);
    text += row.substr(0, row.find_last_not_of(' ') + 1) + '\n';
  };
  line("", "left", "published", recipe.steps.empty() ? "" : "asks for");
  line("questions", grouped(counts.questions), "", "");
  for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
    const study::Step &step = recipe.steps[i];
    line(step.name, grouped(counts.steps[i]), step.published ? grouped(*step.published) : "", study::describe(step));
  }
  return text;
}

// Which step it was that no question passed; empty if some passed all.
std::string why_none(const study::Recipe &recipe, const Counts &counts) {
  const auto emptied = std::ranges::find(counts.steps, u64{0});
  if (counts.questions == 0 || emptied == counts.steps.end()) {
    return "";
  }
  return fmt::format(": no question has passed the step \"{}\"",
                     recipe.steps[static_cast<std::size_t>(emptied - counts.steps.begin())].name);
}

std::string accepted_text(const SelectResult &result) {
  if (result.with_accepted == 0) {
    return result.stored == 0 ? "" : "none of them has an accepted answer\n";
  }
  std::string text = fmt::format("{} with an accepted answer, whose time was found for {}\n",
                                 grouped(result.with_accepted), grouped(result.found_accepted));
  const u64 missing = result.with_accepted - result.found_accepted;
  const u64 absent = missing - result.earlier_accepted;
  if (absent != 0) {
    text += fmt::format("  {} not found: deleted, or in the part of the dump that is not here\n", grouped(absent));
  }
  if (result.earlier_accepted != 0) {
    text += fmt::format("  {} not found: older than the question (it was moved there), so one pass cannot see it\n",
                        grouped(result.earlier_accepted));
  }
  return text;
}

// What was wrong, with places; empty if nothing was.
std::string problems_text(const SelectResult &result) {
  const Counts &counts = result.counts;
  std::string text;
  if (!has_faults(counts)) {
    return text;
  }
  u64 total = 0;
  for (std::size_t i = 0; i < study::kFaultCount; ++i) {
    total += counts.faults[i];
  }
  text += fmt::format("deepperf: {} {} wrong with the dump; everything else was read\n", grouped(total),
                      total == 1 ? "thing is" : "things are");
  const std::size_t shown = std::min(counts.problems.size(), kShownProblems);
  for (std::size_t i = 0; i < shown; ++i) {
    const study::Problem &problem = counts.problems[i];
    text += fmt::format("  byte {:<14}{}{}{}\n", problem.offset, fault_text(problem.fault),
                        problem.fault == Fault::CutOff && !result.trouble.empty() ? ": " : "",
                        problem.fault == Fault::CutOff ? result.trouble : "");
  }
  if (shown < total) {
    text += fmt::format("  and {} more:", grouped(total - shown));
    for (std::size_t i = 0; i < study::kFaultCount; ++i) {
      if (counts.faults[i] != 0) {
        text += fmt::format(" {} x {};", grouped(counts.faults[i]), fault_text(static_cast<Fault>(i)));
      }
    }
    text.back() = '\n';
  }
  const bool is_reason_shown =
      std::ranges::find(counts.problems.begin(), counts.problems.begin() + static_cast<std::ptrdiff_t>(shown),
                        Fault::CutOff,
                        &study::Problem::fault) != counts.problems.begin() + static_cast<std::ptrdiff_t>(shown);
  if (!result.trouble.empty() && !is_reason_shown) {
    text += fmt::format("  why it is truncated: {}\n", result.trouble);
  }
  return text;
}

std::string selection_json(const SelectArguments &arguments, const study::Recipe &recipe, const SelectResult &result) {
  const Counts &counts = result.counts;
  nlohmann::ordered_json json;
  json["dump"] = arguments.dump;
  json["output"] = arguments.output;
  json["recipe"] = recipe.name;
  json["bytes"] = counts.bytes;
  json["rows"] = counts.rows();
  json["questions"] = counts.questions;
  json["answers"] = counts.answers;
  json["others"] = counts.others;
  if (counts.first && counts.last) {
    json["first_question"] = study::format_time(*counts.first);
    json["last_question"] = study::format_time(*counts.last);
  }
  json["funnel"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
    const study::Step &step = recipe.steps[i];
    json["funnel"].push_back(
        {{"step", step.name}, {"asks_for", study::describe(step)}, {"questions", counts.steps[i]}});
    if (step.published) {
      json["funnel"].back()["published"] = *step.published;
    }
  }
  json["stored"] = result.stored;
  json["accepted"] = {{"named", result.with_accepted},
                      {"found", result.found_accepted},
                      {"older_than_question", result.earlier_accepted}};
  json["faults"] = {{"broken_row", counts.faults[static_cast<std::size_t>(Fault::BrokenRow)]},
                    {"wrong_encoding", counts.faults[static_cast<std::size_t>(Fault::WrongEncoding)]},
                    {"junk", counts.faults[static_cast<std::size_t>(Fault::Junk)]},
                    {"cut_off", counts.faults[static_cast<std::size_t>(Fault::CutOff)]}};
  json["problems"] = nlohmann::ordered_json::array();
  for (const study::Problem &problem : counts.problems) {
    json["problems"].push_back({{"offset", problem.offset}, {"what", fault_text(problem.fault)}});
  }
  json["trouble"] = result.trouble;
  return json_text(json, 2) + "\n";
}

int run_select(const SelectArguments &arguments) {
  study::SelectOptions options;
  options.dump = arguments.dump;
  options.recipe = study::load_recipe(arguments.recipe);
  options.output = arguments.output;
  options.resume = arguments.resume;
  options.replace = arguments.force;
  options.jobs = arguments.jobs;
  study::SelectProgress progress;
  SelectResult result;
  {
    const OnInterrupt on_interrupt(progress.stop);
    const ProgressBar progress_bar([&progress, start = Clock::now()] { return progress_line(progress, start); });
    result = study::select(options, progress);
  }
  if (result.stopped) {
    std::fprintf(stderr, "deepperf: stopped at byte %s; run the same command with --resume to continue\n",
                 grouped(result.counts.bytes).c_str());
    return kTrouble;
  }
  if (arguments.resume) {
    const std::string from = result.resumed_at == 0 ? "there was nothing to resume from, so everything was read"
                                                    : "resumed from byte " + grouped(result.resumed_at);
    std::fprintf(stderr, "deepperf: %s\n", from.c_str());
  }
  std::string text;
  if (arguments.format == "json") {
    text = selection_json(arguments, options.recipe, result);
  } else {
    text = funnel_text(arguments, options.recipe, result);
    text += fmt::format("stored {} in {}{}\n", counted(result.stored, "post"), arguments.output,
                        why_none(options.recipe, result.counts));
    const u64 last = result.counts.steps.empty() ? result.counts.questions : result.counts.steps.back();
    if (result.stored < last) {
      text += fmt::format("  {} appeared more than once with the same id; the last one is kept\n",
                          grouped(last - result.stored));
    }
    text += accepted_text(result);
  }
  const bool written = arguments.format == "json" ? write_data("", text, stdout) : write_text(text);
  std::fputs(printable_lines(problems_text(result)).c_str(), stderr);
  return !written ? kTrouble : has_faults(result.counts) ? kFindings : kClean;
}

} // namespace

void add_study_select(CLI::App &study, int &exit_code) {
  auto arguments = std::make_shared<SelectArguments>();
  CLI::App *command = study.add_subcommand("select", "Select the questions of a study from a dump");
  command->footer(
      R"(DUMP is the Posts.xml of a Stack Exchange data dump: plain, compressed (.7z, .zst, .gz, .xz, .bz2, .zip),
or - for standard input. It is read once, on all cores and in bounded memory, whatever its size.

A recipe is a funnel. Three come with the program, as the papers define them:
  dlperf   Cao et al. 2022: tensorflow or keras, 2018 to March 2021, DLPerf's performance keywords
  zhang    Zhang et al. 2019: tensorflow, pytorch or deeplearning4j, up to December 2018
  liu      Liu et al. 2023: tensorflow, pytorch or theano, "how to", answered, not closed
Or write your own and pass its path:
  name = "mine"
  [[step]]
  name = "tagged"
  tags = ["jax", "flax"]
  from = 2020-01-01
  [[step]]
  name = "liked"
  min_score = 5
docs/study.md lists all conditions.

  deepperf study select stackoverflow.com-Posts.7z --recipe liu -o liu.sqlite

Until the run is complete, the output is called OUTPUT.partial. After Ctrl-C, a crash or a power failure, the same
command with --resume continues.

Exit status: 0 everything was read; 1 everything readable was read, but the dump has errors (listed on standard
error); 2 wrong usage, or nothing could be done.)");
  command->add_option("dump", arguments->dump, "Posts.xml, plain or compressed; - for standard input")
      ->required()
      ->type_name("DUMP");
  command->add_option("--recipe,-r", arguments->recipe, "dlperf, zhang, liu, or the path of your own recipe")
      ->required()
      ->type_name("NAME|FILE.toml");
  command->add_option("--output,-o", arguments->output, "The store to write, an SQLite file")
      ->required()
      ->type_name("FILE");
  command->add_flag("--resume", arguments->resume, "Resume an interrupted run");
  command->add_flag("--force", arguments->force, "Replace an existing output");
  command->add_option("--format", arguments->format, "Output format of the funnel (default: text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("text|json");
  command->add_option("--jobs,-j", arguments->jobs, "Threads (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->callback([arguments, &exit_code] { exit_code = run_select(*arguments); });
}

} // namespace deepperf::cli
