#include "cli/suppressions.h"

#include "base/nearest.h"
#include "base/printable.h"
#include "base/write.h"
#include "check/selection.h"
#include "check/unused_suppressions.h"
#include "cli/output.h"
#include "report/place.h"
#include "report/unused_suppressions.h"

#include <fmt/format.h>

#include <cstdio>

namespace deepperf::cli {

bool report_unknown_rules(const check::Result &result) {
  constexpr std::size_t kMost = 100; // nobody reads more of them
  std::size_t count = 0;
  for (const check::FileError &error : result.unknown_rules) {
    if (count++ == kMost) {
      std::fputs(
          fmt::format("warning: {} more unknown rules in suppression comments\n", result.unknown_rules.size() - kMost)
              .c_str(),
          stderr);
      break;
    }
    std::string line;
    report::write_place(printable(result.files[error.file.value].path), error.cell, error.line, error.column, line);
    const std::string near = nearest(error.message, check::known_selectors());
    write(line, ": warning: unknown rule '{}' in a suppression comment{}\n", printable(error.message),
          near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
    std::fputs(line.c_str(), stderr);
  }
  return !result.unknown_rules.empty();
}

int report_unused_suppressions(const CheckArguments &arguments, const check::Result &result) {
  const std::vector<check::UnusedSuppression> unused = check::find_unused_suppressions(result);
  std::string text;
  if (arguments.format == "json") {
    report::write_unused_suppressions_json(result, unused, text);
  } else {
    report::write_unused_suppressions(result, unused, arguments.format == "text", text);
  }
  if (!write_data(arguments.output, text, stdout)) {
    return kTrouble;
  }
  return unused.empty() || arguments.exit_zero ? kClean : kFindings;
}

} // namespace deepperf::cli
