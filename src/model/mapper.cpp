#include "model/mapper.h"

#include "model/bind.h"
#include "model/classes.h"

#include "base/known_names.h"
#include "model/exclusion.h"
#include "model/overrides.h"
#include "python/call.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace deepperf::model {

using namespace python;

namespace {

constexpr u32 kFewOperations = 16; // cheap ones
constexpr u32 kFewLookups = 3;     // of strings, or splits of them
constexpr u32 kFewFunctions = 2;   // sqrt, exp and the like

class Examination {
public:
  explicit Examination(const Project &project) : project_(project) {}

  MapperFacts facts{.known = true, .cheap = true, .vectorisable = true};
  u32 lookups = 0;

  void examine(const Value &function, bool is_partial = false) {
    switch (function.tag) {
    case Value::Tag::Api:
      return note_api(nullptr, find_api(function.name()), function.name().text());
    case Value::Tag::Function:
    case Value::Tag::Method:
      return examine_function(*function.function, is_partial ? Arguments{} : Arguments{.callee = function.function});
    case Value::Tag::Partial:
      return examine(function.receiver(), true);
    case Value::Tag::Class:
      return examine_construction(*function.type);
    case Value::Tag::Object:
      if (const FunctionInfo *call = find_method_of(*function.type, known::sym_call_method)) {
        return examine_body(*call);
      }
      [[fallthrough]];
    default:
      give_up();
      facts.opaque = true;
    }
  }

  // A row of layers may as well prepare data; one that has weights does not.
  [[nodiscard]] bool is_model(const Value &function) const {
    const bool is_made = function.is_kind(Kind::KerasModel) && function.call != nullptr && function.name();
    if (!is_made || !function.name().text().ends_with(".Sequential")) {
      return function.is_kind(Kind::KerasModel);
    }
    static constexpr std::string_view kLearning[] = {"Embedding", "Dense", "Conv", "LSTM", "GRU", "Bidirectional"};
    return has_layer(*function.call, [](std::string_view layer) {
      return std::ranges::any_of(kLearning, [layer](std::string_view name) { return layer.starts_with(name); });
    });
  }

private:
  // Does Sequential([…]) list such a layer?
  template <class Matches> [[nodiscard]] bool has_layer(const Call &sequential, Matches matches) const {
    const auto *layers = !sequential.args.empty() ? as<List>(sequential.args[0]) : nullptr;
    return layers != nullptr && std::ranges::any_of(layers->elts, [&](const Expr *layer) {
             const auto *call = as<Call>(layer);
             return call != nullptr && matches(called_name(*call));
           });
  }

  // An object that holds things: a named tuple, most likely.
  void examine_construction(const ClassInfo &type) {
    facts.vectorisable = false;
    if (const FunctionInfo *init = find_method_of(type, known::sym_init)) {
      examine_body(*init);
    }
  }

  // A method that the class leaves open is what derived classes make of it.
  void examine_function(const FunctionInfo &function, const Arguments &arguments) {
    constexpr std::size_t kMostOverrides = 10;
    const Arguments outer = std::exchange(arguments_, arguments);
    if (function.type == nullptr || !is_abstract(function)) {
      examine_body(function);
    } else if (const std::vector<FunctionInfo *> overrides = overrides_of(function, kMostOverrides);
               !overrides.empty()) {
      arguments_ = {};
      const Counts before = counts();
      Counts most = before;
      for (const FunctionInfo *override : overrides) { // one of them runs
        set_counts(before);
        examine_body(*override);
        most = most.with(counts());
      }
      set_counts(most);
    } else {
      give_up();
      facts.opaque = true;
    }
    arguments_ = outer;
  }

  // What adds up.
  struct Counts {
    u32 operations = 0;
    u32 lookups = 0;
    u32 functions = 0;

    [[nodiscard]] Counts with(const Counts &other) const {
      return {std::max(operations, other.operations), std::max(lookups, other.lookups),
              std::max(functions, other.functions)};
    }
  };
  [[nodiscard]] Counts counts() const { return {facts.operations, lookups, functions_}; }
  void set_counts(const Counts &counts) {
    facts.operations = counts.operations;
    lookups = counts.lookups;
    functions_ = counts.functions;
  }

  void give_up() { facts.known = facts.cheap = facts.vectorisable = false; }

  void examine_body(const FunctionInfo &function) {
    constexpr std::size_t kMostFunctions = 100;
    // With other literals it may do something else.
    const bool is_new = seen_.insert(&function).second;
    const bool is_other = arguments_.callee == &function && arguments_.call != nullptr &&
                          passes_literal(*arguments_.call) && seen_calls_.insert(arguments_.call).second;
    if (!is_new && !is_other) {
      return;
    }
    if (seen_.size() + seen_calls_.size() > kMostFunctions) {
      return give_up(); // what is not looked at may do anything
    }
    const FunctionInfo *const outer = std::exchange(function_, &function);
    const Node *const outer_counted = std::exchange(counted_, nullptr);
    if (const FunctionDef *definition = function.definition()) {
      for (const Stmt *statement : definition->body) {
        facts.vectorisable &= outside_.empty() || only_helps(statement, outside_);
        visit(statement);
      }
    } else if (const Lambda *lambda = function.lambda()) {
      reject_list_of_columns(lambda);
      visit(lambda->body);
    } else {
      give_up();
    }
    function_ = outer;
    counted_ = outer_counted;
  }

  static bool passes_literal(const Call &call) {
    return std::ranges::any_of(call.args, [](const Expr *arg) { return arg->kind == NodeKind::Constant; }) ||
           std::ranges::any_of(call.keywords,
                               [](const Keyword *keyword) { return keyword->value->kind == NodeKind::Constant; });
  }

  static void add_names(const Node *target, std::vector<Symbol> &names) {
    if (const auto *name = as<Name>(target)) {
      names.push_back(name->id);
    }
    for_each_child(target, [&names](const Node *child) { add_names(child, names); });
  }

  // How many different names of the function's own an expression mentions: parts of the example, most likely.
  void count_locals(const Node *node, std::unordered_set<u32> &names) const {
    if (const auto *name = as<Name>(node)) {
      const bool is_self = function_ != nullptr && is_own_object(*function_, name);
      if (function_ != nullptr && !is_self && function_->slot_of(name->id) != FunctionInfo::kNoSlot &&
          std::ranges::find(outside_, name->id) == outside_.end()) {
        names.insert(name->id.id);
      }
      return;
    }
    for_each_child(node, [&](const Node *child) { count_locals(child, names); });
  }

  // Two parts of an example may differ in rank, and then a batch of them does not line up.
  void require_one_part(const Node *operation) {
    if (!facts.vectorisable || (counted_ != nullptr && contains(counted_, operation))) {
      return; // settled, or as good as the whole
    }
    std::unordered_set<u32> names;
    count_locals(operation, names);
    facts.vectorisable = names.size() <= 1;
    counted_ = operation;
  }

  void note_api(const Call *call, const ApiInfo *info, std::string_view name) {
    if (info == nullptr) {
      facts.works |= !is_plain_python(name);
      facts.shares |= call != nullptr && mentions_outside(call);
      return give_up();
    }
    lookups += info->has(kText) ? 1 : 0;
    facts.stateful |= info->has(kMutates) && info->has(kGraphState);
    if (info->has(kOp) && info->has(kRandom)) { // Python's own random numbers are drawn once, when it is traced
      facts.random = facts.random == nullptr ? call : facts.random;
    }
    if (info->has(kPython)) {
      facts.python = facts.python == nullptr ? call : facts.python;
    }
    facts.ragged |= name.find(".unique") != std::string_view::npos || name.find("ragged") != std::string_view::npos ||
                    name.find("sparse") != std::string_view::npos || name.ends_with(".boolean_mask") ||
                    name.ends_with(".where") || name.find("non_max_suppression") != std::string_view::npos;
    facts.reads |= info->has(kIo | kDecode) && !info->has(kPython);
    facts.heavy |= info->has(kIo | kDecode | kPython) || name.starts_with("tensorflow.image.resize");
    facts.parses_single |= name.ends_with("parse_single_example");
    facts.parses_batch |= name.ends_with(".parse_example");
    facts.parses_csv |= name.ends_with(".decode_csv");
    facts.cheap &= info->returns != Kind::Dataset; // reading files, or a pipeline of its own
    facts.works |= info->returns == Kind::Dataset;
    if (info->returns == Kind::Dataset) {
      const bool is_memory = name.ends_with(".from_tensor_slices") || name.ends_with(".from_tensors");
      (is_memory ? facts.splits_memory : makes_other_dataset_) = true;
    }
    if (!info->has(kOp | kPython | kIo | kDecode)) {
      facts.vectorisable &= info->has(kSpec | kNoLoop | kCheap) && !info->has(kShapeDependent | kPerExample);
      return;
    }
    ++facts.operations;
    if (is_arithmetic(*info, name)) {
      ++functions_;
    } else {
      const bool is_cheap = info->has(kCheap | kText) && !info->has(kIo | kDecode | kPython | kRandom);
      facts.cheap &= is_cheap;
      facts.works |= !is_cheap;
    }
    const bool has_twin = name.ends_with("parse_single_example");
    facts.vectorisable &=
        has_twin || (info->has(kBatchable) && !info->has(kPerExample | kRandom | kShapeDependent | kIo | kPython));
    takes_one_ |= !has_twin && info->has(kPerExample | kDecode | kIo);
  }

  // RandomFlip and the other layers that augment, also in a Sequential of them.
  [[nodiscard]] bool is_random_layer(std::string_view api, const Call &made) const {
    if (api.starts_with("tensorflow.keras.layers.Random")) {
      return true;
    }
    return api.ends_with(".Sequential") &&
           has_layer(made, [](std::string_view layer) { return layer.starts_with("Random"); });
  }

  // `for step in self.steps: x = step(x)`: one of them may be known, but not which of them run.
  [[nodiscard]] bool calls_loop_variable(const Call *call) const {
    const auto *name = as<Name>(call->func);
    return name != nullptr && std::ranges::find(loop_names_, name->id.id, &Symbol::id) != loop_names_.end();
  }

  void visit_call(const Call *call) {
    const Value callee = calls_loop_variable(call) ? Value{} : project_.callee_of(call);
    switch (callee.tag) {
    case Value::Tag::Api:
      note_api_call(call, callee.name());
      if (callee.name().text().ends_with(".where") && call->args.size() < 3) {
        facts.vectorisable = false; // gives indices
      }
      if (!describes_rest(callee.name().text())) {
        require_one_part(call);
      }
      break;
    case Value::Tag::ApiMethod:
      if (callee.receiver().kind == Kind::Dict && call->func->kind == NodeKind::Attribute) {
        visit_entry(call, static_cast<const Attribute *>(call->func)->value);
        break;
      }
      note_api(call, find_method(callee.receiver().kind, callee.name()), callee.name().text());
      facts.stateful |= callee.receiver().kind == Kind::Iterator;
      break;
    case Value::Tag::Function:
    case Value::Tag::Method:
    case Value::Tag::Partial:
      if (callee.tag != Value::Tag::Partial && (callee.function->tracers & kByPython) != 0) {
        run_python(call, callee); // @tf.py_function
      } else {
        callee.tag == Value::Tag::Partial ? examine(callee)
                                          : examine_called(call, *callee.function, callee.is(Value::Tag::Method));
      }
      break;
    case Value::Tag::Instance:
      visit_layer(call, callee);
      break;
    case Value::Tag::Class:
      examine_construction(*callee.type);
      break;
    default:
      visit_unknown_call(call);
    }
    if (callee.is(Value::Tag::Api) && describes_rest(callee.name().text())) {
      if (const Expr *const text = !call->args.empty() ? call->args[0] : argument(*call, 0, "serialized")) {
        visit(text);
      }
      return;
    }
    for (const Expr *arg : call->args) {
      visit(arg);
    }
    for (const Keyword *keyword : call->keywords) {
      const bool counts_dimensions = keyword->name && keyword->name.text() == "axis";
      // From the end they are the same for a batch.
      facts.vectorisable &= !counts_dimensions || is_negative(keyword->value);
      visit(keyword->value);
    }
  }

  // Arguments behind the first one say what columns or fields there are.
  static bool describes_rest(std::string_view api) {
    return api.ends_with(".decode_csv") || api.ends_with(".parse_single_example");
  }

  void note_api_call(const Call *call, Symbol api) {
    const ApiInfo *info = find_api(api);
    const std::string_view name = api.text();
    if (name.ends_with(".parse_example") && !call->args.empty() && call->args[0]->kind == NodeKind::List) {
      makes_batch_of_one_ = true; // parse_example([record])
    }
    if ((name == "functools.reduce" || name == "map") && !call->args.empty()) {
      if (const Value applied = value_of(call->args[0]); applied.is(Value::Tag::Function)) {
        examine(applied);
      }
    }
    if (name == "tensorflow.cond" && call->args.size() == 3) {
      facts.vectorisable = false;
      for (const Expr *branch : {call->args[1], call->args[2]}) {
        examine(value_of(branch));
      }
      return;
    }
    if (name == "tensorflow.vectorized_map" && !call->args.empty()) {
      facts.vectorisable = false;
      return examine(value_of(call->args[0]));
    }
    if (info != nullptr && is_plain_python(name) && !info->has(kOp | kPython)) {
      facts.vectorisable &= is_message(name) || info->has(kSpec | kNoLoop | kCheap);
      return;
    }
    if (name == "tensorflow.device" && !call->args.empty()) {
      if (const StringConstant *device = as_string(call->args[0])) {
        const std::string text = string_value(function_->module->parsed->source, *device);
        facts.on_gpu |= text.find("GPU") != std::string::npos || text.find("gpu") != std::string::npos;
      }
    }
    if (is_check(name)) { // no work of its own, but it runs
      facts.vectorisable = false;
      return;
    }
    if (const Expr *const run = info != nullptr && info->has(kPython) ? argument(*call, 0, "func") : nullptr) {
      note_api(call, info, name);
      return run_python(call, value_of(run));
    }
    if (info != nullptr && info->has(kRandom) && info->has(kOp) && is_scalar_shape(call)) {
      ++facts.operations;
      facts.random = facts.random == nullptr ? call : facts.random;
      facts.vectorisable = false;
      return;
    }
    if (name.ends_with(".expand_dims") && adds_last_dimension(call)) {
      ++facts.operations;
      return;
    }
    note_api(call, info, name);
  }

  // Told once, while the function is traced.
  static bool is_message(std::string_view name) {
    return name == "print" || name.starts_with("logging.") || name.starts_with("absl.logging.") ||
           name.starts_with("tensorflow.logging.") || name.starts_with("warnings.");
  }

  // tf.print, tf.debugging.assert_equal and the like: there for who looks for mistakes.
  static bool is_check(std::string_view name) {
    return name == "tensorflow.print" || name == "tensorflow.Print" || name == "tensorflow.Assert" ||
           name == "tensorflow.control_dependencies" || name.starts_with("tensorflow.assert_") ||
           (name.starts_with("tensorflow.debugging.") &&
            (name.ends_with("Assert") || name.find(".assert_") != std::string_view::npos));
  }

  static bool is_scalar_shape(const Call *call) {
    const Expr *const shape = argument(*call, 0, "shape");
    if (shape == nullptr || (shape->kind != NodeKind::List && shape->kind != NodeKind::Tuple)) {
      return false;
    }
    u32 count = 0;
    for_each_child(shape, [&count](const Node *) { ++count; });
    return count == 0;
  }

  static bool is_negative(const Expr *expr) {
    const auto *number = as<UnaryOp>(expr);
    return number != nullptr && number->op() == UnaryOperator::USub;
  }

  // expand_dims(x, -1): the same for one example and for many.
  static bool adds_last_dimension(const Call *call) {
    const Expr *const axis = argument(*call, 1, "axis");
    return axis != nullptr && is_negative(axis);
  }

  // What a name or lambda that is passed on is.
  [[nodiscard]] Value value_of(const Expr *expr) const {
    if (FunctionInfo *const found = project_.function_at(expr)) {
      return Value::of(found);
    }
    const auto *name = as<Name>(expr);
    const Value *const found = name != nullptr && function_ != nullptr ? ever_of(*function_, name->id) : nullptr;
    return found != nullptr ? *found : Value{};
  }

  // The interpreter's lock lets one thread at a time run Python, but libraries let go of it while they work.
  void run_python(const Call *call, const Value &function) {
    facts.vectorisable = facts.cheap = false;
    facts.heavy = facts.works = true;
    facts.python = facts.python == nullptr ? call : facts.python;
    const bool is_function = function.is(Value::Tag::Function) || function.is(Value::Tag::Method);
    facts.locked |= !is_function || !runs_any(function.function->node, lets_go);
    if (is_function && runs_any(function.function->node, draws)) {
      facts.random = facts.random == nullptr ? call : facts.random;
    }
  }

  static bool lets_go(std::string_view api, const ApiInfo *info) {
    for (const std::string_view library :
         {"scipy.", "cv2.", "librosa.", "PIL.", "skimage.", "soundfile.", "subprocess.", "pydub.", "imageio.",
          "nibabel.", "SimpleITK.", "pyvips.", "time.sleep"}) {
      if (api.starts_with(library)) {
        return true;
      }
    }
    return info != nullptr && info->has(kOp) && !info->has(kCheap) && api.starts_with("tensorflow."); // its own work
  }

  static bool draws(std::string_view api, const ApiInfo *info) {
    return api.starts_with("numpy.random.") || api.starts_with("random.") || (info != nullptr && info->has(kRandom));
  }

  // Does the code, or a function of the project that it calls, call such an API?
  template <class Matches> [[nodiscard]] bool runs_any(const Node *node, Matches matches) const {
    std::unordered_set<const FunctionInfo *> seen;
    return runs_any(node, matches, seen);
  }

  template <class Matches>
  [[nodiscard]] bool runs_any(const Node *node, Matches matches, std::unordered_set<const FunctionInfo *> &seen) const {
    constexpr std::size_t kMostFunctions = 50;
    if (node == nullptr) {
      return false;
    }
    if (const auto *call = as<Call>(node)) {
      const auto *name = as<Name>(call->func);
      if (name != nullptr && (name->id.text() == "type" || name->id.text() == "isinstance")) {
        return false; // isinstance(x, type(tf.constant(0))) computes nothing
      }
      const Value callee = project_.callee_of(call);
      if (callee.is(Value::Tag::Api)) {
        if (matches(callee.name().text(), find_api(callee.name()))) {
          return true;
        }
      } else if ((callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method)) && seen.size() < kMostFunctions &&
                 seen.insert(callee.function).second && runs_any(callee.function->node, matches, seen)) {
        return true;
      }
    }
    bool found = false;
    for_each_child(node, [&](const Node *child) { found = found || runs_any(child, matches, seen); });
    return found;
  }

  // Of Keras layers those are known that take batches; some of them cost little.
  void visit_layer(const Call *call, const Value &callee) {
    const bool is_made = callee.kind != Kind::Dataset && callee.call != nullptr && callee.name();
    if (is_made && is_random_layer(callee.name().text(), *callee.call)) {
      facts.random = facts.random == nullptr ? call : facts.random;
    }
    const ApiInfo *info = is_made ? find_api(callee.name()) : nullptr;
    facts.works |= info == nullptr || !info->has(kCheap);
    if (info == nullptr || info->returns != Kind::KerasLayer || !info->has(kBatchable)) {
      return give_up();
    }
    ++facts.operations;
    lookups += info->has(kText) ? 1 : 0;
    facts.cheap &= info->has(kCheap);
  }

  // Methods of whatever object that are known by their name alone.
  void visit_unknown_call(const Call *call) {
    const auto *method = as<Attribute>(call->func);
    if (method == nullptr) {
      return note_work_on_element(call);
    }
    const std::string_view name = method->attr.text();
    if (name == "format" && as_string(method->value) != nullptr) {
      return; // a message, made while the function is traced
    }
    if (name == "items" || name == "keys" || name == "values") {
      return visit(method->value);
    }
    if (name == "pop" || name == "get" || name == "copy" || name == "update" || name == "setdefault") { // of a dict
      return visit_entry(call, method->value);
    }
    if (name == "set_shape" || name == "get_shape" || name == "as_list" || name == "_asdict" || name == "_replace" ||
        name == "is_fully_defined" || name == "assert_has_rank" || name == "with_rank" || name == "iteritems" ||
        name == "merge_with" || name == "concatenate" || name == "is_compatible_with" || name == "append" ||
        name == "extend" || name == "format") {
      facts.vectorisable = false;
      return visit(method->value);
    }
    if (name == "lookup") { // of a table
      ++facts.operations;
      ++lookups;
      return visit(method->value);
    }
    if (name == "to_tensor") { // of a ragged tensor
      ++facts.operations;
      facts.vectorisable = false;
      visit(method->value);
      return;
    }
    facts.stateful |= name == "get_next";
    note_work_on_element(call);
  }

  // Something out of sight is done to the element.
  void note_work_on_element(const Call *call) {
    std::unordered_set<u32> names;
    count_locals(call, names);
    facts.works |= !names.empty();
    facts.shares |= mentions_outside(call);
    give_up();
  }

  // Something that neither is the function's own nor a module, function or number.
  [[nodiscard]] bool mentions_outside(const Node *node) const {
    if (const auto *name = as<Name>(node)) {
      std::unordered_set<u32> own;
      count_locals(name, own);
      const Value value = value_of(name);
      return own.empty() && !value.is(Value::Tag::Api) && !value.is(Value::Tag::Module) &&
             !value.is(Value::Tag::Function) && !value.is(Value::Tag::Class) && !value.is(Value::Tag::Literal);
    }
    bool found = false;
    for_each_child(node, [&](const Node *child) { found = found || mentions_outside(child); });
    return found;
  }

  // Taking a field out of a record runs nothing; whether the key is a field's name decides if a batch would do as well.
  void visit_entry(const Call *call, const Expr *record) {
    if (!call->args.empty() && call->args[0]->kind != NodeKind::Dict) {
      note_key(call->args[0]);
    }
    visit(record);
  }

  // x["image"] picks a feature; x[0] may pick a part of the example.
  void note_key(const Expr *key) {
    const bool is_field = is_text(key);
    facts.vectorisable &= is_field;
    facts.picks_fields |= is_field;
  }

  // A string, perhaps under a name.
  [[nodiscard]] bool is_text(const Expr *expr) const {
    if (expr->kind != NodeKind::Name) {
      return as_string(expr) != nullptr;
    }
    const Value value = value_of(expr);
    return value.is(Value::Tag::Literal) && as_string(value.expr) != nullptr;
  }

  // Python that does no work on the element: at most it runs while the function is traced.
  static bool is_plain_python(std::string_view name) {
    for (const std::string_view package :
         {"six.", "collections.", "logging.", "absl.", "tensorflow.logging.", "copy.", "typing.", "functools.",
          "os.path.", "math.", "operator.", "itertools.", "warnings."}) {
      if (name.starts_with(package)) {
        return true;
      }
    }
    return name.find('.') == std::string_view::npos; // a builtin
  }

  // Parameters for which something is passed that is not of the element: a number of classes, a mean.
  [[nodiscard]] std::vector<Symbol> given_from_outside(const Call *call, const FunctionInfo &callee, bool bound) const {
    std::vector<Symbol> params;
    const auto is_of_element = [this](const Expr *passed) {
      std::unordered_set<u32> names;
      count_locals(passed, names);
      return !names.empty();
    };
    const u32 first = bound ? 1 : 0;
    for (u32 i = 0; i < call->args.size() && i + first < callee.params.size(); ++i) {
      if (!is_of_element(call->args[i])) {
        params.push_back(callee.params[i + first]->name);
      }
    }
    for (const Keyword *keyword : call->keywords) {
      if (!is_of_element(keyword->value)) {
        params.push_back(keyword->name);
      }
    }
    return params;
  }

  // What comes from outside must only help to compute something of the element: it would have to be repeated for each
  // example of a batch where it is itself a result.
  [[nodiscard]] bool only_helps(const Node *node, const std::vector<Symbol> &outside, bool is_helping = false) const {
    if (const auto *name = as<Name>(node)) {
      return is_helping || std::ranges::find(outside, name->id) == outside.end();
    }
    bool helps = is_helping;
    if (!helps && (node->kind == NodeKind::Call || node->kind == NodeKind::BinOp)) {
      std::unordered_set<u32> names;
      count_locals(node, names);
      helps |= !names.empty();
    }
    bool result = true;
    for_each_child(node, [&](const Node *child) { result = result && only_helps(child, outside, helps); });
    return result;
  }

  void examine_called(const Call *call, const FunctionInfo &callee, bool is_method) {
    const bool bound = is_method && !callee.is_static;
    std::vector<Symbol> outside = given_from_outside(call, callee, bound);
    // Once it has been looked at with other arguments, that tells nothing of these.
    facts.vectorisable &= !has_hidden_arguments(*call) && (outside.empty() || !seen_.contains(&callee));
    outside_.swap(outside);
    examine_function(callee, {&callee, call, &function_->module->parsed->source, bound});
    outside_.swap(outside);
  }

  void visit(const Node *node) {
    switch (node->kind) {
    case NodeKind::Call:
      return visit_call(static_cast<const Call *>(node));
    case NodeKind::Raise: // not what it usually does
    case NodeKind::FunctionDef:
    case NodeKind::Lambda:
      facts.vectorisable = false;
      return;
    case NodeKind::For:
    case NodeKind::While: {
      facts.vectorisable = false;
      const u32 before = lookups;
      const std::size_t outer_names = loop_names_.size();
      if (const auto *loop = as<For>(node)) {
        add_names(loop->target, loop_names_);
      }
      for_each_child(node, [this](const Node *child) { visit(child); });
      loop_names_.resize(outer_names);
      lookups += lookups > before ? kFewLookups : 0; // one for each of its turns
      return;
    }
    case NodeKind::If: {
      const auto *branch = static_cast<const If *>(node);
      if (const std::optional<bool> settled = settled_by_arguments(branch->test)) {
        for (const Stmt *statement : *settled ? branch->body : branch->orelse) {
          visit(statement);
        }
        return;
      }
      require_choice_outside(branch->test);
      break;
    }
    case NodeKind::IfExp: {
      const auto *choice = static_cast<const IfExp *>(node);
      if (const std::optional<bool> settled = settled_by_arguments(choice->test)) {
        return visit(*settled ? choice->body : choice->orelse);
      }
      require_choice_outside(choice->test);
      break;
    }
    case NodeKind::Try:
    case NodeKind::Match:
      facts.vectorisable = false;
      break;
    case NodeKind::Subscript: {
      const auto *subscript = static_cast<const Subscript *>(node);
      if (counts_from_the_end(subscript->slice)) {
        facts.operations += facts.operations == 0 ? 1 : 0;
      } else if (!is_column(*subscript)) {
        note_key(subscript->slice);
      }
      makes_batch_of_one_ |= is_new_dimension(subscript->slice);
      break;
    }
    case NodeKind::ListComp:
    case NodeKind::List: // becomes one tensor, stacked
      facts.vectorisable = false;
      break;
    case NodeKind::Return:
    case NodeKind::Tuple:
    case NodeKind::Dict:
      reject_list_of_columns(node);
      break;
    case NodeKind::AugAssign:
      facts.operations += facts.operations == 0 ? 1 : 0;
      require_one_part(node);
      break;
    case NodeKind::BinOp:
      require_one_part(node);
      facts.vectorisable &= static_cast<const BinOp *>(node)->op() != Operator::MatMult;
      ++arithmetic_;
      if (arithmetic_ == 1 && facts.operations == 0) {
        facts.operations = 1;
      }
      break;
    case NodeKind::Attribute: {
      const std::string_view name = static_cast<const Attribute *>(node)->attr.text();
      // Of a sparse tensor the values of all examples are one row.
      facts.vectorisable &= name != "shape" && name != "ndim" && name != "values" && name != "indices";
      break;
    }
    default:
      break;
    }
    for_each_child(node, [this](const Node *child) { visit(child); });
  }

  // `if training:` of `map(lambda x: prepare(x, training=False))`
  [[nodiscard]] std::optional<bool> settled_by_arguments(const Expr *test) const {
    return arguments_.callee != nullptr && arguments_.callee == function_ ? result_of(arguments_, test) : std::nullopt;
  }

  // `if training:`, which is settled before any element comes.
  void require_choice_outside(const Expr *test) {
    std::unordered_set<u32> names;
    count_locals(test, names);
    facts.vectorisable &= names.empty();
  }

  // x[..., tf.newaxis], x[..., 0]: the same for one example and for many.
  static bool counts_from_the_end(const Expr *index) {
    const auto *parts = as<Tuple>(index);
    const auto *first = parts != nullptr && !parts->elts.empty() ? as<Constant>(parts->elts[0]) : nullptr;
    return first != nullptr && first->constant_kind() == ConstantKind::Ellipsis;
  }

  // columns[0] of columns = tf.io.decode_csv(…)
  [[nodiscard]] bool is_column(const Subscript &subscript) const {
    return subscript.slice->kind != NodeKind::Slice && is_list_of_columns(subscript.value);
  }

  [[nodiscard]] bool is_list_of_columns(const Expr *expr) const {
    if (const auto *call = as<Call>(expr)) {
      const Value callee = project_.callee_of(call);
      return callee.is(Value::Tag::Api) && callee.name().text().ends_with(".decode_csv");
    }
    const Value value = expr->kind == NodeKind::Name ? value_of(expr) : Value{};
    return value.is(Value::Tag::Instance) && value.kind == Kind::Tensor && value.name() &&
           value.name().text().ends_with(".decode_csv");
  }

  // A list in what is returned becomes one tensor, with the columns in front of the batch.
  void reject_list_of_columns(const Node *node) {
    for_each_child(node, [this](const Node *child) {
      facts.vectorisable &= (child->kind != NodeKind::Name && child->kind != NodeKind::Call) ||
                            !is_list_of_columns(static_cast<const Expr *>(child));
    });
  }

  // x[tf.newaxis], x[None]
  static bool is_new_dimension(const Expr *index) {
    const auto *attribute = as<Attribute>(index);
    const auto *constant = as<Constant>(index);
    return (attribute != nullptr && attribute->attr.text() == "newaxis") ||
           (constant != nullptr && constant->constant_kind() == ConstantKind::None);
  }

  const Project &project_;
  const FunctionInfo *function_ = nullptr;
  std::unordered_set<const FunctionInfo *> seen_;
  std::unordered_set<const Call *> seen_calls_;
  const Node *counted_ = nullptr;  // the operation whose parts were counted last
  Arguments arguments_;            // of the function
  std::vector<Symbol> outside_;    // parameters of the function that hold nothing of the element
  std::vector<Symbol> loop_names_; // of the loops around what is visited
  u32 arithmetic_ = 0;
  u32 functions_ = 0; // sqrt, exp and the like
  bool makes_batch_of_one_ = false;
  bool makes_other_dataset_ = false; // than of what is in memory
  bool takes_one_ = false;           // decodes, reads, resizes: with one example at a time

public:
  void finish() {
    // Written for one record after all: it makes a batch of one, parses single ones too, or decodes an image.
    facts.parses_batch = facts.parses_batch && !makes_batch_of_one_ && !facts.parses_single && !takes_one_;
    const bool many = facts.operations > kFewOperations || lookups > kFewLookups || functions_ > kFewFunctions;
    facts.works |= many || facts.heavy || facts.opaque;
    facts.splits_memory &= facts.known && facts.operations == 0 && !makes_other_dataset_;
    facts.cheap = facts.cheap && facts.known && !many;
    facts.vectorisable = facts.vectorisable && facts.known && facts.operations > 0;
  }
};

// Does the function mention none of its parameters?
bool ignores_parameters(const Value &mapper) {
  if (!mapper.is(Value::Tag::Function) || mapper.function->params.empty()) {
    return false;
  }
  const Array<Param *> params = mapper.function->params;
  const auto mentions = [&params](const auto &self, const Node *node) -> bool {
    if (const auto *name = as<Name>(node)) {
      return std::ranges::any_of(params, [name](const Param *param) { return param->name == name->id; });
    }
    bool found = false;
    for_each_child(node, [&](const Node *child) { found = found || self(self, child); });
    return found;
  };
  if (const FunctionDef *definition = mapper.function->definition()) {
    return std::ranges::none_of(definition->body, [&](const Stmt *statement) { return mentions(mentions, statement); });
  }
  const Lambda *lambda = mapper.function->lambda();
  return lambda != nullptr && !mentions(mentions, lambda->body);
}

} // namespace

MapperFacts examine_mapper(const Project &project, const Value &mapper) {
  Examination examination(project);
  examination.examine(mapper);
  examination.finish();
  examination.facts.ignores_element = ignores_parameters(mapper);
  examination.facts.is_model = examination.is_model(mapper);
  return examination.facts;
}

} // namespace deepperf::model
