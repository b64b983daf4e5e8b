// Findings as the protocol's diagnostics.
#pragma once

#include "check/result.h"
#include "server/json.h"
#include "server/places.h"

#include <map>
#include <string>
#include <string_view>

namespace deepperf::server {

struct DiagnosticOptions {
  std::string rule_pages;  // folder with the rules' pages; empty: there are no links
  bool has_related = true; // the editor shows notes at other places
};

// The diagnostics of one finding, without its URI.
Json diagnostic_of(const rules::Finding &finding, const Location &location, const Places &places,
                   const DiagnosticOptions &options);

// By URI; each a list in the order of the places. Only of texts that have some.
using Diagnostics = std::map<std::string, Json, std::less<>>;
Diagnostics all_diagnostics(const check::Result &result, const Places &places, const DiagnosticOptions &options);

// The page of a rule as a file, if there is one.
std::string rule_page(const rules::RuleInfo &rule, std::string_view folder);

// Names a list of diagnostics, so that an editor need not get it twice.
std::string result_id(const Json &diagnostics);

} // namespace deepperf::server
