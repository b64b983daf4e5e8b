// Runs all of a program that can be run: the code of its modules, and then, with symbols for what nobody says, each
// module's forward and each function that was not reached.
#pragma once

#include "shapes/interpreter.h"
#include "shapes/root_memory.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace deepperf::shapes {

// What a root was called with.
struct RootInput {
  std::string name;
  Value value;
};

struct Root {
  std::string name; // of a class or function; "<module>" for a module's own code
  const model::Module *module = nullptr;
  u32 place = 0;           // in the text
  bool is_assumed = false; // its inputs or arguments are our guess
  std::vector<RootInput> inputs;
  Value object; // that was called; unknown for a module
  u32 first_step = 0;
  u32 last_step = 0; // after the last
  u32 first_problem = 0;
  u32 last_problem = 0;
  std::vector<std::pair<Symbol, Value>> values; // names of its own scope that hold tensors
  std::vector<Value> modules;                   // the same that hold modules with weights
  std::optional<LostAt> lost;
};

// Of an input: "x: [N, 3, 224, 224] float32".
struct GivenInput {
  std::string name;              // empty: by its position
  std::vector<std::string> dims; // numbers or symbols
  Dtype dtype = Dtype::Float32;
};

// False, and says why, if the text is no such thing.
bool read_input(const std::string &text, GivenInput &input, std::string &error);

struct AnalysisOptions {
  bool for_people = false;             // keeps details, and uses the defaults of constructors
  std::string entry;                   // of one class or function; empty: all roots
  std::vector<GivenInput> inputs;      // of the entry
  const model::Module *only = nullptr; // roots of this module alone
  const model::Module *seen = nullptr; // what stands where in it is kept
};

struct Analysis {
  Analysis(const model::Project &project, const Limits &limits) : interpreter(project, limits) {}

  Interpreter interpreter;
  std::vector<Root> roots;
  SeenValues seen;
  bool is_entry_found = true;
};

// With a memory, roots of which nothing has changed do not run again; only `problems` are complete then.
std::unique_ptr<Analysis> analyse(const model::Project &project, const AnalysisOptions &options = {},
                                  RootMemory *memory = nullptr);

// The tensor that a value is; of a value from outside, the one that it was used as. Null if there is none.
const Tensor *tensor_of(const Value &value);

// All weights of modules and of what they hold, each counted once.
Dim count_parameters(Interpreter &in, const std::vector<Value> &modules);

} // namespace deepperf::shapes
