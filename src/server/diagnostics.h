// Findings as the protocol's diagnostics.
#pragma once

#include "check/result.h"
#include "server/json.h"
#include "server/places.h"

#include <map>
#include <memory>
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

struct DiagnosticList {
  Json items; // in the order of the places
  // Names the list, so that an editor need not get it twice. Equal lists have equal ones, also in another process.
  std::string id;
};

DiagnosticList list_of(Json items);

// By URI, only of texts that have some.
using Diagnostics = std::map<std::string, std::shared_ptr<const DiagnosticList>, std::less<>>;

// Makes the diagnostics of one check after the other. Those of files of which nothing has changed stay.
class DiagnosticLists {
public:
  Diagnostics make(const check::Result &result, const Documents &documents, const Places &places,
                   const DiagnosticOptions &options);

private:
  struct Known {
    u64 hash = 0; // of all that the lists are made from
    Diagnostics lists;
  };
  std::map<std::string, Known> known_; // by path, of the last check
};

// The page of a rule as a file, if there is one.
std::string rule_page(const rules::RuleInfo &rule, std::string_view folder);

} // namespace deepperf::server
