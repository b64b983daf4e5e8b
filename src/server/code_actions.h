// What can be done about findings: fix one, fix all, silence one, read about its rule.
#pragma once

#include "check/result.h"
#include "server/diagnostics.h"
#include "server/json.h"
#include "server/places.h"

#include <string>
#include <string_view>

namespace deepperf::server {

constexpr std::string_view kQuickFix = "quickfix";
constexpr std::string_view kFixAll = "source.fixAll.deepperf";
constexpr std::string_view kOpenDocumentation = "deepperf.openDocumentation"; // a command; its argument is a code

struct CodeActionContext {
  const check::Result &result;
  const Places &places;
  const Documents &documents;
  const DiagnosticOptions &diagnostics;
  bool has_versions = false;      // the editor takes edits of a version of a text
  bool can_show_documents = true; // and opens what it is asked to
};

// `only`: the kinds that are asked for, a list; null for all.
Json code_actions(const CodeActionContext &context, FileIndex file, std::string_view uri, const Range &range,
                  const Json &only);

} // namespace deepperf::server
