#include "rules/device_wait.h"

#include "base/known_names.h"
#include "base/name_table.h"
#include "model/bind.h"
#include "model/context.h"
#include "model/definitions.h"
#include "model/variance.h"
#include "rules/jax.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>
#include <utility>

namespace deepperf::rules {

using namespace python;
using model::Value;

namespace {

constexpr u32 kMostCallDepth = 3; // of functions between the loop and the one that is compiled

// What a function returns of what a compiled function returned: as bits of a tuple's elements, or all of it.
struct ReturnsPending {
  static constexpr u64 kAll = ~u64{0};
  u64 parts = 0;
};
ReturnsPending returns_pending(const model::Project &project, Memory &memory, const model::FunctionInfo &function,
                               u32 depth);

// Which parameters of a function it reads back from the device: as bits.
struct ReadParameters {
  u64 read = 0;
};
u64 parameters_read(const model::Project &project, Memory &memory, const model::FunctionInfo &function, u32 depth);

// Does the call run what jax.jit or tf.function compiled? It returns before the device is done.
bool runs_compiled(const model::Project &project, const Call &call) {
  if (runs_compiled_jax(project, call)) {
    return true;
  }
  bool found = false;
  bool other = false;
  for_each_alternative(project.callee_of(&call), [&](const Value &one) {
    const bool is_function = one.is(Value::Tag::Function) || one.is(Value::Tag::Method);
    const bool is_compiled =
        is_function && one.function->compiled_at != nullptr && (one.function->tracers & model::kByTfFunction) != 0;
    (is_compiled ? found : other) = true;
  });
  return found && !other;
}

// Walks the code of one iteration, or of a function, in order, and keeps which names hold what the device still
// computes.
class WaitWalk {
public:
  WaitWalk(const model::Project &project, Memory &memory, const model::FunctionInfo &function, const model::Loop *loop,
           u32 depth)
      : project_(project), memory_(memory), function_(function), loop_(loop), depth_(depth) {}

  void block(const Block &statements) {
    const bool was_skipped = is_skipped_;
    for (const Stmt *statement : statements) {
      this->statement(statement);
      const auto *guard = as<If>(statement);
      if (guard != nullptr && (leaves(guard->body) || leaves(guard->orelse)) &&
          !model::is_setting(guard->test, loop_, function_)) {
        is_skipped_ = true; // what follows runs in some iterations only
      }
    }
    is_skipped_ = was_skipped;
  }

  void element(const ComprehensionExpr &comprehension) {
    is_skipped_ = comprehension.generators.size() > 1 || !comprehension.generators[0]->ifs.empty();
    visit(comprehension.elt);
    if (comprehension.value != nullptr) {
      visit(comprehension.value);
    }
  }

  void take_as_pending(Symbol name) { pending_.insert(name.id); }

  std::vector<DeviceWait> waits;
  const Call *compiled = nullptr; // the first call of a compiled function
  bool acts = false;              // an environment is told what to do, for which the value is needed
  bool measures = false;          // reads a clock
  ReturnsPending given;           // to callers

private:
  static bool leaves(const Block &body) {
    return !body.empty() && (body.back()->kind == NodeKind::Continue || body.back()->kind == NodeKind::Return);
  }

  static bool stops(const Block &body) {
    return !body.empty() && (body.back()->kind == NodeKind::Break || body.back()->kind == NodeKind::Return);
  }

  void statement(const Stmt *node) {
    switch (node->kind) {
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef:
      return;
    case NodeKind::If: {
      const auto &branch = static_cast<const If &>(*node);
      const std::size_t before = waits.size();
      visit(branch.test);
      // `if loss < best`: Python needs the answer. A name alone may be a dictionary.
      if (waits.size() == before && is_value_test(branch.test) && is_pending(branch.test)) {
        add(*branch.test, "an `if` that depends on it", true);
      }
      acts |= waits.size() > before && stops(branch.body); // whether to go on depends on the value
      const bool was_skipped = is_skipped_;
      is_skipped_ |= !model::is_setting(branch.test, loop_, function_);
      block(branch.body);
      block(branch.orelse);
      is_skipped_ = was_skipped;
      return;
    }
    case NodeKind::For: {
      const auto &inner = static_cast<const For &>(*node);
      visit(inner.iter);
      if (is_pending(inner.iter)) { // for name, value in metrics.items()
        bind(inner.target, true);
        block(inner.body);
      } else {
        const bool was_skipped = is_skipped_;
        is_skipped_ = true; // steps of their own
        block(inner.body);
        is_skipped_ = was_skipped;
      }
      return;
    }
    case NodeKind::While: {
      const bool was_skipped = is_skipped_;
      is_skipped_ = true;
      block(static_cast<const While &>(*node).body);
      is_skipped_ = was_skipped;
      return;
    }
    case NodeKind::With:
      for (const WithItem &item : static_cast<const With &>(*node).items) {
        visit(item.context_expr);
      }
      return block(static_cast<const With &>(*node).body);
    case NodeKind::Try:
      return block(static_cast<const Try &>(*node).body);
    case NodeKind::Assign: {
      const auto &assignment = static_cast<const Assign &>(*node);
      visit(assignment.value);
      const u64 parts = parts_of(assignment.value);
      for (const Expr *target : assignment.targets) {
        const auto *names = as<Tuple>(target);
        for (u32 i = 0; names != nullptr && i < names->elts.size(); ++i) {
          bind(names->elts[i], (parts >> std::min(i, 63U) & 1U) != 0);
        }
        if (names == nullptr) {
          bind(target, parts != 0);
        }
      }
      return;
    }
    case NodeKind::AugAssign: {
      const auto &assignment = static_cast<const AugAssign &>(*node);
      visit(assignment.value);
      if (is_pending(assignment.value)) {
        bind(assignment.target, true);
      }
      return;
    }
    case NodeKind::Return: {
      const auto &result = static_cast<const Return &>(*node);
      if (result.value != nullptr) {
        visit(result.value);
        given.parts |= parts_of(result.value);
      }
      return;
    }
    default:
      for_each_child(node, [this](const Node *child) { visit(child); });
    }
  }

  void bind(const Expr *target, bool pending) {
    if (const auto *name = as<Name>(target)) {
      if (pending) {
        pending_.insert(name->id.id);
      } else {
        pending_.erase(name->id.id);
      }
    } else if (target->kind == NodeKind::Tuple || target->kind == NodeKind::List || target->kind == NodeKind::Starred) {
      for_each_child(target, [&](const Node *child) { bind(static_cast<const Expr *>(child), pending); });
    }
  }

  std::string_view api_of(const Call &call) const {
    const Value callee = project_.callee_of(&call);
    return callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
  }

  // The elements of a tuple, or of what a function returns, that are pending.
  u64 parts_of(const Expr *expr) {
    if (const auto *tuple = as<Tuple>(expr)) {
      u64 parts = 0;
      for (u32 i = 0; i < tuple->elts.size() && i < 64; ++i) {
        parts |= is_pending(tuple->elts[i]) ? u64{1} << i : 0;
      }
      return parts;
    }
    if (const auto *call = as<Call>(expr); call != nullptr && !runs_compiled(project_, *call)) {
      const Value callee = project_.callee_of(call);
      if (callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method)) {
        return depth_ < kMostCallDepth ? returns_pending(project_, memory_, *callee.function, depth_ + 1).parts : 0;
      }
    }
    return is_pending(expr) ? ReturnsPending::kAll : 0;
  }

  bool is_value_test(const Expr *test) const {
    if (const auto *negated = as<UnaryOp>(test)) {
      return is_value_test(negated->operand);
    }
    const auto *call = as<Call>(test);
    return test->kind == NodeKind::Compare || (call != nullptr && api_of(*call).starts_with("jax.numpy."));
  }

  // Does the device still compute it, as far as this code shows?
  bool is_pending(const Expr *expr) {
    switch (expr->kind) {
    case NodeKind::Name:
      return pending_.contains(static_cast<const Name *>(expr)->id.id);
    case NodeKind::Subscript:
      return is_pending(static_cast<const Subscript *>(expr)->value);
    case NodeKind::Attribute: {
      static const NameTable kShapes({"shape", "dtype", "ndim", "size", "sharding", "step"});
      const auto *attribute = static_cast<const Attribute *>(expr);
      return !kShapes.has(attribute->attr) && is_pending(attribute->value);
    }
    case NodeKind::BinOp: {
      const auto *operation = static_cast<const BinOp *>(expr);
      return operation->op() != Operator::Mod && (is_pending(operation->left) || is_pending(operation->right));
    }
    case NodeKind::UnaryOp:
      return is_pending(static_cast<const UnaryOp *>(expr)->operand);
    case NodeKind::Compare: { // predictions == labels
      const auto *comparison = static_cast<const Compare *>(expr);
      return comparison->rest.size() == 1 && comparison->rest[0].op <= CompareOperator::GtE &&
             (is_pending(comparison->left) || is_pending(comparison->rest[0].right));
    }
    case NodeKind::Tuple:
      return std::ranges::any_of(static_cast<const Tuple *>(expr)->elts,
                                 [this](const Expr *one) { return is_pending(one); });
    case NodeKind::Call:
      return is_pending_call(static_cast<const Call &>(*expr));
    default:
      return false;
    }
  }

  bool is_pending_call(const Call &call) {
    if (runs_compiled(project_, call)) {
      return true;
    }
    const std::string_view api = api_of(call);
    if (!api.empty()) {
      const bool keeps = (api.starts_with("jax.") || api.starts_with("flax.") || api.starts_with("tensorflow.")) &&
                         api != "jax.device_get" && api != "jax.block_until_ready";
      return keeps && std::ranges::any_of(call.args, [this](const Expr *arg) { return is_pending(arg); });
    }
    const Value callee = project_.callee_of(&call);
    if (callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method)) {
      return parts_of(&call) == ReturnsPending::kAll;
    }
    static const NameTable kKeeps({"items", "values", "mean", "sum", "max", "min", "argmax", "astype", "reshape",
                                   "squeeze", "get", "copy", "unreplicate"});
    const auto *method = as<Attribute>(call.func);
    return method != nullptr && kKeeps.has(method->attr) && is_pending(method->value);
  }

  void add(const Node &place, std::string_view how, bool is_written_out) {
    if (!is_skipped_) {
      waits.push_back({&place, how, is_written_out});
    }
  }

  void visit(const Node *node) {
    switch (node->kind) {
    case NodeKind::Lambda:
    case NodeKind::FunctionDef:
    case NodeKind::Constant:
      return;
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp: {
      const auto *comprehension = static_cast<const ComprehensionExpr *>(node);
      for (const Comprehension *generator : comprehension->generators) {
        visit(generator->iter);
        bind(generator->target, is_pending(generator->iter));
      }
      visit(comprehension->elt);
      if (comprehension->value != nullptr) {
        visit(comprehension->value);
      }
      return;
    }
    case NodeKind::IfExp: {
      const auto *choice = static_cast<const IfExp *>(node);
      visit(choice->test);
      const bool was_skipped = is_skipped_;
      is_skipped_ |= !model::is_setting(choice->test, loop_, function_);
      visit(choice->body);
      visit(choice->orelse);
      is_skipped_ = was_skipped;
      return;
    }
    case NodeKind::FormattedValue:
      if (const auto *part = static_cast<const FormattedValue *>(node); is_pending(part->value)) {
        add(*part->value, "formatting it", false);
      }
      break;
    case NodeKind::Call:
      call(static_cast<const Call &>(*node));
      break;
    default:
      break;
    }
    for_each_child(node, [this](const Node *child) { visit(child); });
  }

  // `float` or `np.asarray`, handed to tree_map.
  bool is_conversion(const Expr *function) const {
    const Value value = model::value_of(model::scope_of(project_, function_), function);
    const std::string_view api = value.is(Value::Tag::Api) ? value.name().text() : std::string_view{};
    return api == "float" || api == "int" || api == "jax.device_get" || api.starts_with("numpy.");
  }

  void call(const Call &call) {
    if (runs_compiled(project_, call) && !is_skipped_) {
      compiled = compiled == nullptr ? &call : compiled;
    }
    const auto *method = as<Attribute>(call.func);
    const std::string_view api = api_of(call);
    const Expr *first = call.args.empty() ? nullptr : call.args[0];
    const bool takes_pending = std::ranges::any_of(call.args, [this](const Expr *arg) { return is_pending(arg); });
    const bool names_pending =
        std::ranges::any_of(call.keywords, [this](const Keyword *keyword) { return is_pending(keyword->value); });
    if (api == "float" || api == "int" || api == "bool") {
      if (takes_pending) {
        add(call, "a conversion to a Python number", true);
      }
    } else if (api == "jax.device_get" || api == "jax.block_until_ready") {
      if (takes_pending) {
        add(call, api == "jax.device_get" ? std::string_view("`jax.device_get`") : kPlainWait, true);
      }
    } else if (api.starts_with("numpy.")) {
      if (takes_pending) {
        add(call, "a NumPy function", true);
      }
    } else if (api == "print") {
      if (takes_pending) {
        add(call, "printing it", false);
      }
    } else if (api.starts_with("time.") || api == "timeit.default_timer") {
      measures |= !is_skipped_;
    } else if (api.ends_with("tree_map") || api.ends_with("tree.map")) {
      if (takes_pending && first != nullptr && is_conversion(first)) {
        add(call, "copying a tree to the host", true);
      }
    } else if ((takes_pending || names_pending) && reads_arguments(call)) {
      add(call, "a function that reads it", true);
    } else if (method != nullptr) {
      this->method(call, *method);
    }
  }

  // Is something that the device still computes passed for a parameter that the function reads back?
  bool reads_arguments(const Call &call) {
    const Value callee = project_.callee_of(&call);
    const bool is_method = callee.is(Value::Tag::Method);
    if ((!is_method && !callee.is(Value::Tag::Function)) || depth_ >= kMostCallDepth || runs_compiled(project_, call)) {
      return false;
    }
    const u64 read = parameters_read(project_, memory_, *callee.function, depth_ + 1);
    const u32 first = is_method && !callee.function->is_static ? 1 : 0;
    for (u32 i = 0; i < call.args.size() && i + first < 64; ++i) {
      if (call.args[i]->kind == NodeKind::Starred) {
        return false;
      }
      if ((read >> (i + first) & 1U) != 0 && is_pending(call.args[i])) {
        return true;
      }
    }
    return std::ranges::any_of(call.keywords, [&](const Keyword *keyword) {
      for (u32 i = 0; i < callee.function->params.size() && i < 64; ++i) {
        const Param &param = *callee.function->params[i];
        const bool is_rest = param.param_kind() == ParamKind::KwArgs;
        if ((read >> i & 1U) != 0 && (keyword->name ? param.name == keyword->name || is_rest : is_rest) &&
            is_pending(keyword->value)) {
          return true;
        }
      }
      return false;
    });
  }

  void method(const Call &call, const Attribute &method) {
    static const NameTable kReads({"item", "numpy", "tolist", "block_until_ready", "__array__"});
    static const NameTable kReporting({"add_scalar", "scalar", "set_postfix", "set_description"});
    if (kReads.has(method.attr) && is_pending(method.value)) {
      add(call,
          method.attr.text() == "item"     ? std::string_view("`.item()`")
          : method.attr.text() == "numpy"  ? std::string_view("`.numpy()`")
          : method.attr.text() == "tolist" ? std::string_view("`.tolist()`")
                                           : kPlainWait,
          true);
    } else if (kReporting.has(method.attr)) {
      const auto takes = [this](const Expr *value) { return is_pending(value); };
      if (std::ranges::any_of(call.args, takes) ||
          std::ranges::any_of(call.keywords, [&](const Keyword *keyword) { return takes(keyword->value); })) {
        add(call, "logging it", false);
      }
    } else if ((method.attr.text() == "step" || method.attr.text() == "send") && !call.args.empty() &&
               !project_.callee_of(&call).known()) {
      acts = true; // env.step(action), connection.send(action)
    }
  }

  const model::Project &project_;
  Memory &memory_;
  const model::FunctionInfo &function_;
  const model::Loop *loop_;
  u32 depth_;
  std::unordered_set<u32> pending_; // names, as symbols
  bool is_skipped_ = false;         // in some iterations only
};

ReturnsPending returns_pending(const model::Project &project, Memory &memory, const model::FunctionInfo &function,
                               u32 depth) {
  const FunctionDef *definition = function.definition();
  if (definition == nullptr || !(function.module->jax || function.module->tensorflow)) {
    return {};
  }
  return memory.recall<ReturnsPending>(&function, [&] {
    WaitWalk walk(project, memory, function, nullptr, depth);
    walk.block(definition->body);
    return walk.given;
  });
}

u64 parameters_read(const model::Project &project, Memory &memory, const model::FunctionInfo &function, u32 depth) {
  constexpr u32 kMostParameters = 8;
  const FunctionDef *definition = function.definition();
  if (definition == nullptr || !(function.module->jax || function.module->tensorflow) || function.traced) {
    return 0;
  }
  return memory
      .recall<ReadParameters>(&function,
                              [&] {
                                ReadParameters result;
                                for (u32 i = 0; i < function.params.size() && i < kMostParameters; ++i) {
                                  WaitWalk walk(project, memory, function, nullptr, depth);
                                  if (function.params[i]->name) {
                                    walk.take_as_pending(function.params[i]->name);
                                    walk.block(definition->body);
                                  }
                                  const bool reads = std::ranges::any_of(walk.waits, &DeviceWait::is_written_out);
                                  result.read |= reads ? u64{1} << i : 0;
                                }
                                return result;
                              })
      .read;
}

} // namespace

DeviceWaits waits_in_iteration(const Site &site, const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  WaitWalk walk(site.project, site.memory, *site.function, &loop, 0);
  if (statement != nullptr) {
    walk.block(statement->body);
  } else if (const auto *loop_while = as<While>(loop.node)) {
    walk.block(loop_while->body);
  } else {
    walk.element(*static_cast<const ComprehensionExpr *>(loop.node));
  }
  return {.waits = std::move(walk.waits), .compiled = walk.compiled, .acts = walk.acts, .measures = walk.measures};
}

// `count = jax.jit(jnp.sum)`: one operation of the library.
bool is_compiled_operation(const Site &site, const Value &callee) {
  const Call *const maker = callee.maker();
  if (maker == nullptr || maker->args.empty()) {
    return false;
  }
  const Site there = site_of(site, *maker);
  const Value compiled = value_of(there, maker->args[0]);
  const std::string_view name = compiled.is(Value::Tag::Api) ? compiled.name().text() : std::string_view{};
  return name.starts_with("jax.numpy.") || name.starts_with("jax.nn.");
}

// `self.step(batch)`, an attribute that nothing but the constructor sets: the same function in every iteration,
// whatever else the loop does to the object.
bool is_set_once(const Site &site, const Expr *callee) {
  const auto *attribute = as<Attribute>(callee);
  if (attribute == nullptr || site.function == nullptr || !model::is_own_object(*site.function, attribute->value)) {
    return false;
  }
  const model::Definitions &known = model::definitions_of(site.project);
  const auto stores = known.attribute_stores.find(attribute->attr.id);
  return stores != known.attribute_stores.end() &&
         std::ranges::all_of(stores->second, [](const model::AttributeStore &store) {
           return store.function != nullptr && store.function->name == known::sym_init;
         });
}

// Does the compiled function go through many steps itself? Then one iteration is an epoch, and one wait is little.
bool runs_many_steps(const Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  const bool is_function = callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method);
  if (!is_function) {
    return !is_compiled_operation(site, callee); // else nobody knows
  }
  const auto has_loop = [](const model::FunctionInfo &function) {
    return has_word(rules::text_of(function), {"scan(", "fori_loop(", "while_loop("});
  };
  const FunctionDef *definition = callee.function->definition();
  if (definition == nullptr || has_loop(*callee.function)) {
    return true;
  }
  const std::vector<const model::FunctionInfo *> reached = reached_functions(*callee.function, *definition);
  return std::ranges::any_of(reached, [&](const model::FunctionInfo *one) { return has_loop(*one); });
}

// Is one of the arguments what this iteration of the loop is about: `for batch in batches`, `for _, batch in
// zip(range(n), batches)`, or computed from that? Loops over two lists at once go over what is on the host already.
bool takes_what_loop_gives(const Site &site, const model::Loop &loop, const Call &call) {
  const auto *statement = as<For>(loop.node);
  const auto *over = statement != nullptr ? as<Call>(statement->iter) : nullptr;
  if (statement == nullptr || (!is_set_once(site, call.func) && model::varies(site.project, loop, call.func))) {
    return false;
  }
  const std::string_view api = over != nullptr ? called_api(site, *over) : std::string_view{};
  if (api == "zip" && std::ranges::none_of(over->args, [&](const Expr *arg) {
        const auto *range = as<Call>(arg);
        return range != nullptr && called_api(site, *range) == "range";
      })) {
    return false;
  }
  const auto is_given = [&](const Node *part) {
    return any_node(part, [&](const Node *node) {
      const auto *name = as<Name>(node);
      return name != nullptr && mentions(statement->target, name->id);
    });
  };
  // `x, y = windows(order[i * size:(i + 1) * size])` in the loop itself, before the call
  const auto is_made_of_it = [&](Symbol name) {
    return std::ranges::any_of(statement->body, [&](const Stmt *one) {
      const auto *assignment = as<Assign>(one);
      return assignment != nullptr && assignment->end <= call.start &&
             std::ranges::any_of(assignment->targets, [name](const Expr *target) { return mentions(target, name); }) &&
             is_given(assignment->value);
    });
  };
  return std::ranges::any_of(call.args, [&](const Expr *arg) {
    const auto *name = as<Name>(arg);
    return is_given(arg) || (name != nullptr && is_made_of_it(name->id));
  });
}

// `jax.device_get(f(params, batch))` with the batch of this iteration: whoever computed it, it is fetched at once.
bool fetches_result(const Site &site, const model::Loop &loop, const DeviceWait &wait) {
  const auto *fetch = as<Call>(wait.place);
  const auto *computed = fetch != nullptr && !fetch->args.empty() ? as<Call>(fetch->args[0]) : nullptr;
  return computed != nullptr && called_api(site, *fetch) == "jax.device_get" && called_api(site, *computed).empty() &&
         takes_what_loop_gives(site, loop, *computed);
}

void report_waits(Site &site, const model::Loop &loop, const DeviceWaits &found, std::string advice) {
  constexpr std::size_t kMostNotes = 6;
  const auto is_plain_wait = [](const DeviceWait &wait) { return wait.how == kPlainWait; }; // as benchmarks do
  if (std::ranges::all_of(found.waits, is_plain_wait) || found.measures) {
    return;
  }
  const auto main = std::ranges::find_if(found.waits, &DeviceWait::is_written_out);
  const DeviceWait &first = main != found.waits.end() ? *main : found.waits.front();
  const std::size_t total = found.waits.size();
  const std::string_view step = loop.trains ? "training step" : "iteration";
  std::string message =
      total > 1 ? fmt::format("every {} waits for the device in {} places, here by {}", step, total, first.how)
                : fmt::format("{} waits for the device in every {}", first.how, step);
  Finding &finding = report(site, *first.place, std::move(message), std::move(advice));
  const bool is_certain =
      main != found.waits.end() && !found.acts && loop.node->kind != NodeKind::While &&
      (found.compiled != nullptr
           ? !runs_many_steps(site, *found.compiled) &&
                 (loop.steps || (site.module->jax && takes_what_loop_gives(site, loop, *found.compiled)))
           : fetches_result(site, loop, first));
  finding.tier = is_certain ? finding.tier : Tier::Hint;
  if (found.compiled != nullptr) {
    add_note(finding, site, *found.compiled, "this returns before the device is done");
  }
  for (const DeviceWait &wait : found.waits) {
    if (&wait != &first && finding.notes.size() < kMostNotes) {
      add_note(finding, site, *wait.place, std::string(wait.how));
    }
  }
}

} // namespace deepperf::rules
