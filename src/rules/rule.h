// What a rule is: its metadata and documentation, in the codebook's words. Each rule's file defines one RuleInfo.
#pragma once

#include "base/types.h"

#include <span>
#include <string_view>

namespace deepperf::rules {

// On: reported by default. Hint: only with --hints. Off: only when selected by name.
enum class Tier : u8 { On, Hint, Off };

struct RuleInfo {
  std::string_view code;       // DP101
  std::string_view name;       // sequential-map
  std::string_view summary;    // one line
  std::string_view root_cause; // "API: Inefficient API Usage"
  std::string_view symptoms;   // "Slow Execution Time, Abnormal GPU Utilization"
  std::string_view stage;      // "Data Preparation"
  std::string_view frameworks; // "TensorFlow"
  Tier tier = Tier::On;
  // Documentation, Markdown, in this order: what it finds, why it costs, bad and good example, when it is wrong,
  // references.
  std::string_view documentation;
};

// All rules, sorted by code.
std::span<const RuleInfo *const> all_rules();

} // namespace deepperf::rules
