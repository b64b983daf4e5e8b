#include "model/solver.h"

#include "base/known_names.h"
#include "base/workers.h"
#include "model/classes.h"
#include "model/ranks.h"
#include "model/solver_memory.h"
#include "model/transfer.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace deepperf::model {

namespace {

// Who reads what, by key: looked up for everything that changes, and most of that nobody reads.
class Readers {
public:
  // Null if there are none.
  [[nodiscard]] const std::vector<u32> *find(u64 key) const {
    if (places_.empty()) {
      return nullptr;
    }
    const Place &place = places_[place_of(key)];
    return place.list != 0 ? &lists_[place.list - 1] : nullptr;
  }

  std::vector<u32> &operator[](u64 key) {
    if (lists_.size() * 2 >= places_.size()) {
      grow();
    }
    Place &place = places_[place_of(key)];
    if (place.list == 0) {
      lists_.emplace_back();
      place = {key, static_cast<u32>(lists_.size())};
    }
    return lists_[place.list - 1];
  }

private:
  struct Place {
    u64 key = 0;
    u32 list = 0; // 0: free; else its number from 1 on
  };

  [[nodiscard]] std::size_t place_of(u64 key) const {
    const std::size_t mask = places_.size() - 1;
    std::size_t at = static_cast<std::size_t>(((key ^ (key >> 32U)) * 0x9E3779B97F4A7C15U) >> 32U) & mask;
    while (places_[at].list != 0 && places_[at].key != key) {
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    const std::vector<Place> before =
        std::exchange(places_, std::vector<Place>(std::max<std::size_t>(1024, places_.size() * 2)));
    for (const Place &place : before) {
      if (place.list != 0) {
        places_[place_of(place.key)] = place;
      }
    }
  }

  std::vector<Place> places_;
  std::deque<std::vector<u32>> lists_;
};

class Solver {
public:
  Solver(Project &project, const ModuleIndex &index, u32 workers, SolverMemory *memory)
      : project_(project), memory_(memory),
        team_(std::max(workers, 1U)), units_{static_cast<u32>(project.functions.size()),
                                             static_cast<u32>(project.classes.size()),
                                             static_cast<u32>(project.modules.size())},
        results_(project.functions.size()), keys_of_classes_(project.classes.size()), states_(project.functions.size()),
        class_visits_(project.classes.size()) {
    units_.find_evident(project);
    for (u32 i = 0; i < team_.size(); ++i) {
      transfers_.push_back(std::make_unique<Transfer>(project, index, units_));
    }
    if (memory_ != nullptr) {
      memory_->begin(project, units_);
      for (const std::unique_ptr<Transfer> &transfer : transfers_) {
        transfer->keep_all_reads();
      }
    }
  }

  void run() {
    // Modules first: what they define and import is what all others need.
    for (const Module &module : project_.modules) {
      activate(module.body->index);
    }
    only_modules_ = true;
    run_rounds();
    only_modules_ = false;
    // Then what they call, and what nobody can call.
    for (const FunctionInfo &function : project_.functions) {
      if (!function.mentioned) {
        activate(function.index);
      }
    }
    run_rounds();
    assume_ = Assume::Uncalled;
    for (const FunctionInfo &function : project_.functions) {
      if (function.name == known::sym_init) { // what objects have is what all their methods want
        activate(function.index);
      }
    }
    run_rounds();
    for (const FunctionInfo &function : project_.functions) {
      activate(function.index);
    }
    run_rounds();
    assume_ = Assume::Everything;
    for (const FunctionInfo &function : project_.functions) {
      const bool gives_nothing = function.returns.is_bottom() && function.node != nullptr;
      if (states_[function.index].saw_nothing || gives_nothing) {
        mark_dirty(function.index);
      }
    }
    run_rounds();
    record_all();
  }

private:
  struct State {
    bool is_active = false; // it is known to run
    bool is_dirty = false;
    bool saw_nothing = false;
    u32 rounds = 0;
    std::vector<u64> reads; // sorted
  };
  void activate(u32 function) {
    if (!states_[function].is_active) {
      states_[function].is_active = true;
      mark_dirty(function);
    }
  }

  void mark_dirty(u32 function) {
    if (states_[function].is_active && !states_[function].is_dirty && states_[function].rounds < kMostRounds) {
      states_[function].is_dirty = true;
      dirty_.push_back(function);
    }
  }

  void mark_changed(u64 key) {
    if (static_cast<u32>(key) == Units::kEverything) {
      for (const u64 part : keys_of_classes_[(key >> 32U) - 2 * units_.functions]) {
        mark_readers(part);
      }
    }
    mark_readers(key);
  }

  // Of the class and all that derive from it, as they have it too.
  void mark_attribute(const ClassInfo &type, u32 name) {
    mark_readers(units_.of_class(type, name));
    if (type.subclasses.empty()) {
      return;
    }
    ++class_visit_;
    std::vector<const ClassInfo *> queue = {&type};
    while (!queue.empty()) {
      const ClassInfo *const at = queue.back();
      queue.pop_back();
      for (const ClassInfo *below : at->subclasses) {
        if (std::exchange(class_visits_[below->index], class_visit_) != class_visit_) {
          mark_readers(units_.of_class(*below, name));
          queue.push_back(below);
        }
      }
    }
  }

  void mark_readers(u64 key) {
    if (memory_ != nullptr) {
      memory_->note_event(key);
    }
    if (const std::vector<u32> *const known = readers_.find(key)) {
      for (const u32 function : *known) {
        mark_dirty(function);
      }
    }
  }

  // In sweeps, from callees to callers as results go and back from callers to callees as arguments go: whoever becomes
  // dirty after the place where the sweep is waits for the next one, so that nobody is walked more than once in one.
  void run_rounds() {
    u32 sweeps = 0;
    for (bool is_upwards = true; !dirty_.empty(); is_upwards = !is_upwards) {
      constexpr u32 kSweepsThatCount = 2; // about who calls whom
      if (ranks_.empty() || (++sweeps <= kSweepsThatCount && dirty_.size() * 8 > project_.functions.size())) {
        ranks_ = ranks_of(edges());
      }
      std::map<u32, std::vector<u32>> waiting; // by rank
      std::vector<u32> later;
      const auto take_dirty = [&](bool is_first, u32 rank) {
        for (const u32 function : std::exchange(dirty_, {})) {
          const bool waits = only_modules_ && project_.functions[function].node != nullptr;
          const u32 own_rank = is_upwards ? ranks_[function] : ~ranks_[function];
          if (waits || (!is_first && own_rank <= rank)) {
            later.push_back(function);
          } else {
            waiting[own_rank].push_back(function);
          }
        }
      };
      take_dirty(true, 0);
      if (waiting.empty()) {
        dirty_ = std::move(later);
        return;
      }
      while (!waiting.empty()) {
        const u32 rank = waiting.begin()->first;
        std::vector<u32> now = std::move(waiting.begin()->second);
        waiting.erase(waiting.begin());
        std::ranges::sort(now);
        for (const u32 function : now) {
          states_[function].is_dirty = false;
        }
        walk_all(now);
        ++project_.work.rounds;
        merge_all(now);
        take_dirty(false, rank);
      }
      update_touched(~std::size_t{0});
      dirty_.insert(dirty_.end(), later.begin(), later.end());
    }
  }

  void walk_all(const std::vector<u32> &functions) {
    const auto solve = [this](Transfer &transfer, u32 function) {
      results_[function] = transfer.solve(project_.functions[function], assume_, states_[function].reads);
    };
    if (memory_ == nullptr) {
      work_on(functions, solve);
      project_.work.walks += functions.size();
      return;
    }
    std::vector<u32> unknown;
    for (const u32 function : functions) {
      const State &state = states_[function];
      if (auto known = memory_->find(project_.functions[function], state.rounds, assume_, state.reads)) {
        results_[function] = std::move(*known);
      } else {
        unknown.push_back(function);
      }
    }
    work_on(unknown, solve);
    project_.work.walks += unknown.size();
    for (const u32 function : unknown) {
      memory_->remember(project_.functions[function], states_[function].rounds, assume_, results_[function]);
    }
  }

  // Whose results a function wants. Before it was walked that is guessed: from what modules import, from the names of
  // what is called, and as methods want what the constructor stores.
  [[nodiscard]] std::vector<std::vector<u32>> edges() const {
    std::vector<std::vector<u32>> edges(project_.functions.size());
    for (const Module &module : project_.modules) {
      for (const auto &[node, target] : module.import_targets) {
        edges[module.body->index].push_back(target->body->index);
      }
    }
    std::unordered_map<u32, u32> by_name; // kSeveral where there are several of one name
    constexpr u32 kSeveral = ~0U;
    for (const FunctionInfo &function : project_.functions) {
      if (function.name) {
        const auto [known, is_new] = by_name.try_emplace(function.name.id, function.index);
        known->second = is_new ? function.index : kSeveral;
      }
    }
    for (const FunctionInfo &function : project_.functions) {
      std::vector<u32> &wanted = edges[function.index];
      if (states_[function.index].rounds == 0) {
        for (const u32 name : function.called) {
          const auto known = by_name.find(name);
          if (known != by_name.end() && known->second != kSeveral) {
            wanted.push_back(known->second);
          }
        }
        const FunctionInfo *const init = function.type != nullptr && function.name != known::sym_init
                                             ? find_method_of(*function.type, known::sym_init)
                                             : nullptr;
        if (init != nullptr) {
          wanted.push_back(init->index);
        }
      }
      for (const u64 key : states_[function.index].reads) {
        if ((key >> 32U) < units_.functions) {
          wanted.push_back(static_cast<u32>(key >> 32U));
        }
      }
    }
    return edges;
  }

  // The facts of all functions, with what is now known of everything.
  void record_all() {
    std::vector<u32> all(project_.functions.size());
    std::iota(all.begin(), all.end(), 0U);
    for (std::unique_ptr<Transfer> &transfer : transfers_) {
      transfer->take_arena();
    }
    work_on(all, [this](Transfer &transfer, u32 function) { transfer.record(project_.functions[function]); });
    for (std::unique_ptr<Transfer> &transfer : transfers_) {
      project_.arenas.push_back(transfer->take_arena());
      project_.work.add(transfer->work());
    }
  }

  template <class Work> void work_on(const std::vector<u32> &functions, Work work) {
    constexpr std::size_t kWorthThreads = 8;
    if (team_.size() == 1 || functions.size() < kWorthThreads) {
      for (const u32 function : functions) {
        work(*transfers_[0], function);
      }
      return;
    }
    constexpr std::size_t kMostAtOnce = 8;
    const std::size_t chunk = std::clamp<std::size_t>(functions.size() / (8 * team_.size()), 1, kMostAtOnce);
    std::atomic<std::size_t> next{0};
    team_.run([&](u32 worker) {
      for (std::size_t at = next.fetch_add(chunk); at < functions.size(); at = next.fetch_add(chunk)) {
        for (std::size_t i = at; i < std::min(at + chunk, functions.size()); ++i) {
          work(*transfers_[worker], functions[i]);
        }
      }
    });
  }

  // ---- Merging ------------------------------------------------------------------------------------------------------

  // Where transfer functions are not monotone, values could go back and forth. After so many rounds they only grow.
  [[nodiscard]] bool only_grows(const FunctionInfo &function) const {
    constexpr u32 kFreeRounds = 3;
    return states_[function.index].rounds > kFreeRounds;
  }
  static constexpr std::size_t kMostGivers = 64; // to a cell that is put together again at once
  // And after so many, which is more than the lattice is high for what people write, they stand, and nobody looks
  // again.
  static constexpr u32 kMostRounds = 64;

  void merge_all(const std::vector<u32> &functions) {
    rebased_.clear();
    for (const u32 function : functions) {
      merge(project_.functions[function], results_[function]);
      results_[function] = {};
    }
    update_touched(kMostGivers);
    if (!rebased_.empty()) {
      for (const ClassInfo *type : resolve_hierarchy(project_, rebased_)) {
        mark_changed(units_.of_class(*type));
      }
    }
    for (std::unique_ptr<Transfer> &transfer : transfers_) {
      transfer->forget_results();
    }
    if (memory_ != nullptr) {
      memory_->forget_results();
    }
  }

  void merge(FunctionInfo &function, FunctionResult &result) {
    State &state = states_[function.index];
    ++state.rounds;
    note_reads(function.index, result.new_reads);
    state.saw_nothing = result.saw_nothing;
    merge_definitions(result);
    merge_returns(function, result);
    merge_names(function, result);
    merge_contributions(function, result);
    auto &module = const_cast<Module &>(*function.module);
    if ((result.v1 && !module.v1) || (result.v2 && !module.v2)) {
      module.v1 |= result.v1;
      module.v2 |= result.v2;
      mark_changed(units_.of_module(module));
    }
  }

  void note_reads(u32 function, Array<u64> new_reads) {
    std::vector<u64> &known = states_[function].reads;
    for (const u64 key : new_reads) {
      known.push_back(key);
      std::vector<u32> &readers = readers_[key];
      const u64 unit = key >> 32U;
      if (readers.empty() && unit >= 2 * units_.functions && unit < 2 * units_.functions + units_.classes) {
        keys_of_classes_[unit - 2 * units_.functions].push_back(key);
      }
      readers.push_back(function);
    }
    if (!new_reads.empty()) {
      std::ranges::sort(known);
    }
  }

  // Changes a value in the tables; false if it was the same.
  bool put(Value &into, const Value &value, bool only_grow) {
    const Value grown = only_grow ? join(into, value) : value;
    if (into == grown) {
      return false;
    }
    into = copy_into(grown, project_.values);
    return true;
  }

  void merge_returns(FunctionInfo &function, const FunctionResult &result) {
    const bool changed = put(function.returns, result.returns, only_grows(function));
    if (changed || function.has_ops != result.has_ops) {
      function.has_ops = result.has_ops;
      mark_changed(units_.of_function(function));
    }
  }

  void merge_names(FunctionInfo &function, const FunctionResult &result) {
    for (u32 slot = 0; slot < result.all_values.size(); ++slot) {
      Value value = result.all_values[slot];
      if (const auto stored = function.outer_stores.find(slot); stored != function.outer_stores.end()) {
        value = join(value, stored->second.value);
      }
      if (put(function.all_values[slot], value, only_grows(function))) {
        mark_changed(units_.of_name(function, slot));
      }
    }
  }

  void merge_definitions(FunctionResult &result) {
    for (const FunctionDefinition &defined : result.functions) {
      FunctionInfo &inner = *defined.function;
      const bool differs = inner.is_property != defined.is_property || inner.is_static != defined.is_static ||
                           inner.is_class_method != defined.is_class_method ||
                           inner.decorated_no_grad != defined.no_grad;
      bool changed = differs;
      for (u32 i = 0; i < defined.defaults.size(); ++i) {
        changed |= put(inner.defaults[i], defined.defaults[i], false);
      }
      inner.is_property = defined.is_property;
      inner.is_static = defined.is_static;
      inner.is_class_method = defined.is_class_method;
      inner.decorated_no_grad = defined.no_grad;
      if (changed) {
        mark_changed(units_.of_function(inner));
      }
      if (differs) {
        mark_dirty(inner.index);
      }
    }
    for (ClassDefinition &defined : result.classes) {
      ClassInfo &type = *defined.type;
      if (type.bases != defined.bases) {
        type.bases = std::move(defined.bases);
        for (Value &base : type.bases) {
          base = copy_into(base, project_.values);
        }
        rebased_.push_back(&type);
        mark_changed(units_.of_class(type));
      }
      for (const auto &[name, value] : defined.members) {
        const bool is_new = !type.members.contains(name);
        if (put(type.members[name], value, false) || is_new) {
          mark_attribute(type, name);
        }
      }
    }
  }

  void merge_contributions(FunctionInfo &function, FunctionResult &result) {
    if (result.same_contributions) {
      return;
    }
    const std::vector<Contribution> &before = function.contributions;
    const Array<Contribution> after = result.contributions;
    std::size_t old = 0;
    u32 fresh = 0;
    while (old < before.size() || fresh < after.size()) {
      const bool only_old = fresh == after.size() || (old < before.size() && before[old].key() < after[fresh].key());
      const bool only_new = old == before.size() || (fresh < after.size() && after[fresh].key() < before[old].key());
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
      function.contributions.assign(after.begin(), after.end());
      for (Contribution &gift : function.contributions) {
        gift.value = copy_into(gift.value, project_.values);
      }
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
    ++project_.work.merges;
    Cell &cell = cell_of(gift);
    const auto entry = std::ranges::lower_bound(cell.entries, giver.index, {}, &Cell::Entry::contributor);
    if (entry != cell.entries.end() && entry->contributor == giver.index) {
      put(entry->value, gift.value, only_grows(giver));
    } else {
      cell.entries.insert(entry, {giver.index, copy_into(gift.value, project_.values)});
    }
    touch(gift, cell);
  }

  void withdraw(const FunctionInfo &giver, const Contribution &gift) {
    ++project_.work.merges;
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

  // Cells to which more functions give wait: where these come one after the other, each of them would have the values
  // of all joined again.
  void update_touched(std::size_t most_givers) {
    std::vector<Contribution> waiting;
    for (const Contribution &gift : touched_) {
      if (cell_of(gift).entries.size() > most_givers) {
        waiting.push_back(gift);
      } else {
        update(gift);
      }
    }
    touched_ = std::move(waiting);
    joined_.reset();
  }

  void update(const Contribution &gift) {
    Cell &cell = cell_of(gift);
    cell.touched = false;
    const bool is_parameter = gift.target == Contribution::Target::Parameter;
    Value value = Value::bottom();
    for (const Cell::Entry &entry : cell.entries) {
      // What a function passes to itself rests on what others pass, or would support itself.
      if (is_parameter && entry.contributor == gift.owner && cell.entries.size() > 1) {
        continue;
      }
      value = join(value, entry.value);
      ++project_.work.joins;
      if (value.is_unknown() && value.many) { // whatever others give, it stays
        break;
      }
    }
    if (cell.value == value) {
      return;
    }
    cell.value = copy_into(value, project_.values);
    if (gift.target == Contribution::Target::Attribute) {
      mark_attribute(project_.classes[gift.owner], gift.place);
    } else {
      activate(gift.owner);
      mark_dirty(gift.owner); // also where its names are put together again with its own
    }
  }

  // What is joined is compared, and copied to the tables only if it is new there.
  Value join(const Value &a, const Value &b) { return model::join(a, b, joined_); }

  Project &project_;
  SolverMemory *memory_; // of earlier times; null if there is none
  WorkerTeam team_;
  Units units_;
  std::vector<std::unique_ptr<Transfer>> transfers_; // one for each worker
  std::vector<FunctionResult> results_;              // of each function, from its walk to its merging
  Readers readers_;                                  // of each key, the functions that have ever read it
  std::vector<std::vector<u64>> keys_of_classes_;    // that somebody reads
  std::vector<State> states_;                        // of each function
  std::vector<u32> class_visits_;                    // of each class, the last visit
  u32 class_visit_ = 0;
  std::vector<u32> ranks_; // of each function
  std::vector<u32> dirty_;
  std::vector<Contribution> touched_; // one for each cell that has to be put together again
  Arena joined_;                      // until a round is merged
  std::vector<ClassInfo *> rebased_;  // whose bases changed in this round
  bool only_modules_ = false;
  Assume assume_ = Assume::Nothing;
};

} // namespace

void solve(Project &project, const ModuleIndex &index, u32 workers, SolverMemory *memory) {
  Solver(project, index, workers, memory).run();
}

} // namespace deepperf::model
