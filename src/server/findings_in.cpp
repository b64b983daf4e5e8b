#include "server/findings_in.h"

#include <algorithm>

namespace deepperf::server {

std::vector<PlacedFinding> findings_in(const check::Result &result, const Places &places, FileIndex file,
                                       std::string_view uri) {
  std::vector<PlacedFinding> found;
  // They are sorted by file.
  auto finding = std::ranges::lower_bound(result.findings, file.value, {},
                                          [](const rules::Finding &other) { return other.file.value; });
  for (; finding != result.findings.end() && finding->file == file; ++finding) {
    Location location = places.find(finding->file, finding->span);
    if (location.uri == uri) {
      found.push_back({&*finding, std::move(location)});
    }
  }
  return found;
}

bool touch(const Range &a, const Range &b) { return a.start <= b.end && b.start <= a.end; }

} // namespace deepperf::server
