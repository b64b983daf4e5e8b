#include "fix/edits.h"

#include <algorithm>
#include <tuple>

namespace deepperf::fix {

namespace {

bool is_before(const rules::Edit &a, const rules::Edit &b) {
  return std::tie(a.start, a.end) < std::tie(b.start, b.end);
}

bool is_same(const rules::Edit &a, const rules::Edit &b) {
  return a.start == b.start && a.end == b.end && a.replacement == b.replacement;
}

bool overlap(const rules::Edit &a, const rules::Edit &b) {
  return std::max(a.start, b.start) < std::min(a.end, b.end) || (a.start == b.start && a.end == b.end);
}

// Of two fixes: also an insertion at the edge of what another changes, as only its author knows which side it is on.
bool collide(const rules::Edit &a, const rules::Edit &b) {
  const bool is_insertion = a.start == a.end || b.start == b.end;
  return overlap(a, b) || (is_insertion && std::max(a.start, b.start) <= std::min(a.end, b.end));
}

} // namespace

bool EditSet::add(const std::vector<rules::Edit> &edits, std::size_t text_size) {
  std::vector<rules::Edit> fresh;
  for (const rules::Edit &edit : edits) {
    if (edit.start > edit.end || edit.end > text_size) {
      return false;
    }
    // Only the neighbours in the sorted list can collide.
    const auto behind = std::ranges::lower_bound(edits_, edit, is_before);
    if (behind != edits_.end() && is_same(*behind, edit)) {
      continue;
    }
    if ((behind != edits_.end() && collide(*behind, edit)) ||
        (behind != edits_.begin() && collide(*std::prev(behind), edit))) {
      return false;
    }
    fresh.push_back(edit);
  }
  std::ranges::stable_sort(fresh, is_before);
  for (std::size_t i = 1; i < fresh.size(); ++i) {
    if (overlap(fresh[i - 1], fresh[i])) {
      return false;
    }
  }
  for (rules::Edit &edit : fresh) {
    edits_.insert(std::ranges::lower_bound(edits_, edit, is_before), std::move(edit));
  }
  return true;
}

std::string edited(std::string_view text, const std::vector<rules::Edit> &edits) {
  std::string result;
  std::size_t at = 0;
  for (const rules::Edit &edit : edits) {
    result += text.substr(at, edit.start - at);
    result += edit.replacement;
    at = edit.end;
  }
  result += text.substr(at);
  return result;
}

} // namespace deepperf::fix
