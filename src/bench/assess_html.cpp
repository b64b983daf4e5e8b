#include "base/write.h"
#include "bench/assess_report.h"
#include "bench/html.h"

#include <algorithm>

namespace deepperf::bench {

namespace {

void write_facts(const Tally &whole, std::string &out) {
  out += "<div class=\"facts\">";
  const auto fact = [&](u32 count, std::string_view what) {
    write(out, "<div><b>{}</b><span>{}</span></div>", count, what);
  };
  fact(whole.pairs, "pairs");
  fact(whole.in_scope, "in scope");
  fact(whole.found, "found");
  fact(whole.in_scope - whole.found, "missed");
  fact(whole.false_alarms, "false alarms");
  out += "</div>\n<p class=\"soft\">In scope are problems that are documented and that a static checker can see. A "
         "problem is found if a "
         "rule that its pair names reports <code>buggy.py</code>; a report about <code>fixed.py</code> is a false "
         "alarm.</p>\n";
}

void write_tools(const Assessment &assessment, const Tally &whole, std::string &out) {
  out += "<h2>Next to others</h2>\n<article><div class=\"bars\">\n";
  const auto one = [&](std::string_view tool, std::string_view side, u32 found, u32 all) {
    write_bar(tool, side, percent(found, all), 100, fmt::format("{} of {}", found, all), out);
  };
  one("deepperf check", "fixed", whole.found, whole.in_scope);
  for (std::size_t i = 0; i < assessment.tools.size(); ++i) {
    one(assessment.tools[i].tool, "buggy", whole.found_by_tools[i], whole.in_scope);
  }
  for (const StudiedTool &tool : kStudiedTools) {
    one(tool.name, "buggy", tool.helped, tool.applied);
  }
  out += "</div>\n";
  if (!assessment.tools.empty()) {
    out +=
        "<p class=\"soft\">Of another tool this is the most that it could have found: something is reported on a line "
        "that the fix changes.</p>\n";
  }
  out +=
      "<p class=\"soft\">TensorFlow Profiler and XLA: those of the study's own programs that the tool could be applied "
      "to, as the DLPerf study reports.</p>\n</article>\n";
}

void write_rows(const Grouping &grouping, const Assessment &assessment, std::string &out) {
  std::string title(grouping.title);
  title[0] = 'B'; // by
  write(out,
        "<h2>{}</h2>\n<div class=\"wide\"><table class=\"counts\">\n<tr><th></th><th>pairs</th><th>in "
        "scope</th><th>found</th><th>false "
        "alarms</th>",
        escape(title));
  for (const ToolAssessment &tool : assessment.tools) {
    write(out, "<th>{}</th>", escape(tool.tool));
  }
  out += "</tr>\n";
  for (const Tally &row : tally(assessment, grouping.group_of)) {
    write(out, "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
          row.name.empty() ? "(not said)" : escape(row.name), row.pairs, row.in_scope, row.found, row.false_alarms);
    for (const u32 found : row.found_by_tools) {
      write(out, "<td>{}</td>", found);
    }
    out += "</tr>\n";
  }
  out += "</table></div>\n";
}

void write_pairs(const Assessment &assessment, std::string &out) {
  out += "<h2>Pairs</h2>\n<div class=\"wide\"><table>\n<tr><th>pair</th><th class=\"text\">problem</th><th "
         "class=\"text\">expected</th>"
         "<th class=\"text\">outcome</th></tr>\n";
  for (const Assessed &one : assessment.pairs) {
    const bool is_bad = one.is_false_alarm || (is_in_scope(one.pair) && !one.is_found);
    write(out,
          "<tr><td>{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td><td class=\"text{}\">{}{}{}</td></tr>\n",
          escape(one.pair.id), escape(one.pair.title), escape(codes(one.pair.rules)), is_bad ? " failed" : "",
          verdict_of(one), one.by_place.empty() ? "" : " at most, by " + escape(codes(rules_of(one.by_place))),
          one.is_false_alarm ? "; false alarm" : "");
  }
  out += "</table></div>\n";
}

} // namespace

void write_assessment_html(const Assessment &assessment, std::string &out) {
  const Tally whole = tally_of_all(assessment);
  begin_page("Performance problems that deepperf check finds", out);
  out += "<p class=\"soft\">by deepperf " DEEPPERF_VERSION "</p>\n";
  write_facts(whole, out);
  write_tools(assessment, whole, out);
  for (const Grouping &grouping : groupings()) {
    write_rows(grouping, assessment, out);
  }
  write_pairs(assessment, out);
  end_page(out);
}

} // namespace deepperf::bench
