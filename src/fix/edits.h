// Edits of a text: which go together, and what the text is after them.
#pragma once

#include "rules/finding.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::fix {

// Edits that can be applied at once: sorted, and none touches what another changes.
class EditSet {
public:
  // Takes all edits of a fix or, if one of them is in the way of another, none. An edit that is there already, such as
  // the same import that two fixes need, is shared.
  bool add(const std::vector<rules::Edit> &edits, std::size_t text_size);
  [[nodiscard]] const std::vector<rules::Edit> &edits() const { return edits_; }

private:
  std::vector<rules::Edit> edits_;
};

// `edits` are sorted and do not overlap.
std::string edited(std::string_view text, const std::vector<rules::Edit> &edits);

} // namespace deepperf::fix
