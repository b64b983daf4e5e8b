// Edits as a unified diff, as `patch -p0` takes it.
#pragma once

#include "rules/finding.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::fix {

// `edits` are sorted and do not overlap. Knowing them, there is no need to compare the texts.
// With colour, lines that go are red, those that come green, as git shows them, and control characters are visible.
void write_diff(std::string_view path, std::string_view before, const std::vector<rules::Edit> &edits, std::string &out,
                bool color = false);

} // namespace deepperf::fix
