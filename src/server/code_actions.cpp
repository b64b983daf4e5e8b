#include "server/code_actions.h"

#include "server/findings_in.h"
#include "server/fixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace deepperf::server {

namespace {

constexpr std::size_t kLongestTitle = 100;

bool is_asked_for(std::string_view kind, const Json &only) {
  if (!only.is_array()) {
    return true;
  }
  return std::ranges::any_of(only, [&](const Json &asked) {
    if (!asked.is_string()) {
      return false;
    }
    const std::string &name = asked.get_ref<const std::string &>();
    return name.empty() || kind == name || (kind.starts_with(name) && kind[name.size()] == '.');
  });
}

// One line, not too long; never half a character.
std::string title_of(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  if (text.size() > kLongestTitle) {
    std::size_t end = kLongestTitle;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) {
      --end;
    }
    text = text.substr(0, end) + "…";
  }
  return text;
}

class Actions {
public:
  Actions(const CodeActionContext &context, FileIndex file, std::string bytes)
      : context_(context), file_(file), bytes_(std::move(bytes)) {}

  void add_for(const PlacedFinding &placed) {
    const rules::Finding &finding = *placed.finding;
    const Json diagnostic = diagnostic_of(finding, placed.location, context_.places, context_.diagnostics);
    if (finding.fix) {
      const rules::Finding *const alone[] = {&finding};
      const std::string_view warning = finding.fix->safe ? "" : " (may change results)";
      const std::string &what = finding.advice.empty() ? finding.message : finding.advice;
      Json *const action = add_edit(title_of(fmt::format("{}: {}", finding.rule->code, what)) + std::string(warning),
                                    kQuickFix, edits_together(context_.result, file_, bytes_, alone));
      if (action != nullptr) {
        (*action)["diagnostics"] = Json::array({diagnostic});
        (*action)["isPreferred"] = finding.fix->safe;
      }
    }
    if (const auto edit = suppressing_edit(context_.result.files[file_.value], finding)) {
      Json *const action = add_edit(fmt::format("{}: ignore on this line", finding.rule->code), kQuickFix, {*edit});
      if (action != nullptr) {
        (*action)["diagnostics"] = Json::array({diagnostic});
      }
    }
    if (context_.can_show_documents) {
      const std::string title = fmt::format("{}: open documentation of {}", finding.rule->code, finding.rule->name);
      actions_.push_back(
          {{"title", title},
           {"kind", kQuickFix},
           {"diagnostics", Json::array({diagnostic})},
           {"command",
            {{"title", title}, {"command", kOpenDocumentation}, {"arguments", Json::array({finding.rule->code})}}}});
    }
  }

  void add_fix_all() {
    std::vector<const rules::Finding *> safe;
    for (const rules::Finding &finding : context_.result.findings) {
      if (finding.file == file_ && finding.fix && finding.fix->safe) {
        safe.push_back(&finding);
      }
    }
    if (!safe.empty()) {
      add_edit("Fix all DeepPerf problems that have a safe fix", kFixAll,
               edits_together(context_.result, file_, bytes_, safe));
    }
  }

  Json take() { return std::move(actions_); }

private:
  Json *add_edit(const std::string &title, std::string_view kind, const std::vector<rules::Edit> &edits) {
    if (edits.empty()) {
      return nullptr;
    }
    Json edit = workspace_edit(edits, file_, context_.places, context_.documents, context_.has_versions);
    if (edit.is_null()) {
      return nullptr;
    }
    actions_.push_back({{"title", title}, {"kind", kind}, {"edit", std::move(edit)}});
    return &actions_.back();
  }

  const CodeActionContext &context_;
  FileIndex file_;
  std::string bytes_;
  Json actions_ = Json::array();
};

} // namespace

Json code_actions(const CodeActionContext &context, FileIndex file, std::string_view uri, const Range &range,
                  const Json &only) {
  const check::CheckedFile &checked = context.result.files[file.value];
  std::optional<std::string> bytes = context.documents.bytes_of(checked.path);
  const bool is_json = checked.source != nullptr && checked.source->is_notebook &&
                       context.documents.find_notebook(checked.path) == nullptr;
  if (!bytes || checked.source == nullptr || is_json) {
    return Json::array(); // nothing that is open could be edited
  }
  Actions actions(context, file, std::move(*bytes));
  if (is_asked_for(kQuickFix, only)) {
    // The whole lines: nobody aims at the first character of a call.
    const Range lines{{range.start.line, 0}, {range.end.line, ~u32{0}}};
    for (const PlacedFinding &placed : findings_in(context.result, context.places, file, uri)) {
      if (touch(placed.location.range, lines)) {
        actions.add_for(placed);
      }
    }
  }
  if (is_asked_for(kFixAll, only)) {
    actions.add_fix_all();
  }
  return actions.take();
}

} // namespace deepperf::server
