// The abstract interpreter behind phase 5: walks each function once or twice, keeps a Value for every name, and notes
// down what rules want to know. Private to src/model.
#pragma once

#include "model/bind.h"
#include "model/imports.h"
#include "model/project.h"

#include <optional>
#include <span>
#include <unordered_map>

namespace deepperf::model {

// Does `from module import *` bind the name?
bool is_exported(const Module &module, Symbol name);

class Inference {
public:
  Inference(Project &project, const ModuleIndex &index);

  // Everything once to learn what callers pass and objects hold, and once more with that, noting down facts.
  void run();

private:
  // What surrounds the statement that is being walked.
  struct Surroundings {
    Loop *loop = nullptr;
    bool in_tape = false;
    bool once = false;
    bool initial_value = false;
    bool by_type = false; // in a branch that asks for the type of a parameter
    bool no_grad = false;
    const python::Node *branch = nullptr; // the innermost `if`, loop or the like
    bool eager_test = false;              // under `if tf.executing_eagerly()`: what runs a session there tells nothing
    const python::Expr *assigned = nullptr; // the value of the assignment that is being walked, and its target
    Symbol target;
    const python::Expr *stored = nullptr;    // the same where the target is an element or attribute
    const python::Expr *discarded = nullptr; // a statement of its own
    const OpScope *scope = nullptr;
  };

  // ---- infer.cpp: functions
  void collect(Module &module);
  void collect_stars();
  void evaluate(FunctionInfo &function);
  void bind_params(FunctionInfo &function);
  [[nodiscard]] Value object_named(Symbol name) const;
  Value annotation_value(const python::Expr *annotation);
  FunctionInfo &add_function();
  FunctionInfo *function_for(const python::Node *node);
  void mark_traced(const Value &value, u8 tracer);
  void note_passed(const Value &value);
  void spread_tracing();
  void spread_no_grad();
  void spread_loops();
  void spread_parallel();
  void note_step();
  void note_session_run(const python::Call *call);
  void note_graph_made();
  void enter_graph_of(const python::Expr *holder);
  void note_fetched_operators(const python::Expr *fetches);
  void note_call_traits(const ApiInfo &info, const python::Call *call, Symbol api, bool v1);

  // ---- infer_statements.cpp
  void walk(const python::Block &block);
  void walk(const python::Stmt *statement);
  void walk_function_definition(const python::FunctionDef *definition);
  void walk_class(const python::ClassDef *definition);
  void walk_import(const python::Import *statement);
  void walk_import_from(const python::ImportFrom *statement);
  bool ends_here(const python::Stmt *statement);
  void walk_if(const python::If *statement);
  std::optional<bool> settled_test(const python::Expr *test);
  void walk_for(const python::For *statement);
  // How many facts there were at some point of the walk.
  struct FactMark {
    std::size_t ops = 0;
    std::size_t calls = 0;
    std::size_t loops = 0;
  };
  [[nodiscard]] FactMark facts_so_far() const;
  void mark_once(const python::Expr *test, bool negated, std::span<python::Stmt *const> statements,
                 const FactMark &since);
  void find_loop_changes(const python::Node *node, Loop &loop);
  void walk_while(const python::While *statement);
  void walk_try(const python::Try *statement);
  void walk_with(const python::With *statement);
  void narrow(const python::Expr *test, bool holds);
  static void hand_to_parent(const Loop &loop);
  Loop &begin_loop(const python::Node *node);
  template <class Body> void in_loop(const python::Node *node, Body body);
  void assign(const python::Expr *target, const Value &value);
  void bind(Symbol name, const Value &value);
  void bind(Symbol name, u32 slot, const Value &value);
  void grow(const python::Expr *container, const Value &added);
  void store_attribute(const python::Attribute *target, const Value &value);

  // ---- loop_length.cpp
  bool is_tiny(const python::Expr *iter);
  static bool may_be_long(const Loop &loop, const python::Expr *iter);
  std::optional<i64> literal_number(const python::Expr *expr);
  bool is_one_by_default(const python::Expr *expr);
  Value peek(const python::Expr *expr);
  Turns turns_of(const python::Expr *iter, const Value &iterated);

  // ---- infer_expressions.cpp
  Value eval(const python::Expr *expr);
  Value eval_unnoted(const python::Expr *expr);
  Value eval_name(const python::Name *name);
  [[nodiscard]] u32 slot_at(const python::Name *name) const;
  Value look_up(Symbol name);
  Value look_up(Symbol name, u32 slot);
  Value eval_attribute(const python::Attribute *attribute);
  static Value trained_state(Symbol attr);
  void note_load(const Value &value, Symbol attr);
  Value attribute_of(const Value &value, Symbol attr, const python::Attribute *node);
  Value framework_method(const Value &value, Symbol attr);
  Value member_of(ClassInfo *type, Symbol attr, u32 depth = 0);
  Value api_attribute(const Value &api, Symbol attr);
  Value star_attribute(const Module &module, Symbol attr);
  Value eval_subscript(const python::Subscript *subscript);
  Value eval_comprehension(const python::ComprehensionExpr *comprehension);
  Value element_of(const Value &value);
  Value make_tuple(std::span<const Value> items, bool uniform);
  Value make_uniform(const Value &item) { return make_tuple({&item, 1}, true); }
  Value combine(const Value &left, const Value &right);
  Value assumed_value(Symbol name);
  Value assumed_from(u32 evidence);
  [[nodiscard]] bool is_loader_name(Symbol name) const;

  // ---- infer_calls.cpp
  Value eval_call(const python::Call *call);
  Value call_api(const python::Call *call, const Value &callee);
  Value call_api_method(const python::Call *call, const Value &callee);
  Value call_function(const python::Call *call, FunctionInfo *function, bool bound);
  Value call_method(const python::Call *call, FunctionInfo *function);
  Value run_function(const python::Call *call, FunctionInfo *function, bool bound);
  Value call_instance(const python::Call *call, const Value &callee);
  Value call_object(const python::Call *call, const Value &callee);
  Value map_of_assumed_dataset(const python::Call *call, const python::Attribute &method, const Value &mapped);
  class Arguments;
  void eval_arguments(const python::Call *call);
  Value torch_result(const ApiInfo &info, const python::Call *call, const Arguments &arguments, Symbol name,
                     const Value &receiver);
  Output module_output(const Value &module);
  Output layers_output(const python::Call *call, const Arguments &arguments);
  Value construct(const python::Call *call, ClassInfo *type);
  static Value mapper_of(const ApiInfo &info, const Arguments &arguments);
  Value add_stage(const python::Call *call, u32 previous, const ApiInfo *info, Symbol method, const Value &mapper);
  void note_beam(const python::Call *call, const Value &first);
  void mark_parallel(const Value &value);
  void note_arguments(const python::Call *call, const Arguments &arguments);

  Value join(const Value &a, const Value &b);
  // Is the function small enough to keep the values of its branches apart?
  [[nodiscard]] bool keeps_branches() const { return environment_.size() <= 1000; }
  void join_environment(std::vector<Value> &into, const std::vector<Value> &other);

  // A copy of the environment, in memory that is used again and again.
  class Snapshot {
  public:
    explicit Snapshot(Inference &owner) : owner_(owner) {
      if (!owner.spare_environments_.empty()) {
        values = std::move(owner.spare_environments_.back());
        owner.spare_environments_.pop_back();
      }
      values = owner.environment_;
    }
    Snapshot(const Snapshot &) = delete;
    Snapshot &operator=(const Snapshot &) = delete;
    ~Snapshot() { owner_.spare_environments_.push_back(std::move(values)); }

    std::vector<Value> values;

  private:
    Inference &owner_;
  };

  Project &project_;
  const ModuleIndex &index_;
  bool last_pass_ = false;
  bool recording_ = false; // only in the last pass, and not while something is looked at for a second time
  bool peeking_ = false;   // something is looked at for a second time
  u32 depth_ = 0;
  u32 join_depth_ = 0;
  std::unordered_map<u64, Value> api_children_;
  BoundNames bound_;
  std::vector<Value> items_; // of the tuples and arguments that are being evaluated, one above the other

  // Of the function that is being walked.
  FunctionInfo *current_ = nullptr;
  Module *module_ = nullptr;
  ClassInfo *class_body_ = nullptr;
  std::vector<Value> environment_;
  std::vector<std::vector<Value>> spare_environments_;
  bool reachable_ = true;
  Surroundings around_;
};

} // namespace deepperf::model
