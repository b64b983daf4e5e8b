#include "shapes/root_memory.h"

#include <algorithm>

namespace deepperf::shapes {

namespace {

// So many sizes are far from the most that there may be: below it, leaving some out changes nothing.
constexpr std::size_t kManyForms = 100'000;

u64 kind_of(const model::Module &module) {
  u64 kind = module.file.value;
  for (const bool fact : {module.tensorflow, module.near_tensorflow, module.is_linted, module.torch, module.jax,
                          module.v1, module.v2, module.is_test, module.is_package}) {
    kind = kind << 1U | u64{fact};
  }
  return kind;
}

} // namespace

void RootMemory::note_changed(const std::vector<bool> &is_changed) {
  if (is_changed.size() != roots_.size() || is_changed.size() != changed_.size()) {
    return forget();
  }
  for (std::size_t i = 0; i < is_changed.size(); ++i) {
    if (is_changed[i]) {
      changed_[i] = true;
      roots_[i].clear(); // other nodes may come to stand where these did
    }
  }
}

// Whatever a module depends on, directly or not, must be as it was.
void RootMemory::find_usable(const Interpreter &in, std::vector<bool> is_bad) {
  std::vector<std::vector<u32>> dependants(is_bad.size());
  for (const model::Module &module : in.project.modules) {
    for (const auto &[node, target] : module.import_targets) {
      dependants[target.get()->index].push_back(module.index);
    }
    for (const auto &[name, target] : module.imported) {
      dependants[target.get()->index].push_back(module.index);
    }
  }
  for (const auto &[from, to] : edges_) {
    dependants[to].push_back(from);
  }
  std::vector<u32> open;
  for (u32 i = 0; i < is_bad.size(); ++i) {
    if (is_bad[i]) {
      open.push_back(i);
    }
  }
  while (!open.empty()) {
    const u32 next = open.back();
    open.pop_back();
    for (const u32 dependant : dependants[next]) {
      if (!is_bad[dependant]) {
        is_bad[dependant] = true;
        open.push_back(dependant);
      }
    }
  }
  is_bad.flip();
  usable_ = std::move(is_bad);
}

void RootMemory::begin(Interpreter &in) {
  const auto count = static_cast<u32>(in.project.modules.size());
  std::vector<u64> kinds;
  for (const model::Module &module : in.project.modules) {
    kinds.push_back(kind_of(module));
  }
  if (roots_.size() != count) {
    forget();
    roots_.resize(count);
  }
  for (const auto &[by, of] : in.heap.foreign) { // owners are modules so far
    if (by != 0 && of != 0) {
      edges_.emplace(of - 1, by - 1);
    }
  }
  edges_.insert(in.looked_up.begin(), in.looked_up.end());
  std::vector<bool> is_bad(count, false);
  const bool is_same_program = holds_ && changed_.size() == count && kinds_.size() == count &&
                               order_ == in.module_runs && stored_elsewhere_ == in.project.stored_elsewhere;
  for (u32 i = 0; i < count; ++i) {
    is_bad[i] = !is_same_program || changed_[i] || kinds_[i] != kinds[i] || tainted_.contains(i);
  }
  find_usable(in, std::move(is_bad));
  for (u32 i = 0; i < count; ++i) {
    if (!usable_[i]) {
      roots_[i].clear();
    }
  }
  changed_.assign(count, false);
  kinds_ = std::move(kinds);
  order_ = in.module_runs;
  stored_elsewhere_ = in.project.stored_elsewhere;
  holds_ = false; // until the end
  foreign_ = in.heap.foreign;
  had_features_ = in.has_features();
  functions_.clear();
  for (FunctionObject &function : in.heap.functions()) {
    const auto [place, is_new] = functions_.try_emplace(function.node, &function);
    if (!is_new) {
      place->second = nullptr;
    }
  }
  last_root_ = count;
  recalled_ = 0;
  ++analysis_;
}

bool RootMemory::recall(Interpreter &in, const model::Module &module, const python::Node *root) {
  if (!usable_[module.index]) {
    return false;
  }
  const auto found = roots_[module.index].find(root);
  if (found == roots_[module.index].end() || !found->second.is_usable || found->second.before != in.modes()) {
    return false;
  }
  Kept &kept = found->second;
  const auto is_reported = [&](u64 report) { return in.is_reported(report); };
  const auto is_ambiguous = [&](const python::Node *node) {
    const auto function = functions_.find(node);
    return function != functions_.end() && function->second == nullptr;
  };
  if (!in.may_use(kept.used) || std::ranges::any_of(kept.reports, is_reported) ||
      std::ranges::any_of(kept.called, is_ambiguous)) {
    return false;
  }
  in.heap.owner = in.root = ++last_root_;
  std::size_t next = 0;
  for (Problem problem : kept.problems) {
    problem.module = &in.project.modules[kept.modules[next++]];
    for (ProblemNote &note : problem.notes) {
      note.module = &in.project.modules[kept.modules[next++]];
    }
    in.problems.push_back(std::move(problem));
  }
  for (const u64 report : kept.reports) {
    in.note_report(report);
  }
  for (const python::Node *node : kept.called) {
    const auto function = functions_.find(node);
    if (function != functions_.end()) { // others are made by the root itself
      function->second->is_reached = true;
    }
  }
  in.set_modes(kept.after);
  in.leave_out(kept.used, kept.made);
  kept.analysis = analysis_;
  ++recalled_;
  return true;
}

void RootMemory::enter(Interpreter &in) {
  in.heap.owner = in.root = ++last_root_;
  in.doings = {};
  in.terms.begin_root();
  start_ = {.problems = in.problems.size(),
            .classes = in.heap.classes().size(),
            .modules_run = in.module_runs.size(),
            .foreign = in.heap.foreign.size(),
            .used = in.steps_used(),
            .made = in.steps_made(),
            .modes = in.modes()};
}

RootMemory::Kept RootMemory::kept_of(Interpreter &in) const {
  Kept kept;
  kept.is_usable = in.doings.is_alone && !in.is_spent() && in.heap.classes().size() == start_.classes &&
                   in.module_runs.size() == start_.modules_run && in.heap.foreign.size() == start_.foreign;
  for (const python::Node *node : in.doings.called) {
    const auto function = functions_.find(node);
    kept.is_usable = kept.is_usable && (function == functions_.end() || function->second != nullptr);
  }
  if (!kept.is_usable) {
    return kept;
  }
  for (std::size_t i = start_.problems; i < in.problems.size(); ++i) {
    const Problem &problem = kept.problems.emplace_back(in.problems[i]);
    kept.modules.push_back(problem.module->index);
    for (const ProblemNote &note : problem.notes) {
      kept.modules.push_back(note.module->index);
    }
  }
  kept.reports = std::move(in.doings.reports);
  kept.called = std::move(in.doings.called);
  kept.before = start_.modes;
  kept.after = in.modes();
  kept.used = in.steps_used() - start_.used;
  kept.made = in.steps_made() - start_.made;
  return kept;
}

void RootMemory::leave(Interpreter &in, const model::Module &module, const python::Node *root) {
  Kept now = kept_of(in);
  now.analysis = analysis_;
  Kept &kept = roots_[module.index][root];
  now.is_usable = now.is_usable && kept.analysis != analysis_; // else two roots have one definition
  kept = std::move(now);
}

bool RootMemory::end(const Interpreter &in) {
  const auto modules = static_cast<u32>(roots_.size());
  bool is_safe =
      !in.terms.is_shared() && in.terms.forms() < kManyForms && in.later.empty() && !in.counts_loops && !had_features_;
  bool has_new_taint = false;
  for (const auto &change : in.heap.foreign) {
    if (foreign_.contains(change)) {
      continue;
    }
    const u32 of = change.second;
    is_safe = is_safe && of != 0 && of <= modules;
    has_new_taint = (of != 0 && of <= modules && tainted_.insert(of - 1).second) || has_new_taint;
  }
  edges_.insert(in.looked_up.begin(), in.looked_up.end());
  functions_.clear();
  if (recalled_ != 0 && (has_new_taint || !is_safe)) {
    forget();
    return false;
  }
  holds_ = is_safe;
  return true;
}

} // namespace deepperf::shapes
