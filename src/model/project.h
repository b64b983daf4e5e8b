// Phases 3 to 5 over a set of files: modules, functions, classes, and what the engine found out about them. Rules read
// it.
#pragma once

#include "base/arena.h"
#include "base/file_index.h"
#include "base/lazy.h"
#include "base/symbol_map.h"
#include "base/work.h"
#include "model/value.h"
#include "python/parser.h"
#include "python/source.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace deepperf::model {

// `from a.b import c` with its level of dots, or `import a.b` without a name.
struct ImportRef {
  Symbol module;
  Symbol name;
  u32 level = 0;
};

// Keras counts as TensorFlow, and what is built on a framework counts as it.
enum Framework : u8 { kTensorFlow = 1, kTorch = 2, kJax = 4 };

// A file, parsed or not yet. The tree's nodes live in an arena of the worker that parsed it.
struct ParsedFile {
  std::string path;
  FileIndex index;
  python::Source source;
  python::Tree tree;
  std::size_t size = 0;           // of its text
  bool has_text = false;          // false: it is not wanted yet, or no more
  bool has_tree = false;          // false: `tree` has errors and comments, if it was ever parsed, but no body
  u8 frameworks = 0;              // that it imports, as bits
  u8 near = 0;                    // those that files of the project use that it imports, as far as it does not itself
  bool reaches_framework = false; // a file that it imports reaches one, at any depth
  bool is_test = false;           // test code by its name or folder
  std::vector<ImportRef> imports;
};

// Itself, or through files that it imports; those are known once files were grouped (see imports.h).
inline bool uses_framework(const ParsedFile &file) {
  return file.frameworks != 0 || file.near != 0 || file.reaches_framework;
}

// Fills frameworks and imports with what the tree tells.
void find_imports(ParsedFile &file);

// What makes a function run as something else than the Python that is written: as bits.
enum Tracer : u8 {
  kByTfFunction = 1, // tf.function: its Python runs while it is traced
  kByJaxJit = 2,     // jax.jit, pmap and what is built on them: the same
  kByPython = 4,     // tf.py_function and the like: plain Python again, also inside of what is traced
  kByTorch = 8,      // torch.compile: what it cannot compile stays Python, and splits the graph
};

// How many iterations a loop may have, as far as the code tells.
enum class Iterations : u8 {
  Many,       // range(n), while, a Dataset
  Collection, // one for each element of something: perhaps three, perhaps thousands
  Few,        // one for each of what a model has only a few of: heads, levels, losses
};

// What the calls in a loop may change; see variance.cpp. All sorted.
struct LoopEffects {
  std::vector<Symbol> names;      // whose value a function that is called changes
  std::vector<Symbol> attributes; // that a function that is called stores to, or changes in place
  std::vector<Symbol> handed;     // names given to calls that may change them
  std::vector<Symbol> handed_attributes;
  bool everything = false; // too much to list
  // Names that one plain assignment in the loop binds, and nothing else there, with the value.
  SymbolMap<const python::Expr *> only_assignments;
  SymbolMap<bool> varies; // of these names: see variance.cpp
};

// Is that the path of test code? It should begin where the user's own folders do: who keeps a project below a folder
// called tests does not mean all of it.
bool is_test_path(std::string_view path);

// test.py is where many try their model out; a test only if it imports what tests are written with.
bool is_test_file(const ParsedFile &file);

// A loop and what happens in one iteration of it.
struct Loop {
  const python::Node *node = nullptr; // For, While, or the expression of a comprehension
  Loop *parent = nullptr;             // in the same function
  FunctionInfo *function = nullptr;
  std::vector<Symbol> assigned;      // names bound in it, sorted
  std::vector<Symbol> mutated;       // names whose value is changed in place
  std::vector<Symbol> attributes;    // attributes stored to, of whatever object
  std::vector<Symbol> passed;        // names handed to calls, which may change what they hold
  std::vector<Symbol> maybe_mutated; // as `mutated`, with names of modules and of objects of our own classes
  bool few_iterations = false;       // over a literal or range(10) and below, or left after the first iteration
  bool once = false;                 // under a guard, so that it runs in one iteration only of the loop around it
  Iterations iterations = Iterations::Many;
  bool makes_graph = false;  // another Graph in every iteration: a new one, the old one reset, or another one entered
  bool new_graph = false;    // a new Graph, or the old one reset; not only entered
  bool runs_session = false; // also through calls
  bool steps = false;        // each iteration is a training step: backward(), an optimizer's step or the like
  bool trains = false;       // a training step somewhere in it, also in loops inside and through calls
  bool evaluates = false;    // over batches or samples of data, and no training step anywhere in it
  Ref<const python::Node> session_run = nullptr;
  Lazy<LoopEffects> effects; // see effects_of
};

// A scope that operations stand in and that is part of what they are: tf.device(…), tf.variable_scope(…).
struct OpScope {
  const python::Expr *context = nullptr;
  const OpScope *outer = nullptr;
};

// A framework operation that a function executes.
struct OpFact {
  const python::Expr *call = nullptr; // an operator or subscript where the session fetches one
  Symbol api;
  u64 traits = 0;
  Loop *loop = nullptr; // the innermost around it
  bool v1 = false;
  bool in_tape = false;
  bool once = false;          // under a guard such as `if step == 0` or `if self.x is None`
  bool behind_guard = false;  // the same, perhaps in a loop inside: a call of the function seldom comes here
  bool initial_value = false; // what a Variable starts with
  Symbol target;              // the name that it is assigned to
  bool stored = false;        // it goes into an element, an attribute or a list
  bool discarded = false;     // nobody takes its result
  bool by_type = false;       // only for arguments of some type: see asks_for_type; or one of several that are called
  const OpScope *scope = nullptr;
};

// A call of a function of the project.
struct CallSite {
  const python::Call *call = nullptr;
  FunctionInfo *caller = nullptr;
  Ref<FunctionInfo> callee = nullptr;
  Loop *loop = nullptr;
  bool once = false;
  bool in_tape = false;
  bool bound = false;         // the first parameter is filled by the object
  bool no_grad = false;       // under torch.no_grad() or the like
  bool maybe_no_grad = false; // under torch.set_grad_enabled(is_training)
  bool by_type = false;       // only for arguments of some type
  bool eager_test = false;    // under `if tf.executing_eagerly()`
  bool behind_guard = false;  // see OpFact
  bool conditional = false;   // under a test whose answer may differ from step to step: see is_setting
};

// Something that a function does itself and that its callers want to know, in the order of its code.
struct Event {
  enum class Kind : u8 {
    Call,         // of the call site `site`
    Step,         // a training step
    SessionRun,   // `node` runs a session
    GraphMade,    // another graph from here on
    NewGraph,     // the same, and it is a new one
    GraphEntered, // that of the holder `node`
  };
  Kind kind = Kind::Call;
  bool by_type = false;
  u32 site = 0;
  Loop *loop = nullptr;
  const python::Expr *node = nullptr;
};

// What a branch does if its test guards it so that it runs once: see guards.h.
struct Guard {
  const python::Expr *test = nullptr;
  bool negated = false;
  Loop *loop = nullptr;
  std::span<python::Stmt *const> statements;
  std::size_t first_op = 0;
  std::size_t last_op = 0; // one after
  std::size_t first_call = 0;
  std::size_t last_call = 0;
};

// What one function tells about another, whatever it was called with.
struct FunctionMark {
  FunctionInfo *function = nullptr;
  u8 tracer = 0;
  bool traced = false;
  bool passed = false;
  bool in_parallel = false;
  const python::Expr *compiled_at = nullptr;
};

// A stage as the walk sees it: `previous` are Datasets, by the calls that made them.
struct StageFact {
  const python::Call *call = nullptr;
  const ApiInfo *info = nullptr;
  Symbol method;
  Value mapper;
  Value previous;
};

// All that contributes to what a parameter, attribute or variable of another function may hold.
struct Cell {
  struct Entry {
    u32 contributor = 0; // a function, by its index
    Value value;
  };
  Value value = Value::bottom();
  bool touched = false;       // by the solver's current round
  std::vector<Entry> entries; // sorted by contributor
};

// A value that a function gives to somebody else's parameter, attribute or variable.
struct Contribution {
  enum class Target : u8 { Parameter, Attribute, Variable };
  Target target = Target::Parameter;
  u32 owner = 0; // the function or class, by its index
  u32 place = 0; // of the parameter or variable, or the attribute's symbol
  Value value;

  // By which they are sorted.
  [[nodiscard]] u64 key() const { return (u64{static_cast<u8>(target)} << 62) | (u64{owner} << 32) | place; }
};

// An operation that a call of a function leads to, at any depth, and what of the caller it depends on.
struct ReachedOp {
  const OpFact *op = nullptr;
  const FunctionInfo *function = nullptr; // where the op stands
  const CallSite *through = nullptr;      // null: in the function itself
  const ReachedOp *next = nullptr;        // the same op, seen from the callee
  u64 params = 0;                         // bit i: depends on parameter i
  std::vector<Symbol> attributes;         // of self
  bool varies = false;                    // differs from call to call whatever the arguments
};

// What a call of a function changes outside of it, itself or through calls.
struct FunctionChanges {
  std::vector<Symbol> names;      // of outer scopes; sorted
  std::vector<Symbol> attributes; // of whatever object; sorted
  u64 params = 0;                 // bit i: what is passed for parameter i is changed in place
  bool everything = false;        // too much to list
};

// A name that a scope binds to a module or function of a framework.
struct ApiName {
  explicit ApiName(u32 of) : slot(of) {}

  u32 slot;
  mutable std::atomic<u32> place{kNotAsked}; // where it is bound first, once somebody has asked for it

  static constexpr u32 kNotAsked = ~1U;
};

// model.add(layer), or model.pop() with no layer.
struct AddedLayer {
  const python::Call *call = nullptr;
  const python::Expr *layer = nullptr;
  Value value;
  FunctionInfo *function = nullptr;
  const python::Node *branch = nullptr; // the innermost `if`, loop or the like around it
  const python::Call *model = nullptr;  // that made the model
};

struct GraphFlow;
class TextGroups;

struct FunctionInfo {
  // ---- From the tree alone
  Symbol name;
  u32 index = 0; // in Project::functions
  const Module *module = nullptr;
  FunctionInfo *parent = nullptr;
  ClassInfo *type = nullptr;
  const python::Node *node = nullptr; // FunctionDef, Lambda, or null for a module's own code
  Array<python::Param *> params;
  Array<u32> names;            // that are local, as symbol ids, sorted: a name's place is its slot
  Array<u32> hashed;           // the slots, from 1, by hash of the name; only of many
  SymbolMap<u32> evidence;     // methods called on names, as bits: see bind.h
  std::vector<Symbol> globals; // declared global or nonlocal
  std::vector<Loop *> loops;   // in source order
  std::vector<u32> called;     // names and attributes that are called, as symbols: whom it may want results of
  bool is_outer = false;       // a module's own code, or there are functions inside, which may read its names
  bool mentioned = true;       // false: nothing in these files has its name, so that nobody here can call it
  bool is_test = false;        // test_…() without arguments, wherever it stands

  // ---- What the solver found: see solver.h
  std::vector<Cell> inputs; // and one more, for being called at all
                            // what callers pass for each parameter
  Value returns = Value::bottom();
  Array<Value> all_values;                 // all values that a slot has had, joined
  SymbolMap<Cell> outer_stores;            // what functions inside bind with `global` and `nonlocal`, by slot
  Array<Value> defaults;                   // of the parameters, where the function is defined
  std::vector<Contribution> contributions; // to others, sorted by target
  bool is_property = false;
  bool is_static = false;
  bool is_class_method = false;
  bool decorated_no_grad = false;
  bool has_ops = false; // it executes operations of TensorFlow, itself or in what it calls

  // ---- Facts of its code, of the last time it was walked
  std::vector<OpFact> ops;
  std::vector<CallSite> calls;
  std::vector<Event> events;
  std::vector<Guard> guards;
  std::vector<FunctionMark> marks;
  std::vector<StageFact> stages;
  std::vector<std::pair<const python::Expr *, Value>> datasets;                // expressions that give one
  std::vector<std::pair<const python::Expr *, Value>> arguments;               // see Project::argument_values
  std::vector<AddedLayer> layers;                                              // see Project::added_layers
  std::vector<std::pair<const python::Call *, const python::Call *>> compiled; // see Project::compiled_models
  std::vector<std::pair<const python::Call *, const python::Call *>> moved;    // see Project::moved_batches
  std::vector<std::pair<Ref<ClassInfo>, u32>> loads; // attributes that it reads, of a class or of anything
  std::vector<Symbol> own_stores;                    // self.x = …
  bool own_effects = false;
  bool own_variables = false;
  bool switches_grad = false; // torch.set_grad_enabled(…) as a statement: what runs after it may record no graph

  // ---- What follows from the facts of all functions: see spread.cpp
  bool effects = false; // does what a second call would do again: unknown calls, state, I/O; also through calls
  bool traced = false;  // by tf.function, a Keras layer's call, Dataset.map, an Estimator, …
  u8 tracers = 0;       // what traces it, where that is tf.function or jax.jit; also of functions inside of those
  bool passed = false;  // handed to something that may call it
  Ref<const python::Expr> compiled_at = nullptr; // the decorator or call that makes it a compiled function
  bool makes_variables = false;                  // also through calls
  bool makes_graph = false;                      // or enters one that is another in each call; also through calls
  bool new_graph = false;                        // also through calls
  u64 graph_params = 0;                          // bit i: enters a graph that parameter i is or has; also through calls
  bool runs_session = false;                     // also through calls
  bool steps = false;   // a call is a training step: backward() or the like, outside loops; also through calls
  bool trains = false;  // a training step somewhere, also through calls
  bool no_grad = false; // decorated with torch.no_grad(), or called by nothing but code under it
  bool sometimes_no_grad = false; // called by code under it at least once
  bool in_parallel = false;       // mapped over a Dataset or given to Apache Beam, itself or all that calls it
  bool in_loop = false;           // called from a loop that is not tiny, at any depth
  u16 context = 0;                // when and how often it runs: see context.h
  Ref<const python::Node> session_run = nullptr;
  std::vector<Symbol> attribute_stores;       // self.x = …, also through calls of own methods; sorted
  std::vector<Ref<const CallSite>> called_by; // all calls of it in these files, by the index of the caller

  // ---- Worked out when somebody first asks
  Lazy<std::vector<ReachedOp>> reached;               // see reached_by
  Lazy<FunctionChanges> changes;                      // see changes_of
  Lazy<GraphFlow> graph_flow;                         // see graph_flow.h
  Lazy<std::deque<ApiName>> api_names;                // see rules/edits.cpp
  Lazy<u64> rebound;                                  // see is_rebound
  Lazy<std::vector<const CallSite *>> calls_by_place; // see calls_inside
  Lazy<std::vector<u32>> params_by_name;              // see place_of_param

  static constexpr u32 kNoSlot = ~0U;
  [[nodiscard]] u32 slot_of(Symbol symbol) const {
    if (!hashed.empty()) {
      const u32 mask = hashed.size() - 1;
      for (u32 at = first_place(symbol.id, mask); hashed[at] != 0; at = (at + 1) & mask) {
        if (names[hashed[at] - 1] == symbol.id) {
          return hashed[at] - 1;
        }
      }
      return kNoSlot;
    }
    const u32 *const found = std::lower_bound(names.begin(), names.end(), symbol.id);
    return found != names.end() && *found == symbol.id ? static_cast<u32>(found - names.begin()) : kNoSlot;
  }
  static constexpr u32 kNoParam = ~0U;
  [[nodiscard]] u32 place_of_param(Symbol symbol) const; // the first of that name
  [[nodiscard]] bool has_param(Symbol symbol) const { return place_of_param(symbol) != kNoParam; }
  [[nodiscard]] const python::FunctionDef *definition() const { return python::as<python::FunctionDef>(node); }
  [[nodiscard]] const python::Lambda *lambda() const { return python::as<python::Lambda>(node); }
};

struct ClassInfo {
  Symbol name;
  u32 index = 0; // in Project::classes
  const python::ClassDef *node = nullptr;
  const Module *module = nullptr;
  FunctionInfo *scope = nullptr; // where the class stands
  std::vector<Value> bases;
  std::vector<Ref<ClassInfo>> parents;    // the bases that are classes of the project, each once
  std::vector<Ref<ClassInfo>> mro;        // itself, and the classes of the project that it derives from: see classes.h
  std::vector<Ref<ClassInfo>> subclasses; // right below it, of the project
  Kind kind = Kind::Unknown;              // of the framework class it derives from
  SymbolMap<Value> members;               // methods and class attributes
  SymbolMap<Cell> attributes;             // stored through self or another name of an object
  std::vector<u32> stored;       // attributes that its code stores to through self, and its fields, as symbols, sorted
  std::vector<Symbol> fields;    // that its body annotates, as a dataclass takes them
  std::vector<u32> declared;     // of these, those that have no value there, sorted
  std::unordered_set<u32> loads; // attributes that somebody reads; only of classes of PyTorch modules
};

struct Module {
  FileIndex file;
  const ParsedFile *parsed = nullptr;
  std::vector<Symbol> parts; // of its path, without the ending and `__init__`
  bool is_package = false;   // it is an __init__
  FunctionInfo *body = nullptr;
  bool tensorflow = false;      // imports tensorflow or keras
  bool near_tensorflow = false; // or a module of the project that does
  bool is_linted = false;       // it reaches a framework; others are there for what they define
  bool torch = false;
  bool jax = false;
  bool v1 = false;      // uses what only TF1 has
  bool v2 = false;      // uses what only TF2 has
  bool is_test = false; // test code by its name or folder

  Lazy<std::string> code;       // its text without comments and docstrings: see code_text.h
  Lazy<TextGroups> text_groups; // of that text

  std::vector<Symbol> exports; // the names in its `__all__`, sorted; empty if it has none that can be read

  // Unless all that it uses is of TF1, its code may run eagerly, and then variables hold other values in each
  // iteration.
  [[nodiscard]] bool may_be_eager() const { return !v1 || v2; }

  SymbolMap<Ref<ClassInfo>> class_of_name; // `net` for its class Net, `q_net` for QNet; null if there are two
  SymbolMap<u32> attribute_evidence;       // methods called on attributes of self, as bits
  std::vector<Symbol> stars;               // frameworks' packages that `from … import *` opened
  std::unordered_map<u32, Ref<const Module>> imported; // dotted names that import statements bound to project modules
  // The modules of the project that an Alias of an import means; of `from a import b`, the ImportFrom has that of `a`.
  std::unordered_map<const python::Node *, Ref<const Module>> import_targets;
  u32 index = 0; // in Project::modules
};

// Where a batch of a DataLoader is copied to a device.
struct MovedBatch {
  const Module *module = nullptr;
  const FunctionInfo *function = nullptr;
  const python::Call *call = nullptr;
};

// All values that a name has had, joined, as code in the function sees it; null if neither the function, nor one around
// it, nor the module binds it.
const Value *all_values_of(const FunctionInfo &function, Symbol name);

// The calls of functions of the project that stand inside a node of the function, in the order of their places.
std::span<const CallSite *const> calls_inside(const FunctionInfo &function, const python::Node &node);

// Where a For, While or comprehension keeps its place in Project::loops, from 1; null for other nodes.
u32 *loop_fact(const python::Node *node);

struct Definitions;

// For AllModules and AboutNodes.
inline void note_read_of(const Module &module) { note_read(&module); }
inline void note_read_of(const FunctionInfo &function) { note_read(&function); }
inline void note_read_of(const ClassInfo &type) { note_read(&type); }
inline void note_read_of(const Loop &loop) { note_read(loop.function); }
inline void note_read_of(const Stage &) { note_read_everything(); } // from which others are found by their numbers
inline void note_read_of(const Value &) {}
inline void note_read_of(const MovedBatch &moved) { note_read(moved.module); }
inline void note_read_of(const std::vector<AddedLayer> &layers) {
  for (const AddedLayer &layer : layers) {
    note_read(layer.function);
  }
}

// Names that somebody reads, whoever that is.
class NamesRead : public std::unordered_set<u32> {
public:
  [[nodiscard]] bool contains(u32 name) const {
    note_read_name(name);
    return std::unordered_set<u32>::contains(name);
  }
};

struct Project {
  Work work;
  AllModules<std::deque<Module>> modules;
  AllModules<std::deque<FunctionInfo>> functions;
  AllModules<std::deque<ClassInfo>> classes;
  AllModules<std::deque<Loop>> loops;
  AllModules<std::vector<Stage>> stages = AllModules<std::vector<Stage>>(1);
  AboutNodes<std::unordered_map<const python::Call *, u32>> stage_of_call; // of the calls that add one
  std::vector<std::vector<u32>> followers;            // of each stage, those right after it: see followers_of
  std::vector<Value> callees = std::vector<Value>(1); // what is called; Call::fact is a place here
  std::vector<u32> stored_elsewhere; // attributes of whatever object that code outside its class stores to, sorted
  std::vector<u32> callers = std::vector<u32>(1); // the functions that these calls stand in, by their index
  NamesRead loads; // attributes that code of PyTorch reads from what the engine does not know
  Arena values;
  std::vector<Arena> arenas; // more values: of each worker that analyzed the project
  // What the arguments of losses, of Keras models and of their fit() are where they stand; other values are kept as
  // kinds only.
  AboutNodes<std::unordered_map<const python::Expr *, Value>> argument_values;
  // What was added to a Keras model, by the call that made it, in the order of the walk.
  AboutNodes<std::unordered_map<const python::Call *, std::vector<AddedLayer>>> added_layers;
  AboutNodes<std::unordered_map<const python::Expr *, u32>>
      stage_at; // what the Dataset that an expression gives went through last
  // Its compile(…); null if there are several.
  AboutNodes<std::unordered_map<const python::Call *, const python::Call *>> compiled_models;
  AboutNodes<std::unordered_map<const python::Call *, MovedBatch>> moved_batches; // of the call that made the loader

  Lazy<Definitions> definitions;          // worked out when first asked for: see definitions.h
  mutable std::recursive_mutex work_once; // held by who works out what takes long, and what nobody should do twice

  [[nodiscard]] Value callee_of(const python::Call *call) const { return callees[call->fact]; }
  // Where a call stands; null if nothing is known of what it calls.
  [[nodiscard]] const FunctionInfo *caller_of(const python::Call *call) const {
    return call->fact != 0 ? &functions[callers[call->fact]] : nullptr;
  }
  // Null for a node that is no such thing, and for one that the engine did not come to.
  [[nodiscard]] FunctionInfo *function_at(const python::Node *node) const; // of a FunctionDef or Lambda
  [[nodiscard]] const ClassInfo *class_at(const python::Node *node) const; // of a ClassDef
  [[nodiscard]] const Loop *loop_at(const python::Node *node) const;       // of a For, While or comprehension
};

// Which operations a call of the function leads to; worked out when first asked for.
const std::vector<ReachedOp> &reached_by(const Project &project, const FunctionInfo &function);

// Runs phases 3 to 5 on files that belong together, on so many threads.
std::unique_ptr<Project> analyse(const std::vector<ParsedFile *> &files, u32 workers = 1);

} // namespace deepperf::model
