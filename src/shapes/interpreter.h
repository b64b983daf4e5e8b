// An abstract interpreter of Python: runs the code of a group of files with what is known of each value, so that layers
// have the sizes their constructors were given and tensors the shapes that reach them.
//
// One file for each part of the language: statements.cpp, loops.cpp, expressions.cpp, operators.cpp, attributes.cpp,
// calls.cpp, classes.cpp, modules.cpp, builtins.cpp. What APIs do is in files by library (torch_*.cpp, …), see
// registry.h.
#pragma once

#include "base/function_ref.h"
#include "model/imports.h"
#include "shapes/heap.h"
#include "shapes/problem.h"
#include "shapes/seen.h"
#include "shapes/spec.h"
#include "shapes/step.h"
#include "shapes/value.h"

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace deepperf::shapes {

// How a statement ends.
enum class Flow : u8 { Next, Return, Break, Continue, Raise };

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<Symbol, Value>> keywords;
  bool is_open = false;               // there may be more: *args or **kwargs that we do not know
  Value each{Value::Tag::Undefined};  // of `*items`, where their number is not known: one that stands for all of them
  const python::Call *node = nullptr; // null: no call that is written down
  [[nodiscard]] const python::Expr *expr(u32 position) const {
    return node != nullptr && position < node->args.size() ? node->args[position] : nullptr;
  }
};

struct Limits {
  u64 steps_of_root = 60'000;   // statements and expressions
  u64 steps_of_all = 1'500'000; // of a group of files
  u32 calls = 64;               // inside each other
  u32 iterations = 64;          // of a loop that is unrolled
};

// Of a list that lines of code make longer, rather than write out; beyond it, its length is not known.
constexpr std::size_t kMostComputedItems = 4096;

// A text that was put together. One that is very long is not known: `x = x + x` doubles it with every line.
Value computed_text(std::string_view text);

struct Operation;

// The layers of a module of Flax in the order in which they ran, and the features that each of them got.
struct FeaturesSeen {
  std::vector<std::pair<const python::Call *, Dim>> layers;
  std::size_t next = 0;
  bool is_recording = false;
};

// How apply() of a module of Flax was called: Truth::Unknown outside of it, and where that is not known.
struct FlaxApply {
  Truth updates_statistics = Truth::Unknown; // mutable=["batch_stats"]
  Truth has_statistics = Truth::Unknown;     // {"params": …, "batch_stats": …}
  Truth has_dropout_key = Truth::Unknown;    // rngs={"dropout": key}
};

// A loader whose last batch is smaller than the others.
struct LoaderBatches {
  Dim size; // a symbol
  i64 full = 0;
  i64 last = 0;
};

// Two sizes of a graph that fit for some batches only: what is fed decides.
struct LaterCheck {
  Fault fault = Fault::ShapesDoNotFit;
  const model::Module *module = nullptr;
  const python::Node *place = nullptr;
  const Tensor *tensor = nullptr;
  Dim left;
  Dim right;
  bool must_divide = false; // left by right; else they must be equal
  bool is_reported = false;
};

// What the program was told about all that it does.
struct Modes {
  bool is_changed_default_dtype = false;
  bool is_changed_default_device = false;
  bool is_frozen_somewhere = false;
  bool is_promoting = false;
  Truth has_channels_first = Truth::No;
  friend bool operator==(const Modes &, const Modes &) = default;
};

// The code of a module began to run.
struct ModuleRun {
  u32 module = 0;
  bool is_main = false; // what stands under `if __name__ == "__main__":`
  Modes modes;
  friend bool operator==(const ModuleRun &, const ModuleRun &) = default;
};

// What a root did besides its problems (root_memory.h).
struct Doings {
  std::vector<u64> reports;
  std::vector<const python::Node *> called; // functions
  bool is_alone = true; // nothing of it depends on what other roots did, or on files that it does not import
};

class Interpreter {
public:
  explicit Interpreter(const model::Project &project, Limits limits = {});
  Interpreter(const Interpreter &) = delete;
  Interpreter &operator=(const Interpreter &) = delete;

  const model::Project &project;
  Terms terms;
  Heap heap;
  SeenValues *seen = nullptr; // if somebody wants to know what stands where

  // ---- Running (statements.cpp, loops.cpp, modules.cpp)
  Flow exec(const python::Block &block);
  Flow exec(const python::Stmt *statement);
  // The module's names; runs its code when first asked for.
  Frame *frame_of(const model::Module *module);
  // Runs something of its own: a root of the program, with a budget of its own.
  void run_root(const model::Module *module, FunctionRef<void()> body);

  // ---- Expressions (expressions.cpp, operators.cpp, attributes.cpp, subscripts.cpp)
  Value eval(const python::Expr *expr);
  Value binary(python::Operator op, const Value &left, const Value &right, const python::Expr *node);
  Value compare(python::CompareOperator op, const Value &left, const Value &right, const python::Expr *node);
  Truth truth(const Value &value);
  Value attribute(const Value &object, Symbol name, const python::Expr *node);
  void set_attribute(const Value &object, Symbol name, const Value &value);
  Value subscript(const Value &object, const Value &index, const python::Expr *node);
  void set_subscript(const Value &object, const Value &index, const Value &value);
  void assign(const python::Expr *target, const Value &value);
  // What several names get; so many are wanted, or any number if 0.
  bool unpack(const Value &value, u32 wanted, std::vector<Value> &items, const python::Expr *place);
  Value look_up(Symbol name);
  void bind(Symbol name, const Value &value);

  // ---- Calls (calls.cpp, classes.cpp, api_calls.cpp)
  Value call(const Value &callee, Arguments &arguments, const python::Expr *node);
  Value call_function(FunctionObject &function, Arguments &arguments, const python::Expr *node);
  Value call_object(Object &object, Arguments &arguments, const python::Expr *node);
  Value call_api(Symbol api, Arguments &arguments, const python::Expr *node);
  Value call_api_method(const Value &receiver, Symbol name, Arguments &arguments, const python::Expr *node);
  Value call_spec(const Spec &spec, Symbol api, Arguments &arguments, const python::Expr *node, Object *layer);
  Value instantiate(ClassObject &type, Arguments &arguments, const python::Expr *node);
  // Runs the constructor of an API's class on an object.
  void construct(Object &object, Symbol api, Arguments &arguments);
  Value call_method(Object &object, std::string_view name, Arguments &arguments, const python::Expr *node);
  FunctionObject *find_method(const ClassObject &type, Symbol name, const ClassObject *after = nullptr);
  Value bound(const Value &receiver, Symbol name);          // a method of an API's object
  Value weight_of(Object &object, Symbol name);             // `weight`, `bias`, … of a layer; unknown if it is none
  [[nodiscard]] bool is_module(const Object &object) const; // of PyTorch
  bool derives_from(const ClassObject &type, std::string_view api) const;

  // ---- Helpers for transfer functions
  const Spec *spec_of(Symbol api); // null: nothing is known
  const Spec *method_spec(Library library, Symbol method);
  Value default_of(const SpecParam &param);
  // All elements of something that can be iterated over; false if their number is not known, and then one stands for
  // all of them, or none is known.
  bool iterate(const Value &value, std::vector<Value> &items);
  // As an integer; what comes from outside becomes a symbol. Unknown if it is none.
  Dim as_dim(const Value &value);
  // As a tensor; what comes from outside and is used as one is one from then on. Null if it is none.
  const Tensor *as_tensor(const Value &value);
  // What an operation tells of a value from outside.
  void refine(const Value &value, const Shape &shape);
  void refine_dtype(const Value &value, Dtype dtype);
  Dtype as_dtype(const Value &value);
  Device as_device(const Value &value);
  std::optional<std::string> as_text(const Value &value);
  Value new_opaque(std::string name) { return Value::of(heap.new_opaque(std::move(name))); }
  // Sizes, from a list of integers or from integers one by one.
  bool as_dims(const Value &value, std::vector<Dim> &dims);
  Value shape_value(const Value &holder, const Tensor &tensor); // what `.shape` gives
  Dim size_at(const Value &holder, const Tensor &tensor, i64 axis);
  Dim fresh(std::string_view name, i64 least = 1) { return terms.symbol(name, least); }
  [[nodiscard]] std::string text_of(const Shape &shape) const;
  [[nodiscard]] std::string text_of(const Tensor &tensor) const { return text_of(tensor.shape); }
  [[nodiscard]] std::string_view source_of(const model::Module *module, const python::Node *node) const;

  // A tensor that an operation makes, and the step that made it.
  Value make_tensor(Tensor tensor, Symbol operation, const python::Expr *node,
                    const std::vector<const Tensor *> &inputs, const Object *layer = nullptr);
  // The same without a step: constants, attributes.
  Value plain_tensor(const Tensor &tensor) { return Value::of(heap.arena.make<Tensor>(tensor)); }
  // Shapes are not known after this.
  void lose(const python::Expr *node, std::string_view operation);

  // Null where nothing may be said: under try, under tests of shapes, twice at one place.
  Problem *report(Fault fault, const python::Node *place, std::string message);
  // Notes for the steps that led to a tensor, the last ones first known.
  void add_chain(Problem &problem, const Tensor &tensor);
  // Is it a method of a value, and not a function of a module?
  bool is_method_call(const python::Call *call);
  [[nodiscard]] bool is_quiet() const { return quiet_ > 0; }
  // Marks a condition as one that depends on sizes that are not known.
  void note_undecided() { is_undecided_ = true; }

  [[nodiscard]] const model::Module *module() const { return frame_ != nullptr ? frame_->module : nullptr; }
  [[nodiscard]] bool records_gradients() const { return no_grad_ == 0; }
  [[nodiscard]] bool in_autocast() const { return autocast_ > 0; }

  // Everything that runs in `body` is silent.
  template <class Body> auto quietly(Body body) {
    ++quiet_;
    auto result = body();
    --quiet_;
    return result;
  }

  // ---- What came of it
  std::vector<Step> steps;
  std::vector<Problem> problems;
  std::optional<LostAt> lost; // the first place of the current root
  bool keeps_details = false; // paths and multiply-adds of steps, for people
  // What is run was called by nobody: a name of a module with several values may have had any of them then.
  bool globals_may_differ = false;
  bool is_changed_default_dtype = false;
  const python::Expr *current_node = nullptr; // where what an operation makes beside its result is said to be made
  bool is_frozen_somewhere = false;           // some parameter was told to record no gradient
  bool is_changed_default_device = false;
  std::deque<std::vector<Symbol>> field_lists; // of the named tuples of the program
  std::vector<LaterCheck> later;               // what a session must still decide
  FeaturesSeen *features_seen = nullptr;       // of the module of Flax that is being run
  FlaxApply flax_apply;
  std::vector<LoaderBatches> loader_batches;
  // What init() of a module sees, by its place.
  std::size_t new_features() {
    features_.emplace_back();
    return features_.size() - 1;
  }
  FeaturesSeen *features_at(std::size_t place) { return place < features_.size() ? &features_[place] : nullptr; }
  bool is_promoting = false;            // TensorFlow was told to promote as NumPy does
  Truth has_channels_first = Truth::No; // what layers of Keras do that do not say it
  std::vector<std::pair<const model::Module *, const python::If *>> mains; // `if __name__ == "__main__":`
  u64 calls_made = 0;                                                      // of functions of the program
  std::vector<Symbol> path;                                                // of modules that call each other

  [[nodiscard]] bool is_exhausted() const { return used_ >= limit_ || all_used_ >= limits_.steps_of_all; }
  [[nodiscard]] bool is_spent() const { return all_used_ >= limits_.steps_of_all; }
  [[nodiscard]] Frame *current_frame() const { return frame_; }
  [[nodiscard]] u64 steps_used() const { return all_used_; }

  // ---- For analyses that leave out roots (root_memory.h)
  u32 root = 0; // that runs; 0: the code of modules
  Doings doings;
  std::vector<ModuleRun> module_runs;
  std::set<std::pair<u32, u32>> looked_up; // modules that found others by their names
  bool counts_loops = false;               // how often a loop ran decides what is looked at
  [[nodiscard]] Modes modes() const {
    return {is_changed_default_dtype, is_changed_default_device, is_frozen_somewhere, is_promoting, has_channels_first};
  }
  void set_modes(const Modes &modes) {
    is_changed_default_dtype = modes.is_changed_default_dtype;
    is_changed_default_device = modes.is_changed_default_device;
    is_frozen_somewhere = modes.is_frozen_somewhere;
    is_promoting = modes.is_promoting;
    has_channels_first = modes.has_channels_first;
  }
  [[nodiscard]] u64 steps_made() const { return steps.size() + steps_left_out_; }
  [[nodiscard]] bool may_use(u64 used) const { return all_used_ + used < limits_.steps_of_all; }
  void leave_out(u64 used, u64 made) {
    all_used_ += used;
    steps_left_out_ += made;
  }
  [[nodiscard]] bool is_reported(u64 report) const { return reported_.contains(report); }
  // False if it is known.
  bool note_report(u64 report);
  [[nodiscard]] bool has_features() const { return !features_.empty(); }
  // As module.to(device) does: parameters and buffers at any depth.
  void set_device(const Value &value, Device device, u32 depth = 0);

private:
  friend struct StateKeeper;
  struct LoopState {
    bool may_be_left = false; // under a condition that is not known
    bool may_return = false;  // the same, out of the function
  };

  bool spend() {
    constexpr u64 kCopiedInAStep = 16;
    const u64 cost = 1 + heap.take_copied() / kCopiedInAStep;
    used_ += cost;
    all_used_ += cost;
    return !is_exhausted();
  }
  // statements
  Flow exec_if(const python::If *statement);
  Flow exec_for(const python::For *statement);
  Flow exec_while(const python::While *statement);
  Flow exec_with(const python::With *statement);
  Flow exec_try(const python::Try *statement);
  Flow exec_match(const python::Match *statement);
  void exec_import(const python::Import *statement);
  void exec_import_from(const python::ImportFrom *statement);
  void take_star_names(const model::Module &package);
  void define_function(const python::FunctionDef *definition);
  void define_class(const python::ClassDef *definition);
  Value decorated(const python::FunctionDef *definition, FunctionObject *function);
  // Runs both sides of a condition that is not known. A side that tests sizes is silent.
  Flow either(FunctionRef<Flow()> first, FunctionRef<Flow()> second, bool is_guard);
  Flow run_some_times(FunctionRef<Flow()> body); // none, or any number
  [[nodiscard]] std::vector<Value> values_before(const python::Node *loop) const;
  // Runs the loop once with a full batch and once with the last one, which is smaller; only what is reported stays.
  void run_with_last_batch(const python::For *statement, const Value &element);
  bool goes_over_all(const python::Expr *iterable);
  Dim number_in(const RangeObject &range);
  void forget_assigned(const python::Node *loop, const std::vector<Value> &before);
  bool is_guard(const python::Expr *test);
  // expressions
  Value eval_constant(const python::Constant *constant);
  Value eval_sequence(const python::Expr *expr); // a list, tuple or set
  Value eval_dict(const python::Dict *expr);
  Value eval_slice(const python::Slice *slice);
  Value eval_bool(const python::BoolOp *expr);
  Value eval_compare(const python::Compare *expr);
  Value eval_if(const python::IfExp *expr);
  Value eval_call(const python::Call *call);
  Value eval_comprehension(const python::ComprehensionExpr *expr);
  Value eval_string(const python::JoinedStr *expr);
  Value eval_unary(const python::UnaryOp *expr);
  Value eval_lambda(const python::Lambda *lambda);
  Value eval_index(const python::Expr *expr);
  bool comprehend(const python::ComprehensionExpr *expr, u32 generator, std::vector<Value> &items,
                  std::vector<Value> *values);
  Value tensor_binary(python::Operator op, const Value &left, const Value &right, const python::Expr *node);
  Value tensor_attribute(const Value &value, const Tensor &tensor, Symbol name, const python::Expr *node);
  Value object_attribute(Object &object, Symbol name, const python::Expr *node);
  Value opaque_attribute(OpaqueObject &opaque, Symbol name);
  // The results of max(dim) and the like: `values` and `indices`.
public:
  Value named_pair(const Value &values, const Value &indices);
  Value copy_of(const Value &value, u32 depth);

private:
  Value unknown_part(const Tensor &tensor, const python::Expr *node);
  Value super_attribute(const BoundMethod &super, Symbol name, const python::Expr *node);
  // calls
  Value make_super(const python::Call *call);
  Truth is_instance(const Value &value, const Value &type);
  void construct_dataclass(Object &object, const ClassObject &type, Arguments &arguments);
  void report_arity(const FunctionObject &function, const Arguments &arguments, const python::Expr *node);
  void collect(const python::Call *call, Arguments &arguments);
  bool bind_arguments(FunctionObject &function, Arguments &arguments, Frame &frame, const python::Expr *node);
  Value call_builtin(std::string_view name, Arguments &arguments, const python::Expr *node, bool &is_known);
  Value call_list_method(const Value &receiver, std::string_view name, Arguments &arguments, bool &is_known);
  Value call_dict_method(const Value &receiver, std::string_view name, Arguments &arguments, bool &is_known);
  Value call_text_method(const Value &receiver, std::string_view name, Arguments &arguments, bool &is_known);
  Value call_container(Object &object, Arguments &arguments, const python::Expr *node, bool &is_known);
  Value call_module_method(Object &object, Symbol name, Arguments &arguments, const python::Expr *node, bool &is_known);
  Value call_super_init(Object &object, const ClassObject *after, Arguments &arguments);
  void remove_key(DictObject &dict, const Value &key);
  void set_child(Object &object, Symbol name, const Value &child);
  void escape(const Arguments &arguments); // handed to something that may change it
  void set_dtype(const Value &value, Dtype dtype, u32 depth = 0);
  void set_evaluated(const Value &value, bool is_on, u32 depth);
  void freeze(const Value &value, u32 depth);
  void run_module(const model::Module *module, Frame &frame);
  FunctionObject *wrapped_by(const python::Expr *decorator);
  const model::Module *source_called(std::string_view dotted);
  const model::Module *submodule(const model::Module &package, Symbol name);
  Value api_attribute(Symbol api, Symbol name);
  const model::Module *imported_from(const python::Node *node, std::string_view dotted);

  Limits limits_;
  Frame *frame_ = nullptr;
  u32 quiet_ = 0;
  u32 no_grad_ = 0;
  u32 autocast_ = 0;
  u32 calls_ = 0;
  u32 depth_ = 0; // of expressions
  u64 used_ = 0;
  u64 limit_ = 0;
  u64 all_used_ = 0;
  bool is_undecided_ = false;
  Value result_{Value::Tag::Undefined};  // what the current function returned so far, joined
  Value yielded_{Value::Tag::Undefined}; // the same of yield
  LoopState *loop_ = nullptr;
  bool is_in_place_ = false;   // what is assigned is what stood there before: `x += 1` of a tensor
  bool rest_is_quiet_ = false; // of the current function: it was left under a test of sizes
  std::unordered_map<const model::Module *, Frame *> modules_;
  std::optional<model::ModuleIndex> index_; // of the project's files, if somebody asked for it
  // Modules by the module that they are in and their name there; and what APIs have in a module, by both names.
  std::optional<std::unordered_map<u64, const model::Module *>> submodules_;
  std::unordered_map<const model::Module *, std::unordered_map<u64, Value>> api_attributes_;
  std::unordered_map<const python::Constant *, Symbol> texts_; // of short strings
  std::unordered_map<u32, std::unique_ptr<Spec>> specs_;       // by API; null: none
  std::unordered_map<u64, std::unique_ptr<Spec>> method_specs_;
  std::deque<FeaturesSeen> features_;
  std::unordered_map<u64, u32> reported_; // and by which root
  u64 steps_left_out_ = 0;
  std::unordered_map<const python::For *, u32> last_batches_; // how often they were run
};

// Keeps what belongs to the function that is being run, and puts it back.
struct StateKeeper {
  explicit StateKeeper(Interpreter &interpreter);
  ~StateKeeper();
  StateKeeper(const StateKeeper &) = delete;
  StateKeeper &operator=(const StateKeeper &) = delete;

private:
  Interpreter &in_;
  Frame *frame_;
  u32 quiet_;
  u32 no_grad_;
  u32 autocast_;
  u32 depth_;
  Value result_;
  Value yielded_;
  Interpreter::LoopState *loop_;
  bool rest_is_quiet_;
};

} // namespace deepperf::shapes
