// The findings of one text, with their places.
#pragma once

#include "check/result.h"
#include "server/places.h"

#include <string_view>
#include <vector>

namespace deepperf::server {

struct PlacedFinding {
  const rules::Finding *finding = nullptr;
  Location location;
};

// `uri` is the file's, or that of a cell of it.
std::vector<PlacedFinding> findings_in(const check::Result &result, const Places &places, FileIndex file,
                                       std::string_view uri);

// The ranges have a place in common; ends count.
bool touch(const Range &a, const Range &b);

} // namespace deepperf::server
