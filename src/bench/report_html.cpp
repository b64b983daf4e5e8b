#include "base/write.h"
#include "bench/report.h"
#include "evidence/evidence.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace deepperf::bench {

namespace {

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--page:#fbfbfa;--card:#fff;--ink:#1d2329;--soft:#59636e;--line:#d8dce1;--buggy:#c8641b;--fixed:#23805a;
--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--page:#14171a;--card:#1c2024;--ink:#e6e9ec;--soft:#9aa4ae;--line:#333a41;--buggy:#eba45c;
--fixed:#5cc294;--bad:#ef8d86}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:62rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.2rem;margin:2rem 0 .5rem}
h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
p{margin:.2rem 0}
.soft{color:var(--soft);font-size:.9rem}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.75rem;margin:1.25rem 0 0}
.facts div,article{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.75rem 1rem}
.facts b{display:block;font-size:1.35rem;font-variant-numeric:tabular-nums}
.facts span{color:var(--soft);font-size:.85rem}
article{margin:.75rem 0}
article header{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:baseline;justify-content:space-between}
.figure{font-weight:600;font-variant-numeric:tabular-nums}
.failed{color:var(--bad)}
.bars{display:grid;grid-template-columns:auto 1fr auto;gap:.25rem .75rem;align-items:center;margin:.6rem 0;
font-size:.9rem;font-variant-numeric:tabular-nums}
.bar{height:.8rem;border-radius:3px;min-width:2px}
.bar.buggy{background:var(--buggy)}.bar.fixed{background:var(--fixed)}
.range{position:relative;height:.8rem;margin:.4rem 0 .2rem;border-bottom:1px solid var(--line)}
code{font-size:.9em}
@media print{article{break-inside:avoid}}
)";

std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += c;
    }
  }
  return escaped;
}

void write_bar(std::string_view label, std::string_view side, double value, double largest, const std::string &shown,
               std::string &out) {
  const double percent = largest > 0 ? std::max(value / largest * 100, 0.3) : 0;
  write(out, "<span>{}</span><div><div class=\"bar {}\" style=\"width:{:.2f}%\"></div></div><span>{}</span>\n",
        escape(label), side, percent, shown);
}

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
    const std::string_view side = is_buggy ? "buggy" : "fixed";
    if (!is_growth) {
      const double value = at(is_buggy ? outcome.buggy : outcome.fixed);
      write_bar(side, side, value, largest, shown(value), out);
      continue;
    }
    for (std::size_t i = 0; i < outcome.growth.sizes.size(); ++i) {
      const double value = at((is_buggy ? outcome.growth.buggy : outcome.growth.fixed)[i]);
      write_bar(fmt::format("{}, {} {}", side, outcome.growth.sizes[i], outcome.pair.growth_knob), side, value, largest,
                shown(value), out);
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
  write(out, "<p class=\"soft\">{}{}{}</p>\n", escape(pair.root_cause), pair.rules.empty() ? "" : "; ",
        escape(fmt::format("{}", fmt::join(pair.rules, ", "))));
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
  constexpr std::string_view kTitle = "Performance problems, measured";
  write(out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
        "<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n",
        kTitle, kStyle);
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
  write_group("Not runnable here", with(Status::NotRunnable), out);
  out += "</main>\n</body>\n</html>\n";
}

} // namespace deepperf::bench
