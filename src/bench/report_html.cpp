#include "base/write.h"
#include "bench/html.h"
#include "bench/report.h"
#include "evidence/evidence.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace deepperf::bench {

namespace {

void write_sides(const Outcome &outcome, std::string &out) {
  const bool is_growth = outcome.pair.measure == Measure::Growth;
  const Metric metric = is_growth                                 ? outcome.pair.growth_metric
                        : outcome.pair.measure == Measure::Memory ? Metric::Memory
                                                                  : Metric::Time;
  const auto at = [&](const std::vector<Sample> &samples) {
    return median(metric == Metric::Time ? wall_times(samples) : memories(samples));
  };
  const auto shown = [&](double value) { return metric == Metric::Time ? duration(value) : size(value); };
  const double largest = std::max(at(outcome.buggy), at(outcome.fixed));
  out += "<div class=\"bars\">\n";
  for (const bool is_buggy : {true, false}) {
    const std::string_view side = is_buggy ? "buggy" : "fixed"; // its color
    const std::string &label = is_buggy ? outcome.pair.buggy_name.label : outcome.pair.fixed_name.label;
    if (!is_growth) {
      const double value = at(is_buggy ? outcome.buggy : outcome.fixed);
      write_bar(label, side, value, largest, shown(value), out);
      continue;
    }
    for (std::size_t i = 0; i < outcome.growth.sizes.size(); ++i) {
      const double value = at((is_buggy ? outcome.growth.buggy : outcome.growth.fixed)[i]);
      write_bar(fmt::format("{}, {} {}", label, outcome.growth.sizes[i], outcome.pair.growth_knob), side, value,
                largest, shown(value), out);
    }
  }
  out += "</div>\n";
}

std::string knobs_of(const Outcome &outcome) {
  std::vector<std::string> knobs;
  for (const Knob &knob : outcome.knobs) {
    knobs.push_back(fmt::format("{} = {}", knob.name, knob.value));
  }
  return fmt::format("{}", fmt::join(knobs, ", "));
}

void write_article(const Outcome &outcome, std::string &out) {
  const Pair &pair = outcome.pair;
  const bool is_bad = outcome.status == Status::Failed || outcome.status == Status::Differs;
  write(out, "<article id=\"{0}\">\n<header><h3>{0}</h3><span class=\"figure{1}\">{2}</span></header>\n",
        escape(pair.id), is_bad ? " failed" : "",
        is_measured(outcome) ? escape(effect(outcome)) : std::string(name_of(outcome.status)));
  write(out, "<p>{}</p>\n", escape(pair.title));
  if (!outcome.reason.empty()) {
    write(out, "<p class=\"soft\">{}</p>\n", escape(outcome.reason));
  }
  if (is_measured(outcome)) {
    write_sides(outcome, out);
    write(out, "<p class=\"soft\">time {}, CPU time {}, memory {}; {} rounds; results {}{}{}</p>\n",
          evidence::times(outcome.wall.value), evidence::times(outcome.cpu.value),
          evidence::times(outcome.memory.value), outcome.rounds, pair.compares ? "equal" : "not compared",
          outcome.knobs.empty() ? "" : "; ", escape(knobs_of(outcome)));
  }
  std::vector<std::string> facts = pair.rules;
  if (!pair.root_cause.empty() && pair.root_cause != "unknown") { // as `bench new` writes it
    facts.insert(facts.begin(), pair.root_cause);
  }
  if (!facts.empty()) {
    write(out, "<p class=\"soft\">{}</p>\n", escape(fmt::format("{}", fmt::join(facts, "; "))));
  }
  if (!pair.stand_in.empty()) {
    write(out, "<p class=\"soft\">Stands for: {}</p>\n", escape(pair.stand_in));
  }
  out += "</article>\n";
}

void write_group(std::string_view title, std::vector<const Outcome *> outcomes, std::string &out) {
  if (outcomes.empty()) {
    return;
  }
  std::ranges::stable_sort(
      outcomes, [](const Outcome *left, const Outcome *right) { return left->ratio.value > right->ratio.value; });
  write(out, "<h2>{}</h2>\n", title);
  for (const Outcome *outcome : outcomes) {
    write_article(*outcome, out);
  }
}

} // namespace

void write_report_html(const Report &report, std::string &out) {
  begin_page("Performance problems, measured", out);
  write(out, "<p class=\"soft\">{}{}{} cores, {}, by deepperf " DEEPPERF_VERSION "</p>\n",
        escape(report.machine.processor), report.machine.processor.empty() ? "" : ", ", report.machine.cores,
        report.date);
  out += "<div class=\"facts\">";
  const auto with = [&](Status status) {
    std::vector<const Outcome *> found;
    for (const Outcome &outcome : report.outcomes) {
      if (outcome.status == status) {
        found.push_back(&outcome);
      }
    }
    return found;
  };
  write(out, "<div><b>{}</b><span>pairs</span></div>", report.outcomes.size());
  for (const Status status : {Status::Shown, Status::Ran, Status::NotShown, Status::Differs, Status::Failed,
                              Status::NotRunnable, Status::Interrupted}) {
    if (const std::size_t count = with(status).size(); count != 0) {
      write(out, "<div><b>{}</b><span>{}</span></div>", count, name_of(status));
    }
  }
  out += "</div>\n";
  write(out,
        "<p class=\"soft\">A ratio is that of medians, buggy over fixed, with its 95% confidence interval. The problem "
        "showed if the lower bound is above {}.</p>\n",
        kShown);
  write_group("Results differ", with(Status::Differs), out);
  write_group("Failed", with(Status::Failed), out);
  write_group("Shown", with(Status::Shown), out);
  write_group("Ran", with(Status::Ran), out);
  write_group("Not shown here", with(Status::NotShown), out);
  write_group("Interrupted", with(Status::Interrupted), out);
  write_group("Not runnable here", with(Status::NotRunnable), out);
  end_page(out);
}

} // namespace deepperf::bench
