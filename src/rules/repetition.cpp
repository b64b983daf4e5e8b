#include "rules/repetition.h"

#include "base/known_names.h"
#include "model/classes.h"
#include "model/effects.h"
#include "model/variance.h"
#include "rules/dependencies.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::rules {

using namespace python;

namespace {

constexpr std::size_t kMostCallsFollowed = 4;
constexpr std::size_t kMostCallersTried = 16;

const model::Loop *long_loop_of(const model::Loop *loop) {
  while (loop != nullptr && (loop->few_iterations || loop->iterations == model::Iterations::Few)) {
    loop = loop->parent;
  }
  return loop;
}

// Appends the calls that lead from a long loop to the function.
const model::Loop *climb(const model::FunctionInfo &function, std::vector<const model::CallSite *> &calls) {
  if (calls.size() == kMostCallsFollowed || function.called_by.size() > kMostCallersTried) {
    return nullptr;
  }
  for (const model::CallSite *caller : function.called_by) {
    const bool is_on_path =
        std::ranges::any_of(calls, [caller](const model::CallSite *call) { return call->caller == caller->caller; });
    if (caller->once || caller->behind_guard || caller->conditional || caller->by_type || is_on_path ||
        has_hidden_arguments(*caller->call)) {
      continue;
    }
    calls.push_back(caller);
    const model::Loop *const own = long_loop_of(caller->loop);
    const model::Loop *const loop = own != nullptr || caller->loop != nullptr ? own : climb(*caller->caller, calls);
    if (loop != nullptr) {
      return loop;
    }
    calls.pop_back();
  }
  return nullptr;
}

bool holds(const std::vector<Symbol> &names, Symbol name) { return std::ranges::find(names, name) != names.end(); }

struct Question {
  const Site &site;
  const Repetition &repetition;
  bool by_rows = false;
};

// `x` of `x[:n]`; the expression itself if it is something else.
const Expr *without_end(const Expr *expr) {
  const auto *part = as<Subscript>(expr);
  const auto *slice = part != nullptr ? as<Slice>(part->slice) : nullptr;
  return slice != nullptr && slice->lower == nullptr && slice->step == nullptr ? part->value : expr;
}

// Is the expression, in the function that the calls before `level` have led up to, the same in every iteration?
bool is_same(const Question &question, std::size_t level, const model::FunctionInfo &function, const Expr *expr) {
  const Repetition &repetition = question.repetition;
  if (level == repetition.calls.size()) {
    return !model::varies(question.site.project, *repetition.loop, question.by_rows ? without_end(expr) : expr);
  }
  const model::CallSite &call = *repetition.calls[level];
  const model::Dependencies on = dependencies_of(question.site, function, expr);
  const model::LoopEffects &effects = model::effects_of(question.site.project, *repetition.loop);
  // `self.ids`, or `state.length` of an object that is passed, that the loop or something it calls changes
  const auto is_changed = [&](Symbol attribute) {
    return holds(repetition.loop->attributes, attribute) || holds(function.attribute_stores, attribute) ||
           holds(effects.attributes, attribute);
  };
  if (on.varies || std::ranges::any_of(on.attributes, is_changed) ||
      std::ranges::any_of(on.attributes_of_others, is_changed)) {
    return false;
  }
  const auto is_same_above = [&](const Expr *given) {
    return given == nullptr || is_same(question, level + 1, *call.caller, given);
  };
  if (!on.attributes.empty() && !is_same_above(object_of(call))) {
    return false;
  }
  for (u32 param = 0; param < function.params.size() && param < 64; ++param) {
    if ((on.params >> param & 1) == 0) {
      continue;
    }
    // A function inside another one has no object of its own, though it may be called as `self.function(x)`.
    const bool is_inner = function.parent != nullptr && function.parent->node != nullptr && function.type == nullptr;
    const bool is_object = param == 0 && call.bound && !is_inner;
    const Expr *const given = is_object ? object_of(call) : model::passed_argument(call, param);
    const bool is_unknown = given == nullptr && !is_object && function.params[param]->default_value == nullptr;
    if (is_unknown || !is_same_above(given)) {
      return false;
    }
  }
  return true;
}

} // namespace

Repetition repetition_of(const Site &site) {
  Repetition repetition;
  if (const model::Loop *const around = loop_around(site); around != nullptr) {
    const model::Loop *const loop = long_loop_of(around);
    repetition.loop = loop != nullptr && runs_every_iteration(site, *loop) ? loop : nullptr;
    return repetition;
  }
  if (site.function != nullptr && site.function->node != nullptr && enclosing(site, NodeKind::If) == nullptr &&
      enclosing(site, NodeKind::ExceptHandler) == nullptr) {
    repetition.loop = climb(*site.function, repetition.calls);
  }
  return repetition;
}

const Expr *object_of(const model::CallSite &call) {
  const auto *method = as<Attribute>(call.call->func);
  return method != nullptr && method->attr == call.callee->name ? method->value : call.call->func;
}

namespace {

struct Climb {
  FunctionRef<bool(const Repetition &)> visit;
  Repetition repetition = {};
  std::size_t tried = 0;
};

constexpr std::size_t kMostTried = 64;

bool climb_each(const model::FunctionInfo &function, Climb &climb) {
  std::vector<const model::CallSite *> &calls = climb.repetition.calls;
  if (calls.size() == kMostCallsFollowed || function.called_by.size() > kMostCallersTried) {
    return false;
  }
  for (const model::CallSite *caller : function.called_by) {
    const bool is_on_path =
        std::ranges::any_of(calls, [caller](const model::CallSite *call) { return call->caller == caller->caller; });
    if (caller->once || caller->behind_guard || caller->conditional || is_on_path ||
        has_hidden_arguments(*caller->call) || ++climb.tried > kMostTried) {
      continue;
    }
    calls.push_back(caller);
    climb.repetition.loop = long_loop_of(caller->loop);
    const bool is_found = climb.repetition.loop != nullptr
                              ? climb.visit(climb.repetition)
                              : caller->loop == nullptr && climb_each(*caller->caller, climb);
    if (is_found) {
      return true;
    }
    calls.pop_back();
  }
  return false;
}

// Where the first `return` of a function ends.
struct EarliestReturn {
  u32 end = ~0U;
};

// May the function return before the place?
bool may_return_before(const Site &site, const model::FunctionInfo &function, u32 place) {
  const FunctionDef *const definition = function.definition();
  if (definition == nullptr) {
    return true;
  }
  const EarliestReturn &first = site.memory.recall<EarliestReturn>(&function, [definition] {
    EarliestReturn found;
    any_node(definition->body, [&found](const Node *node) {
      found.end = node->kind == NodeKind::Return ? std::min(found.end, node->end) : found.end;
      return false;
    });
    return found;
  });
  return first.end <= place;
}

// What is asked by the tests around the place in its function.
bool has_same_tests(const Site &site, const Repetition &repetition) {
  const Node *below = site.node;
  for (std::size_t at = site.ancestors.size(); at-- > 0 && site.ancestors[at] != site.function->node;) {
    const Node *const node = site.ancestors[at];
    const auto *branch = as<If>(node);
    const auto *choice = as<IfExp>(node);
    const Expr *const test = branch != nullptr ? branch->test : choice != nullptr ? choice->test : nullptr;
    if (node->kind == NodeKind::ExceptHandler || node->kind == NodeKind::While || node->kind == NodeKind::BoolOp ||
        (test != nullptr && test != below && !stays_same(site, repetition, test))) {
      return false;
    }
    below = node;
  }
  return true;
}

} // namespace

bool any_repetition_by_calls(const Site &site, FunctionRef<bool(const Repetition &)> visit) {
  if (site.function == nullptr || site.function->definition() == nullptr) {
    return false;
  }
  for (const model::Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    if (long_loop_of(loop) != nullptr || !runs_every_iteration(site, *loop)) {
      return false;
    }
  }
  Climb climb{.visit = visit};
  return climb_each(*site.function, climb);
}

bool comes_each_time(const Site &site, const Repetition &repetition) {
  if (!repetition.through_calls() || may_return_before(site, *site.function, site.node->start) ||
      !has_same_tests(site, repetition)) {
    return false;
  }
  const model::CallSite &outermost = *repetition.calls.back();
  for (const model::CallSite *call : repetition.calls) {
    if (call != &outermost && may_return_before(site, *call->caller, call->call->start)) {
      return false;
    }
  }
  return runs_every_iteration(site_at(site, *outermost.caller, *outermost.call), *repetition.loop);
}

bool stays_same(const Site &site, const Repetition &repetition, const Expr *expr) {
  return is_same({.site = site, .repetition = repetition}, 0, *site.function, expr);
}

bool stays_same_by_rows(const Site &site, const Repetition &repetition, const Expr *expr) {
  return is_same({.site = site, .repetition = repetition, .by_rows = true}, 0, *site.function, expr);
}

bool call_stays_same(const Site &site, const Repetition &repetition, const Call &call) {
  const Expr *const receiver = receiver_of(call);
  const auto same = [&](const Expr *expr) { return stays_same(site, repetition, expr); };
  return (receiver == nullptr || same(receiver)) && std::ranges::all_of(call.args, same) &&
         std::ranges::all_of(call.keywords, [&](const Keyword *keyword) { return same(keyword->value); });
}

namespace {

constexpr u32 kMostNested = 4;

// Does making or computing it draw random numbers, so that it is meant to be another one each time?
bool is_drawn(const Site &site, const model::FunctionInfo &function) {
  constexpr std::string_view kDrawing[] = {"random", "shuffle", "sample", "perm(", "choice", "time.", "epoch"};
  return function.node == nullptr || reaches_word(site, *function.node, Words(kDrawing));
}

// The names of a function that have something behind a dot: `dataset.set_epoch(epoch)`, `dataset.items = …`.
struct DottedNames : std::unordered_set<u32> {};

// May the function change what the name holds?
bool is_changed_here(const Site &site, Symbol name) {
  const FunctionDef *const definition = site.function->definition();
  if (definition == nullptr) {
    return true;
  }
  const DottedNames &dotted = site.memory.recall<DottedNames>(site.function, [definition] {
    DottedNames found;
    any_node(definition->body, [&found](const Node *node) {
      const auto *attribute = as<Attribute>(node);
      if (const auto *owner = attribute != nullptr ? as<Name>(attribute->value) : nullptr) {
        found.insert(owner->id.id);
      }
      return false;
    });
    return found;
  });
  return dotted.contains(name.id);
}

bool is_made_of_same(const Site &site, const Repetition &repetition, const Expr *expr, u32 depth) {
  const bool is_here = !repetition.through_calls();
  if (is_here ? !model::varies(site.project, *repetition.loop, expr) : stays_same(site, repetition, expr)) {
    return true;
  }
  const auto same = [&](const Expr *part) { return is_made_of_same(site, repetition, part, depth + 1); };
  if (depth == kMostNested) {
    return false;
  }
  if (const auto *name = as<Name>(expr)) {
    const Expr *const value = last_assigned(site, *name);
    return as<Call>(value) != nullptr && !is_changed_here(site, name->id) && same(value);
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr || has_hidden_arguments(*call)) {
    return false;
  }
  const model::Value callee = site.project.callee_of(call);
  const ApiInfo *const info = callee.is(model::Value::Tag::Api) ? find_api(callee.name()) : nullptr;
  bool is_made = info != nullptr && info->returns == Kind::TorchDataset && !info->has(kRandom);
  if (callee.is(model::Value::Tag::Class) && callee.type->kind == Kind::TorchDataset) {
    const model::FunctionInfo *const init = model::find_method_of(*callee.type, known::sym_init);
    is_made = init == nullptr || !is_drawn(site, *init);
  } else if (callee.is(model::Value::Tag::Function)) {
    const model::Value &made = callee.function->returns;
    is_made = (made.is_kind(Kind::TorchDataset) ||
               (made.is(model::Value::Tag::Object) && made.type->kind == Kind::TorchDataset)) &&
              !is_drawn(site, *callee.function);
  }
  return is_made && std::ranges::all_of(call->args, same) &&
         std::ranges::all_of(call->keywords, [&](const Keyword *keyword) { return same(keyword->value); });
}

} // namespace

bool is_made_of_same(const Site &site, const Repetition &repetition, const Expr *expr) {
  return is_made_of_same(site, repetition, expr, 0);
}

const Expr *passed_in_loop(const Site &site, const Repetition &repetition, const Expr *expr) {
  const model::FunctionInfo *function = site.function;
  for (const model::CallSite *call : repetition.calls) {
    const auto *const name = as<Name>(expr);
    const auto param = std::ranges::find_if(
        function->params, [name](const Param *one) { return name != nullptr && one->name == name->id; });
    if (param == function->params.end()) {
      return nullptr;
    }
    expr = model::passed_argument(*call, static_cast<u32>(param - function->params.begin()));
    function = call->caller;
    if (expr == nullptr) {
      return nullptr;
    }
  }
  return expr;
}

const Expr *element_target(const model::Loop &loop) {
  if (const auto *const statement = as<For>(loop.node)) {
    return statement->target;
  }
  const NodeKind kind = loop.node->kind;
  const bool is_comprehension = kind == NodeKind::ListComp || kind == NodeKind::DictComp ||
                                kind == NodeKind::GeneratorExp || kind == NodeKind::SetComp;
  return is_comprehension ? static_cast<const ComprehensionExpr *>(loop.node)->generators[0]->target : nullptr;
}

void add_note(Finding &finding, const Site &site, const Repetition &repetition) {
  if (!repetition.through_calls()) {
    add_note(finding, site, *repetition.loop->node, "in every iteration of this loop");
    Span &span = finding.notes.back().span;
    span.end = std::min(span.end, span.start + 5); // the keyword alone
    return;
  }
  const model::CallSite &call = *repetition.calls.back();
  finding.notes.push_back({call.caller->module->file, call.call->span(), "called here, in every iteration of a loop"});
}

} // namespace deepperf::rules
