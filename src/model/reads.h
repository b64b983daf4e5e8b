// Which modules a rule looks at, so that what it found there need not be looked for again as long as they stay the same
// (see rules/kept_judging.h). Facts refer to other modules through a Ref, and whoever follows one has read that module:
// its tree, and all that is known of its functions and classes. What is asked of the whole project notes that itself.
//
// Nothing is noted unless somebody wants to know, and then for one thread.
#pragma once

#include "base/reads.h"
#include "python/ast.h"

#include <cstddef>

namespace deepperf::model {

struct Project;
struct Module;
struct FunctionInfo;
struct ClassInfo;
struct CallSite;

// Units are the modules, by their index, and after them parts of what is known of the project as a whole: names that
// are looked up in all files come under one of these. Those of the same remainder count as one.
constexpr u32 kNameUnits = 1024;

void add_read(const Module *module);
void add_read(const FunctionInfo *function);
void add_read(const ClassInfo *type);
void add_read(const CallSite *site); // the caller
void add_read(const python::Call *call);
void add_read(const python::Expr *compiled_at); // a call somewhere, or a decorator of what was read before
void add_read(const python::Node *session_run);
void add_read_file(u32 file);
void add_read_name(u32 name);

template <class T> void note_read(T *what) {
  if (reads_now != nullptr && what != nullptr) [[unlikely]] {
    add_read(what);
  }
}
// A name was looked up in all files: an attribute, an option; or a class, by its index.
inline void note_read_name(u32 name) {
  if (reads_now != nullptr) [[unlikely]] {
    add_read_name(name);
  }
}

// A pointer to what may belong to another module.
template <class T> class Ref {
public:
  Ref() = default; // holds nothing that can be read, as a pointer
  constexpr Ref(T *pointer) : pointer_(pointer) {}

  operator T *() const { return get(); }
  T *operator->() const { return get(); }
  T &operator*() const { return *get(); }
  [[nodiscard]] T *get() const {
    note_read(pointer_);
    return pointer_;
  }
  // For who only wants to know which one it is.
  [[nodiscard]] T *id() const { return pointer_; }

  friend bool operator==(const Ref &a, const Ref &b) { return a.pointer_ == b.pointer_; }
  template <class Other> friend bool operator==(const Ref &a, Other *b) { return a.pointer_ == b; }
  friend bool operator==(const Ref &a, std::nullptr_t) { return a.pointer_ == nullptr; }

private:
  T *pointer_;
};

// For what is found in the containers below; see also project.h.
inline void note_read_of(u32) { note_read_everything(); } // a number that others are found by
inline void note_read_of(const python::Call *call) { note_read(call); }

// A container of what belongs to all modules. Who goes through it reads everything; of who takes one, what is taken
// says what it read.
template <class List> class AllModules : public List {
public:
  using List::List;

  auto begin() { return List::begin(); }
  auto end() { return List::end(); }
  auto begin() const {
    note_read_everything();
    return List::begin();
  }
  auto end() const { return List::end(); }
  auto data() { return List::data(); }
  auto data() const {
    note_read_everything();
    return List::data();
  }
  auto &front() { return List::front(); }
  auto &front() const {
    note_read_everything();
    return List::front();
  }
  auto &back() { return List::back(); }
  auto &back() const {
    note_read_everything();
    return List::back();
  }
  auto &operator[](std::size_t place) { return List::operator[](place); }
  auto &operator[](std::size_t place) const {
    const auto &found = List::operator[](place);
    note_read_of(found);
    return found;
  }
};

// A table of facts about nodes.
template <class Map> class AboutNodes : public Map {
public:
  using Map::Map;

  auto begin() { return Map::begin(); }
  auto end() { return Map::end(); }
  auto begin() const {
    note_read_everything();
    return Map::begin();
  }
  auto end() const { return Map::end(); }
  auto find(const typename Map::key_type &key) { return Map::find(key); }
  auto find(const typename Map::key_type &key) const {
    const auto found = Map::find(key);
    if (reads_now != nullptr && found != Map::end()) [[unlikely]] {
      note_read_of(found->second);
    }
    return found;
  }
};

} // namespace deepperf::model
