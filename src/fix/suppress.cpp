#include "fix/suppress.h"

#include "check/joined_lines.h"
#include "check/suppression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace deepperf::fix {

namespace {

// The comment that is to be written for some findings of a file: a new one on a line, or more codes in an old one.
struct Target {
  u32 line = 0;
  python::Span text; // of the line
  const check::Suppression *old = nullptr;
};

class FileSuppressor {
public:
  explicit FileSuppressor(const check::CheckedFile &file)
      : source_(*file.source), joined_(check::find_joined_lines(source_)) {
    if (file.comments != nullptr) {
      suppressions_ = check::find_suppressions(source_, *file.comments);
    }
  }

  void add(const rules::Finding &finding) {
    const Target target = find_target(finding);
    codes_[target.line].insert(std::string(finding.rule->code));
    targets_.push_back(target);
  }

  // Of the finding that was added as number `index`. Those that share a comment get the same edit.
  [[nodiscard]] rules::Edit edit(std::size_t index, const std::string &reason) const {
    const Target &target = targets_[index];
    const std::string codes = fmt::format("{}", fmt::join(codes_.at(target.line), ", "));
    if (target.old != nullptr) {
      return {target.old->bracket, target.old->bracket, (target.old->selectors.empty() ? "" : ", ") + codes};
    }
    u32 end = target.text.end; // blanks at the end of the line go
    while (end > target.text.start && (source_.text()[end - 1] == ' ' || source_.text()[end - 1] == '\t')) {
      --end;
    }
    return {end, target.text.end,
            fmt::format("{}# deepperf: ignore[{}]{}", end == target.text.start ? "" : "  ", codes,
                        reason.empty() ? "" : " -- " + reason)};
  }

private:
  // Lines that a comment may stand on, the first one first: there people look for it. Without one of ours to extend,
  // the first that does not end in a string or a backslash.
  [[nodiscard]] Target find_target(const rules::Finding &finding) const {
    check::LineRange lines = check::lines_of(finding, source_);
    lines.last = check::end_of_joined(joined_, lines.last);
    for (const check::Suppression &suppression : suppressions_) {
      if (suppression.is_ours && suppression.bracket != 0 && suppression.line >= lines.first &&
          suppression.line <= lines.last) {
        return {suppression.line, {}, &suppression};
      }
    }
    const u32 line = check::end_of_joined(joined_, lines.first);
    return {line, line_at(line, finding.span.start)};
  }

  // The text of a line, which is that of the offset or one that follows.
  [[nodiscard]] python::Span line_at(u32 line, u32 offset) const {
    const auto size = static_cast<u32>(source_.text().size());
    while (offset < size && source_.line_column(offset).line < line) {
      ++offset;
    }
    const std::string_view text = source_.line_text(offset);
    const auto start = static_cast<u32>(text.data() - source_.text().data());
    return {start, start + static_cast<u32>(text.size())};
  }

  const python::Source &source_;
  std::vector<check::LineRange> joined_;
  std::vector<check::Suppression> suppressions_;
  std::map<u32, std::set<std::string>> codes_; // by line
  std::vector<Target> targets_;
};

} // namespace

FixResult add_suppressions(const check::Result &result, const std::string &reason, const FixOptions &options) {
  check::Result silenced;
  silenced.files = result.files;
  silenced.findings = result.findings;
  std::vector<rules::Finding> &findings = silenced.findings;
  for (std::size_t begin = 0; begin < findings.size();) {
    std::size_t end = begin;
    while (end < findings.size() && findings[end].file == findings[begin].file) {
      findings[end++].fix.reset();
    }
    if (const check::CheckedFile &file = result.files[findings[begin].file.value]; file.source != nullptr) {
      FileSuppressor suppressor(file);
      for (std::size_t i = begin; i < end; ++i) {
        suppressor.add(findings[i]);
      }
      for (std::size_t i = begin; i < end; ++i) {
        findings[i].fix = rules::Fix{true, {suppressor.edit(i - begin, reason)}};
      }
    }
    begin = end;
  }
  FixOptions comments_only = options;
  comments_only.same_tree = true;
  return apply_fixes(silenced, comments_only);
}

} // namespace deepperf::fix
