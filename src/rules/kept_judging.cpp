#include "rules/kept_judging.h"

#include "model/fingerprint.h"

#include <algorithm>

namespace deepperf::rules {

void KeptJudging::forget() { *this = {}; }

void KeptJudging::begin(const model::Project &project, const std::vector<bool> &is_parsed_anew) {
  std::vector<u64> now = model::fingerprints_of(project);
  is_update_ = holds_ && now.size() == fingerprints_.size();
  holds_ = false; // until the end
  is_changed_.assign(now.size(), !is_update_);
  for (std::size_t i = 0; i < now.size() && is_update_; ++i) {
    is_changed_[i] = now[i] != fingerprints_[i] || (i < is_parsed_anew.size() && is_parsed_anew[i]);
  }
  anything_changed_ = std::ranges::find(is_changed_, true) != is_changed_.end();
  fingerprints_ = std::move(now);
  if (!is_update_) {
    modules_.clear();
  }
  modules_.resize(project.modules.size());
}

bool KeptJudging::is_different(const ReadSet &reads) const {
  return (reads.everything && anything_changed_) ||
         std::ranges::any_of(reads.units, [this](u32 unit) { return is_changed_[unit]; });
}

KeptJudging::Again KeptJudging::again(const model::Module &module) const {
  Again result;
  result.all = !is_update_ || is_changed_[module.index];
  const KeptModule &kept = modules_[module.index];
  for (std::size_t i = 0; i < kept.reads.size() && !result.all; ++i) {
    if (is_different(kept.reads[i].second)) {
      result.rules.push_back(kept.reads[i].first);
    }
  }
  result.all = result.all || (kept.sees_findings && !result.rules.empty());
  return result;
}

} // namespace deepperf::rules
