// What a rule reads of a project, in parts that are numbered ("units"), so that what it found need not be looked for
// again as long as all of them stay the same. See model/reads.h for what the units are and who notes them.
//
// Nothing is noted unless somebody wants to know, and then for one thread.
#pragma once

#include "base/types.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace deepperf {

struct ReadSet {
  bool everything = false;
  std::vector<u32> units; // sorted

  [[nodiscard]] bool empty() const { return !everything && units.empty(); }
  void add(u32 unit) {
    if (everything) {
      return;
    }
    const auto place = std::lower_bound(units.begin(), units.end(), unit);
    if (place == units.end() || *place != unit) {
      units.insert(place, unit);
    }
  }
  void add_everything() {
    everything = true;
    units.clear();
  }
  void add(const ReadSet &other) {
    if (other.everything) {
      return add_everything();
    }
    for (const u32 unit : other.units) {
      add(unit);
    }
  }
  void clear() {
    everything = false;
    units.clear();
  }
};

struct Reads {
  static constexpr u32 kNoHome = ~0U;

  const void *project = nullptr; // a model::Project
  u32 home = kNoHome;            // the unit that counts as read anyway
  ReadSet set;
  bool sees_findings = false; // it asked what other rules had found
  void *questions = nullptr;  // rules::ProjectQuestions: what was asked of all files
};

// Of this thread; null: nobody wants to know.
inline constinit thread_local Reads *reads_now = nullptr;

inline void note_read_everything() {
  if (reads_now != nullptr) [[unlikely]] {
    reads_now->set.add_everything();
  }
}
inline void note_read_set(const ReadSet &set) {
  if (reads_now != nullptr) [[unlikely]] {
    reads_now->set.add(set);
  }
}
inline void note_seen_findings() {
  if (reads_now != nullptr) [[unlikely]] {
    reads_now->sees_findings = true;
  }
}

// Keeps what is read until it goes out of scope apart from what was read before: for a fact that stays, and that others
// will take from where it is kept. They inherit what it read.
class ReadScope {
public:
  ReadScope() {
    if (reads_now != nullptr) [[unlikely]] {
      std::swap(outer_, reads_now->set);
      home_ = std::exchange(reads_now->home, Reads::kNoHome);
    }
  }
  ReadScope(const ReadScope &) = delete;
  ReadScope &operator=(const ReadScope &) = delete;
  ~ReadScope() {
    if (reads_now != nullptr) [[unlikely]] {
      std::swap(outer_, reads_now->set);
      reads_now->set.add(outer_);
      reads_now->home = home_;
    }
  }

private:
  ReadSet outer_;
  u32 home_ = Reads::kNoHome;
};

// What is read until it goes out of scope does not count: who asks notes the answer instead, as a unit of its own.
class ReadsLeftOut {
public:
  ReadsLeftOut() {
    if (reads_now != nullptr) [[unlikely]] {
      std::swap(before_, reads_now->set);
    }
  }
  ReadsLeftOut(const ReadsLeftOut &) = delete;
  ReadsLeftOut &operator=(const ReadsLeftOut &) = delete;
  ~ReadsLeftOut() {
    if (reads_now != nullptr) [[unlikely]] {
      std::swap(before_, reads_now->set);
    }
  }

private:
  ReadSet before_;
};

// Notes nothing until it goes out of scope: for tables of the whole project, where each look into them says what it
// read.
class ReadPause {
public:
  ReadPause() : outer_(std::exchange(reads_now, nullptr)) {}
  ReadPause(const ReadPause &) = delete;
  ReadPause &operator=(const ReadPause &) = delete;
  ~ReadPause() { reads_now = outer_; }

private:
  Reads *outer_;
};

} // namespace deepperf
