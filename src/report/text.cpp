#include "report/text.h"

#include "base/printable.h"
#include "base/write.h"
#include "report/frame.h"
#include "report/group.h"
#include "report/measured.h"
#include "report/place.h"
#include "report/rule_link.h"
#include "report/style.h"
#include "report/summary.h"
#include "report/wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace deepperf::report {

namespace {

using rules::Severity;

// A report that is longer than a screen ends with the line that it began with.
constexpr std::ptrdiff_t kLinesOnScreen = 40;
constexpr std::size_t kMostPlaces = 6;
constexpr std::size_t kThingsToFixFirst = 3;
// Narrower than this is not readable anyway.
constexpr u32 kNarrowest = 40;

class TextReport {
public:
  TextReport(const check::Result &result, const Options &options, std::string &out)
      : result_(result), options_(options), style_(options.color ? kColored : kPlain), out_(out),
        width_(options.width == 0 ? 0 : std::max(options.width, kNarrowest)), summary_(summarize(result)),
        groups_(group_findings(result, options.expand)) {}

  void write() {
    if (!options_.quiet) {
      write_summary();
    }
    const std::size_t before = out_.size();
    if (options_.statistics) {
      write_errors();
      write_statistics();
    } else {
      write_serious();
      write_errors();
      write_rest();
    }
    const std::ptrdiff_t lines = std::count(out_.begin() + static_cast<std::ptrdiff_t>(before), out_.end(), '\n');
    if (options_.on_terminal && !options_.quiet && lines > kLinesOnScreen) {
      print("{}{}{}\n", style_.bold, shown_sentence(summary_, result_.file_count), style_.reset);
    }
    if (out_.ends_with("\n\n")) {
      out_.pop_back();
    }
  }

private:
  template <class... Arguments> void print(fmt::format_string<Arguments...> format, Arguments &&...arguments) {
    deepperf::write(out_, format, std::forward<Arguments>(arguments)...);
  }

  // `indent` is also how far the text is from the left on its first line.
  void write_wrapped(std::string_view text, u32 used, std::string_view indent) {
    out_ += wrapped(printable(text), width_, used, indent);
    out_ += '\n';
  }

  [[nodiscard]] FrameOptions frame_options(std::string_view indent) const {
    constexpr u32 kWidthInFiles = 100;
    constexpr u32 kGutter = 10;
    const auto used = static_cast<u32>(indent.size()) + kGutter;
    return {indent, width_ == 0 ? kWidthInFiles : std::max(width_, used + 20) - used};
  }

  // ---- Summary --------------------------------------------------------------------------------------------------

  void write_summary() {
    out_ += style_.bold;
    const std::string time = options_.on_terminal ? fmt::format(" ({:.2f} s)", result_.seconds) : std::string();
    write_wrapped(shown_sentence(summary_, result_.file_count) + time, 0, "  ");
    out_ += style_.reset;
    if (const std::string hidden = hidden_sentence(result_.hidden); !hidden.empty()) {
      write_wrapped(hidden, 0, "  ");
    }
    write_first_things();
    write_fixable();
    out_ += '\n';
  }

  // Not for a list that is as short as this one.
  void write_first_things() {
    const auto is_serious = [](const Group &group) { return group.severity >= Severity::Warning; };
    if (options_.statistics ||
        static_cast<std::size_t>(std::ranges::count_if(groups_, is_serious)) <= kThingsToFixFirst) {
      return;
    }
    out_ += "Fix first:\n";
    std::vector<const rules::RuleInfo *> named;
    for (const Group &group : groups_) {
      const rules::RuleInfo *const rule = group.first().rule;
      if (named.size() == kThingsToFixFirst || !is_serious(group) || std::ranges::count(named, rule) != 0) {
        continue;
      }
      named.push_back(rule);
      const Place place = place_of(result_, group.first().file, group.first().span);
      std::string where;
      write_place(place.path, place.start.cell, place.start.line, 0, where);
      const auto findings = count_findings(rule);
      const std::string more = findings > 1 ? fmt::format(" ({} places)", findings) : "";
      print("  {}. ", named.size());
      write_wrapped(fmt::format("{} {}: {}{}", where, rule->code, group.first().message, more), 5, "     ");
    }
  }

  [[nodiscard]] u64 count_findings(const rules::RuleInfo *rule) const {
    return std::ranges::find(summary_.rules, rule, &RuleCount::rule)->count;
  }

  void write_fixable() {
    const u64 safe = options_.offer_safe_fixes ? summary_.safe_fixes : 0;
    const u64 unsafe = options_.offer_unsafe_fixes ? summary_.unsafe_fixes : 0;
    if (safe != 0) {
      print("{} can be fixed with --fix", safe);
    }
    if (unsafe != 0) {
      print("{}{} with --fix --unsafe-fixes", safe != 0 ? ", " : "",
            safe != 0 ? fmt::format("{} more", unsafe) : fmt::format("{} can be fixed", unsafe));
    }
    if (safe != 0 || unsafe != 0) {
      out_ += '\n';
    }
  }

  void write_statistics() {
    for (const RuleCount &rule : summary_.rules) {
      print("{:>6}  {}{}{} {}\n", rule.count, style_.bold, rule.rule->code, style_.reset, rule.rule->name);
    }
    if (!summary_.root_causes.empty()) {
      out_ += '\n';
    }
    for (const auto &[cause, number] : summary_.root_causes) {
      print("{:>6}  {}\n", number, cause);
    }
  }

  // ---- Files that are wrong as such -------------------------------------------------------------------------------

  void write_errors() {
    const std::size_t before = out_.size();
    auto error = result_.errors.begin();
    for (u32 index = 0; index < result_.files.size(); ++index) {
      const check::CheckedFile &file = result_.files[index];
      for (; error != result_.errors.end() && error->file.value == index; ++error) {
        write_error(*error);
      }
      if (file.suppressed_errors != 0) {
        print("{}{}{}: {} in this file {} not shown\n", style_.bold, printable(file.path), style_.reset,
              counted(file.suppressed_errors, "more syntax error", "more syntax errors"),
              file.suppressed_errors == 1 ? "is" : "are");
      }
    }
    if (out_.size() != before) {
      out_ += '\n';
    }
  }

  void write_error(const check::FileError &error) {
    const bool is_note = error.level == check::FileError::Level::Note;
    if (is_note && options_.quiet) {
      return;
    }
    write_head(result_.files[error.file.value].path, error.cell, error.line, error.column);
    print("{}{}{}: {}\n", is_note ? style_.blue : style_.red, level_name(error.level), style_.reset,
          printable(error.message));
    write_frame({error.line_text, error.line, error.column, error.end_column}, frame_options(""), style_, out_);
  }

  void write_head(std::string_view path, u32 cell, u32 line, u32 column) {
    out_ += style_.bold;
    write_place(path, cell, line, column, out_);
    out_ += style_.reset;
    out_ += ": ";
  }

  // ---- Findings ---------------------------------------------------------------------------------------------------

  void write_serious() {
    for (const Group &group : groups_) {
      if (group.severity >= Severity::Warning) {
        write_group(group);
      }
    }
  }

  // Advice and notes, compact.
  void write_rest() {
    std::string_view section;
    for (const Group &group : groups_) {
      if (group.severity >= Severity::Warning || options_.quiet) {
        continue;
      }
      if (const std::string_view title = section_of(group); title != section) {
        section = title;
        if (!out_.empty() && !out_.ends_with("\n\n")) {
          out_ += '\n';
        }
        print("{}{}{}\n", style_.bold, title, style_.reset);
      }
      if (options_.expand) {
        write_group(group);
      } else {
        write_compact(group);
      }
    }
  }

  static std::string_view section_of(const Group &group) {
    if (group.severity == Severity::Note) {
      return "Notes";
    }
    return group.is_hint ? "Possible problems (not proven)" : "Worth trying";
  }

  [[nodiscard]] std::string_view color_of(Severity severity) const {
    switch (severity) {
    case Severity::Error:
      return style_.red;
    case Severity::Warning:
      return style_.yellow;
    default:
      return style_.blue;
    }
  }

  // The code, as a link to the rule's page where the terminal can follow one.
  [[nodiscard]] std::string code_of(const rules::RuleInfo &rule) const {
    if (options_.rule_pages.empty() || !options_.on_terminal || !options_.color) {
      return std::string(rule.code);
    }
    const std::string page = path_uri(options_.rule_pages + "/" + rule_page_name(rule));
    return fmt::format("\x1b]8;;{}\x1b\\{}\x1b]8;;\x1b\\", page, rule.code);
  }

  void write_group(const Group &group) {
    const rules::Finding &finding = group.first();
    const Place place = place_of(result_, finding.file, finding.span);
    write_head(place.path, place.start.cell, place.start.line, place.start.column);
    print("{}{}{} {}{}{} {}: ", color_of(group.severity), severity_name(group.severity), style_.reset, style_.bold,
          code_of(*finding.rule), style_.reset, finding.rule->name);
    write_wrapped(finding.message, head_width(place, finding), "  ");
    write_code(place, finding.span, frame_options(""), style_, out_);
    for (const rules::Note &note : finding.notes) {
      write_note(note);
    }
    write_help(finding, "  ");
    write_measured(*finding.rule, "  ");
    if (group.findings.size() > 1) {
      print("  {}also{}: ", style_.blue, style_.reset);
      const std::span<const rules::Finding *const> others = std::span(group.findings).subspan(1);
      const u64 files = count_files(group.findings);
      const std::string total = fmt::format("{} in all{}", counted(group.findings.size(), "place", "places"),
                                            files > 1 ? fmt::format(", in {} files", files) : std::string());
      write_wrapped(fmt::format("{} ({}; --expand shows each)", places_of(result_, others, kMostPlaces), total), 8,
                    "        ");
    }
    write_facts(*finding.rule, "  ");
    out_ += '\n';
  }

  static u32 head_width(const Place &place, const rules::Finding &finding) {
    std::string head;
    write_place(place.path, place.start.cell, place.start.line, place.start.column, head);
    return count_characters(head) + static_cast<u32>(finding.rule->code.size() + finding.rule->name.size()) + 14;
  }

  void write_compact(const Group &group) {
    const rules::Finding &finding = group.first();
    print("  {}{}{} {}: ", style_.blue, code_of(*finding.rule), style_.reset, finding.rule->name);
    write_wrapped(finding.message, static_cast<u32>(finding.rule->code.size() + finding.rule->name.size()) + 5, "    ");
    out_ += "    ";
    const u64 files = count_files(group.findings);
    const std::string total = group.findings.size() <= kMostPlaces
                                  ? std::string()
                                  : fmt::format("{} places{}: ", group.findings.size(),
                                                files > 1 ? fmt::format(" in {} files", files) : std::string());
    const std::string_view offer = total.empty() ? "" : " (--expand lists them)";
    write_wrapped(total + places_of(result_, group.findings, kMostPlaces) + std::string(offer), 4, "    ");
    write_help(finding, "    ");
    write_measured(*finding.rule, "    ");
    write_facts(*finding.rule, "    ");
  }

  void write_note(const rules::Note &note) {
    const Place place = place_of(result_, note.file, note.span);
    out_ += "    ";
    std::string where;
    write_place(place.path, place.start.cell, place.start.line, place.start.column, where);
    print("{}: ", where);
    write_wrapped(note.message, count_characters(where) + 6, "      ");
    write_line(place, note.span, frame_options("    "), style_, out_);
  }

  void write_help(const rules::Finding &finding, std::string_view indent) {
    const std::string_view offer = offer_for(finding);
    if (finding.advice.empty() && offer.empty()) {
      return;
    }
    std::string text = finding.advice;
    if (!offer.empty()) {
      text += text.empty() ? fmt::format("fixable with {}", offer) : fmt::format(" (fixable with {})", offer);
    }
    print("{}{}help{}: ", indent, style_.green, style_.reset);
    write_wrapped(text, static_cast<u32>(indent.size()) + 6, std::string(indent.size() + 6, ' '));
  }

  void write_measured(const rules::RuleInfo &rule, std::string_view indent) {
    if (const std::string &text = measured(rule); !text.empty()) {
      print("{}{}measured{}: ", indent, style_.green, style_.reset);
      write_wrapped(text, static_cast<u32>(indent.size()) + 10, std::string(indent.size() + 10, ' '));
    }
  }

  void write_facts(const rules::RuleInfo &rule, std::string_view indent) {
    if (options_.verbose) {
      print("{}root cause: {}; symptoms: {}; stage: {}\n", indent, rule.root_cause, rule.symptoms, rule.stage);
    }
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

  const check::Result &result_;
  const Options &options_;
  const Style &style_;
  std::string &out_;
  u32 width_;
  Summary summary_;
  std::vector<Group> groups_;
};

} // namespace

void write_text(const check::Result &result, const Options &options, std::string &out) {
  TextReport(result, options, out).write();
}

} // namespace deepperf::report
