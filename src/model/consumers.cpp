#include "model/consumers.h"

#include "model/variance.h"

#include "python/call.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <unordered_set>

namespace deepperf::model {

using namespace python;

namespace {

constexpr i64 kFewElements = 32;
constexpr u32 kMaxSteps = 200;  // along one dataset; further on it counts as read
constexpr u32 kMaxNames = 5000; // looked at for one dataset; the same

bool is_stage(std::string_view method) {
  static constexpr std::array<std::string_view, 20> kStages = {
      "batch", "map",       "shuffle",           "repeat",      "prefetch", "cache",      "unbatch", "filter",
      "skip",  "enumerate", "with_options",      "apply",       "flat_map", "interleave", "window",  "padded_batch",
      "shard", "take",      "as_numpy_iterator", "ragged_batch"};
  return std::ranges::find(kStages, method) != kStages.end();
}

bool only_describes(std::string_view attribute) {
  return attribute == "element_spec" || attribute == "cardinality" || attribute == "output_shapes" ||
         attribute == "output_types" || attribute == "class_names" || attribute == "__len__";
}

bool leaves_at_once(const Block &body) {
  return !body.empty() && (body.back()->kind == NodeKind::Break || body.back()->kind == NodeKind::Return);
}

// A loop that draws each element, or does nothing but print it, is there for somebody to look at.
bool only_shows(const Block &body) {
  const auto calls = [](const Stmt *statement, std::initializer_list<std::string_view> names) {
    const auto *expression = as<ExprStmt>(statement);
    const auto *call = expression != nullptr ? as<Call>(expression->value) : nullptr;
    return call != nullptr && std::ranges::find(names, called_name(*call)) != names.end();
  };
  return std::ranges::any_of(body,
                             [&](const Stmt *each) {
                               return calls(each, {"show", "imshow", "display"});
                             }) ||
         std::ranges::all_of(body, [&](const Stmt *each) { return calls(each, {"print"}); });
}

// How many constants a literal holds, as if laid out flat; none if there is something else in it.
std::optional<u32> count_constants(const Expr *expr) {
  if (expr->kind == NodeKind::Constant) {
    return 1;
  }
  if (const auto *negative = as<UnaryOp>(expr)) {
    return count_constants(negative->operand);
  }
  if (expr->kind != NodeKind::List && expr->kind != NodeKind::Tuple && expr->kind != NodeKind::Dict) {
    return std::nullopt;
  }
  std::optional<u32> sum = 0;
  for_each_child(expr, [&sum](const Node *child) {
    const std::optional<u32> part = count_constants(static_cast<const Expr *>(child));
    sum = sum.has_value() && part.has_value() ? std::optional(*sum + *part) : std::nullopt;
  });
  return sum;
}

constexpr u32 kToy = 100;
constexpr i64 kFewTimes = 3; // that they are repeated

// The number that a name or literal stands for, where it is written down.
std::optional<i64> number_of(const Stage &stage, const Expr *expr) {
  if (const auto *name = as<Name>(expr)) {
    const Value *const value = stage.function != nullptr ? ever_of(*stage.function, name->id) : nullptr;
    const bool is_here =
        value != nullptr && value->is(Value::Tag::Literal) && value->number == stage.module->file.value + 1;
    expr = is_here ? value->expr : nullptr;
  }
  const auto *constant = as<Constant>(expr);
  if (constant == nullptr || constant->constant_kind() != ConstantKind::Int) {
    return std::nullopt;
  }
  return int_value(stage.module->parsed->source.part(constant->start, constant->end));
}

// What take(…) or repeat(…) is given.
std::optional<i64> count_given(const Stage &stage) {
  if (stage.call == nullptr) {
    return std::nullopt;
  }
  const Expr *const count = argument(*stage.call, 0, "count");
  return count != nullptr ? number_of(stage, count) : std::nullopt;
}

// What the name was last assigned in the block before a place; of what stands long before it nothing is known.
const Expr *assigned_in(const Block &block, Symbol name, u32 before) {
  constexpr u32 kMostStatements = 200;
  const auto behind = std::ranges::lower_bound(block, before, {}, &Stmt::start);
  for (u32 at = static_cast<u32>(behind - block.begin()), steps = 0; at > 0 && steps < kMostStatements; ++steps) {
    const auto *assignment = as<Assign>(block[--at]);
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    if (target != nullptr && target->id == name && assignment->end <= before) {
      return assignment->value;
    }
  }
  return nullptr;
}

// What the name was last assigned in the function, or in the module, before the stage.
const Expr *assigned_before(const Stage &stage, const Name &name) {
  const FunctionDef *definition = stage.function != nullptr ? stage.function->definition() : nullptr;
  if (definition != nullptr && stage.function->slot_of(name.id) != FunctionInfo::kNoSlot) {
    return assigned_in(definition->body, name.id, stage.call->start);
  }
  return assigned_in(stage.module->parsed->tree.body, name.id, definition != nullptr ? ~0U : stage.call->start);
}

// range(10), also under a name.
bool is_short_range(const Stage &stage, const Expr *expr) {
  if (const auto *name = as<Name>(expr)) {
    expr = assigned_before(stage, *name);
  }
  const auto *call = expr != nullptr ? as<Call>(expr) : nullptr;
  if (call == nullptr || called_name(*call) != "range" || call->args.empty()) {
    return false;
  }
  const std::optional<i64> to = number_of(stage, call->args[call->args.size() == 1 ? 0 : 1]);
  return to.has_value() && *to >= 0 && *to <= kFewElements;
}

// np.random.choice(x, 20), random.sample(x, 20)
bool draws_few(const Stage &stage, const Call &call) {
  const std::string_view name = called_name(call);
  if (name != "choice" && name != "sample") {
    return false;
  }
  const Expr *size = call.args.size() > 1 ? call.args[1] : nullptr;
  for (const Keyword *keyword : call.keywords) {
    const std::string_view given = keyword->name ? keyword->name.text() : std::string_view{};
    size = given == "size" || given == "k" ? keyword->value : size;
  }
  const std::optional<i64> count = size != nullptr ? number_of(stage, size) : std::nullopt;
  return count.has_value() && *count >= 0 && *count <= kFewElements;
}

// A few values that are written down or picked out, perhaps as an array or under a name.
bool is_toy(const Stage &source, const Expr *expr, u32 depth = 0) {
  if (depth > 4) { // x = np.array(x)
    return false;
  }
  if (const auto *call = as<Call>(expr)) {
    const auto *function = as<Attribute>(call->func);
    const std::string_view name = function != nullptr ? function->attr.text() : std::string_view{};
    return draws_few(source, *call) ||
           ((name == "array" || name == "constant" || name == "asarray" || name == "convert_to_tensor") &&
            !call->args.empty() && is_toy(source, call->args[0], depth + 1));
  }
  if (const auto *part = as<Subscript>(expr)) { // x[:10], x[range(10)]
    const auto *slice = as<Slice>(part->slice);
    if (slice == nullptr) {
      return is_short_range(source, part->slice);
    }
    const std::optional<i64> to = slice->upper != nullptr ? number_of(source, slice->upper) : std::nullopt;
    return to.has_value() && *to >= 0 && *to <= kFewElements &&
           (slice->lower == nullptr || number_of(source, slice->lower).value_or(-1) >= 0);
  }
  if (const auto *name = as<Name>(expr)) {
    if (const Expr *assigned = assigned_before(source, *name);
        assigned != nullptr &&
        (assigned->kind == NodeKind::Tuple || assigned->kind == NodeKind::Subscript ||
         assigned->kind == NodeKind::Call) && // not `[]`, which is there to be filled
        is_toy(source, assigned, depth + 1)) {
      return true;
    }
    const Value *const value = source.function != nullptr ? ever_of(*source.function, name->id) : nullptr;
    if (value == nullptr) {
      return false;
    }
    if (value->is(Value::Tag::Instance) && value->kind != Kind::Dataset && value->call != nullptr) {
      return is_toy(source, value->call, depth + 1);
    }
    return value->is(Value::Tag::Tuple) && !value->uniform &&
           std::all_of(value->items, value->items + value->number,
                       [](const Value &item) { return item.is(Value::Tag::Literal); });
  }
  const std::optional<u32> count = count_constants(expr);
  if (!count.has_value() && (expr->kind == NodeKind::Tuple || expr->kind == NodeKind::Dict)) {
    bool all = true; // (features, labels), each under a name
    for_each_child(
        expr, [&](const Node *child) { all = all && is_toy(source, static_cast<const Expr *>(child), depth + 1); });
    return all;
  }
  return count.has_value() && *count < kToy;
}

} // namespace

bool takes_few(const Stage &stage) {
  if (!stage.method || stage.method.text() != "take") {
    return false;
  }
  const i64 count = count_given(stage).value_or(-1);
  return count >= 0 && count <= kFewElements;
}

namespace {

// Of pipelines that are zipped the shortest counts.
bool zips_few(const Project &project, const Stage &zip, u32 depth);

bool gives_few(const Project &project, u32 at, u32 depth) {
  i64 times = 1; // that they are repeated
  for (u32 steps = 0; at != 0 && steps < 1000; ++steps) {
    const Stage &earlier = project.stages[at];
    if (earlier.info != nullptr && earlier.info->has(kFlatMaps | kInterleaves | kUnbatches)) {
      return false;
    }
    if (earlier.info != nullptr && earlier.info->has(kRepeats)) {
      const std::optional<i64> count = count_given(earlier);
      if (!count.has_value() || *count < 1 || *count > kFewElements) {
        return false;
      }
      times = std::min(times * *count, kFewElements + 1);
    }
    if (earlier.info != nullptr && earlier.method && earlier.method.text() == "take") {
      const std::optional<i64> count = count_given(earlier);
      if (count.has_value() && *count >= 0 && *count * times <= kFewElements) {
        return true;
      }
    }
    if (times > kFewElements) {
      return false;
    }
    if (earlier.previous == 0) {
      const std::string_view method = earlier.method ? earlier.method.text() : std::string_view{};
      if (method.ends_with("Dataset.from_tensors")) {
        return true;
      }
      if (times > kFewTimes) {
        return false;
      }
      if (earlier.call == nullptr || earlier.call->args.empty()) {
        return false;
      }
      if (earlier.info != nullptr && earlier.info->has(kZips)) {
        return zips_few(project, earlier, depth + 1);
      }
      const Expr *const first = earlier.call->args[0];
      if (method.ends_with("Dataset.range")) {
        const auto *constant = as<Constant>(first);
        const std::string_view text = earlier.module->parsed->source.part(first->start, first->end);
        return constant != nullptr && earlier.call->args.size() == 1 && text.size() <= 2;
      }
      return method.ends_with("from_tensor_slices") && is_toy(earlier, first);
    }
    at = earlier.previous;
  }
  return false;
}

bool zips_few(const Project &project, const Stage &zip, u32 depth) {
  constexpr u32 kMostDepth = 4;
  const auto is_few = [&](const Node *zipped) {
    const auto found = project.stage_at.find(static_cast<const Expr *>(zipped));
    return depth <= kMostDepth && found != project.stage_at.end() && gives_few(project, found->second, depth);
  };
  const Expr *const first = zip.call->args[0];
  if (first->kind != NodeKind::Tuple && first->kind != NodeKind::Dict) {
    return std::ranges::any_of(zip.call->args, is_few);
  }
  bool found = false;
  for_each_child(first, [&](const Node *child) { found = found || is_few(child); });
  return found;
}

} // namespace

bool has_few_elements(const Project &project, const Stage &stage) { return gives_few(project, stage.previous, 0); }

struct Consumers::Uses {
  Uses(const Module &in, Consumers &consumers) : owner(consumers), source(in.parsed->source) {
    is_broken = !in.parsed->tree.errors.empty();
    is_notebook = in.parsed->path.ends_with(".ipynb");
    for (const Stmt *statement : in.parsed->tree.body) {
      add(statement, nullptr, nullptr);
    }
    for (auto &[id, found] : names) {
      std::ranges::sort(found, {}, &Name::start);
    }
  }

  void add(const Node *node, const Node *parent, const Node *function) {
    parents.emplace(node, parent);
    if (const auto *name = as<Name>(node)) {
      names[name->id.id].push_back(name);
      if (name->context != Context::Load && function != nullptr) {
        bound[function].insert(name->id.id);
      }
    }
    const bool is_function = node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda;
    for_each_child(node, [&](const Node *child) { add(child, node, is_function ? node : function); });
  }

  [[nodiscard]] const Node *parent_of(const Node *node) const {
    const auto found = parents.find(node);
    return found != parents.end() ? found->second : nullptr;
  }

  // What is done with the value of an expression.
  Consumption follow(const Expr *expr) {
    const Node *at = expr;
    for (; owner.trace_.steps < kMaxSteps; ++owner.trace_.steps) {
      const Node *parent = parent_of(at);
      if (parent == nullptr) {
        return Consumption::All;
      }
      switch (parent->kind) {
      case NodeKind::ExprStmt:
        return Consumption::Nothing;
      case NodeKind::Attribute: {
        const std::string_view name = static_cast<const Attribute *>(parent)->attr.text();
        const auto *call = as<Call>(parent_of(parent));
        if (only_describes(name)) {
          return Consumption::Nothing;
        }
        if (call != nullptr && call->func == parent && name.starts_with("make_") && name.ends_with("_iterator")) {
          at = call;
          continue;
        }
        if (call != nullptr && call->func == parent && name == "get_next") {
          return follow_element(*call);
        }
        if (call == nullptr || call->func != parent || !is_stage(name)) {
          return name == "get_single_element" ? Consumption::Few : Consumption::All;
        }
        if (name == "take" && is_few(call)) {
          return Consumption::Few;
        }
        at = call;
        continue;
      }
      case NodeKind::Call: {
        const std::string_view name = called_name(*static_cast<const Call *>(parent));
        if (name == "get_single_element") {
          return Consumption::Few;
        }
        if (name == "next") { // next(iter(dataset)) gives the first one, however often
          const bool few = at->kind == NodeKind::Call || !may_run_again(parent, expr) || runs_rarely(parent);
          return few ? Consumption::Few : Consumption::All;
        }
        if (name == "print" || name == "type" || name == "len" || name == "isinstance" || name == "cardinality") {
          return Consumption::Nothing;
        }
        const bool makes_iterator = name.starts_with("make_") && name.ends_with("_iterator");
        if (name != "iter" && name != "enumerate" && name != "tqdm" && name != "zip" && !makes_iterator) {
          return follow_into(*static_cast<const Call *>(parent), at);
        }
        at = parent;
        continue;
      }
      case NodeKind::Tuple: { // Dataset.zip((images, labels))
        const auto *call = as<Call>(parent_of(parent));
        if (call == nullptr || called_name(*call) != "zip") {
          return Consumption::All;
        }
        at = call;
        continue;
      }
      case NodeKind::Keyword: {
        const auto *call = as<Call>(parent_of(parent));
        return call != nullptr ? follow_into(*call, at) : Consumption::All;
      }
      case NodeKind::For: {
        const auto *loop = static_cast<const For *>(parent);
        const bool few =
            loop->iter == at && (leaves_at_once(loop->body) || only_shows(loop->body) || leaves_by_count(*loop));
        return few ? Consumption::Few : Consumption::All;
      }
      case NodeKind::Assign: {
        const auto *assignment = static_cast<const Assign *>(parent);
        const auto *target = assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
        return target != nullptr ? follow_name(*target, *assignment) : Consumption::All;
      }
      case NodeKind::Return:
        return follow_result(at, [](Uses &uses, const Call &call) { return uses.follow(&call); });
      default:
        return Consumption::All;
      }
    }
    return Consumption::All;
  }

  // for x in dataset, next(iter(dataset)), where the call's result is called `dataset`.
  bool is_read_singly(const Expr *call) {
    const auto *assignment = as<Assign>(parent_of(call));
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    bool found = false;
    if (target != nullptr) {
      each_read(target->id, reads_behind(*assignment), [&](const Name &name) {
        const Node *parent = parent_of(&name);
        const auto *loop = as<For>(parent);
        const auto *function = as<Call>(parent);
        // Another function reads what is under the name in the end.
        found = function_around(&name) == function_around(assignment) &&
                ((loop != nullptr && loop->iter == &name) ||
                 (function != nullptr && (called_name(*function) == "iter" || called_name(*function) == "enumerate")));
        return !found;
      });
    }
    return found;
  }

private:
  // Where a name that was given a dataset is read.
  struct Reads {
    const Node *block = nullptr;    // of the assignment
    const Node *function = nullptr; // around it
    u32 from = 0;
  };

  [[nodiscard]] Reads reads_behind(const Assign &assignment) const {
    return {parent_of(&assignment), function_around(&assignment), assignment.end};
  }

  [[nodiscard]] bool is_few(const Call *take) const {
    const std::optional<i64> number = take->args.empty() ? std::nullopt : number_at(take->args[0]);
    return number.has_value() && *number >= 0 && *number <= kFewElements;
  }

  // A number that is written down: here, or for a parameter at the call that led here, or as its default.
  [[nodiscard]] std::optional<i64> number_at(const Expr *expr) const {
    if (const auto *name = as<Name>(expr); name != nullptr && owner.trace_.entered != nullptr) {
      return number_passed(*owner.trace_.entered, *name);
    }
    return literal_in(source, expr);
  }

  static std::optional<i64> literal_in(const Source &text, const Expr *expr) {
    const auto *number = as<Constant>(expr);
    return number != nullptr && number->constant_kind() == ConstantKind::Int
               ? int_value(text.part(number->start, number->end))
               : std::nullopt;
  }

  [[nodiscard]] std::optional<i64> number_passed(const CallSite &site, const Name &name) const {
    const Array<Param *> params = site.callee->params;
    for (u32 i = 0; i < params.size(); ++i) {
      if (params[i]->name != name.id) {
        continue;
      }
      if (const Expr *const passed = passed_argument(site, i)) {
        return literal_in(*owner.trace_.from, passed);
      }
      return params[i]->default_value != nullptr ? literal_in(source, params[i]->default_value) : std::nullopt;
    }
    return std::nullopt;
  }

  // `if i == 3: break` of a loop that counts, or `n -= 1; if n == 0: break`.
  [[nodiscard]] bool leaves_by_count(const For &loop) const {
    return !is_in_loop(&loop) && std::ranges::any_of(loop.body, [&](const Stmt *statement) {
      const auto *branch = as<If>(statement);
      const auto *test = branch != nullptr && leaves_at_once(branch->body) ? as<Compare>(branch->test) : nullptr;
      const auto *counter = test != nullptr && test->rest.size() == 1 ? as<Name>(test->left) : nullptr;
      if (counter == nullptr) {
        return false;
      }
      const CompareOperator op = test->rest[0].op;
      const std::optional<i64> limit = number_at(test->rest[0].right);
      const bool up = op == CompareOperator::Eq || op == CompareOperator::Gt || op == CompareOperator::GtE;
      if (up && limit.has_value() && *limit <= kFewElements && counts(loop, *counter, Operator::Add)) {
        return true;
      }
      const bool down = op == CompareOperator::Eq || op == CompareOperator::LtE;
      const std::optional<i64> start = down && limit == 0 ? number_at(counter) : std::nullopt;
      return start.has_value() && *start <= kFewElements && counts(loop, *counter, Operator::Sub);
    });
  }

  // Does each turn count the name up or down: itself, or as enumerate does?
  [[nodiscard]] bool counts(const For &loop, const Name &name, Operator direction) const {
    const auto *pair = as<Tuple>(loop.target);
    const auto *index = pair != nullptr && !pair->elts.empty() ? as<Name>(pair->elts[0]) : nullptr;
    const auto *call = as<Call>(loop.iter);
    if (index != nullptr && index->id == name.id && call != nullptr && called_name(*call) == "enumerate") {
      return direction == Operator::Add;
    }
    return std::ranges::any_of(loop.body, [&](const Stmt *statement) {
      const auto *step = as<AugAssign>(statement);
      const auto *target = step != nullptr ? as<Name>(step->target) : nullptr;
      return target != nullptr && target->id == name.id && step->op() == direction;
    });
  }

  // What a function returns is read by those that call it, all of them in its own file. Those that are not known, if it
  // is a library's, may be many.
  template <class Follow> Consumption follow_result(const Node *returned, Follow follow_call) {
    const Node *const around = function_around(returned);
    const FunctionInfo *const function = around != nullptr ? owner.project_.function_at(around) : nullptr;
    if (function == nullptr || owner.trace_.entered != nullptr || function->type != nullptr || function->passed ||
        is_handed_on(function->name)) {
      return Consumption::All; // input_fn=function; who gets hold of a method is not followed
    }
    if (const auto known = owner.trace_.returned.find(function); known != owner.trace_.returned.end()) {
      return known->second;
    }
    Consumption result = Consumption::Nothing;
    bool is_script = is_notebook;
    for (const CallSite *site : owner.calls_of(*function)) {
      if (site->caller->module != function->module || ++owner.trace_.steps >= kMaxSteps) {
        return Consumption::All;
      }
      result = std::max(result, follow_call(*this, *site->call));
      is_script |= site->caller->node == nullptr || site->caller->name.text() == "main" ||
                   owner.trace_.returned.contains(site->caller);
    }
    result = is_script && result == Consumption::Few ? result : Consumption::All;
    owner.trace_.returned.emplace(function, result);
    return result;
  }

  // Is the name of a function read but to call it?
  [[nodiscard]] bool is_handed_on(Symbol name) const {
    const auto found = names.find(name.id);
    return found != names.end() && std::ranges::any_of(found->second, [this](const Name *read) {
             const auto *call = as<Call>(parent_of(read));
             return read->context == Context::Load && (call == nullptr || call->func != read);
           });
  }

  // The dataset is an argument: of a function of the project, or of model.fit(…) and the like.
  Consumption follow_into(const Call &call, const Node *argument) {
    if (trains_few_steps(call, argument)) {
      return Consumption::Few;
    }
    const Value callee = owner.project_.callee_of(&call);
    const bool is_function = callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method);
    const FunctionDef *definition = is_function ? callee.function->definition() : nullptr;
    // Only one call deep: what is handed on from there is read.
    if (definition == nullptr || owner.trace_.entered != nullptr || callee.function->module->parsed == nullptr) {
      return Consumption::All;
    }
    CallSite site;
    site.call = &call;
    site.callee = callee.function;
    site.bound = callee.is(Value::Tag::Method) && !callee.function->is_static;
    for (u32 i = 0; i < site.callee->params.size(); ++i) {
      if (passed_argument(site, i) == argument) {
        owner.trace_.entered = &site;
        owner.trace_.from = &source;
        const Consumption result =
            owner.uses_in(*site.callee->module).follow_param(*definition, site.callee->params[i]->name);
        owner.trace_.entered = nullptr;
        return result;
      }
    }
    return Consumption::All;
  }

  Consumption follow_param(const FunctionDef &function, Symbol name) {
    Consumption result = Consumption::Nothing;
    const bool read = each_read(name, {&function, &function, function.start}, [&](const Name &place) {
      result = std::max(result, follow(&place));
      return result != Consumption::All;
    });
    // One that does nothing with it is there for another class to fill in.
    return !read || is_broken || owner.trace_.looked > kMaxNames ? Consumption::All : result;
  }

  // fit(dataset, steps_per_epoch=1): a try.
  [[nodiscard]] bool trains_few_steps(const Call &call, const Node *argument) const {
    const std::string_view name = called_name(call);
    if (name != "fit" && name != "evaluate" && name != "predict") {
      return false;
    }
    bool is_input = !call.args.empty() && call.args[0] == argument;
    std::optional<i64> steps;
    std::optional<i64> epochs = 1;
    for (const Keyword *keyword : call.keywords) {
      const std::string_view given = keyword->name ? keyword->name.text() : std::string_view{};
      is_input |= given == "x" && keyword->value == argument;
      if (given == "steps_per_epoch" || given == "steps") {
        steps = literal_in(source, keyword->value);
      } else if (given == "epochs" || given.empty()) {
        epochs = given.empty() ? std::nullopt : literal_in(source, keyword->value);
      }
    }
    return is_input && !is_in_loop(&call) && steps.has_value() && epochs.has_value() && *steps <= kFewTimes &&
           *epochs <= kFewTimes && *steps * *epochs <= kFewTimes;
  }

  // What get_next() of TensorFlow 1 gives: an element each time that a session runs it.
  Consumption follow_element(const Expr &element) {
    const auto is_run_once = [this](const Node *read) {
      const Node *parent = parent_of(read);
      while (parent != nullptr && (parent->kind == NodeKind::List || parent->kind == NodeKind::Tuple)) {
        parent = parent_of(parent);
      }
      const auto *run = as<Call>(parent);
      const Node *const function = function_around(read);
      const FunctionInfo *const known = function != nullptr ? owner.project_.function_at(function) : nullptr;
      return run != nullptr && called_name(*run) == "run" && runs_few_times(run) &&
             (function == nullptr || (known != nullptr && !known->in_loop));
    };
    if (is_run_once(&element)) {
      return Consumption::Few;
    }
    if (const Node *parent = parent_of(&element); parent != nullptr && parent->kind == NodeKind::Return) {
      return follow_result(&element, [](Uses &uses, const Call &call) { return uses.follow_element(call); });
    }
    const auto *assignment = as<Assign>(parent_of(&element));
    if (assignment == nullptr || assignment->targets.size() != 1) {
      return Consumption::All;
    }
    const auto *several = as<Tuple>(assignment->targets[0]);
    const Array<Expr *> parts = several != nullptr ? several->elts : assignment->targets;
    bool once = true;
    for (const Expr *part : parts) {
      const auto *name = as<Name>(part);
      const bool read = name != nullptr && each_read(name->id, reads_behind(*assignment), [&](const Name &place) {
                          once = once && function_around(&place) == function_around(assignment) && is_run_once(&place);
                          return once;
                        });
      once = once && read;
    }
    return once ? Consumption::Few : Consumption::All;
  }

  // Outside of loops, or in `for i in range(20)`.
  [[nodiscard]] bool runs_few_times(const Node *node) const {
    i64 times = 1;
    for (const Node *at = parent_of(node); at != nullptr && at->kind != NodeKind::FunctionDef; at = parent_of(at)) {
      const auto *loop = as<For>(at);
      const auto *range = loop != nullptr ? as<Call>(loop->iter) : nullptr;
      const bool counts = range != nullptr && called_name(*range) == "range" && range->args.size() == 1;
      const std::optional<i64> turns = counts ? literal_in(source, range->args[0]) : std::nullopt;
      if (at->kind == NodeKind::While || (loop != nullptr && !turns.has_value())) {
        return false;
      }
      times = std::min(times * std::clamp<i64>(turns.value_or(1), 0, kFewElements + 1), kFewElements + 1);
    }
    return times <= kFewElements;
  }

  [[nodiscard]] bool is_in_loop(const Node *node) const {
    for (const Node *at = parent_of(node); at != nullptr && at->kind != NodeKind::FunctionDef; at = parent_of(at)) {
      if (at->kind == NodeKind::For || at->kind == NodeKind::While) {
        return true;
      }
    }
    return false;
  }

  // In a loop, or in a function that takes the iterator from outside.
  [[nodiscard]] bool may_run_again(const Node *node, const Expr *iterator) const {
    for (const Node *at = node; at != nullptr; at = parent_of(at)) {
      if (at->kind == NodeKind::FunctionDef || at->kind == NodeKind::Lambda) {
        return !binds_in(at, iterator);
      }
      const auto *loop = as<While>(at);
      if ((loop != nullptr && !only_shows(loop->body)) || at->kind == NodeKind::For ||
          (at->kind >= NodeKind::ListComp && at->kind <= NodeKind::GeneratorExp)) {
        return true;
      }
    }
    return false;
  }

  // `step % 1000 == 0`, `not step % interval`, `tf.equal(step % 1000, 0)`
  [[nodiscard]] bool holds_rarely(const Expr *test) const {
    const Expr *asked = nullptr;
    if (const auto *compare = as<Compare>(test)) {
      asked = compare->rest.size() == 1 && compare->rest[0].op == CompareOperator::Eq ? compare->left : nullptr;
    } else if (const auto *negation = as<UnaryOp>(test)) {
      asked = negation->op() == UnaryOperator::Not ? negation->operand : nullptr;
    } else if (const auto *several = as<BoolOp>(test)) {
      return several->op() == BoolOperator::And &&
             std::ranges::any_of(several->values, [this](const Expr *part) { return holds_rarely(part); });
    } else if (const auto *call = as<Call>(test)) {
      asked = called_name(*call) == "equal" && !call->args.empty() ? call->args[0] : nullptr;
    }
    const auto *rest = as<BinOp>(asked);
    if (rest == nullptr || rest->op() != Operator::Mod || as_string(rest->left) != nullptr) {
      return false;
    }
    constexpr i64 kRarely = 10;
    return rest->right->kind != NodeKind::Constant || literal_in(source, rest->right).value_or(0) >= kRarely;
  }

  // Under such a test, in the loop around it.
  [[nodiscard]] bool runs_rarely(const Node *node) const {
    for (const Node *at = parent_of(node); at != nullptr; node = at, at = parent_of(at)) {
      if (at->kind == NodeKind::FunctionDef || at->kind == NodeKind::For || at->kind == NodeKind::While) {
        return false;
      }
      const auto *branch = as<If>(at);
      if (branch != nullptr && std::ranges::find(branch->body, node) != branch->body.end() &&
          holds_rarely(branch->test)) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool binds_in(const Node *function, const Expr *expr) const {
    const auto *name = as<Name>(expr);
    return name != nullptr && binds(function, name->id);
  }

  [[nodiscard]] bool binds(const Node *function, Symbol name) const {
    const auto found = bound.find(function);
    return found != bound.end() && found->second.contains(name.id);
  }

  [[nodiscard]] const Node *function_around(const Node *node) const {
    while (node != nullptr && node->kind != NodeKind::FunctionDef && node->kind != NodeKind::Lambda) {
      node = parent_of(node);
    }
    return node;
  }

  // All that is done with the name from its assignment to the next one of the same block.
  Consumption follow_name(const Name &target, const Assign &assignment) {
    if (!owner.trace_.seen.insert(&assignment).second) {
      return Consumption::Nothing; // in a circle: counted already
    }
    Consumption result = Consumption::Nothing;
    const bool read = each_read(target.id, reads_behind(assignment), [&](const Name &name) {
      result = std::max(result, follow(&name));
      return result != Consumption::All;
    });
    if (result == Consumption::All || owner.trace_.looked > kMaxNames) {
      return Consumption::All;
    }
    // Another file may read what a module's top level holds.
    const bool read_elsewhere = !read && !is_notebook && function_around(&assignment) == nullptr;
    // What could not be parsed may read it, too.
    return read_elsewhere || (is_broken && result == Consumption::Nothing) ? Consumption::All : result;
  }

  // Calls `use` for each place that reads the name between an assignment and the next one of the same block, until
  // it returns false. Says whether there was any.
  template <class Use> bool each_read(Symbol target, const Reads &reads, Use use) {
    const Node *const block = reads.block;
    const Node *const function = reads.function;
    const bool is_straight = block == nullptr || block->kind == NodeKind::FunctionDef || block->kind == NodeKind::With;
    // Of a function's own name, only what stands in the function counts.
    std::span<const Name *const> found = names[target.id];
    if (function != nullptr) {
      const auto from = std::ranges::lower_bound(found, function->start, {}, &Name::start);
      const auto to = std::ranges::lower_bound(found, function->end, {}, &Name::start);
      found = {from, to};
    }
    u32 until = ~0U;
    for (const Name *name : found) {
      if (++owner.trace_.looked > kMaxNames) {
        return true;
      }
      const auto *other = name->context != Context::Load ? as<Assign>(parent_of(name)) : nullptr;
      if (is_straight && other != nullptr && other->start >= reads.from && parent_of(other) == block) {
        until = std::min(until, other->end);
      }
    }
    bool read = false;
    for (const Name *name : found) {
      if (name->context != Context::Load) {
        continue;
      }
      if (++owner.trace_.looked > kMaxNames) {
        return true;
      }
      const Node *const inside = function_around(name);
      const bool is_later = name->start >= reads.from && name->start < until;
      if (inside == function
              ? !is_later
              : (function != nullptr && !is_nested(inside, function)) || has_own(inside, target, function)) {
        continue;
      }
      read = true;
      if (!use(*name)) {
        break;
      }
    }
    return read;
  }

  // A name of the function's own, or of one around it, up to the one that is meant.
  [[nodiscard]] bool has_own(const Node *function, Symbol name, const Node *meant) const {
    for (; function != nullptr && function != meant; function = function_around(parent_of(function))) {
      if (is_parameter(function, name) || binds(function, name)) {
        return true;
      }
    }
    return false;
  }

  static bool is_parameter(const Node *function, Symbol name) {
    const auto *definition = as<FunctionDef>(function);
    const auto *lambda = as<Lambda>(function);
    const Array<Param *> params = definition != nullptr ? definition->params
                                  : lambda != nullptr   ? lambda->params
                                                        : Array<Param *>{};
    return std::ranges::any_of(params, [name](const Param *param) { return param->name == name; });
  }

  [[nodiscard]] static bool is_nested(const Node *inner, const Node *outer) {
    return inner != nullptr && contains(outer, inner);
  }

  Consumers &owner;
  const Source &source;
  bool is_notebook = false;
  bool is_broken = false; // it has syntax errors
  std::unordered_map<const Node *, const Node *> parents;
  std::unordered_map<u32, std::vector<const Name *>> names;
  std::unordered_map<const Node *, std::unordered_set<u32>> bound; // names that functions bind
};

Consumers::Consumers(const Project &project) : project_(project) {}
Consumers::~Consumers() = default;

Consumers::Uses &Consumers::uses_in(const Module &module) {
  std::unique_ptr<Uses> &uses = uses_[&module];
  if (uses == nullptr) {
    uses = std::make_unique<Uses>(module, *this);
  }
  return *uses;
}

const std::vector<const CallSite *> &Consumers::calls_of(const FunctionInfo &function) {
  if (calls_.empty()) {
    calls_.resize(project_.functions.size());
    for (const FunctionInfo &caller : project_.functions) {
      for (const CallSite &site : caller.calls) {
        calls_[site.callee->index].push_back(&site);
      }
    }
  }
  return calls_[function.index];
}

Consumption Consumers::of(const Stage &stage) {
  trace_ = {};
  return uses_in(*stage.module).follow(stage.call);
}

bool Consumers::is_read_singly(const Stage &stage) {
  trace_ = {};
  return uses_in(*stage.module).is_read_singly(stage.call);
}

} // namespace deepperf::model
