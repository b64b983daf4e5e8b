#include "server/diagnostics.h"

#include "base/hash.h"
#include "base/json.h"
#include "report/place.h"
#include "report/rule_link.h"
#include "server/uri.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <filesystem>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace deepperf::server {

namespace {

constexpr std::string_view kSource = "deepperf";
constexpr std::string_view kDeprecatedApi = "DP302";
constexpr int kErrorSeverity = 1;
constexpr int kDeprecatedTag = 2;

int severity_number(rules::Severity severity) {
  switch (severity) {
  case rules::Severity::Error:
    return kErrorSeverity;
  case rules::Severity::Warning:
    return 2;
  case rules::Severity::Advice:
    return 3;
  default:
    return 4;
  }
}

std::string message_of(const rules::Finding &finding) {
  return finding.advice.empty() ? finding.message : fmt::format("{}\nhelp: {}", finding.message, finding.advice);
}

Json error_json(const Range &range, std::string_view message) {
  return {{"range", to_json(range)}, {"severity", kErrorSeverity}, {"source", kSource}, {"message", message}};
}

bool is_folder(const std::string &path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// What there is to say of one file.
struct FileFacts {
  std::span<const check::FileError> errors;
  std::span<const rules::Finding> findings;
};

// All that is told of a file is made from these bytes, and from how it is open in the editor.
class Fingerprint {
public:
  explicit Fingerprint(const check::Result &result) : result_(result) {}

  u64 of(u32 index, const FileFacts &facts, u64 open) {
    bytes_.clear();
    add(open);
    add(result_.files[index].suppressed_errors);
    add_file({index});
    for (const check::FileError &error : facts.errors) {
      add(static_cast<u64>(error.level));
      for (const u32 number : {error.line, error.column, error.end_column, error.cell}) {
        add(number);
      }
      add(error.message);
      add(error.line_text);
    }
    for (const rules::Finding &finding : facts.findings) {
      add(finding);
    }
    return hash_bytes(bytes_);
  }

private:
  void add(u64 number) { bytes_.append(reinterpret_cast<const char *>(&number), sizeof number); }
  void add(std::string_view text) {
    add(text.size());
    bytes_ += text;
  }
  void add_file(FileIndex file) {
    const check::CheckedFile &checked = result_.files[file.value];
    add(checked.source != nullptr ? checked.serial : 0);
    add(checked.path);
  }
  void add(python::Span span) {
    add(span.start);
    add(span.end);
  }
  void add(const rules::Finding &finding) {
    add(finding.rule->code);
    add(finding.span);
    add(static_cast<u64>(rules::severity_of(finding)));
    add(finding.message);
    add(finding.advice);
    add(finding.fix ? 1 + static_cast<u64>(finding.fix->safe) : 0);
    for (const rules::Note &note : finding.notes) {
      add_file(note.file);
      add(note.span);
      add(note.message);
    }
  }

  const check::Result &result_;
  std::string bytes_;
};

// By path, what of the way in which it is open changes URIs and positions.
std::unordered_map<std::string_view, u64> open_states(const Documents &documents) {
  std::unordered_map<std::string_view, u64> states;
  const auto add = [&](std::string_view path, std::string_view bytes) {
    u64 &state = states[path];
    state = hash_bytes(bytes, state + 1);
  };
  for (const auto &[uri, document] : documents.all()) {
    if (!document.is_cell) {
      add(document.path, uri);
      add(document.path, document.language);
      add(document.path, std::string_view(document.text).substr(0, kByteOrderMark.size()));
    }
  }
  for (const auto &[uri, notebook] : documents.notebooks()) {
    add(notebook.path, uri);
    for (const Cell &cell : notebook.cells) {
      add(notebook.path, cell.uri);
    }
  }
  return states;
}

// A finding's notes may point into other files, whose URIs and positions depend on how these are open.
u64 state_of_all(const std::unordered_map<std::string_view, u64> &states, const check::Result &result, u32 index,
                 const FileFacts &facts) {
  u64 sum = 0;
  const auto add = [&](FileIndex file) {
    const auto found = states.find(result.files[file.value].path);
    sum = sum * 31 + (found == states.end() ? 0 : found->second);
  };
  add({index});
  for (const rules::Finding &finding : facts.findings) {
    for (const rules::Note &note : finding.notes) {
      add(note.file);
    }
  }
  return sum;
}

Diagnostics lists_of(u32 index, const FileFacts &facts, const check::Result &result, const Places &places,
                     const DiagnosticOptions &options) {
  using Level = check::FileError::Level;
  std::map<std::string, Json> lists;
  const check::CheckedFile &file = result.files[index];
  for (const check::FileError &error : facts.errors) {
    if (error.level == Level::Note || (error.level == Level::Unreadable && is_folder(file.path))) {
      continue; // no editor shows something for a folder
    }
    const Location location = places.find(error);
    lists[location.uri].push_back(
        error_json(location.range, fmt::format("{}: {}", report::level_name(error.level), error.message)));
  }
  if (const u32 more = file.suppressed_errors; more != 0) {
    const Location location = places.find(FileIndex{index});
    lists[location.uri].push_back(error_json(location.range, fmt::format("{} more syntax errors", more)));
  }
  for (const rules::Finding &finding : facts.findings) {
    const Location location = places.find(finding.file, finding.span);
    lists[location.uri].push_back(diagnostic_of(finding, location, places, options));
  }
  Diagnostics diagnostics;
  for (auto &[uri, items] : lists) {
    diagnostics[uri] = std::make_shared<const DiagnosticList>(list_of(std::move(items)));
  }
  return diagnostics;
}

// The part of a list that is sorted by file, from `next` on, which belongs to one file. `next` is moved after it.
template <class Item> std::span<const Item> take_file(const std::vector<Item> &items, u32 file, std::size_t &next) {
  const std::size_t first = next;
  while (next < items.size() && items[next].file.value == file) {
    ++next;
  }
  return std::span(items).subspan(first, next - first);
}

} // namespace

std::string rule_page(const rules::RuleInfo &rule, std::string_view folder) {
  if (folder.empty()) {
    return {};
  }
  std::string path = fmt::format("{}/{}-{}.md", folder, rule.code, rule.name);
  std::error_code error;
  return std::filesystem::exists(path, error) ? path : std::string();
}

Json diagnostic_of(const rules::Finding &finding, const Location &location, const Places &places,
                   const DiagnosticOptions &options) {
  Json json = {{"range", to_json(location.range)},
               {"severity", severity_number(rules::severity_of(finding))},
               {"code", finding.rule->code},
               {"source", kSource},
               {"message", message_of(finding)}};
  const std::string page = rule_page(*finding.rule, options.rule_pages);
  const std::string url = report::rule_url(*finding.rule);
  if (!url.empty() || !page.empty()) {
    json["codeDescription"] = {{"href", url.empty() ? uri_of_path(page) : url}};
  }
  if (finding.rule->code == kDeprecatedApi) {
    json["tags"] = Json::array({kDeprecatedTag});
  }
  if (options.has_related && !finding.notes.empty()) {
    Json &related = json["relatedInformation"] = Json::array();
    for (const rules::Note &note : finding.notes) {
      const Location place = places.find(note.file, note.span);
      related.push_back(
          {{"location", {{"uri", place.uri}, {"range", to_json(place.range)}}}, {"message", note.message}});
    }
  }
  json["data"] = {{"code", finding.rule->code},
                  {"name", finding.rule->name},
                  {"fix", !finding.fix        ? "none"
                          : finding.fix->safe ? "safe"
                                              : "unsafe"}};
  return json;
}

DiagnosticList list_of(Json items) {
  std::string id = fmt::format("{:016x}", hash_bytes(json_text(items)));
  return {std::move(items), std::move(id)};
}

Diagnostics DiagnosticLists::make(const check::Result &result, const Documents &documents, const Places &places,
                                  const DiagnosticOptions &options) {
  Diagnostics all;
  std::map<std::string, Known> now;
  const std::unordered_map<std::string_view, u64> states = open_states(documents);
  Fingerprint fingerprint(result);
  std::size_t next_error = 0;
  std::size_t next_finding = 0;
  for (u32 index = 0; index < result.files.size(); ++index) {
    const check::CheckedFile &file = result.files[index];
    const FileFacts facts{.errors = take_file(result.errors, index, next_error),
                          .findings = take_file(result.findings, index, next_finding)};
    if (facts.errors.empty() && facts.findings.empty() && file.suppressed_errors == 0) {
      continue;
    }
    const u64 hash = fingerprint.of(index, facts, state_of_all(states, result, index, facts));
    const auto old = known_.find(file.path);
    Known &known = now[file.path];
    if (old != known_.end() && old->second.hash == hash) {
      known = std::move(old->second);
    } else {
      known = {hash, lists_of(index, facts, result, places, options)};
    }
    for (const auto &[uri, list] : known.lists) {
      all[uri] = list;
    }
  }
  known_ = std::move(now);
  return all;
}

} // namespace deepperf::server
