#include "server/diagnostics.h"

#include "base/hash.h"
#include "base/json.h"
#include "report/place.h"
#include "report/rule_link.h"
#include "server/uri.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <filesystem>

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

void add_errors(const check::Result &result, const Places &places, Diagnostics &diagnostics) {
  using Level = check::FileError::Level;
  for (const check::FileError &error : result.errors) {
    const check::CheckedFile &file = result.files[error.file.value];
    if (error.level == Level::Note || (error.level == Level::Unreadable && is_folder(file.path))) {
      continue; // no editor shows something for a folder
    }
    const Location location = places.find(error);
    diagnostics[location.uri].push_back(
        error_json(location.range, fmt::format("{}: {}", report::level_name(error.level), error.message)));
  }
  for (u32 index = 0; index < result.files.size(); ++index) {
    if (const u32 more = result.files[index].suppressed_errors; more != 0) {
      const Location location = places.find(FileIndex{index});
      diagnostics[location.uri].push_back(error_json(location.range, fmt::format("{} more syntax errors", more)));
    }
  }
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

Diagnostics all_diagnostics(const check::Result &result, const Places &places, const DiagnosticOptions &options) {
  Diagnostics diagnostics;
  add_errors(result, places, diagnostics);
  for (const rules::Finding &finding : result.findings) {
    const Location location = places.find(finding.file, finding.span);
    diagnostics[location.uri].push_back(diagnostic_of(finding, location, places, options));
  }
  return diagnostics;
}

std::string result_id(const Json &diagnostics) { return fmt::format("{:016x}", hash_bytes(json_text(diagnostics))); }

} // namespace deepperf::server
