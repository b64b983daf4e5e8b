// The transfer function of phase 5: walks the code of one function with a Value for every name, given what the solver's
// tables say of everything else, and returns what the function gives to others. It reads the tables and writes only
// facts of the function itself, so that many functions can be walked at the same time. Private to src/model.
#pragma once

#include "base/key_set.h"
#include "model/bind.h"
#include "model/imports.h"
#include "model/lattice.h"
#include "model/project.h"

#include <optional>
#include <span>
#include <unordered_map>

namespace deepperf::model {

// What a function may read of others, by which the solver knows whom to walk again: what a function returns and how it
// is defined, a name of an outer function or module, an attribute of a class, what is known of a module. A key is the
// unit in the upper half and the detail (a slot, a symbol) in the lower.
struct Units {
  u32 functions = 0;
  u32 classes = 0;
  u32 modules = 0;
  std::vector<u64> evident = {}; // bit i: some function has evidence of what the symbol i is

  [[nodiscard]] bool is_evident(Symbol name) const {
    return name.id / 64 < evident.size() && (evident[name.id / 64] >> (name.id % 64) & 1U) != 0;
  }
  void find_evident(const Project &project);

  static constexpr u32 kEverything = ~0U; // as a detail: the order of a class's bases, its kind

  static u64 key(u32 unit, u32 detail) { return (u64{unit} << 32) | detail; }
  [[nodiscard]] u64 of_function(const FunctionInfo &function) const { return key(function.index, 0); }
  [[nodiscard]] u64 of_name(const FunctionInfo &scope, u32 slot) const { return key(functions + scope.index, slot); }
  [[nodiscard]] u64 of_class(const ClassInfo &type, u32 detail = kEverything) const {
    return key(2 * functions + type.index, detail);
  }
  [[nodiscard]] u64 of_module(const Module &module) const { return key(2 * functions + classes + module.index, 0); }
};

// How a function is defined, as the code around it sees it.
struct FunctionDefinition {
  FunctionInfo *function = nullptr;
  Array<Value> defaults;
  bool is_property = false;
  bool is_static = false;
  bool is_class_method = false;
  bool no_grad = false;
};

struct ClassDefinition {
  ClassInfo *type = nullptr;
  std::vector<Value> bases;
  SymbolMap<Value> members;
};

// What a walk of a function gives to others, as far as the solver does not have it yet. All values are joined over the
// function's paths.
struct FunctionResult {
  Value returns = Value::bottom();
  Array<Value> all_values;           // empty if the solver has the same
  Array<Contribution> contributions; // sorted by target, each once
  Array<FunctionDefinition> functions;
  std::vector<ClassDefinition> classes;
  Array<u64> new_reads;            // keys of units that it never read before, each once
  Array<u64> all_reads;            // all that it read, if somebody wants to know
  bool same_contributions = false; // as those of the walk before, so that none are listed
  bool saw_nothing = false;        // it read something of which nothing was known yet
  bool has_ops = false;
  bool v1 = false; // it uses what only TF1 has
  bool v2 = false;
};

// How much may be assumed where nothing is known: see solver.h.
enum class Assume : u8 {
  Nothing,    // what nobody mentions is Bottom
  Uncalled,   // parameters of functions that nobody calls have a value
  Everything, // what is still Bottom has a value
};

class Transfer {
public:
  Transfer(Project &project, const ModuleIndex &index, const Units &units);

  // What the function gives to others. The result's values live until forget_results(). `known_reads`, sorted, is what
  // the solver knows it to read.
  FunctionResult solve(FunctionInfo &function, Assume assume, std::span<const u64> known_reads);
  void forget_results() { results_arena_.reset(); }
  void keep_all_reads() { keeps_all_reads_ = true; }

  // Once nothing changes any more: notes down the function's facts. Their values live in memory that take_arena gives
  // away.
  void record(FunctionInfo &function);
  Arena take_arena() { return std::exchange(arena_, Arena()); }
  [[nodiscard]] const Work &work() const { return work_; }

private:
  // What surrounds the statement that is being walked.
  struct Surroundings {
    Loop *loop = nullptr;
    bool in_tape = false;
    bool once = false;
    bool initial_value = false;
    bool by_type = false; // in a branch that asks for the type of a parameter, or one of several things that are called
    bool no_grad = false;
    bool maybe_no_grad = false;           // under torch.set_grad_enabled() of something that is not known
    bool conditional = false;             // under a test whose answer may differ from step to step
    const python::Node *branch = nullptr; // the innermost `if`, loop or the like
    bool eager_test = false;              // under `if tf.executing_eagerly()`: what runs a session there tells nothing
    const python::Expr *assigned = nullptr; // the value of the assignment that is being walked, and its target
    Symbol target;
    const python::Expr *stored = nullptr;    // the same where the target is an element or attribute
    const python::Expr *discarded = nullptr; // a statement of its own
    const OpScope *scope = nullptr;
  };
  using Environment = std::vector<Value>;

  // What goes round in a loop: found in one walk of the function, used in the next.
  struct BackEdge {
    const python::Node *loop = nullptr;
    std::vector<std::pair<u32, Value>> values; // by slot
  };
  // Where `break` and `continue` of the innermost loop go.
  struct Exits {
    Environment breaks;
    Environment continues;
    bool breaks_reached = false;
    bool continues_reached = false;
  };

  // The result while it is put together, in memory that is used again and again.
  struct Draft {
    Value returns = Value::bottom();
    std::vector<Value> all_values;
    std::vector<Contribution> contributions;
    std::vector<FunctionDefinition> functions;
    std::vector<ClassDefinition> classes;
    std::vector<u64> reads; // of all walks
    bool saw_nothing = false;
    bool has_ops = false;
    bool is_generator = false;
    bool gives_back = false; // some path of it ends with a value, whatever that is
    bool v1 = false;
    bool v2 = false;
  };

  // ---- transfer.cpp: one function
  void run(FunctionInfo &function);
  void walk_function();
  void clear_draft();
  void clear_facts();
  FunctionResult keep_result(std::span<const u64> known_reads);
  void finish_contributions();
  void bind_params();
  Value input_of(u32 index);
  Value rest_of_input(u32 index);
  Value narrowed(const Value &passed, const Value &annotated);
  [[nodiscard]] Value object_named(Symbol name) const;
  Value annotation_value(const python::Expr *annotation);
  Value named_in_text(std::string_view dotted);
  void read(u64 key);
  Value missing(const Value &value);
  Value returns_of(FunctionInfo &function);
  void contribute(Contribution::Target target, u32 owner, u32 place, const Value &value);
  void give_return(const Value &value);

  // ---- facts.cpp: what is noted down
  void note_step();
  void note_session_run(const python::Expr *call);
  void note_graph_made();
  void enter_graph_of(const python::Expr *holder);
  void note_fetched_operators(const python::Expr *fetches);
  void note_call_traits(const ApiInfo &info, const python::Call *call, Symbol api, bool v1);
  void note_op(const OpFact &op);
  void add_event(Event::Kind kind, const python::Expr *node = nullptr, u32 site = 0);
  void mark_traced(const Value &value, u8 tracer);
  void mark_parallel(const Value &value);
  void mark_passed(const Value &value);
  FunctionMark &mark(FunctionInfo *function);
  void note_load(const Value &value, Symbol attr);

  // ---- transfer_statements.cpp
  void walk(const python::Block &block);
  void walk(const python::Stmt *statement);
  bool ends_here(const python::Stmt *statement);
  void walk_if(const python::If *statement);
  std::optional<bool> settled_test(const python::Expr *test);
  std::optional<bool> settled_by_value(const python::Expr *test);
  void walk_for(const python::For *statement);
  void walk_while(const python::While *statement);
  void walk_try(const python::Try *statement);
  void walk_with(const python::With *statement);
  void walk_match(const python::Match *statement);
  void narrow(const python::Expr *test, bool holds);
  void forget_tensor(u32 slot);
  void begin_guard(const python::Expr *test, bool negated, std::span<python::Stmt *const> statements,
                   Guard &guard) const;
  void end_guard(Guard &guard);
  Loop &loop_of(const python::Node *node);
  template <class Body> void in_loop(const python::Node *node, Body body);

  // ---- transfer_definitions.cpp
  void walk_function_definition(const python::FunctionDef *definition);
  void read_decorator(const python::Expr *decorator, FunctionDefinition &defined, FunctionInfo &function);
  Array<Value> eval_defaults(Array<python::Param *> params);
  Value dependency(const python::Expr *default_value);
  void give_to_decorator(const Value &decorator, const Value &decorated);
  void walk_class(const python::ClassDef *definition);
  void walk_import(const python::Import *statement);
  void take_star(const Module &package);
  void walk_import_from(const python::ImportFrom *statement);

  // ---- transfer_assignments.cpp
  void assign(const python::Expr *target, const Value &value);
  void bind(Symbol name, const Value &value);
  void bind(Symbol name, u32 slot, const Value &value);
  Value filled_inside(u32 slot, const Value &container);
  void grow(const python::Expr *container, const Value &added, Output last = Output::Unknown);
  void grow(const python::Subscript *target, const Value &added);
  void put_entry(const python::Subscript &entry, const Value &after);
  void rebind(const python::Expr *container, const Value &after);
  void store_attribute(const python::Attribute *target, const Value &value);
  void store_to(const Value &object, Symbol attr, const Value &value);

  // ---- loop_length.cpp
  bool has_few_iterations(const python::Expr *iter);
  std::optional<i64> literal_number(const python::Expr *expr);
  bool is_one_by_default(const python::Expr *expr);
  Value peek(const python::Expr *expr);
  Iterations iterations_of(const python::Expr *iter, const Value &iterated);

  // ---- transfer_expressions.cpp
  Value eval(const python::Expr *expr);
  Value eval_noted(const python::Expr *expr);
  Value eval_unnoted(const python::Expr *expr);
  Value eval_other(const python::Expr *expr);
  Value eval_name(const python::Name *name);
  [[nodiscard]] u32 slot_at(const python::Name *name) const;
  Value look_up(Symbol name);
  Value look_up(Symbol name, u32 slot);
  Value eval_subscript(const python::Subscript *subscript);
  Value eval_comprehension(const python::ComprehensionExpr *comprehension);
  Value element_of(const Value &value);
  Value element_of_one(const Value &value);
  Value tuple_of(std::span<const Value> items) { return make_tuple(items, false, arena_); }
  Value make_uniform(const Value &item) { return make_tuple({&item, 1}, true, arena_); }
  Value combine(const Value &left, const Value &right);
  Value operated(python::Operator op, const Value &left, const Value &right);
  Value compared(const Value &left, const Value &right);
  Value assumed_value(Symbol name);
  Value assumed_from(u32 evidence);
  [[nodiscard]] Value named_like(Symbol name) const;

  // ---- transfer_attributes.cpp
  Value eval_attribute(const python::Attribute *attribute);
  Value attribute_of(const Value &value, Symbol attr);
  Value attribute_of_one(const Value &value, Symbol attr);
  Value attribute_of_class(const Value &value, Symbol attr);
  Value module_attribute(const Module &module, Symbol attr);
  Value framework_method(const Value &value, Kind kind, Symbol attr);
  Value member_of(ClassInfo *type, Symbol attr, bool after_itself = false);
  Value api_attribute(const Value &api, Symbol attr);
  Value star_attribute(const Module &module, Symbol attr);
  static Value trained_state(Symbol attr);

  // ---- transfer_records.cpp
  class Arguments;
  static Symbol name_in_literal(const python::Expr *expr, const Module &module);
  Symbol name_of_literal(const Value &value);
  Symbol name_of_key(const python::Expr *key, const Value &value);
  Value entry_at_key(const Value &record, const python::Expr *key, const Value &value);
  Value eval_dict(const python::Dict *dict);
  Value entry_of(const Value &record, Symbol name);
  Value call_record_method(const python::Call *call, const python::Attribute &method, const Value &record,
                           const Arguments &arguments);
  Value record_of_keywords(const python::Call *call, const Arguments &arguments);
  Value named_tuple(const python::Call *maker, const python::Call *call, const Arguments &arguments);
  void store_fields(const python::Call *call, ClassInfo *type, const Arguments &arguments);

  // ---- transfer_calls.cpp
  Value eval_call(const python::Call *call);
  void change_list(const python::Attribute &method, const python::Call &call);
  void forget_last_layers(const python::Call &call, const Arguments &arguments);
  Value apply(const python::Call *call, const Value &callee, const Arguments &arguments);
  Value apply_partial(const python::Call *call, const Value &callee, const Arguments &arguments);
  Value apply_unknown(const python::Call *call, const Arguments &arguments);
  Value entries_of(const Value &dictionary, bool with_keys);
  Value call_function(const python::Call *call, FunctionInfo *function, bool bound, const Arguments &arguments);
  Value call_method(const python::Call *call, FunctionInfo *function, const Arguments &arguments);
  void pass_rest(const python::Call *call, const FunctionInfo &function, u32 first, const Arguments &arguments);
  void pass_arguments(const python::Call *call, FunctionInfo *function, bool bound, const Arguments &arguments);
  void pass_bound(const python::Call *call, const Value &callee, const Arguments &arguments);
  Value enter_function(const python::Call *call, FunctionInfo *function, bool bound);
  Value construct(const python::Call *call, ClassInfo *type, const Arguments &arguments);
  Value call_object(const python::Call *call, const Value &callee, const Arguments &arguments);
  [[nodiscard]] Value call_super() const;
  void note_beam(const python::Call *call, const Value &first);
  void note_arguments(const python::Call *call, const Arguments &arguments);

  // ---- api_calls.cpp: calls of frameworks
  Value transposed(const Value &rows);
  void pass_items(const python::Call *call, const Arguments &arguments);
  Value parsed_objects(std::string_view api, const Arguments &arguments);
  Value call_api(const python::Call *call, const Value &callee, const Arguments &arguments);
  Value call_api_method(const python::Call *call, const Value &callee, const Arguments &arguments);
  Value passed_on(const python::Call *call, const Arguments &arguments);
  Value method_result(const python::Call *call, Symbol method, const Value &receiver, const Arguments &arguments);
  Value call_instance(const python::Call *call, const Value &callee, const Arguments &arguments);
  static Value mapper_of(const ApiInfo &info, const Arguments &arguments);

  // ---- dataset_model.cpp: tf.data
  Value add_stage(const python::Call *call, const Value &previous, const ApiInfo *info, Symbol method,
                  const Value &mapper);
  Value apply_to_dataset(const Value &dataset, const Arguments &arguments);
  Value map_of_assumed_dataset(const python::Call *call, const python::Attribute &method, const Value &mapped);

  // ---- torch_model.cpp
  Value torch_result(const ApiInfo &info, const python::Call *call, const Arguments &arguments, Symbol name,
                     const Value &receiver);
  Value call_torch_module(const python::Call *call, const Value &callee, const Arguments &arguments);
  Value with_gradient_of_module(const Value &value, u8 device);
  u8 device_of(const python::Call *call, const Arguments &arguments, const Value &operand);
  Output module_output(const Value &module);
  Output layers_output(const python::Call *call, const Arguments &arguments);
  Output layer_output(const Value &layer);

  [[nodiscard]] bool recording() const { return !is_solving_ && !peeking_; }
  [[nodiscard]] bool solving() const { return is_solving_ && !peeking_; }

  Value join(const Value &a, const Value &b) { return model::join(a, b, arena_); }
  // Is the function small enough to keep the values of its branches apart?
  [[nodiscard]] bool keeps_branches() const { return environment_.size() <= 1000; }
  void join_environment(Environment &into, const Environment &other);
  // Joins the environment into one that is reached from several places.
  void join_into(Environment &into, bool &is_reached);

  // A copy of the environment, in memory that is used again and again.
  class Snapshot {
  public:
    explicit Snapshot(Transfer &owner) : owner_(owner) {
      if (!owner.spare_environments_.empty()) {
        values = std::move(owner.spare_environments_.back());
        owner.spare_environments_.pop_back();
      }
      values = owner.environment_;
      owner.work_.copies += values.size();
    }
    Snapshot(const Snapshot &) = delete;
    Snapshot &operator=(const Snapshot &) = delete;
    ~Snapshot() { owner_.spare_environments_.push_back(std::move(values)); }

    Environment values;

  private:
    Transfer &owner_;
  };

  Project &project_;
  const ModuleIndex &index_;
  const Units &units_;
  Arena arena_;         // of the values that are made: of one walk while solving, of all while recording
  Arena results_arena_; // of the results since they were last forgotten
  std::unordered_map<u64, Value> api_children_;
  std::vector<const Module *> modules_by_file_; // of those whose texts were asked for; null for others
  KeySet read_keys_;
  bool keeps_all_reads_ = false;
  Work work_;                // of all walks
  std::vector<Value> items_; // of the tuples and arguments that are being evaluated, one above the other

  // Of the function that is being walked.
  Assume assume_ = Assume::Nothing;
  bool is_solving_ = true; // else it notes down facts
  bool peeking_ = false;   // something is looked at for a second time, and nothing comes of it
  FunctionInfo *current_ = nullptr;
  const Module *module_ = nullptr;
  ClassDefinition *class_body_ = nullptr;
  Draft result_;
  Environment environment_;
  std::vector<Environment> spare_environments_;
  std::vector<BackEdge> back_edges_;
  bool back_edge_changed_ = false;
  std::vector<u8> read_unbound_; // slots that were read where nothing was bound to them yet
  Exits *exits_ = nullptr;
  bool reachable_ = true;
  Surroundings around_;
};

} // namespace deepperf::model
