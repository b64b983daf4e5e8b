#include "bench/tool_findings.h"

#include "base/json.h"
#include "bench/files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <stdexcept>

namespace deepperf::bench {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestToolOutput = std::size_t{256} << 20;

// A part of a tree, by a pointer such as "/range/start/line"; null if there is none.
const Json *at(const Json &json, const char *pointer) {
  const Json::json_pointer path(pointer);
  return json.contains(path) ? &json.at(path) : nullptr;
}

std::string text_at(const Json &json, std::initializer_list<const char *> pointers) {
  for (const char *const pointer : pointers) {
    if (const Json *const value = at(json, pointer); value != nullptr && value->is_string()) {
      return value->get<std::string>();
    }
  }
  return {};
}

u32 number_at(const Json &json, std::initializer_list<const char *> pointers) {
  for (const char *const pointer : pointers) {
    if (const Json *const value = at(json, pointer); value != nullptr && value->is_number_unsigned()) {
      return value->get<u32>();
    }
  }
  return 0;
}

void read_sarif(const Json &json, ToolFindings &found) {
  for (const Json &run : json.at("runs")) {
    if (const std::string name = text_at(run, {"/tool/driver/name"}); !name.empty()) {
      found.tool = name;
    }
    const Json *const results = at(run, "/results");
    if (results == nullptr || !results->is_array()) {
      continue;
    }
    for (const Json &result : *results) {
      found.findings.push_back({text_at(result, {"/locations/0/physicalLocation/artifactLocation/uri"}),
                                number_at(result, {"/locations/0/physicalLocation/region/startLine"}),
                                text_at(result, {"/ruleId", "/rule/id"})});
    }
  }
}

void read_list(const Json &list, ToolFindings &found) {
  for (const Json &item : list) {
    // ast-grep counts lines from 0, and nests them.
    const Json *const from_zero = at(item, "/range/start/line");
    const u32 line = from_zero != nullptr ? number_at(item, {"/range/start/line"}) + 1
                                          : number_at(item, {"/line", "/location/row", "/lineno"});
    found.findings.push_back(
        {text_at(item, {"/path", "/filename", "/file"}), line,
         text_at(item, {"/ruleId", "/symbol", "/code", "/message-id", "/messageId", "/rule", "/check_id"})});
  }
}

} // namespace

ToolFindings parse_tool_findings(const std::string &text, const std::string &name) {
  ToolFindings found;
  found.tool = name;
  const Json json = parse_json<Json>(text);
  if (json.is_object() && json.contains("runs") && json.at("runs").is_array()) {
    read_sarif(json, found);
  } else if (json.is_array()) {
    read_list(json, found);
  } else if (json.is_object() && json.contains("messages") && json.at("messages").is_array()) { // pylint's json2
    read_list(json.at("messages"), found);
  } else if (json.is_object() && json.contains("findings") && json.at("findings").is_array()) { // our own
    read_list(json.at("findings"), found);
  } else {
    throw std::runtime_error("it is neither SARIF nor a list of findings in JSON");
  }
  for (const ToolFinding &finding : found.findings) {
    if (finding.path.empty() || finding.rule.empty()) {
      throw std::runtime_error("it has a finding without a file or without a rule");
    }
  }
  return found;
}

ToolFindings read_tool_findings(const std::string &file) {
  const std::string text = read_file(file, kLargestToolOutput);
  try {
    return parse_tool_findings(text, std::filesystem::path(file).stem().string());
  } catch (const std::exception &error) {
    throw std::runtime_error(fmt::format("{}: {}", file, error.what()));
  }
}

} // namespace deepperf::bench
