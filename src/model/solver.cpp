#include "model/solver.h"

#include "base/workers.h"
#include "model/classes.h"
#include "model/transfer.h"

#include <algorithm>
#include <atomic>

namespace deepperf::model {

namespace {

class Solver {
public:
  Solver(Project &project, const ModuleIndex &index, u32 workers)
      : project_(project), units_{static_cast<u32>(project.functions.size()), static_cast<u32>(project.classes.size()),
                                  static_cast<u32>(project.modules.size())},
        readers_(units_.count()), reads_(project.functions.size()), saw_nothing_(project.functions.size(), 0),
        rounds_of_(project.functions.size(), 0), is_dirty_(project.functions.size(), 0) {
    for (u32 i = 0; i < std::max(workers, 1U); ++i) {
      transfers_.push_back(std::make_unique<Transfer>(project, index, units_));
    }
    results_.resize(project.functions.size());
  }

  void run() {
    // Modules first: what they define and import is what all others need.
    for (const Module &module : project_.modules) {
      mark_dirty(module.body->index);
    }
    only_modules_ = true;
    run_rounds();
    only_modules_ = false;
    for (const FunctionInfo &function : project_.functions) {
      if (function.node != nullptr) {
        mark_dirty(function.index);
      }
    }
    run_rounds();
    assume_ = Assume::Uncalled;
    for (const FunctionInfo &function : project_.functions) {
      if (function.mentioned && std::ranges::any_of(function.inputs, [](const Cell &cell) {
            return cell.value.is_bottom() && cell.entries.empty();
          })) {
        mark_dirty(function.index);
      }
    }
    run_rounds();
    assume_ = Assume::Everything;
    for (const FunctionInfo &function : project_.functions) {
      if (saw_nothing_[function.index] != 0 || function.returns.is_bottom()) {
        mark_dirty(function.index);
      }
    }
    run_rounds();
    for (std::unique_ptr<Transfer> &transfer : transfers_) {
      project_.arenas.push_back(transfer->take_arena());
    }
  }

private:
  void mark_dirty(u32 function) {
    if (is_dirty_[function] == 0) {
      is_dirty_[function] = 1;
      dirty_.push_back(function);
    }
  }

  void run_rounds() {
    std::vector<u32> now;
    while (!dirty_.empty()) {
      now.clear();
      std::vector<u32> later;
      for (const u32 function : dirty_) {
        const bool waits = only_modules_ && project_.functions[function].node != nullptr;
        (waits ? later : now).push_back(function);
      }
      dirty_ = std::move(later);
      if (now.empty()) {
        return;
      }
      for (const u32 function : now) {
        is_dirty_[function] = 0;
      }
      std::ranges::sort(now);
      walk_all(now);
      changed_.clear();
      hierarchy_changed_ = false;
      for (const u32 function : now) {
        merge(project_.functions[function], results_[function]);
        results_[function] = {};
      }
      for (const Contribution &gift : touched_) {
        update(gift);
      }
      touched_.clear();
      if (hierarchy_changed_) {
        for (const ClassInfo *type : resolve_hierarchy(project_)) {
          changed_.push_back(units_.of_class(*type));
        }
      }
      for (const u32 unit : changed_) {
        for (const u32 reader : readers_[unit]) {
          mark_dirty(reader);
        }
      }
    }
  }

  void walk_all(const std::vector<u32> &functions) {
    constexpr std::size_t kWorthThreads = 256;
    if (transfers_.size() == 1 || functions.size() < kWorthThreads) {
      for (const u32 function : functions) {
        results_[function] = transfers_[0]->run(project_.functions[function], assume_);
      }
      return;
    }
    constexpr std::size_t kChunk = 16;
    std::atomic<std::size_t> next{0};
    run_workers(static_cast<u32>(transfers_.size()), [&](u32 worker) {
      for (std::size_t at = next.fetch_add(kChunk); at < functions.size(); at = next.fetch_add(kChunk)) {
        for (std::size_t i = at; i < std::min(at + kChunk, functions.size()); ++i) {
          results_[functions[i]] = transfers_[worker]->run(project_.functions[functions[i]], assume_);
        }
      }
    });
  }

  // ---- Merging ------------------------------------------------------------------------------------------------------

  // Where transfer functions are not monotone, values could go back and forth. After so many rounds they only grow.
  [[nodiscard]] bool only_grows(const FunctionInfo &function) const {
    constexpr u32 kFreeRounds = 12;
    return rounds_of_[function.index] > kFreeRounds;
  }
  // And after so many, which is more than the lattice is high for what people write, they stand.
  [[nodiscard]] bool stands(const FunctionInfo &function) const {
    constexpr u32 kMostRounds = 64;
    return rounds_of_[function.index] > kMostRounds;
  }

  void merge(FunctionInfo &function, FunctionResult &result) {
    ++rounds_of_[function.index];
    note_reads(function, result.reads);
    saw_nothing_[function.index] = result.saw_nothing ? 1 : 0;
    if (stands(function)) {
      return;
    }
    merge_definitions(result);
    merge_returns(function, result);
    merge_names(function, result);
    merge_contributions(function, result);
    auto &module = const_cast<Module &>(*function.module);
    if ((result.v1 && !module.v1) || (result.v2 && !module.v2)) {
      module.v1 |= result.v1;
      module.v2 |= result.v2;
      changed_.push_back(units_.of_module(module));
    }
  }

  void note_reads(const FunctionInfo &function, const std::vector<u32> &reads) {
    std::vector<u32> &known = reads_[function.index];
    for (const u32 unit : reads) {
      const auto place = std::ranges::lower_bound(known, unit);
      if (place == known.end() || *place != unit) {
        known.insert(place, unit);
        readers_[unit].push_back(function.index);
      }
    }
  }

  void merge_returns(FunctionInfo &function, const FunctionResult &result) {
    const Value returns = only_grows(function) ? join(function.returns, result.returns) : result.returns;
    if (!(function.returns == returns) || function.has_ops != result.has_ops) {
      function.returns = returns;
      function.has_ops = result.has_ops;
      changed_.push_back(units_.of_function(function));
    }
  }

  void merge_names(FunctionInfo &function, const FunctionResult &result) {
    bool changed = false;
    for (u32 slot = 0; slot < function.ever.size(); ++slot) {
      Value value = result.ever[slot];
      if (const auto stored = function.outer_stores.find(slot); stored != function.outer_stores.end()) {
        value = join(value, stored->second.value);
      }
      value = only_grows(function) ? join(function.ever[slot], value) : value;
      if (!(function.ever[slot] == value)) {
        function.ever[slot] = value;
        changed = true;
      }
    }
    if (changed) {
      changed_.push_back(units_.of_names(function));
    }
  }

  void merge_definitions(FunctionResult &result) {
    for (const FunctionDefinition &defined : result.functions) {
      FunctionInfo &inner = *defined.function;
      bool changed = inner.is_property != defined.is_property || inner.is_static != defined.is_static ||
                     inner.is_class_method != defined.is_class_method || inner.decorated_no_grad != defined.no_grad;
      const bool differs = changed;
      for (u32 i = 0; i < defined.defaults.size(); ++i) {
        if (!(inner.defaults[i] == defined.defaults[i])) {
          inner.defaults[i] = defined.defaults[i];
          changed = true;
        }
      }
      inner.is_property = defined.is_property;
      inner.is_static = defined.is_static;
      inner.is_class_method = defined.is_class_method;
      inner.decorated_no_grad = defined.no_grad;
      if (changed) {
        changed_.push_back(units_.of_function(inner));
      }
      if (differs && rounds_of_[inner.index] > 0) {
        mark_dirty(inner.index);
      }
    }
    for (ClassDefinition &defined : result.classes) {
      ClassInfo &type = *defined.type;
      bool changed = false;
      if (type.bases != defined.bases) {
        type.bases = std::move(defined.bases);
        hierarchy_changed_ = changed = true;
      }
      if (!same_members(type.members, defined.members)) {
        type.members = std::move(defined.members);
        changed = true;
      }
      if (changed) {
        changed_.push_back(units_.of_class(type));
      }
    }
  }

  static bool same_members(const SymbolMap<Value> &a, const SymbolMap<Value> &b) {
    return a.size() == b.size() && std::ranges::all_of(b, [&a](const auto &entry) {
             const auto found = a.find(entry.first);
             return found != a.end() && found->second == entry.second;
           });
  }

  void merge_contributions(FunctionInfo &function, FunctionResult &result) {
    const auto target_of = [](const Contribution &one) { return std::tuple(one.target, one.owner, one.place); };
    const std::vector<Contribution> &before = function.contributions;
    const std::vector<Contribution> &after = result.contributions;
    std::size_t old = 0;
    std::size_t fresh = 0;
    while (old < before.size() || fresh < after.size()) {
      const bool only_old =
          fresh == after.size() || (old < before.size() && target_of(before[old]) < target_of(after[fresh]));
      const bool only_new =
          old == before.size() || (fresh < after.size() && target_of(after[fresh]) < target_of(before[old]));
      if (only_old) {
        if (!only_grows(function)) {
          withdraw(function, before[old]);
        }
        ++old;
      } else if (only_new) {
        give(function, after[fresh]);
        ++fresh;
      } else {
        if (!(before[old].value == after[fresh].value)) {
          give(function, after[fresh]);
        }
        ++old;
        ++fresh;
      }
    }
    if (!only_grows(function)) {
      function.contributions = std::move(result.contributions);
    }
  }

  Cell &cell_of(const Contribution &gift) {
    switch (gift.target) {
    case Contribution::Target::Parameter:
      return project_.functions[gift.owner].inputs[gift.place];
    case Contribution::Target::Attribute:
      return project_.classes[gift.owner].attributes[gift.place];
    default:
      return project_.functions[gift.owner].outer_stores[gift.place];
    }
  }

  void give(const FunctionInfo &giver, const Contribution &gift) {
    Cell &cell = cell_of(gift);
    const auto entry = std::ranges::lower_bound(cell.entries, giver.index, {}, &Cell::Entry::contributor);
    if (entry != cell.entries.end() && entry->contributor == giver.index) {
      entry->value = only_grows(giver) ? join(entry->value, gift.value) : gift.value;
    } else {
      cell.entries.insert(entry, {giver.index, gift.value});
    }
    touch(gift, cell);
  }

  void withdraw(const FunctionInfo &giver, const Contribution &gift) {
    Cell &cell = cell_of(gift);
    const auto entry = std::ranges::lower_bound(cell.entries, giver.index, {}, &Cell::Entry::contributor);
    if (entry != cell.entries.end() && entry->contributor == giver.index) {
      cell.entries.erase(entry);
      touch(gift, cell);
    }
  }

  // It is put together again when all have given.
  void touch(const Contribution &gift, Cell &cell) {
    if (!cell.touched) {
      cell.touched = true;
      touched_.push_back(gift);
    }
  }

  void update(const Contribution &gift) {
    Cell &cell = cell_of(gift);
    cell.touched = false;
    Value value = Value::bottom();
    for (const Cell::Entry &entry : cell.entries) {
      value = join(value, entry.value);
      if (value.is_unknown()) {
        break;
      }
    }
    if (cell.value == value) {
      return;
    }
    cell.value = value;
    switch (gift.target) {
    case Contribution::Target::Parameter:
      mark_dirty(gift.owner);
      break;
    case Contribution::Target::Attribute:
      changed_.push_back(units_.of_class(project_.classes[gift.owner]));
      break;
    default:
      mark_dirty(gift.owner); // its names are put together again with its own
      break;
    }
  }

  Value join(const Value &a, const Value &b) { return model::join(a, b, project_.values); }

  Project &project_;
  Units units_;
  std::vector<std::unique_ptr<Transfer>> transfers_; // one for each worker
  std::vector<FunctionResult> results_;              // of each function, from its walk to its merging
  std::vector<std::vector<u32>> readers_;            // of each unit, the functions that have ever read it
  std::vector<std::vector<u32>> reads_;              // of each function, sorted
  std::vector<u8> saw_nothing_;
  std::vector<u32> rounds_of_;
  std::vector<u8> is_dirty_;
  std::vector<u32> dirty_;
  std::vector<u32> changed_;          // units, in this round
  std::vector<Contribution> touched_; // one for each cell that has to be put together again
  bool hierarchy_changed_ = false;
  bool only_modules_ = false;
  Assume assume_ = Assume::Nothing;
};

} // namespace

void solve(Project &project, const ModuleIndex &index, u32 workers) { Solver(project, index, workers).run(); }

} // namespace deepperf::model
