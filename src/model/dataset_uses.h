// The uses of one module: what stands around each node, where names are read, and what follows from that for a dataset.
// Private to src/model.
#pragma once

#include "model/consumers.h"

#include <algorithm>
#include <optional>
#include <span>

namespace deepperf::model {

struct Consumers::Uses {
  Uses(const Module &in, Consumers &consumers);

  // What is done with the value of an expression.
  Consumption follow(const python::Expr *expr);
  // for x in dataset, next(iter(dataset)), where the call's result is called `dataset`.
  bool is_read_singly(const python::Expr *call);

private:
  static constexpr u32 kMaxSteps = 200;  // along one dataset; further on it counts as read
  static constexpr u32 kMaxNames = 5000; // looked at for one dataset; the same

  // Where a name that was given a dataset is read.
  struct Reads {
    const python::Node *block = nullptr;    // of the assignment
    const python::Node *function = nullptr; // around it
    u32 from = 0;
  };

  // ---- consumers.cpp: what becomes of a dataset
  template <class Follow> Consumption follow_result(const python::Node *returned, Follow follow_call);
  Consumption follow_into(const python::Call &call, const python::Node *argument);
  Consumption follow_param(const python::FunctionDef &function, Symbol name);
  Consumption follow_element(const python::Expr &element);
  Consumption follow_name(const python::Name &target, const python::Assign &assignment);

  // ---- dataset_uses.cpp: nodes and names of the module
  void add(const python::Node *node, const python::Node *parent, const python::Node *function);
  [[nodiscard]] const python::Node *parent_of(const python::Node *node) const;
  [[nodiscard]] Reads reads_after(const python::Assign &assignment) const;
  [[nodiscard]] bool is_handed_on(Symbol name) const;
  [[nodiscard]] bool binds_in(const python::Node *function, const python::Expr *expr) const;
  [[nodiscard]] bool binds(const python::Node *function, Symbol name) const;
  [[nodiscard]] const python::Node *function_around(const python::Node *node) const;
  [[nodiscard]] bool has_own(const python::Node *function, Symbol name, const python::Node *meant) const;
  [[nodiscard]] static bool is_nested(const python::Node *inner, const python::Node *outer) {
    return inner != nullptr && contains(outer, inner);
  }
  template <class Use> bool each_read(Symbol target, const Reads &reads, Use use);

  // ---- few_reads.cpp: how many elements are read
  [[nodiscard]] bool reads_few(const python::For &loop) const;
  [[nodiscard]] bool is_few(const python::Call *take) const;
  [[nodiscard]] std::optional<i64> number_at(const python::Expr *expr) const;
  static std::optional<i64> literal_in(const python::Source &text, const python::Expr *expr);
  [[nodiscard]] std::optional<i64> number_passed(const CallSite &site, const python::Name &name) const;
  [[nodiscard]] bool leaves_by_count(const python::For &loop) const;
  [[nodiscard]] bool counts(const python::For &loop, const python::Name &name, python::Operator direction) const;
  [[nodiscard]] bool trains_few_steps(const python::Call &call, const python::Node *argument) const;
  [[nodiscard]] bool runs_few_times(const python::Node *node) const;
  [[nodiscard]] bool is_in_loop(const python::Node *node) const;
  [[nodiscard]] bool may_run_again(const python::Node *node, const python::Expr *iterator) const;
  [[nodiscard]] bool holds_rarely(const python::Expr *test) const;
  [[nodiscard]] bool runs_rarely(const python::Node *node) const;

  Consumers &owner;
  const python::Source &source;
  bool is_notebook = false;
  bool is_broken = false; // it has syntax errors
  std::unordered_map<const python::Node *, const python::Node *> parents;
  std::unordered_map<u32, std::vector<const python::Name *>> names;
  std::unordered_map<const python::Node *, std::unordered_set<u32>> bound; // names that functions bind
};

// Calls `use` for each place that reads the name between an assignment and the next one of the same block, until it
// returns false. Returns whether there was any.
template <class Use> bool Consumers::Uses::each_read(Symbol target, const Reads &reads, Use use) {
  using namespace python;
  const Node *const block = reads.block;
  const Node *const function = reads.function;
  const bool is_straight = block == nullptr || block->kind == NodeKind::FunctionDef || block->kind == NodeKind::With;
  // Of a function's own name, only what stands in the function counts.
  std::span<const Name *const> found = names[target.id];
  if (function != nullptr) {
    const auto from = std::ranges::lower_bound(found, function->start, {}, &Name::start);
    const auto to = std::ranges::lower_bound(found, function->end, {}, &Name::start);
    found = {from, to};
  }
  u32 until = ~0U;
  for (const Name *name : found) {
    if (++owner.trace_.looked > kMaxNames) {
      return true;
    }
    const auto *other = name->context != Context::Load ? as<Assign>(parent_of(name)) : nullptr;
    if (is_straight && other != nullptr && other->start >= reads.from && parent_of(other) == block) {
      until = std::min(until, other->end);
    }
  }
  bool read = false;
  for (const Name *name : found) {
    if (name->context != Context::Load) {
      continue;
    }
    if (++owner.trace_.looked > kMaxNames) {
      return true;
    }
    const Node *const inside = function_around(name);
    const bool is_later = name->start >= reads.from && name->start < until;
    if (inside == function
            ? !is_later
            : (function != nullptr && !is_nested(inside, function)) || has_own(inside, target, function)) {
      continue;
    }
    read = true;
    if (!use(*name)) {
      break;
    }
  }
  return read;
}

} // namespace deepperf::model
