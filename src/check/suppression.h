// Comments by which people say that they know better: `# deepperf: ignore[DP101]`, `# noqa`, `# deepperf: ignore-file`.
#pragma once

#include "python/source.h"
#include "rules/finding.h"

#include <string_view>
#include <vector>

namespace deepperf::check {

struct Suppression {
  u32 line = 0; // counted over the whole text, from 1; 0: the whole file
  bool everything = true;
  std::vector<std::string_view> selectors; // of the rules it is about, unless `everything`; point into the source
};

// False if the comment's text certainly silences nothing.
bool may_silence(std::string_view comment);

// In source order.
std::vector<Suppression> find_suppressions(const python::Source &source, const std::vector<python::Span> &comments);

// True if one of them is about the finding's rule and stands on a line of the finding, or is about the whole file.
bool is_suppressed(const rules::Finding &finding, const python::Source &source,
                   const std::vector<Suppression> &suppressions);

} // namespace deepperf::check
