#include "report/text.h"

#include "report/frame.h"
#include "report/place.h"
#include "report/style.h"
#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace deepperf::report {

namespace {

const char *plural(u64 count) { return count == 1 ? "" : "s"; }

// The place with its first line only: a span over many lines is underlined to the end of the first.
Frame frame_of(const Place &place, u32 offset) {
  Frame frame;
  if (place.source == nullptr) {
    return frame;
  }
  frame.line_text = place.source->line_text(offset);
  frame.line = place.start.line;
  frame.column = place.start.column;
  frame.end_column = place.end.column;
  if (place.end.line != place.start.line || place.end.cell != place.start.cell) {
    const std::size_t end = frame.line_text.find_last_not_of(" \t") + 1;
    frame.end_column = count_characters(frame.line_text.substr(0, end)) + 1;
  }
  return frame;
}

class TextReport {
public:
  TextReport(const check::Result &result, const Options &options, std::string &out)
      : result_(result), options_(options), style_(options.color ? kColored : kPlain), out_(out) {}

  // Both lists are sorted by file: what is wrong with a file as such comes first, then what the rules say.
  void write_files() {
    auto error = result_.errors.begin();
    auto finding = result_.findings.begin();
    for (u32 index = 0; index < result_.files.size(); ++index) {
      const std::size_t before = out_.size();
      for (; error != result_.errors.end() && error->file.value == index; ++error) {
        write_error(*error);
      }
      write_suppressed(result_.files[index]);
      if (out_.size() != before) {
        out_ += '\n';
      }
      for (; finding != result_.findings.end() && finding->file.value == index; ++finding) {
        if (!options_.statistics) {
          write_finding(*finding);
        }
      }
    }
  }

  void write_statistics(const Summary &summary) {
    for (const RuleCount &rule : summary.rules) {
      print("{:>6}  {}{}{} {}\n", rule.count, style_.bold, rule.rule->code, style_.reset, rule.rule->name);
    }
    if (!summary.rules.empty()) {
      out_ += '\n';
    }
  }

  void write_summary(const Summary &summary) {
    print("{}checked {} file{}", style_.dim, result_.file_count, plural(result_.file_count));
    if (options_.show_time) {
      print(" in {:.2f} s", result_.seconds);
    }
    const char *separator = ": ";
    const auto count = [&](u64 number, std::string_view what, std::string_view suffix) {
      if (number != 0) {
        print("{}{} {}{}", separator, number, what, suffix);
        separator = ", ";
      }
    };
    count(summary.findings, "finding", plural(summary.findings));
    count(summary.hints, "hint", plural(summary.hints));
    count(summary.syntax_errors, "syntax error", plural(summary.syntax_errors));
    count(summary.unreadable, "that could not be checked", "");
    print("{}{}\n", *separator == ':' ? ": nothing found" : "", style_.reset);
    for (const auto &[cause, number] : summary.root_causes) {
      print("{:>6}  {}\n", number, cause);
    }
    write_offer(summary);
  }

private:
  template <class... Arguments> void print(fmt::format_string<Arguments...> format, Arguments &&...arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  void write_head(std::string_view path, u32 cell, u32 line, u32 column) {
    out_ += style_.bold;
    write_place(path, cell, line, column, out_);
    out_ += style_.reset;
    out_ += ": ";
  }

  void write_error(const check::FileError &error) {
    write_head(result_.files[error.file.value].path, error.cell, error.line, error.column);
    const bool is_note = error.level == check::FileError::Level::Note;
    print("{}{}{}: {}\n", is_note ? style_.blue : style_.red, level_name(error.level), style_.reset, error.message);
    write_frame({error.line_text, error.line, error.column, error.end_column}, "", style_, out_);
  }

  void write_suppressed(const check::CheckedFile &file) {
    if (file.suppressed_errors != 0) {
      print("{}{}{}: {} more syntax error{} in this file {} not shown\n", style_.bold, file.path, style_.reset,
            file.suppressed_errors, plural(file.suppressed_errors), file.suppressed_errors == 1 ? "is" : "are");
    }
  }

  void write_finding(const rules::Finding &finding) {
    const Place place = place_of(result_, finding.file, finding.span);
    write_head(place.path, place.start.cell, place.start.line, place.start.column);
    if (rules::is_hint(finding)) {
      print("{}hint{} ", style_.blue, style_.reset);
    }
    print("{}{}{} {}: {}\n", rules::is_hint(finding) ? style_.blue : style_.yellow, finding.rule->code, style_.reset,
          finding.rule->name, finding.message);
    write_frame(frame_of(place, finding.span.start), "", style_, out_);
    for (const rules::Note &note : finding.notes) {
      write_note(note);
    }
    write_help(finding);
    out_ += '\n';
  }

  void write_note(const rules::Note &note) {
    const Place place = place_of(result_, note.file, note.span);
    out_ += "    ";
    write_place(place.path, place.start.cell, place.start.line, place.start.column, out_);
    print(": {}\n", note.message);
    Frame frame = frame_of(place, note.span.start);
    frame.underline = false;
    write_frame(frame, "    ", style_, out_);
  }

  void write_help(const rules::Finding &finding) {
    const std::string_view offer = offer_for(finding);
    if (finding.advice.empty() && offer.empty()) {
      return;
    }
    print("  {}help{}: {}", style_.green, style_.reset, finding.advice);
    if (finding.advice.empty()) {
      print("fixable with {}", offer);
    } else if (!offer.empty()) {
      print(" (fixable with {})", offer);
    }
    out_ += '\n';
  }

  [[nodiscard]] std::string_view offer_for(const rules::Finding &finding) const {
    if (!finding.fix) {
      return {};
    }
    if (finding.fix->safe) {
      return options_.offer_safe_fixes ? "--fix" : "";
    }
    return options_.offer_unsafe_fixes ? "--fix --unsafe-fixes" : "";
  }

  void write_offer(const Summary &summary) {
    const u64 safe = options_.offer_safe_fixes ? summary.safe_fixes : 0;
    const u64 unsafe = options_.offer_unsafe_fixes ? summary.unsafe_fixes : 0;
    if (safe != 0) {
      print("{} fixable with --fix", safe);
    }
    if (unsafe != 0) {
      print("{}{}{} with --fix --unsafe-fixes", safe != 0 ? ", " : "", unsafe, safe != 0 ? " more" : " fixable");
    }
    if (safe != 0 || unsafe != 0) {
      out_ += '\n';
    }
  }

  const check::Result &result_;
  const Options &options_;
  const Style &style_;
  std::string &out_;
};

} // namespace

void write_text(const check::Result &result, const Options &options, std::string &out) {
  const Summary summary = summarise(result);
  TextReport report(result, options, out);
  report.write_files();
  if (options.statistics) {
    report.write_statistics(summary);
  }
  report.write_summary(summary);
}

} // namespace deepperf::report
