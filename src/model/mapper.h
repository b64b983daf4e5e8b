// What the function of a Dataset.map does to an element: how much work it is, and whether it could take a batch.
#pragma once

#include "model/project.h"

#include <string>

namespace deepperf::model {

struct MapperFacts {
  bool known = false;           // every call in it was understood
  bool cheap = false;           // known, and no more than a few cheap operations
  bool works = false;           // something in it costs: a call that is not cheap, or one that is not known
  bool opaque = false;          // what is mapped is not known at all
  bool vectorisable = false;    // known, and every operation gives for a batch what it gives for an example, or has a
                                // twin that does (parses_single)
  bool picks_fields = false;    // takes some fields of a record and leaves others
  bool parses_batch = false;    // calls parse_example, which wants a batch
  bool parses_csv = false;      // calls decode_csv, whose columns are all numbers and strings
  bool parses_single = false;   // calls parse_single_example, which has a batched twin
  bool locked = false;          // runs Python, which holds the interpreter's lock
  bool stateful = false;        // draws from an iterator, or writes to a variable: the order of the calls matters
  bool ignores_element = false; // looks at nothing of what it is given
  bool shares = false;          // a call that is not known gets something from outside, which may have state
  bool reads = false;           // reads or decodes, not in Python
  bool is_model = false;        // is a Keras model, which uses all cores by itself
  bool splits_memory = false;   // makes a dataset of what it was given, and reads nothing for it
  bool on_gpu = false;          // puts its operations on a GPU, which does one thing after the other
  bool heavy = false;           // reads, decodes, resizes or runs Python, at least
  u32 operations = 0;
  const python::Call *random = nullptr; // an operation that gives something else each time
  const python::Call *python = nullptr; // a call of tf.py_function or the like
  bool ragged = false;                  // results of different rows may differ in shape
};

MapperFacts examine_mapper(const Project &project, const Value &mapper);

} // namespace deepperf::model
