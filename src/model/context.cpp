#include "model/context.h"

#include "base/function_ref.h"
#include "base/known_names.h"
#include "base/name_table.h"
#include "base/symbol_list.h"
#include "model/bind.h"
#include "model/classes.h"
#include "model/facts.h"
#include "model/guards.h"
#include "model/hooks.h"
#include "model/lookup.h"
#include "python/call.h"
#include "python/children.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

// ---- Loops ----------------------------------------------------------------------------------------------------------

namespace {

// range(n), itertools.count()
bool counts_up(const Project &project, const Expr *expr) {
  const auto *call = as<Call>(expr);
  const Value callee = call != nullptr ? project.callee_of(call) : Value{};
  return callee.is(Value::Tag::Api) && (callee.name().text() == "range" || callee.name().text() == "itertools.count");
}

} // namespace

const Expr *iterated_by(const Project &project, const Loop &loop) {
  const Expr *iterated = nullptr;
  if (const auto *statement = as<For>(loop.node)) {
    iterated = statement->iter;
  } else if (loop.node->kind != NodeKind::While) {
    iterated = static_cast<const ComprehensionExpr *>(loop.node)->generators[0]->iter;
  }
  while (const auto *call = as<Call>(iterated)) {
    const Value callee = project.callee_of(call);
    if (!callee.is(Value::Tag::Api) || call->args.empty()) {
      break;
    }
    const ApiInfo *info = find_api(callee.name());
    const std::string_view name = callee.name().text();
    if (name != "enumerate" && name != "zip" && name != "sorted" && name != "list" &&
        (info == nullptr || !info->has(kPassesOn))) {
      break;
    }
    iterated = call->args[0];
    // `zip(range(steps), batches)`: so many of the batches.
    for (u32 i = 0; name == "zip" && i + 1 < call->args.size() && counts_up(project, call->args[i]); ++i) {
      iterated = call->args[i + 1];
    }
  }
  return iterated;
}

namespace {

bool is_data(Kind kind) {
  return kind == Kind::TorchDataLoader || kind == Kind::TorchDataset || kind == Kind::HfDataset ||
         kind == Kind::Dataset;
}

bool has_node(const Node *node, FunctionRef<bool(const Node *)> holds) {
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Lambda) {
    return false;
  }
  bool found = holds(node);
  for_each_child(node, [&](const Node *child) { found = found || has_node(child, holds); });
  return found;
}

// next(batches), where these are the iterator of a loader.
bool draws_batch(const Project &project, const Node *node) {
  return has_node(node, [&](const Node *part) {
    const auto *call = as<Call>(part);
    if (call == nullptr || call->args.empty() || !is_data(kind_of(call->args[0]))) {
      return false;
    }
    const Value callee = project.callee_of(call);
    return callee.is(Value::Tag::Api) && callee.name().text() == "next";
  });
}

constexpr u32 kMostWrappers = 3; // generators around generators

bool goes_over_data(const Project &project, const Loop &loop, u32 depth);

bool yields(const Loop &loop) {
  return has_node(loop.node,
                  [](const Node *node) { return node->kind == NodeKind::Yield || node->kind == NodeKind::YieldFrom; });
}

// Does the function yield the batches of data that it goes over?
bool yields_data(const Project &project, const FunctionInfo &function, u32 depth) {
  return function.definition() != nullptr && std::ranges::any_of(function.loops, [&](const Loop *loop) {
           return yields(*loop) && goes_over_data(project, *loop, depth + 1);
         });
}

// Does it yield what it goes over, and is that data in this call? Other calls may pass something else.
bool yields_given_data(const Project &project, const FunctionInfo &function, const Call &call, bool is_bound) {
  return function.definition() != nullptr && std::ranges::any_of(function.loops, [&](const Loop *loop) {
           const auto *name = as<Name>(iterated_by(project, *loop));
           const auto param =
               name != nullptr ? std::ranges::find(function.params, name->id, &Param::name) : function.params.end();
           const auto position = static_cast<u32>(param - function.params.begin());
           const u32 own = is_bound ? 1 : 0;
           if (param == function.params.end() || position < own || !yields(*loop)) {
             return false;
           }
           const Expr *const given = argument(call, position - own, name->id.text());
           return given != nullptr && is_data(kind_of(given));
         });
}

// Does iterating over an object of the class give the batches of a loader that it has? `__iter__` yields them, or
// `__next__` draws them.
bool wraps_data(const Project &project, const ClassInfo &type, u32 depth) {
  static const Symbol kIter = intern("__iter__");
  static const Symbol kNext = intern("__next__");
  const FunctionInfo *const iter = find_method_of(type, kIter);
  const FunctionInfo *const next = find_method_of(type, kNext);
  if (iter != nullptr &&
      ((iter->returns.is(Value::Tag::Instance) && is_data(iter->returns.kind)) || yields_data(project, *iter, depth))) {
    return true;
  }
  const FunctionDef *const drawing = next != nullptr ? next->definition() : nullptr;
  return drawing != nullptr &&
         std::ranges::any_of(drawing->body, [&](const Stmt *statement) { return draws_batch(project, statement); });
}

bool goes_over_data(const Project &project, const Loop &loop, u32 depth) {
  if (depth > kMostWrappers) {
    return false;
  }
  const Expr *iterated = iterated_by(project, loop);
  if (iterated == nullptr) {
    const auto *repeated = as<While>(loop.node);
    return repeated != nullptr &&
           std::ranges::any_of(repeated->body, [&](const Stmt *statement) { return draws_batch(project, statement); });
  }
  if (is_data(kind_of(iterated))) {
    return true;
  }
  if (const auto *call = as<Call>(iterated)) { // batches(loader)
    const Value callee = project.callee_of(call);
    if ((callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method)) &&
        (yields_data(project, *callee.function, depth) ||
         yields_given_data(project, *callee.function, *call, callee.is(Value::Tag::Method)))) {
      return true;
    }
  }
  if (loop.function != nullptr) {
    const Value value = value_of(scope_of(project, *loop.function), iterated);
    if (value.is(Value::Tag::Object) && wraps_data(project, *value.type, depth)) {
      return true;
    }
  }
  // range(0, len(texts), batch_size)
  const auto *range = as<Call>(iterated);
  const Value callee = range != nullptr ? project.callee_of(range) : Value{};
  const auto *length = range != nullptr && range->args.size() == 3 ? as<Call>(range->args[1]) : nullptr;
  const Value measured = length != nullptr ? project.callee_of(length) : Value{};
  return callee.is(Value::Tag::Api) && callee.name().text() == "range" && measured.is(Value::Tag::Api) &&
         measured.name().text() == "len" && range->args[2]->kind != NodeKind::Constant;
}

} // namespace

bool goes_over_data(const Project &project, const Loop &loop) { return goes_over_data(project, loop, 0); }

// ---- Settings -------------------------------------------------------------------------------------------------------

namespace {

bool has_varying_name(Symbol name, const Loop *loop, const FunctionInfo &function) {
  if (loop == nullptr) { // of a function that is called in a loop, all that is its own may differ
    return function.node != nullptr && function.slot_of(name) != FunctionInfo::kNoSlot;
  }
  for (; loop != nullptr; loop = loop->parent) {
    if (contains(loop->assigned, name)) {
      return true;
    }
  }
  return false;
}

// Is the attribute of `self` stored to by nothing but the constructor?
bool is_fixed_attribute(Symbol name, const FunctionInfo &function) {
  const ClassInfo *const type = function.type;
  for (const ClassInfo *at : type != nullptr ? type->mro : decltype(type->mro){}) {
    const auto found = at->attributes.find(name.id);
    if (found == at->attributes.end()) {
      continue;
    }
    const FunctionInfo *const init = find_method_of(*at, known::sym_init);
    return std::ranges::all_of(found->second.entries, [init](const Cell::Entry &entry) {
      return init != nullptr && entry.contributor == init->index;
    });
  }
  return true;
}

} // namespace

bool is_setting(const Expr *test, const Loop *loop, const FunctionInfo &function) {
  static const NameTable kAsking({"isinstance", "hasattr", "callable", "issubclass", "getattr", "len", "is_available"});
  switch (test->kind) {
  case NodeKind::Constant:
    return true;
  case NodeKind::Name:
    return !has_varying_name(static_cast<const Name *>(test)->id, loop, function);
  case NodeKind::Attribute: {
    const auto *attribute = static_cast<const Attribute *>(test);
    for (const Loop *around = loop; around != nullptr; around = around->parent) {
      if (contains(around->attributes, attribute->attr)) {
        return false;
      }
    }
    if (is_own_object(function, attribute->value)) {
      return is_fixed_attribute(attribute->attr, function);
    }
    return is_setting(attribute->value, loop, function);
  }
  case NodeKind::UnaryOp:
    return is_setting(static_cast<const UnaryOp *>(test)->operand, loop, function);
  case NodeKind::BoolOp:
    return std::ranges::all_of(static_cast<const BoolOp *>(test)->values,
                               [&](const Expr *part) { return is_setting(part, loop, function); });
  case NodeKind::Compare: {
    const auto *comparison = static_cast<const Compare *>(test);
    if (comparison->rest.size() == 1 &&
        (comparison->rest[0].op == CompareOperator::Is || comparison->rest[0].op == CompareOperator::IsNot)) {
      return true; // x is None
    }
    return is_setting(comparison->left, loop, function) &&
           std::ranges::all_of(comparison->rest, [&](const CompareItem &item) {
             return item.right->kind == NodeKind::Tuple || item.right->kind == NodeKind::List ||
                    is_setting(item.right, loop, function);
           });
  }
  case NodeKind::Call: {
    const auto *call = static_cast<const Call *>(test);
    const auto *name = as<Name>(call->func);
    const auto *method = as<Attribute>(call->func);
    const Symbol called = name != nullptr ? name->id : method != nullptr ? method->attr : Symbol{};
    return called && kAsking.has(called);
  }
  default:
    return false;
  }
}

// ---- Functions ------------------------------------------------------------------------------------------------------

namespace {

// Lets bits of functions reach what these call. `passes(site, bits)` says which bits go through a call.
template <class Passes> void spread(std::vector<FunctionInfo *> &queue, Passes passes) {
  while (!queue.empty()) {
    const FunctionInfo &function = *queue.back();
    queue.pop_back();
    for (const CallSite &site : function.calls) {
      const u16 bits = passes(site, function.context);
      if ((site.callee->context & bits) != bits) {
        site.callee->context |= bits;
        queue.push_back(site.callee);
      }
    }
  }
}

// Also a mixin, of which only a class derived from it has such a base.
template <class Is> bool is_or_serves(const ClassInfo &type, Is is, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  return is(type) || (depth < kMostDepth && std::ranges::any_of(type.subclasses, [&](const ClassInfo *below) {
                        return is_or_serves(*below, is, depth + 1);
                      }));
}

bool has_base(const ClassInfo &type, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(type.mro, [&](const ClassInfo *at) {
    return std::ranges::any_of(at->bases, [&](const Value &base) {
      bool found = false;
      for_each_alternative(base, [&](const Value &one) {
        if (one.is(Value::Tag::Api)) {
          const std::string_view name = one.name().text();
          const std::size_t dot = name.rfind('.');
          const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
          found |= std::ranges::find(names, last) != names.end();
        }
      });
      return found;
    });
  });
}

// A callback of Transformers or Lightning, or a LightningModule, whose hooks run in every step.
bool has_step_hooks(const ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const ClassInfo *at) {
    return std::ranges::any_of(at->bases, [](const Value &base) {
      const std::string_view name = base.is(Value::Tag::Api) ? base.name().text() : std::string_view{};
      return name == "transformers.TrainerCallback" || name == "pytorch_lightning.Callback" ||
             name == "pytorch_lightning.callbacks.Callback" || name == "pytorch_lightning.LightningModule";
    });
  });
}

// A hook that Lightning or a Trainer calls once, or once in each epoch: a step in it is none of the training.
bool is_seldom_hook(const FunctionInfo &function) {
  static const NameTable kSeldom({"on_train_start",
                                  "on_train_begin",
                                  "on_train_end",
                                  "on_fit_start",
                                  "on_fit_end",
                                  "on_train_epoch_start",
                                  "on_train_epoch_end",
                                  "on_epoch_begin",
                                  "on_epoch_end",
                                  "on_sanity_check_start",
                                  "on_sanity_check_end",
                                  "on_init_end",
                                  "on_save",
                                  "on_evaluate",
                                  "on_validation_epoch_start",
                                  "on_validation_epoch_end",
                                  "setup",
                                  "teardown",
                                  "prepare_data",
                                  "configure_optimizers",
                                  "configure_model"});
  return function.type != nullptr && function.name && kSeldom.has(function.name) &&
         is_or_serves(*function.type, has_step_hooks);
}

// A hook that begins with `if trainer.global_step % self.every != 0: return`, or is all under the opposite.
bool does_most_in_some_steps(const FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  return definition != nullptr && std::ranges::any_of(definition->body, [&](const Stmt *statement) {
           const auto *branch = as<If>(statement);
           const bool is_all = branch != nullptr && statement == definition->body.back();
           return branch != nullptr &&
                  (skips_steps(*branch) || (is_all && holds_seldom(branch->test) == branch->orelse.empty()));
         });
}

// What a method is by the convention of the class that it derives from.
u16 framework_context(const FunctionInfo &function) {
  static const NameTable kTrains({"training_step", "compute_loss"});
  static const NameTable kEvaluates({"validation_step", "test_step", "predict_step", "prediction_step"});
  if (function.type == nullptr || !function.name) {
    return 0;
  }
  if (function.type->kind == Kind::TorchDataset && function.name.text() == "__getitem__") {
    return kPerSample;
  }
  static const NameTable kHooks({"on_step_end", "on_step_begin", "on_substep_end", "on_train_batch_end",
                                 "on_train_batch_start", "on_before_optimizer_step", "on_after_backward",
                                 "on_before_zero_grad"});
  if (kHooks.has(function.name)) {
    const u16 steps = does_most_in_some_steps(function) ? u16{kSomeTrainingSteps} : u16{kPerTrainingStep};
    return is_or_serves(*function.type, has_step_hooks) ? static_cast<u16>(steps | kStepOfFramework) : u16{0};
  }
  const bool trains = kTrains.has(function.name);
  if (!trains && !kEvaluates.has(function.name)) {
    return 0;
  }
  const auto has_steps = [](const ClassInfo &type) {
    return has_base(type, {"LightningModule", "Trainer", "Seq2SeqTrainer", "SFTTrainer", "DPOTrainer"});
  };
  if (is_or_serves(*function.type, has_steps)) {
    return trains ? u16{kPerTrainingStep | kStepOfFramework} : u16{kPerEvaluationStep};
  }
  return 0;
}

} // namespace

bool is_evaluation_of_framework(const FunctionInfo &function) {
  return (framework_context(function) & kPerEvaluationStep) != 0;
}

namespace {

bool yields_inside(const Node *node) {
  bool found = node->kind == NodeKind::Yield || node->kind == NodeKind::YieldFrom;
  if (!found && node->kind != NodeKind::FunctionDef && node->kind != NodeKind::Lambda) {
    for_each_child(node, [&found](const Node *child) { found = found || yields_inside(child); });
  }
  return found;
}

// Does the loop go over what a generator of the project yields in a long loop of its own? Then it is as long.
bool goes_over_generator(const Project &project, const Loop &loop) {
  const auto *statement = as<For>(loop.node);
  const auto *call = statement != nullptr ? as<Call>(statement->iter) : nullptr;
  const Value callee = call != nullptr ? project.callee_of(call) : Value{};
  const FunctionInfo *const generator =
      callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method) ? callee.function : nullptr;
  return generator != nullptr && std::ranges::any_of(generator->loops, [](const Loop *inner) {
           return inner->iterations == Iterations::Many && !inner->few_iterations &&
                  (inner->node->kind == NodeKind::For || inner->node->kind == NodeKind::While) &&
                  yields_inside(inner->node);
         });
}

} // namespace

void find_contexts(Project &project) {
  std::vector<u32> callers(project.functions.size());
  // Names that are called where it is not known what they are: who has such a name may be meant.
  std::unordered_set<u32> loose;
  for (const FunctionInfo &function : project.functions) {
    for (const CallSite &site : function.calls) {
      callers[site.callee->index] += site.callee != &function ? 1 : 0;
    }
    std::unordered_set<u32> known;
    for (const CallSite &site : function.calls) {
      known.insert(site.callee->name.id);
    }
    for (const u32 name : function.called) {
      if (!known.contains(name)) {
        loose.insert(name);
      }
    }
  }
  std::vector<FunctionInfo *> scripts;
  std::vector<FunctionInfo *> steps;
  std::vector<FunctionInfo *> switched;
  for (Loop &loop : project.loops) {
    if (loop.node != nullptr && loop.iterations == Iterations::Collection && goes_over_generator(project, loop)) {
      loop.iterations = Iterations::Many;
    }
    loop.evaluates = loop.node != nullptr && loop.function != nullptr && !loop.trains && goes_over_data(project, loop);
  }
  for (FunctionInfo &function : project.functions) {
    if (function.node == nullptr) {
      function.context |= kRunsOnce | kRunByScript;
      scripts.push_back(&function);
    } else {
      const bool is_loose = function.type != nullptr && loose.contains(function.name.id);
      function.context |= callers[function.index] == 0 || function.passed || is_loose ? u16{kCallersUnknown} : u16{0};
      function.context |= framework_context(function);
      if (function.steps && callers[function.index] == 0 && !is_seldom_hook(function)) {
        function.context |= kPerTrainingStep | kStepOfFramework;
      }
    }
    if (function.switches_grad) {
      function.context |= kGradMaybeOff;
    }
  }
  // A package that switches gradients off when it is imported, of a program that trains nothing: a server.
  const bool is_server =
      std::ranges::any_of(project.modules,
                          [](const Module &module) {
                            return module.is_package && module.body != nullptr && module.body->switches_grad;
                          }) &&
      std::ranges::none_of(project.functions, [](const FunctionInfo &function) { return function.trains; });
  for (FunctionInfo &function : project.functions) {
    const FunctionInfo *const body = function.module->body;
    if (is_server || (body != nullptr && body->switches_grad)) {
      function.context |= kGradMaybeOff;
    }
    if ((function.context & kGradMaybeOff) != 0) {
      switched.push_back(&function);
    }
    for (const CallSite &site : function.calls) {
      u16 bits = 0;
      for (const Loop *loop = site.once ? nullptr : site.loop; loop != nullptr; loop = loop->parent) {
        if (loop->steps) {
          bits |= site.conditional || site.behind_guard ? kSomeTrainingSteps : kPerTrainingStep;
        } else if (loop->evaluates) {
          bits |= kPerEvaluationStep;
        }
      }
      site.callee->context |= bits;
      if (site.maybe_no_grad) {
        site.callee->context |= kGradMaybeOff;
        switched.push_back(site.callee);
      }
    }
  }
  for (FunctionInfo &function : project.functions) {
    if ((function.context & (kPerTrainingStep | kSomeTrainingSteps | kPerEvaluationStep | kPerSample)) != 0) {
      steps.push_back(&function);
    }
    for (const FunctionMark &mark : function.marks) { // handed to mp.spawn() by code that runs
      if (mark.passed && function.node == nullptr && mark.function->node != nullptr) {
        mark.function->context |= kRunByScript;
        scripts.push_back(mark.function);
      }
    }
  }
  const auto in_steps = [](const CallSite &site, u16 bits) -> u16 {
    bits &= kPerTrainingStep | kSomeTrainingSteps | kPerEvaluationStep | kPerSample;
    if (site.once || site.behind_guard) {
      return 0;
    }
    if (site.conditional && (bits & kPerTrainingStep) != 0) {
      bits = static_cast<u16>((bits & ~kPerTrainingStep) | kSomeTrainingSteps);
    }
    return bits;
  };
  spread(steps, in_steps);
  steps = hooks_of_steps(project, callers);
  for (FunctionInfo *hook : steps) {
    hook->context |= kPerTrainingStep | kStepOfFramework;
  }
  spread(steps, in_steps);
  spread(switched, [](const CallSite &, u16 bits) -> u16 { return bits & kGradMaybeOff; });
  spread(scripts, [&](const CallSite &site, u16 bits) -> u16 {
    const bool is_once = (bits & kRunsOnce) != 0 && site.loop == nullptr && callers[site.callee->index] == 1 &&
                         (site.callee->context & kCallersUnknown) == 0;
    return static_cast<u16>((bits & kRunByScript) | (is_once ? kRunsOnce : 0));
  });
}

} // namespace deepperf::model
