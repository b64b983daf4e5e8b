#include "rules/tracing.h"

#include "model/variance.h"

#include "model/bind.h"
#include "python/children.h"
#include "rules/dependencies.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;
using model::Value;

u8 tracers_at(const Site &site) {
  for (const FunctionInfo *function = site.function; function != nullptr; function = function->parent) {
    if ((function->tracers & model::kByPython) != 0) {
      return 0;
    }
    if (function->tracers != 0) {
      return function->tracers;
    }
  }
  return 0;
}

// ---- Compiled again and again ---------------------------------------------------------------------------------------

namespace {

// How a name is used in the body of a function.
struct Uses {
  u32 calls = 0;          // outside of loops that are inside `within`
  u32 calls_in_loops = 0; // inside of such
  bool kept = false;      // returned, stored, passed on, or seen by an inner function
};

struct UsesOfNames : std::unordered_map<u32, Uses> {}; // by the number of the symbol

// Of all names at once, so that it is done once for a loop or function, however many names are asked for.
class UseSearch {
public:
  explicit UseSearch(const Node *within) : within_(within) {}

  void visit(const Node *node) {
    if (const auto *plain = as<Name>(node)) {
      if (plain->context == Context::Load) {
        uses[plain->id.id].kept = true;
      }
      return;
    }
    const bool is_loop =
        node != within_ && (node->kind == NodeKind::For || node->kind == NodeKind::While ||
                            (node->kind >= NodeKind::ListComp && node->kind <= NodeKind::GeneratorExp));
    const bool is_function = node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda;
    loops_ += is_loop ? 1 : 0;
    functions_ += is_function ? 1 : 0;
    if (const auto *call = as<Call>(node)) {
      const auto *called = as<Name>(call->func);
      if (called != nullptr && functions_ == 0) {
        Uses &found = uses[called->id.id];
        ++(loops_ == 0 ? found.calls : found.calls_in_loops);
        for_each_child(call, [&](const Node *child) {
          if (child != call->func) {
            visit(child);
          }
        });
        loops_ -= is_loop ? 1 : 0;
        return;
      }
    }
    for_each_child(node, [this](const Node *child) { visit(child); });
    loops_ -= is_loop ? 1 : 0;
    functions_ -= is_function ? 1 : 0;
  }

  UsesOfNames uses;

private:
  const Node *within_;
  u32 loops_ = 0;
  u32 functions_ = 0;
};

Uses uses_in(const Site &site, const Node *within, Symbol name) {
  const UsesOfNames &all = site.memory.recall<UsesOfNames>(within, [within] {
    UseSearch search(within);
    for_each_child(within, [&](const Node *child) { search.visit(child); });
    return std::move(search.uses);
  });
  const auto found = all.find(name.id);
  return found == all.end() ? Uses{} : found->second;
}

// Does a loop call the function with what the call before returned, `state = train_epoch(state, …)`, or a method of an
// object that stays the same? What the function compiles could then be kept from call to call. A loop that passes its
// own variable may run for other seeds or settings.
bool is_called_per_epoch(const FunctionInfo &function) {
  return std::ranges::any_of(function.called_by, [](const model::CallSite *site) {
    const model::Loop *loop = site->loop;
    const auto *head = loop != nullptr ? as<For>(loop->node) : nullptr;
    if (loop == nullptr || loop->few_iterations || loop->iterations != model::Iterations::Many || site->once ||
        site->behind_guard || (head == nullptr && loop->node->kind != NodeKind::While)) {
      return false;
    }
    bool carries = site->bound;
    bool passes_counter = false;
    const auto look = [&](const Expr *arg) {
      const auto *name = as<Name>(arg);
      if (name != nullptr) {
        const bool is_head = head != nullptr && mentions(head->target, name->id);
        passes_counter |= is_head;
        carries |= !is_head && std::ranges::binary_search(loop->assigned, name->id.id, {}, &Symbol::id);
      }
    };
    std::ranges::for_each(site->call->args, look);
    for (const Keyword *keyword : site->call->keywords) {
      look(keyword->value);
    }
    return carries && (!passes_counter || !site->bound);
  });
}

// In a function that is called in every epoch, it is compiled in each of them, however often it is called there.
bool is_used_near(const Site &site, const Uses &uses, CompiledAgain &again) {
  const bool is_called = uses.calls + uses.calls_in_loops > 0 && !uses.kept;
  if (again.loop == nullptr && is_called && is_called_per_epoch(*site.function)) {
    again.per_epoch = true;
    return true;
  }
  return uses.calls > 0 && uses.calls_in_loops == 0 && !uses.kept;
}

bool is_used_once_each(const Uses &uses) { return uses.calls > 0 && uses.calls_in_loops == 0 && !uses.kept; }

// Is there an `if` around it in the function, as there is where something is made when first needed? One around the
// whole loop says whether the loop runs, and nothing about its iterations.
bool is_guarded(const Site &site) {
  const model::Loop *loop = long_loop_around(site);
  for (const NodeKind kind : {NodeKind::If, NodeKind::IfExp, NodeKind::BoolOp}) {
    const Node *test = enclosing(site, kind);
    if (test != nullptr && (loop == nullptr || !contains(test, loop->node))) {
      return true;
    }
  }
  return false;
}

CompiledAgain repetition_at(const Site &site) {
  CompiledAgain again;
  again.loop = long_loop_around(site);
  const model::Loop *near = again.loop == nullptr ? loop_around(site) : nullptr;
  if (near != nullptr && !near->few_iterations && near->node->kind != NodeKind::For &&
      near->node->kind != NodeKind::While) {
    again.loop = near; // a comprehension
  }
  again.in_loop = again.loop != nullptr || (site.function != nullptr && site.function->in_loop);
  // Code at the top of a module, or of a function that sets things up, runs once.
  again.found = again.loop != nullptr || (site.function != nullptr && site.function->definition() != nullptr);
  return again;
}

} // namespace

CompiledAgain compiled_again(const Site &site, const Call &call) {
  if (site.ancestors.empty() || is_traced(site) || is_guarded(site)) {
    return {};
  }
  CompiledAgain again = repetition_at(site);
  if (!again.found) {
    return {};
  }
  const Node *parent = site.ancestors.back();
  if (const auto *outer = as<Call>(parent); outer != nullptr && outer->func == &call) {
    return again; // jax.jit(f)(x)
  }
  const auto *assignment = as<Assign>(parent);
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (name == nullptr) {
    return {}; // returned, stored, passed on
  }
  const bool is_global = std::ranges::find(site.function->globals, name->id) != site.function->globals.end();
  const Node *within = again.loop != nullptr ? again.loop->node : site.function->node;
  again.found = !is_global && is_used_near(site, uses_in(site, within, name->id), again);
  return again;
}

CompiledAgain compiled_again(const Site &site, const FunctionDef &definition) {
  if (site.ancestors.empty() || is_traced(site) || is_guarded(site) ||
      site.ancestors.back()->kind == NodeKind::ClassDef) {
    return {};
  }
  CompiledAgain again = repetition_at(site);
  if (!again.found) {
    return {};
  }
  const Node *within = again.loop != nullptr ? again.loop->node : site.function->node;
  again.found = is_used_near(site, uses_in(site, within, definition.name), again);
  return again;
}

CompiledAgain factory_called_again(const Site &site, const Call &call, const FunctionInfo **made) {
  const FunctionInfo *factory = called_function(site, call);
  if (factory == nullptr || factory->definition() == nullptr || !factory->definition()->decorators.empty() ||
      !factory->returns.is(Value::Tag::Function) || site.ancestors.empty()) {
    return {};
  }
  const FunctionInfo *inner = factory->returns.function;
  if (inner->parent != factory || inner->compiled_at == nullptr || is_traced(site) || is_guarded(site)) {
    return {};
  }
  CompiledAgain again = repetition_at(site);
  if (!again.found || (again.loop != nullptr && !runs_every_iteration(site, *again.loop))) {
    return {};
  }
  // In a function that runs for each batch or epoch: `def step(self, x): update = make_update(self.tx)`.
  if (again.loop == nullptr && ((!is_called_per_epoch(*site.function) && !runs_per_batch(site)) ||
                                !site.function->definition()->decorators.empty())) {
    return {};
  }
  *made = inner;
  const Node *const within = again.loop != nullptr ? again.loop->node : site.function->node;
  const auto *outer = as<Call>(site.ancestors.back());
  const auto *assignment = as<Assign>(site.ancestors.back());
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  const Uses uses = name != nullptr ? uses_in(site, within, name->id) : Uses{};
  again.found = (outer != nullptr && outer->func == &call) ||
                (again.loop != nullptr ? is_used_once_each(uses) : is_used_near(site, uses, again));
  return again;
}

Site site_around(const Site &site, const FunctionInfo &function) {
  Site there = site;
  there.module = function.module;
  there.function = function.parent != nullptr ? function.parent : function.module->body;
  there.ancestors.clear();
  return there;
}

bool runs_per_batch(const Site &site) {
  const PlaceContext context = context_of(site);
  // A loop of another function that calls this one in each of its many iterations.
  const bool is_called_in_loop =
      site.function != nullptr && std::ranges::any_of(site.function->called_by, [](const model::CallSite *caller) {
        const model::Loop *loop = caller->loop;
        return loop != nullptr && !loop->few_iterations && loop->iterations == model::Iterations::Many &&
               !caller->once && !caller->behind_guard && !caller->conditional && !caller->caller->module->is_test;
      });
  return context.in_training_step || context.in_evaluation_step || is_called_in_loop;
}

// ---- Side effects ---------------------------------------------------------------------------------------------------

namespace {

// Does the name belong to the traced function, or to one inside of it that the place is in?
bool is_local(const Site &site, Symbol name) {
  for (const FunctionInfo *function = site.function; function != nullptr; function = function->parent) {
    if (function->node == nullptr) {
      return false; // the module's own, which a helper that is traced with its callers sees, too
    }
    if (function->slot_of(name) != FunctionInfo::kNoSlot) {
      return true;
    }
    if (function->compiled_at != nullptr) {
      return false;
    }
  }
  return false;
}

bool is_traced_kind(Kind kind) { return kind == Kind::Tensor || kind == Kind::Variable || kind == Kind::JaxArray; }

bool is_traced_parameter(const Site &site, Symbol name) {
  for (const FunctionInfo *function = site.function; function != nullptr; function = function->parent) {
    if (function->slot_of(name) != FunctionInfo::kNoSlot) {
      return function->compiled_at != nullptr && std::ranges::any_of(function->params, [name](const Param *param) {
               return param->name == name && param->default_value == nullptr && name.text() != "self";
             });
    }
  }
  return false;
}

// Mentions something that has another value each time the function runs; not only a shape or a name of it.
bool mentions_traced(const Site &site, const Node *node) {
  if (const auto *attribute = as<Attribute>(node)) {
    const std::string_view name = attribute->attr.text();
    if (name == "shape" || name == "dtype" || name == "name" || name == "ndim" || name == "size") {
      return false;
    }
  }
  if (const auto *call = as<Call>(node)) {
    const auto *function = as<Name>(call->func);
    const std::string_view name = function != nullptr ? function->id.text() : called_method(*call);
    if (name == "type" || name == "len" || name == "id" || name == "typeof" || name == "shape") {
      return false;
    }
  }
  if (node->kind <= NodeKind::Slice && is_traced_kind(model::kind_of(static_cast<const Expr *>(node)))) {
    return true;
  }
  if (const auto *name = as<Name>(node)) {
    return is_traced_parameter(site, name->id);
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || mentions_traced(site, child); });
  return found;
}

// What is taken off again leaves nothing behind.
bool is_stack(const Site &site, Symbol list) {
  std::string pop(list.text());
  pop += ".pop(";
  return site.function->node != nullptr && text_of(site, site.function->node).find(pop) != std::string_view::npos;
}

SideEffect call_effect(const Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  if (callee.is(Value::Tag::Api)) {
    const std::string_view api = callee.name().text();
    if (api == "print") {
      const bool is_traced =
          std::ranges::any_of(call.args, [&site](const Expr *arg) { return mentions_traced(site, arg); });
      return is_traced ? SideEffect::Print : SideEffect::None;
    }
    const ApiInfo *info = find_api(callee.name());
    if (info != nullptr && info->has(kRandom)) {
      if (api.starts_with("time.")) {
        return SideEffect::Clock;
      }
      if (api.starts_with("random.") || api.starts_with("numpy.random.")) {
        return SideEffect::Random;
      }
    }
    if (api.starts_with("numpy.") &&
        std::ranges::any_of(call.args, [](const Expr *arg) { return is_traced_kind(model::kind_of(arg)); })) {
      return SideEffect::Numpy;
    }
    return SideEffect::None;
  }
  // A generator of NumPy or Python draws while the function is traced, and never again.
  if (callee.is(Value::Tag::ApiMethod) && callee.receiver().is_kind(Kind::RandomState)) {
    const std::string_view method = called_method(call);
    return method != "seed" && method != "setstate" && method != "getstate" && method != "spawn" ? SideEffect::Random
                                                                                                 : SideEffect::None;
  }
  if (called_method(call) == "append" && call.args.size() == 1 && !site.ancestors.empty() &&
      site.ancestors.back()->kind == NodeKind::ExprStmt && mentions_traced(site, call.args[0])) {
    const auto *list = as<Name>(receiver_of(call));
    return list != nullptr && !is_local(site, list->id) && !is_stack(site, list->id) ? SideEffect::Append
                                                                                     : SideEffect::None;
  }
  return SideEffect::None;
}

} // namespace

namespace {

// `self.hidden = h`, `cache["h"] = h`: where something is left that outlives the call; null if it is local.
const Expr *kept_in(const Site &site, const Assign &store) {
  const Expr *target = store.targets.size() == 1 ? store.targets[0] : nullptr;
  const auto *element = as<Subscript>(target);
  target = element != nullptr ? element->value : target;
  if (const auto *attribute = as<Attribute>(target)) {
    const auto *object = as<Name>(attribute->value);
    const model::ClassInfo *type = site.function != nullptr ? site.function->type : nullptr;
    const bool is_plain =
        type != nullptr && type->kind == Kind::Unknown && std::ranges::none_of(type->bases, [](const Value &base) {
          return base.is(Value::Tag::Api) && base.name().text() != "object";
        });
    return object != nullptr && object->id.text() == "self" && is_plain ? target : nullptr;
  }
  const auto *name = as<Name>(target);
  return name != nullptr && element != nullptr && !is_local(site, name->id) ? target : nullptr;
}

} // namespace

bool is_read_outside(const Site &site, const Assign &store) {
  const Expr *kept = kept_in(site, store);
  const auto *attribute = as<Attribute>(kept);
  const auto *name = as<Name>(kept);
  const auto reads = [&](const auto &self, const Node *node) -> bool {
    if (node == site.function->node) {
      return false;
    }
    const auto *function = node->kind == NodeKind::FunctionDef ? site.project.function_at(node) : nullptr;
    if (function != nullptr && function->tracers != 0) {
      return false;
    }
    const auto *load = as<Attribute>(node);
    const auto *plain = as<Name>(node);
    if ((attribute != nullptr && load != nullptr && load->attr == attribute->attr && load->context == Context::Load) ||
        (name != nullptr && plain != nullptr && plain->id == name->id && plain->context == Context::Load)) {
      return true;
    }
    bool found = false;
    for_each_child(node, [&](const Node *child) { found = found || self(self, child); });
    return found;
  };
  return kept != nullptr && std::ranges::any_of(site.module->parsed->tree.body,
                                                [&](const Stmt *statement) { return reads(reads, statement); });
}

SideEffect side_effect_at(const Site &site, const Node &node) {
  if (const auto *call = as<Call>(&node)) {
    return call_effect(site, *call);
  }
  if (const auto *store = as<Assign>(&node)) {
    const auto *made = as<Call>(store->value); // a variable that is made in the first call is a tensor, too
    return kept_in(site, *store) != nullptr && (made == nullptr || model::kind_of(made) != Kind::Variable) &&
                   mentions_traced(site, store->value)
               ? SideEffect::Store
               : SideEffect::None;
  }
  const auto *assignment = as<AugAssign>(&node);
  if (assignment == nullptr) {
    return SideEffect::None;
  }
  if (const auto *name = as<Name>(assignment->target)) {
    const bool is_declared = std::ranges::find(site.function->globals, name->id) != site.function->globals.end();
    return is_declared && !is_local(site, name->id) && !is_traced_kind(model::kind_of(name)) ? SideEffect::Counter
                                                                                             : SideEffect::None;
  }
  const auto *attribute = as<Attribute>(assignment->target);
  const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  const auto *step = as<Constant>(assignment->value);
  const bool counts = object != nullptr && object->id.text() == "self" && step != nullptr && !step->is_string() &&
                      !is_traced_kind(model::kind_of(attribute));
  return counts ? SideEffect::Counter : SideEffect::None;
}

bool depends_on_traced_argument(const Site &site, const Expr *expr) {
  const model::FunctionInfo *function = site.function;
  if (function == nullptr || function->compiled_at == nullptr || function->type != nullptr ||
      text_of(site, function->compiled_at).find("static") != std::string_view::npos) {
    return false;
  }
  const model::Dependencies depends = dependencies_of(site, *function, expr);
  return depends.params != 0 || (depends.varies && !function->params.empty());
}

} // namespace deepperf::rules
