// Where names, attributes, options and entries of dictionaries get what they hold, as the code is written. Made by one
// walk over all files of a project, when somebody first asks.
#pragma once

#include "model/project.h"

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

struct Definitions {
  std::unordered_map<const FunctionInfo *, std::vector<Binding>> bindings; // sorted by name
  std::unordered_map<const FunctionInfo *, std::vector<DictChange>> dict_changes;
  std::unordered_map<u32, std::vector<DictChange>> attribute_dict_changes; // by attribute
  std::unordered_map<u32, std::vector<AttributeStore>> attribute_stores;   // by attribute
  std::unordered_set<u32> changed_attributes;              // of whatever object, in place and not by a constructor
  std::unordered_map<u32, std::vector<CallPlace>> options; // add_argument(…), by the attribute that it fills
  std::unordered_map<u32, std::vector<CallPlace>> flags;   // flags.DEFINE_…(…), by name
  std::unordered_map<const ClassInfo *, std::vector<CallPlace>> constructions;
};

const Definitions &definitions_of(const Project &project);

} // namespace deepperf::model
