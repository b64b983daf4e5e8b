#include "base/known_names.h"
#include "base/symbol_list.h"
#include "model/classes.h"
#include "model/effects.h"
#include "model/graph_flow.h"
#include "model/variance.h"
#include "rules/assignments.h"
#include "rules/fate.h"
#include "rules/reach.h"
#include "rules/repetition.h"
#include "rules/site.h"
#include "rules/timed.h"
#include "rules/tree.h"

#include <algorithm>
#include <string>

namespace deepperf::rules::constant_forward {

using namespace python;

namespace {

// Are the weights of the model left as they are while the loop runs? Where nothing trains they are; in a training loop
// those of a model that is frozen, or that runs under no_grad, which an EMA copy or a target network does too.
bool is_frozen(const Site &site, const Call &call, const model::Loop &loop) {
  if (!loop.trains) {
    return true;
  }
  bool all = false;
  bool other = false;
  for_each_alternative(value_of(site, call.func), [&](const model::Value &one) {
    const Kind kind = one.is(model::Value::Tag::Object) ? one.type->kind : one.kind;
    const bool is_pretrained = kind == Kind::HfModel;
    all |= is_pretrained;
    other |= !is_pretrained;
  });
  if (!all || other) {
    return false;
  }
  // Frozen where it is made, or by a statement: model.requires_grad_(False).
  const std::string_view name = text_of(site, call.func);
  const auto *plain = as<Name>(call.func);
  const Expr *const made = plain != nullptr ? last_assigned(site, *plain) : nullptr;
  const bool is_made_frozen =
      made != nullptr && text_of(site, made).find("requires_grad_(False)") != std::string_view::npos;
  const std::string frozen = std::string(name) + ".requires_grad_(False)";
  return under_no_grad(site) || is_made_frozen || file_has_word(site, {frozen});
}

// Neither bound nor changed by the loop: names, attributes, entries, and copies of them on a device.
bool is_fixed(const model::Loop &loop, const Expr *expr) {
  switch (expr->kind) {
  case NodeKind::Constant:
    return true;
  case NodeKind::Name: {
    const Symbol name = static_cast<const Name *>(expr)->id;
    // `rays.lengths += step` changes what is passed as `rays`, but no tensor.
    const bool may_be_changed = !loop.attributes.empty() && model::kind_of(expr) != Kind::TorchTensor;
    return !may_be_changed && !contains(loop.assigned, name) && !contains(loop.mutated, name);
  }
  case NodeKind::Attribute: {
    const auto *attribute = static_cast<const Attribute *>(expr);
    return !contains(loop.attributes, attribute->attr) && is_fixed(loop, attribute->value);
  }
  case NodeKind::Subscript:
    return is_fixed(loop, static_cast<const Subscript *>(expr)->value) &&
           is_fixed(loop, static_cast<const Subscript *>(expr)->slice);
  case NodeKind::Call: {
    const auto &call = *static_cast<const Call *>(expr);
    const std::string_view method = called_method(call);
    return (method == "to" || method == "cuda") && is_fixed(loop, receiver_of(call)) &&
           std::ranges::all_of(call.args, [&](const Expr *part) { return is_fixed(loop, part); });
  }
  default:
    return false;
  }
}

bool computes_alike(const Site &site, const model::FunctionInfo &function, bool in_eval, u32 depth);

// Does what is called give the same for the same arguments? Layers and functions of PyTorch that draw no random numbers
// do, and methods of tensors; of our own code what only calls these and stores nothing.
bool calls_alike(const Site &site, const Call &call, bool in_eval, u32 depth) {
  constexpr u32 kDeepest = 4;
  const std::string_view api = called_api(site, call);
  if (const ApiInfo *info = api.empty() ? nullptr : find_api(canonical_name(api)); info != nullptr) {
    return !info->has(kRandom | kIo | kPython) && (in_eval || api.find("dropout") == std::string_view::npos);
  }
  const model::Value callee = site.project.callee_of(&call);
  if (callee.alternatives != nullptr || callee.open || callee.many || depth == kDeepest) {
    return false;
  }
  if (callee.is(model::Value::Tag::Instance)) {
    const std::string_view layer = callee.name() ? callee.name().text() : std::string_view{};
    return layer.starts_with("torch.nn.") && (in_eval || layer.find("Dropout") == std::string_view::npos);
  }
  const model::FunctionInfo *called = called_function(site, call);
  if (callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule) {
    called = model::find_method_of(*callee.type, known::sym_forward);
  }
  if (called != nullptr) {
    return computes_alike(site, *called, in_eval, depth + 1);
  }
  return callee.is(model::Value::Tag::ApiMethod) || api.starts_with("torch.") || api.starts_with("math.") ||
         called_name(call) == "len" || called_name(call) == "range";
}

bool computes_alike(const Site &site, const model::FunctionInfo &function, bool in_eval, u32 depth) {
  const FunctionDef *const definition = function.definition();
  return definition != nullptr && !any_node(definition->body, [&](const Node *node) {
           const auto *call = as<Call>(node);
           return (node->kind == NodeKind::Attribute && node->context != Context::Load) ||
                  node->kind == NodeKind::Global || node->kind == NodeKind::Nonlocal || node->kind == NodeKind::Yield ||
                  node->kind == NodeKind::Await || (call != nullptr && !calls_alike(site, *call, in_eval, depth));
         });
}

// Does a module of the project have layers, and give the same for the same?
bool is_deterministic(const Site &site, const model::ClassInfo &type) {
  const model::FunctionInfo *const forward = model::find_method_of(type, known::sym_forward);
  const bool has_layers =
      forward != nullptr && forward->definition() != nullptr &&
      any_node(forward->definition()->body, [&](const Node *node) {
        const auto *layer = as<Call>(node);
        return layer != nullptr && model::records_graph(site.project, site.project.callee_of(layer));
      });
  const bool in_eval = file_has_word(site, {".eval()"}) && !file_has_word(site, {".train("});
  return has_layers && computes_alike(site, *forward, in_eval, 0);
}

// A model, and not a loss or an activation. One of our own that nobody runs with gradients is looked at itself: its
// dropout must be off, as samples of a model with dropout differ on purpose.
bool is_model(const Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  if (callee.is(model::Value::Tag::Instance) && callee.name() && callee.name().text() == "torch.jit.load") {
    return false; // it may draw samples
  }
  if (model::records_graph(site.project, callee)) {
    return true;
  }
  if (!callee.is(model::Value::Tag::Object) || callee.alternatives != nullptr || callee.open ||
      callee.type->kind != Kind::TorchModule) {
    return false;
  }
  struct IsDeterministic {
    bool value = false;
  };
  return site.memory
      .recall<IsDeterministic>(callee.type, [&] { return IsDeterministic{is_deterministic(site, *callee.type)}; })
      .value;
}

// May the results of the calls differ, and each of them be wanted, as those of a model with dropout in training mode
// are? What a function without gradients feeds to its next layer is no such sample.
bool may_draw_again(const Site &site, const Call &call) {
  return file_has_word(site, {".train("}) &&
         (context_of(site).no_grad != PlaceContext::NoGrad::Always ||
          fate_of_taken(site, *site.function, taken_by(site.ancestors, call)) != Fate::Dropped);
}

// classify(x), which a loop that trains nothing calls, and which runs a model on the same prompts each time
void check_called(Site &site, const Call &call) {
  const Repetition repetition = repetition_of(site);
  if (!repetition.through_calls() || repetition.loop->trains || !site.module->torch || site.module->is_test ||
      site.function->name.text() == "forward" || enclosing(site, NodeKind::If) != nullptr ||
      (call.args.empty() && call.keywords.empty()) || has_hidden_arguments(call) || !is_model(site, call) ||
      !call_stays_same(site, repetition, call) || !stays_same(site, repetition, call.func) ||
      !comes_each_time(site, repetition) || file_has_word(site, {"time.", "perf_counter", "synchronize("}) ||
      may_draw_again(site, call) || (!site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::ExprStmt)) {
    return;
  }
  Finding &finding =
      report(site, call, "this model computes the same result from the same arguments in every iteration",
             "call it once before the loop and keep the result");
  add_note(finding, site, repetition);
}

// `with Timer():` of a class or function of the project that reads a clock
bool is_clock_manager(const Site &site, const Expr *manager) {
  const auto *call = as<Call>(manager);
  const model::Value made = call != nullptr ? site.project.callee_of(call) : value_of(site, manager);
  constexpr std::string_view kClocks[] = {"time.", "perf_counter", "monotonic"};
  if (made.is(model::Value::Tag::Class) || made.is(model::Value::Tag::Object)) {
    return has_word(made.type->module->parsed->source.part(made.type->node->start, made.type->node->end),
                    Words(kClocks));
  }
  return made.is(model::Value::Tag::Function) && made.function->node != nullptr &&
         has_word(text_of(*made.function), Words(kClocks));
}

bool times_something(const Site &site, const Node &loop) {
  struct TimesSomething {
    bool value = false;
  };
  const auto look = [&site](const Node *node) {
    if (const auto *with = as<With>(node)) {
      return std::ranges::any_of(with->items,
                                 [&](const WithItem &item) { return is_clock_manager(site, item.context_expr); });
    }
    const auto *call = as<Call>(node);
    const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
    return api.starts_with("time.") || api == "timeit.default_timer" || api.starts_with("torch.cuda.synchronize") ||
           (call != nullptr && (called_method(*call) == "record" || called_method(*call) == "train"));
  };
  return site.memory.recall<TimesSomething>(&loop, [&] { return TimesSomething{any_node(&loop, look)}; }).value;
}

// `loss = model(x); total += loss.item()` of a model that no layer or library made: who adds up what is always the same
// wants the mean of what differs, as the loss of a diffusion model does, which draws a time for each call.
bool adds_up_guess(const Site &site, const Call &call, const model::Loop &loop) {
  const model::Value callee = site.project.callee_of(&call);
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *name = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
  if ((callee.is(model::Value::Tag::Instance) && (callee.maker() != nullptr || callee.name())) || name == nullptr) {
    return false;
  }
  return any_node(loop.node, [&](const Node *node) {
    const auto *added = as<AugAssign>(node);
    return added != nullptr && added->op() == Operator::Add && mentions(added->value, name->id);
  });
}

// `model.train()` before a loop that trains nothing: its dropout is wanted, and each pass gives something else.
bool is_sampled(const Site &site, const Call &call, const model::Loop &loop) {
  const std::string_view model = text_of(site, call.func);
  const Node *last = nullptr; // switch before the loop
  any_node(body_around(site), [&](const Node *node) {
    const auto *other = as<Call>(node);
    const std::string_view method = other != nullptr ? called_method(*other) : std::string_view{};
    if ((method == "train" || method == "eval") && other->end < call.start &&
        text_of(site, receiver_of(*other)) == model && (last == nullptr || other->start > last->start)) {
      last = other;
    }
    return false;
  });
  return last != nullptr && !loop.trains && called_method(static_cast<const Call &>(*last)) == "train";
}

void check(Site &site, const Call &call) {
  const model::Loop *const loop = long_loop_around(site);
  if (loop == nullptr && loop_around(site) == nullptr) {
    check_called(site, call);
    return;
  }
  if (loop == nullptr || !site.module->torch || site.module->is_test || loop->iterations == model::Iterations::Few ||
      !runs_every_iteration(site, *loop) || (call.args.empty() && call.keywords.empty()) ||
      has_hidden_arguments(call)) {
    return;
  }
  // Something that is timed runs the same on purpose, and dropout gives something else each time.
  const auto varies = [&](const Expr *expr) {
    return !is_fixed(*loop, expr) || (site.is_copy && model::varies(site.project, *loop, expr)) ||
           any_node(expr, [&](const Node *node) {
             const auto *attribute = as<Attribute>(node);
             return attribute != nullptr &&
                    contains(model::effects_of(site.project, *loop).attributes, attribute->attr);
           });
  };
  if (!is_model(site, call) || varies(call.func) || std::ranges::any_of(call.args, varies) ||
      std::ranges::any_of(call.keywords, [&](const Keyword *keyword) { return varies(keyword->value); }) ||
      !is_frozen(site, call, *loop) || adds_up_guess(site, call, *loop) || is_sampled(site, call, *loop) ||
      (site.is_copy && file_has_word(site, {".train("}))) {
    return;
  }
  const auto *statement = site.ancestors.empty() ? nullptr : as<ExprStmt>(site.ancestors.back());
  if (statement != nullptr || times_something(site, *loop->node) || is_timed(site, *loop->node)) {
    return;
  }
  Finding &finding =
      report(site, call, "this model computes the same result from the same arguments in every iteration",
             "call it once before the loop and keep the result");
  add_note(finding, site, *loop->node, "this loop changes none of the arguments");
}

} // namespace

extern constinit const Rule kConstantForward = {
    .info = {.code = "DP441",
             .name = "constant-forward",
             .summary = "a forward pass of an unchanged model on unchanged arguments, repeated in a loop",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A call of a model in a loop that changes neither its weights nor its arguments: the embedding of an empty prompt, the features of class names, the output of a teacher for a fixed input.

## Why it costs

The same numbers are computed in every iteration.

## Bad

```python
import torch


def classify(encoder: torch.nn.Linear, loader, prompts):
    results = []
    with torch.no_grad():
        for x in loader:
            text = encoder(prompts)
            results.append(x @ text.T)
    return torch.cat(results)
```

## Good

```python
import torch


def classify(encoder: torch.nn.Linear, loader, prompts):
    results = []
    with torch.no_grad():
        text = encoder(prompts)
        for x in loader:
            results.append(x @ text.T)
    return torch.cat(results)
```

## When it is wrong

Where the model draws random numbers on purpose, as with dropout at inference. Loops that measure time are not reported.
)"},
    .calls = "TorchModule.__call__ HfModel.__call__",
    .on_call = check};

} // namespace deepperf::rules::constant_forward
