// What a rule is: its metadata and documentation in the codebook's words, what it wants to see, and its logic.
//
// Each rule is one file: src/rules/<cause>/<name>.cpp defines `const Rule k<Name>`, and the build lists them all.
#pragma once

#include "base/types.h"
#include "python/ast.h"

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace deepperf::model {
struct Project;
}

namespace deepperf::rules {

struct Finding;
struct Site;
using Findings = std::vector<Finding>;

// On: reported by default. Hint: only with --hints. Off: only when selected by name.
enum class Tier : u8 { On, Hint, Off };

// What a finding means to its reader. Error: the program crashes or computes something wrong. Warning: it costs time or
// memory. Advice: an opportunity that may pay. Note: nothing is lost today, as with deprecated names and in test code.
enum class Severity : u8 { Note, Advice, Warning, Error };

// The edit that a rule may offer. Safe: the program computes the same. Unsafe: it may not; only with --unsafe-fixes.
enum class FixKind : u8 { None, Safe, Unsafe };

struct RuleInfo {
  std::string_view code = {};            // DP101
  std::string_view name = {};            // sequential-map
  std::string_view summary = {};         // one line
  std::string_view root_cause = {};      // "API: Inefficient API Usage"
  std::string_view symptoms = {};        // "Slow Execution Time, Abnormal GPU Utilization"
  std::string_view stage = {};           // "Data Preparation"
  std::string_view frameworks = {};      // "TensorFlow, Keras"
  Severity severity = Severity::Warning; // of its findings, unless one of them is lowered
  Tier tier = Tier::On;
  FixKind fix = FixKind::None;
  std::string_view posts = {}; // Stack Overflow ids of the study's problems that it covers: "43043271 47087842"
  // Documentation, Markdown, in this order: what it finds, why it costs, bad and good example, when it is wrong,
  // references.
  std::string_view documentation = {};
};

// Kinds of nodes that a rule wants to see.
class NodeSet {
public:
  constexpr NodeSet() = default;
  constexpr NodeSet(std::initializer_list<python::NodeKind> kinds) {
    for (const python::NodeKind kind : kinds) {
      bits_[static_cast<u32>(kind) / 64] |= u64{1} << (static_cast<u32>(kind) % 64);
    }
  }
  [[nodiscard]] constexpr bool has(python::NodeKind kind) const {
    return (bits_[static_cast<u32>(kind) / 64] >> (static_cast<u32>(kind) % 64) & 1) != 0;
  }

private:
  u64 bits_[2] = {};
};

struct Rule {
  RuleInfo info;
  // Calls that it wants to see, separated by blanks: an API by its canonical name (`torch.load`), a method of a kind of
  // value (`TorchTensor.item`, also for kinds that are cases of it), a call of such a value itself
  // (`TorchLoss.__call__`), or a method of anything (`*.item`).
  std::string_view calls = {};
  void (*on_call)(Site &site, const python::Call &call) = nullptr;
  // Names and attributes that it wants to see, by their last part, separated by blanks; or all that a function lists.
  // on_node is called with them.
  std::string_view names = {};
  std::vector<std::string_view> (*listed_names)() = nullptr;
  NodeSet nodes = {};
  void (*on_node)(Site &site, const python::Node &node) = nullptr;
  void (*on_module)(Site &site) = nullptr; // once for each module, before its nodes
  // The same for what asks for shapes (rules/shape_problems.h), after all nodes of all modules: another thread may work
  // them out meanwhile.
  void (*on_shapes)(Site &site) = nullptr;
  void (*on_project)(const model::Project &project, Findings &findings) = nullptr;
};

// All rules, sorted by code.
std::span<const RuleInfo *const> all_rules();

} // namespace deepperf::rules
