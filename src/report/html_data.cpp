#include "report/html_data.h"

#include "base/json.h"
#include "fix/diff.h"
#include "fix/edits.h"
#include "report/json_text.h"
#include "report/measured.h"
#include "report/place.h"
#include "report/shown_lines.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace deepperf::report {

namespace {

// Things that many findings share are written once, and named by their index.
template <typename Key> class Table {
public:
  template <typename Make> u64 index_of(const Key &key, const Make &make) {
    const auto [entry, is_new] = indices_.try_emplace(key, list_.size());
    if (is_new) {
      list_.push_back(make());
    }
    return entry->second;
  }
  [[nodiscard]] Json &&take() { return std::move(list_); }

private:
  std::unordered_map<Key, u64> indices_;
  Json list_ = Json::array();
};

Json rule_of_page(const rules::RuleInfo &rule) {
  Json json;
  json["code"] = rule.code;
  json["name"] = rule.name;
  json["summary"] = rule.summary;
  json["cause"] = rule.root_cause;
  json["symptoms"] = split_list(rule.symptoms);
  json["stage"] = rule.stage;
  json["frameworks"] = split_list(rule.frameworks);
  if (const std::string &text = measured(rule); !text.empty()) {
    json["measured"] = text;
  }
  json["documentation"] = rule.documentation;
  return json;
}

class Page {
public:
  explicit Page(const check::Result &result) : result_(result) {}

  Json data() {
    Json json;
    json["version"] = DEEPPERF_VERSION;
    json["files"] = result_.file_count;
    json["hidden"] = hidden();
    Json findings = Json::array();
    for (const rules::Finding &finding : result_.findings) {
      findings.push_back(finding_json(finding));
    }
    json["findings"] = std::move(findings);
    json["errors"] = errors();
    json["lines"] = lines();
    json["rules"] = rules_.take();
    json["texts"] = texts_.take();
    json["paths"] = paths_.take();
    return json;
  }

private:
  u64 text(std::string_view text) {
    return texts_.index_of(std::string(text), [&] { return Json(text); });
  }
  u64 path(FileIndex file) {
    return paths_.index_of(file.value, [&] { return Json(result_.files[file.value].path); });
  }

  // [path, cell, line, column, end line, end column]
  Json place(FileIndex file, python::Span span) {
    const Place place = place_of(result_, file, span);
    shown_.add(file, place);
    const u32 line = place.source == nullptr ? 0 : place.start.line;
    return {path(file), place.start.cell, line, place.start.column, place.end.line, place.end.column};
  }

  Json finding_json(const rules::Finding &finding) {
    Json json;
    json["rule"] = rules_.index_of(finding.rule, [&] { return rule_of_page(*finding.rule); });
    json["severity"] = severity_name(rules::severity_of(finding));
    if (rules::is_hint(finding)) {
      json["hint"] = true;
    }
    json["place"] = place(finding.file, finding.span);
    json["message"] = text(finding.message);
    if (!finding.advice.empty()) {
      json["help"] = text(finding.advice);
    }
    for (const rules::Note &note : finding.notes) {
      json["notes"].push_back({{"place", place(note.file, note.span)}, {"message", text(note.message)}});
    }
    if (finding.fix) {
      json["fix"] = {{"safe", finding.fix->safe}, {"diffs", diffs(finding)}};
    }
    return json;
  }

  // One per cell that the fix changes, as lines count by cell; each [cell, unified diff].
  Json diffs(const rules::Finding &finding) {
    Json list = Json::array();
    const check::CheckedFile &file = result_.files[finding.file.value];
    fix::EditSet edits;
    if (file.source == nullptr || !edits.add(finding.fix->edits, file.source->text().size())) {
      return list;
    }
    // Of a change in a line of megabytes, which may have many, the message has to do.
    constexpr std::size_t kMostShown = 4096;
    const auto is_long = [&](const rules::Edit &edit) {
      return file.source->line_text(edit.start).size() > kMostShown ||
             file.source->line_text(edit.end).size() > kMostShown;
    };
    if (std::ranges::any_of(edits.edits(), is_long)) {
      return list;
    }
    std::vector<python::Segment> segments = file.source->segments;
    if (segments.empty()) {
      segments.push_back({0, static_cast<u32>(file.source->text().size())});
    }
    for (const python::Segment &segment : segments) {
      std::vector<rules::Edit> here;
      for (rules::Edit edit : edits.edits()) {
        if (edit.start >= segment.begin && edit.end <= segment.end) {
          edit.start -= segment.begin;
          edit.end -= segment.begin;
          here.push_back(std::move(edit));
        }
      }
      std::string diff;
      if (!here.empty()) {
        fix::write_diff(file.path, file.source->part(segment.begin, segment.end), here, diff);
      }
      if (!diff.empty()) {
        list.push_back({segment.cell, text(diff)});
      }
    }
    return list;
  }

  [[nodiscard]] Json hidden() const {
    Json json;
    json["advice"] = result_.hidden.advice;
    json["notes"] = result_.hidden.notes;
    json["others"] = result_.hidden.others;
    json["suppressed"] = result_.hidden.suppressed;
    return json;
  }

  Json errors() {
    Json list = Json::array();
    for (const check::FileError &error : result_.errors) {
      if (error.level != check::FileError::Level::Note) {
        list.push_back({{"path", path(error.file)},
                        {"cell", error.cell},
                        {"line", error.line},
                        {"column", error.column},
                        {"kind", level_name(error.level)},
                        {"message", error.message}});
      }
    }
    return list;
  }

  // [path, cell, number of the first line, lines]
  Json lines() {
    Json list = Json::array();
    for (const LineRun &run : shown_.runs(result_)) {
      list.push_back({path(run.file), run.cell, run.first, run.lines});
    }
    return list;
  }

  const check::Result &result_;
  ShownLines shown_;
  Table<const rules::RuleInfo *> rules_;
  Table<std::string> texts_;
  Table<u32> paths_;
};

} // namespace

std::string html_data(const check::Result &result) {
  // Paths and code may hold bytes that are not UTF-8: a replacement character stands for those.
  const std::string json = json_text(Page(result).data());
  // In JSON, `<` stands in strings only. Escaped there, nothing can end the element or begin a comment in it.
  std::string safe;
  safe.reserve(json.size() + json.size() / 64);
  for (const char character : json) {
    if (character == '<') {
      safe += "\\u003c";
    } else {
      safe += character;
    }
  }
  return safe;
}

} // namespace deepperf::report
