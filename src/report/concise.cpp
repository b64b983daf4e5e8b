#include "report/concise.h"

#include "base/printable.h"
#include "base/write.h"
#include "report/place.h"
#include "report/summary.h"

namespace deepperf::report {

namespace {

void write_error(const check::Result &result, const check::FileError &error, std::string &out) {
  if (error.level == check::FileError::Level::Note) {
    return; // nothing is wrong
  }
  write_place(result.files[error.file.value].path, error.cell, error.line, error.column, out);
  write(out, ": {}: {}\n", level_name(error.level), printable(error.message));
}

void write_finding(const check::Result &result, const rules::Finding &finding, std::string &out) {
  const Place place = place_of(result, finding.file, finding.span);
  write_place(place.path, place.start.cell, place.start.line, place.start.column, out);
  write(out, ": {} {}: {}{}\n", finding.rule->code, severity_name(rules::severity_of(finding)),
        printable(finding.message), rules::is_hint(finding) ? " (hint)" : "");
}

} // namespace

void write_concise(const check::Result &result, const Options &options, std::string &out) {
  auto error = result.errors.begin();
  auto finding = result.findings.begin();
  for (u32 index = 0; index < result.files.size(); ++index) {
    for (; error != result.errors.end() && error->file.value == index; ++error) {
      write_error(result, *error, out);
    }
    for (; finding != result.findings.end() && finding->file.value == index; ++finding) {
      if (!options.statistics) {
        write_finding(result, *finding, out);
      }
    }
  }
  if (options.statistics) {
    for (const RuleCount &rule : summarize(result).rules) {
      write(out, "{} {} {}\n", rule.count, rule.rule->code, rule.rule->name);
    }
  }
}

} // namespace deepperf::report
