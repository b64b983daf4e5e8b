// Where names, attributes, options and entries of dictionaries get what they hold, as the code is written. Made by one
// walk over all files of a project, when somebody first asks.
#pragma once

#include "base/lazy.h"
#include "model/project.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace deepperf::model {

// A name that a function binds. Without `value` it is bound to something that is not written down as an expression.
struct Binding {
  Symbol name;
  const python::Expr *value = nullptr;
  const python::ImportFrom *import = nullptr; // `from a import name`
  Symbol imported;                            // what it is called there
};

// `object.attribute = value`; without a value if it is something else.
struct AttributeStore {
  const FunctionInfo *function = nullptr;
  const python::Expr *object = nullptr;
  const python::Expr *value = nullptr;
  const python::Expr *increment = nullptr; // of `object.attribute += increment`, which has no value
  const python::Expr *unpacked = nullptr;  // of `object.attribute, other = unpacked`, which has no value either
  u32 index = 0;                           // the element of it
};

// What is done to a dictionary that has a name or is an attribute: `d[key] = value`, or `d.update(…)` as a call.
struct DictChange {
  const FunctionInfo *function = nullptr;
  Symbol name = {}; // of the name or attribute
  const python::Expr *key = nullptr;
  const python::Expr *value = nullptr;
  const python::Call *update = nullptr;
  bool conditional = false; // not on every path
};

struct CallPlace {
  const FunctionInfo *function = nullptr;
  const python::Call *call = nullptr;
};

// What all files do with a name, or with a class. Who looks it up has read that of this name, and what was found.
template <class Key, class Place> class ByName : public std::unordered_map<Key, std::vector<Place>> {
public:
  using Map = std::unordered_map<Key, std::vector<Place>>;

  auto begin() { return Map::begin(); }
  auto end() { return Map::end(); }
  auto begin() const {
    note_read_everything();
    return Map::begin();
  }
  auto end() const { return Map::end(); }
  auto find(const Key &key) const {
    const auto found = Map::find(key);
    if (reads_now != nullptr) [[unlikely]] {
      note_read_name(unit_of(key));
      if (found != Map::end()) {
        for (const Place &place : found->second) {
          note_read(place.function);
        }
      }
    }
    return found;
  }
  bool contains(const Key &key) const { return find(key) != end(); }

  static u32 unit_of(u32 name) { return name; }
  static u32 unit_of(const ClassInfo *type) { return type->name.id; }
};

class Registrations; // of functions in tables: see rules/tables.cpp

struct Definitions {
  std::unordered_map<const FunctionInfo *, std::vector<Binding>> bindings;        // sorted by name
  std::unordered_map<const FunctionInfo *, std::vector<DictChange>> dict_changes; // sorted by name
  ByName<u32, DictChange> attribute_dict_changes;                                 // by attribute
  ByName<u32, AttributeStore> attribute_stores;                                   // by attribute
  NamesRead changed_attributes;    // of whatever object, in place and not by a constructor
  ByName<u32, CallPlace> options;  // add_argument(…), by the attribute that it fills
  ByName<u32, CallPlace> flags;    // flags.DEFINE_…(…), by name
  ByName<u32, CallPlace> partials; // functools.partial(f, …), by the name of the function f of the project
  ByName<const ClassInfo *, CallPlace> constructions;
  // Names of classes of the project that stand elsewhere than in a call of them or in an annotation: handed to a parser
  // of options, renamed, or asked for an attribute. Then others may make objects of the class.
  ByName<u32, CallPlace> classes_handed_on;
  Lazy<Registrations> registrations; // by decorators

  // Of the dictionary that has the name in the function.
  [[nodiscard]] std::span<const DictChange> dict_changes_of(const FunctionInfo *function, Symbol name) const;
};

const Definitions &definitions_of(const Project &project);

} // namespace deepperf::model
