#include "model/classes.h"
#include "rules/callables.h"
#include "rules/jax.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/timed.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace deepperf::rules::timing_without_wait {

using namespace python;
using model::Value;

namespace {

// What matters of a function, in the order of its code.
struct Event {
  enum class Kind : u8 { Start, Work, Wait, Stop };
  Kind kind = Kind::Start;
  Symbol name; // that holds the time of a Start, or that a Stop subtracts
  const Expr *place = nullptr;
};

// Work for a GPU that the call only enqueues.
bool is_device_work(const Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  const bool is_module = callee.is_kind(Kind::TorchModule) || callee.is_kind(Kind::HfModel) ||
                         (callee.is(Value::Tag::Object) && callee.type->kind == Kind::TorchModule);
  if (is_module) {
    return model::is_moved(call.func) || std::ranges::any_of(call.args, model::is_moved);
  }
  // An operation on tensors that are on a device.
  if (callee.is(Value::Tag::Api)) {
    const ApiInfo *info = find_api(callee.name());
    return info != nullptr && info->returns == Kind::TorchTensor && info->has(kOp) && !info->has(kSyncs | kConstant) &&
           std::ranges::any_of(call.args, model::is_moved);
  }
  const Expr *receiver = receiver_of(call);
  return called_method(call) == "backward" && receiver != nullptr && model::kind_of(receiver) == Kind::TorchTensor &&
         model::is_moved(receiver);
}

// Code of JAX that is compiled: the call returns before the device is done.
bool is_compiled_call(const Site &site, const Call &call) {
  const model::FunctionInfo *function = called_function(site, call);
  return site.module->jax && ((function != nullptr && (function->tracers & model::kByJaxJit) != 0) ||
                              (function == nullptr && runs_compiled_jax(site, call)));
}

// `lambda x: x.block_until_ready()` or `jax.block_until_ready`, as jax.tree.map() is given them.
bool is_waiting_function(const Expr *given) {
  const auto is_wait = [](std::string_view name) { return name == "block_until_ready" || name == "device_get"; };
  const auto *lambda = as<Lambda>(given);
  const auto *attribute = as<Attribute>(given);
  const auto *name = as<Name>(given);
  return (attribute != nullptr && is_wait(attribute->attr.text())) || (name != nullptr && is_wait(name->id.text())) ||
         (lambda != nullptr && any_node(lambda->body, [&](const Node *node) {
            const auto *call = as<Call>(node);
            return call != nullptr && is_wait(called_name(*call));
          }));
}

// What waits for the device, or may do so in a function that we cannot see into.
bool may_wait(const Call &call) {
  const std::string_view name = called_name(call);
  if (name.find("synchronize") != std::string_view::npos || name == "item" || name == "cpu" || name == "numpy" ||
      name == "tolist" || name == "block_until_ready" || name == "generate" || name == "print" || name == "float" ||
      name == "int" || name == "wait" || name == "barrier" || name == "device_get" || name == "asarray" ||
      name == "array" || name == "backend" || name == "mark_step") {
    return true;
  }
  if (std::ranges::any_of(call.args, is_waiting_function)) {
    return true;
  }
  const Expr *receiver = receiver_of(call);
  if (name == "step" && receiver != nullptr && model::kind_of(receiver) == Kind::GradScaler) {
    return true; // it looks for infinities first
  }
  return false;
}

// What calling a function of the project means for a clock that runs.
enum class Effect : u8 { Nothing, Work, Wait };

struct EffectOf {
  Effect effect = Effect::Wait; // also while it is worked out
};

Effect effect_of(const Site &site, const model::FunctionInfo &function, u32 depth);

// The same of a call of one of several functions, as with `fn()` of a parameter.
Effect effect_of_call(const Site &site, const Call &call, u32 depth) {
  constexpr u32 kMostDepth = 3;
  Effect effect = Effect::Nothing;
  model::for_each_alternative(site.project.callee_of(&call), [&](const Value &one) {
    const bool is_function = one.is(Value::Tag::Function) || one.is(Value::Tag::Method);
    if (!is_function || one.function == nullptr || (one.function->tracers & model::kByJaxJit) != 0) {
      return;
    }
    const Effect found = depth < kMostDepth ? effect_of(site, *one.function, depth + 1) : Effect::Wait;
    effect = std::max(effect, found);
  });
  // A decorator times whatever it stands above: it is wrong if one of these functions does not wait.
  Effect decorated = Effect::Nothing;
  for (const model::FunctionInfo *one : decorated_callees(site, call)) {
    const Effect found = depth < kMostDepth ? effect_of(site, *one, depth + 1) : Effect::Wait;
    decorated = found == Effect::Work || decorated == Effect::Work ? Effect::Work : std::max(decorated, found);
  }
  return std::max(effect, decorated);
}

Effect effect_of(const Site &site, const model::FunctionInfo &function, u32 depth) {
  const auto find = [&] {
    Site there = site;
    there.function = &function;
    there.module = function.module;
    there.ancestors.clear();
    // What goes over data waits for something sooner or later.
    const bool is_long =
        std::ranges::any_of(function.loops, [&](const model::Loop *loop) { return goes_over_data(there, *loop); });
    EffectOf found{is_long || function.node == nullptr ? Effect::Wait : Effect::Nothing};
    const auto look = [&](const Node *node) {
      const auto *call = as<Call>(node);
      if (call != nullptr) {
        const Effect one = is_device_work(there, *call) ? Effect::Work
                           : may_wait(*call)            ? Effect::Wait
                                                        : effect_of_call(there, *call, depth);
        found.effect = std::max(found.effect, one);
      }
      return found.effect == Effect::Wait;
    };
    if (const FunctionDef *definition = function.definition()) {
      any_node(definition->body, look);
    } else if (const Lambda *lambda = function.lambda()) {
      any_node(lambda->body, look);
    }
    return found;
  };
  return depth > 1 ? find().effect : site.memory.recall<EffectOf>(&function, find).effect;
}

// Names of functions whose result somebody waits for elsewhere in this code: `f(x).block_until_ready()`. They only
// enqueue their work, whoever made them.
using AsyncNames = std::unordered_set<u32>;

void find_async(const Site &site, const Node *node, AsyncNames &names) {
  if (const auto *call = as<Call>(node)) {
    const bool is_method = called_method(*call) == "block_until_ready";
    const bool is_function = called_api(site, *call) == "jax.block_until_ready" && call->args.size() == 1;
    const auto *waited = as<Call>(is_function ? call->args[0] : is_method ? receiver_of(*call) : nullptr);
    if (const auto *name = waited != nullptr ? as<Name>(waited->func) : nullptr) {
      names.insert(name->id.id);
    }
  }
  for_each_child(node, [&](const Node *child) { find_async(site, child, names); });
}

bool is_async_call(const Call &call, const AsyncNames &names) {
  const auto *name = as<Name>(call.func);
  return name != nullptr && names.contains(name->id.id);
}

// The place that a clock's time is kept in, as it is written: `start`, `self.start`.
Symbol clock_place(const Site &site, const Expr *expr) {
  const bool is_place = expr->kind == NodeKind::Name || expr->kind == NodeKind::Attribute;
  return is_place ? intern(text_of(site, expr)) : Symbol{};
}

// What a method does with a clock that its object keeps: `self.start = time.time()`, `time.time() - self.start`.
struct KeptClock {
  Symbol started; // the attribute
  Symbol stopped;
};

KeptClock kept_clock_of(const Site &site, const model::FunctionInfo &method) {
  return site.memory.recall<KeptClock>(&method, [&] {
    KeptClock kept;
    const FunctionDef *definition = method.definition();
    Site there = site;
    there.function = &method;
    there.module = method.module;
    there.ancestors.clear();
    if (definition == nullptr || method.type == nullptr ||
        !has_word(text_of(method), {"time", "clock", "perf_counter"}) ||
        effect_of(site, method, 0) != Effect::Nothing) {
      return kept;
    }
    any_node(definition->body, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *target =
          assignment != nullptr && assignment->targets.size() == 1 ? as<Attribute>(assignment->targets[0]) : nullptr;
      if (target != nullptr && is_clock(there, assignment->value)) {
        kept.started = target->attr;
      }
      const auto *difference = as<BinOp>(node);
      const auto *start =
          difference != nullptr && difference->op() == Operator::Sub ? as<Attribute>(difference->right) : nullptr;
      if (start != nullptr && is_clock(there, difference->left)) {
        kept.stopped = start->attr;
      }
      return false;
    });
    return kept;
  });
}

// `watch.start()` and `watch.stop()` of an object that keeps the clock.
bool collect_kept_clock(const Site &site, const Call &call, std::vector<Event> &events) {
  const Value callee = site.project.callee_of(&call);
  const Expr *receiver = receiver_of(call);
  if (!callee.is(Value::Tag::Method) || callee.function == nullptr || receiver == nullptr) {
    return false;
  }
  const KeptClock kept = kept_clock_of(site, *callee.function);
  if (!kept.started == !kept.stopped) {
    return false; // neither, or both: a lap
  }
  const std::string place =
      std::string(text_of(site, receiver)) + "." + std::string((kept.started ? kept.started : kept.stopped).text());
  events.push_back({kept.started ? Event::Kind::Start : Event::Kind::Stop, intern(place), &call});
  return true;
}

// `self.last = now`, of a name that holds the time
bool holds_clock(const Site &site, const Expr *value, const std::vector<Event> &events) {
  const Symbol place = clock_place(site, value);
  return place && std::ranges::any_of(events, [place](const Event &event) {
           return event.kind == Event::Kind::Start && event.name == place;
         });
}

void collect(const Site &site, const Node *node, const AsyncNames &names, std::vector<Event> &events) {
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Lambda) {
    return;
  }
  if (const auto *assignment = as<Assign>(node)) {
    collect(site, assignment->value, names, events);
    const Symbol target = clock_place(site, assignment->targets[0]);
    if (target && assignment->targets.size() == 1 &&
        (is_clock(site, assignment->value) || holds_clock(site, assignment->value, events))) {
      events.push_back({Event::Kind::Start, target, assignment->value});
    }
    return;
  }
  if (const auto *difference = as<BinOp>(node); difference != nullptr && difference->op() == Operator::Sub) {
    const Symbol start = clock_place(site, difference->right);
    const Symbol end = clock_place(site, difference->left);
    if (start && (is_clock(site, difference->left) || end)) {
      events.push_back({Event::Kind::Stop, start, difference->left});
      return;
    }
  }
  for_each_child(node, [&](const Node *child) { collect(site, child, names, events); });
  if (node->kind == NodeKind::Assert) {
    events.push_back({Event::Kind::Wait, {}, static_cast<const Assert *>(node)->test}); // whoever tests it waits for it
  }
  if (const auto *shown = as<FormattedValue>(node); shown != nullptr && shown->value->kind == NodeKind::Name) {
    events.push_back({Event::Kind::Wait, {}, shown}); // whoever prints a tensor waits for it
  }
  if (const auto *call = as<Call>(node)) {
    if (is_device_work(site, *call) || is_compiled_call(site, *call) || is_async_call(*call, names)) {
      events.push_back({Event::Kind::Work, {}, call});
    } else if (may_wait(*call)) {
      events.push_back({Event::Kind::Wait, {}, call});
    } else if (collect_kept_clock(site, *call, events)) {
      return;
    } else if (const Effect effect = effect_of_call(site, *call, 0); effect != Effect::Nothing) {
      events.push_back({effect == Effect::Work ? Event::Kind::Work : Event::Kind::Wait, {}, call});
    }
  }
}

// Is a clock set at all? Many functions say "time" without measuring any.
bool sets_clock(const Site &site, const Block &body) {
  return any_node(body, [&site](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const Value callee = site.project.callee_of(call);
    return is_clock(site, call) || (callee.is(Value::Tag::Method) && callee.function != nullptr &&
                                    kept_clock_of(site, *callee.function).started);
  });
}

// `if step % 100 == 0: start = time.time()` in a loop that reads the clock in every iteration: it measures all
// iterations since then.
bool is_set_at_times(const Node &loop, const Expr &start, const Expr &read) {
  return any_node(&loop, [&](const Node *node) {
    return node->kind == NodeKind::If && contains(node, &start) && !contains(node, &read);
  });
}

// `if time.time() - start > timeout`, also by way of a name: a limit of time, and no measurement.
bool is_only_compared(const Block &body, const Expr &read) {
  const auto is_difference = [&read](const Expr *expr) {
    const auto *difference = as<BinOp>(expr);
    return difference != nullptr && difference->op() == Operator::Sub && contains(difference, &read);
  };
  const Name *kept = nullptr;
  bool is_compared = false;
  any_node(body, [&](const Node *node) {
    if (const auto *test = as<Compare>(node)) {
      is_compared |= is_difference(test->left) ||
                     std::ranges::any_of(test->rest, [&](const auto &one) { return is_difference(one.right); });
    } else if (const auto *assignment = as<Assign>(node); assignment != nullptr && is_difference(assignment->value)) {
      kept = as<Name>(assignment->targets[0]);
    }
    return is_compared;
  });
  if (kept == nullptr) {
    return is_compared;
  }
  const auto is_kept = [kept](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && name->id == kept->id && name->context == Context::Load;
  };
  // Tests of it, with what is said in their branches once the time is over.
  std::vector<const Node *> tests;
  any_node(body, [&](const Node *node) {
    const auto *branch = as<If>(node);
    const auto *negated = branch != nullptr ? as<UnaryOp>(branch->test) : nullptr;
    const Expr *const asked = negated != nullptr ? negated->operand : branch != nullptr ? branch->test : nullptr;
    const auto *test = as<Compare>(asked != nullptr ? static_cast<const Node *>(asked) : node);
    if (test != nullptr &&
        (is_kept(test->left) || std::ranges::any_of(test->rest, [&](const auto &one) { return is_kept(one.right); }))) {
      tests.push_back(node);
    }
    return false;
  });
  return !tests.empty() && !any_node(body, [&](const Node *node) {
    return is_kept(node) && std::ranges::none_of(tests, [node](const Node *test) { return contains(test, node); });
  });
}

void lint(Site &site, const Block &body) {
  if (!sets_clock(site, body)) {
    return;
  }
  std::vector<Event> events;
  AsyncNames names;
  for (const Stmt *statement : body) {
    if (site.module->jax) {
      find_async(site, statement, names);
    }
  }
  for (const Stmt *statement : body) {
    collect(site, statement, names, events);
  }
  // `end - start` with both under a name is measured where `end` is taken.
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind != Event::Kind::Stop) {
      continue;
    }
    std::size_t stop = i;
    if (const Symbol end = clock_place(site, events[i].place)) {
      stop = events.size();
      for (std::size_t j = i; j-- > 0;) {
        if (events[j].kind == Event::Kind::Start && events[j].name == end) {
          stop = j;
          break;
        }
      }
    }
    // A clock that is set again afterwards measures whole iterations, with all that waits in them.
    const auto is_set_again = [&events, i](const Event &event) {
      return event.kind == Event::Kind::Start && event.name == events[i].name;
    };
    if (std::any_of(events.begin() + static_cast<std::ptrdiff_t>(i), events.end(), is_set_again)) {
      continue;
    }
    const Expr *work = nullptr;
    for (std::size_t j = stop < events.size() ? stop : 0; j-- > 0;) {
      const Event &event = events[j];
      if (event.kind == Event::Kind::Wait) {
        break;
      }
      if (event.kind == Event::Kind::Work) {
        work = event.place;
      } else if (event.kind == Event::Kind::Start && event.name == events[i].name) {
        // A clock that was set before a loop and is read in it measures many iterations: the last one matters little.
        const Expr *const read = events[stop].place;
        const bool is_long = std::ranges::any_of(site.function->loops, [&](const model::Loop *loop) {
          return contains(loop->node, read) &&
                 (!contains(loop->node, event.place) || is_set_at_times(*loop->node, *event.place, *read));
        });
        if (work != nullptr && !is_long && !is_only_compared(body, *events[i].place)) {
          Finding &finding =
              report(site, *events[stop].place,
                     "the clock is read before the device is done, so only the kernel launch is measured",
                     site.module->jax ? "call `jax.block_until_ready(…)` on the result before reading the clock"
                                      : "call `torch.cuda.synchronize()` before reading the clock");
          add_note(finding, site, *work, "this returns as soon as its work is enqueued");
          add_note(finding, site, *event.place, "the measurement starts here");
        }
        break;
      }
    }
  }
}

// ---- Clocks in a context manager ------------------------------------------------------------------------------------

const Call *clock_in(const Site &site, const Block &body, u32 from, u32 to) {
  const Call *found = nullptr;
  any_node(body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && call->start >= from && call->end <= to && is_clock(site, call)) {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

// Does a context manager wait for the device? Printing the time that it took does not.
bool waits_itself(const Site &site, const FunctionDef &definition) {
  return any_node(definition.body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && called_name(*call) != "print" &&
           (may_wait(*call) || effect_of_call(site, *call, 0) == Effect::Wait);
  });
}

// The same in what the method calls: `self._now()`
const Call *clock_of_method(const Site &site, const model::FunctionInfo &method, u32 depth) {
  constexpr u32 kMostDepth = 2;
  if (method.definition() == nullptr) {
    return nullptr;
  }
  Site there = site;
  there.function = &method;
  there.module = method.module;
  if (const Call *found = clock_in(there, method.definition()->body, 0, ~0U)) {
    return found;
  }
  const Call *found = nullptr;
  any_node(method.definition()->body, [&](const Node *node) {
    const auto *call = depth < kMostDepth ? as<Call>(node) : nullptr;
    const model::FunctionInfo *const called = call != nullptr ? called_function(there, *call) : nullptr;
    found = called != nullptr && called != &method ? clock_of_method(there, *called, depth + 1) : nullptr;
    return found != nullptr;
  });
  return found;
}

// Where a context manager reads its clock at the end, if it does so at the start as well and waits for nothing. It is
// made right here, or before: `with watch:`
const Call *clock_of_manager(const Site &site, const Expr &manager, const model::Module **module) {
  const auto *call = as<Call>(&manager);
  const Value callee = call != nullptr ? site.project.callee_of(call) : value_of(site, &manager);
  Site there = site;
  there.ancestors.clear();
  if (const model::FunctionInfo *function = call != nullptr ? called_function(site, *call) : nullptr;
      function != nullptr && !callee.is(Value::Tag::Class)) {
    there.function = function;
    there.module = *module = function->module;
    const FunctionDef *const definition = function->definition();
    const Node *yield = nullptr;
    if (definition == nullptr || definition->decorators.empty() || waits_itself(there, *definition)) {
      return nullptr;
    }
    any_node(definition->body, [&](const Node *node) {
      yield = node->kind == NodeKind::Yield ? node : nullptr;
      return yield != nullptr;
    });
    return yield != nullptr && clock_in(there, definition->body, 0, yield->start) != nullptr
               ? clock_in(there, definition->body, yield->end, ~0U)
               : nullptr;
  }
  const bool is_made_before = call == nullptr && callee.is(Value::Tag::Object) && callee.alternatives == nullptr;
  if ((!callee.is(Value::Tag::Class) && !is_made_before) || callee.type == nullptr) {
    return nullptr;
  }
  const model::FunctionInfo *const enter = model::find_method_of(*callee.type, intern("__enter__"));
  const model::FunctionInfo *const exit = model::find_method_of(*callee.type, intern("__exit__"));
  if (enter == nullptr || exit == nullptr || enter->definition() == nullptr || exit->definition() == nullptr ||
      effect_of(site, *enter, 0) != Effect::Nothing || effect_of(site, *exit, 0) != Effect::Nothing) {
    return nullptr;
  }
  *module = exit->module;
  return clock_of_method(there, *enter, 0) != nullptr ? clock_of_method(there, *exit, 0) : nullptr;
}

// `with stopwatch("forward"): model(x)`
void check_with(Site &site, const With &with) {
  if (!site.module->torch && !site.module->jax) {
    return;
  }
  for (const WithItem &item : with.items) {
    const Expr *const manager = item.context_expr;
    const model::Module *module = nullptr;
    const Call *const clock = clock_of_manager(site, *manager, &module);
    if (clock == nullptr) {
      continue;
    }
    std::vector<Event> events;
    for (const Stmt *statement : with.body) {
      collect(site, statement, {}, events);
    }
    if (events.empty() || events.back().kind != Event::Kind::Work) {
      continue;
    }
    Finding &finding = report(
        site, *manager, "the clock is read before the device is done, so only the kernel launch is measured",
        site.module->jax
            ? "call `jax.block_until_ready(…)` on the result inside the `with`"
            : "call `torch.cuda.synchronize()` in the context manager, before reading the clock at the start and at "
              "the end");
    add_note(finding, site, *events.back().place, "this returns as soon as its work is enqueued");
    finding.notes.push_back({module->file, clock->span(), "the clock is read here"});
  }
}

// Does the function call methods of an object that keeps a clock?
bool uses_kept_clock(const Site &site, const model::FunctionInfo &function) {
  return std::ranges::any_of(function.calls, [&](const model::CallSite &call) {
    if (call.callee->type == nullptr || call.callee->module == nullptr) {
      return false;
    }
    const KeptClock kept = kept_clock_of(site, *call.callee);
    return static_cast<bool>(kept.started) || static_cast<bool>(kept.stopped);
  });
}

void check_function(Site &site, const Node &node) {
  if (const auto *with = as<With>(&node)) {
    check_with(site, *with);
    return;
  }
  const model::FunctionInfo *function = site.project.function_at(&node);
  if ((site.module->torch || site.module->jax) && function != nullptr &&
      (has_word(text_of(*function), {"time", "clock", "perf_counter"}) || uses_kept_clock(site, *function))) {
    lint(site, static_cast<const FunctionDef &>(node).body);
  }
}

void check_module(Site &site) {
  if (site.module->torch || site.module->jax) {
    lint(site, site.module->parsed->tree.body);
  }
}

} // namespace

extern constinit const Rule kTimingWithoutWait = {
    .info = {.code = "DP154",
             .name = "timing-without-wait",
             .summary = "a time measured before the GPU has finished its work",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, JAX",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`time.time()`, `time.perf_counter()` and the like before and after running a model on a GPU or a function compiled by
`jax.jit`, where nothing in between waits for the device.

## Why it is wrong

The calls only enqueue work and return. The difference between the clocks is the launch time, and the next operation
that waits is charged for the work, so another part of the program looks slow.

## Bad

```python
import time

import torch


def measure(x):
    model = torch.nn.Linear(1024, 1024).cuda()
    start = time.perf_counter()
    y = model(x)
    return time.perf_counter() - start
```

## Good

```python
import time

import torch


def measure(x):
    model = torch.nn.Linear(1024, 1024).cuda()
    torch.cuda.synchronize()
    start = time.perf_counter()
    y = model(x)
    torch.cuda.synchronize()
    return time.perf_counter() - start
```

## When it is wrong

Where the launch time is what you want to know, or where the loop is so long that the queue is full and launching takes
as long as the work. On a CPU, PyTorch runs operations synchronously.

## References

- PyTorch: CUDA semantics, asynchronous execution
- JAX documentation, "Asynchronous dispatch"
)"},
    .nodes = {NodeKind::FunctionDef, NodeKind::With},
    .on_node = check_function,
    .on_module = check_module};

} // namespace deepperf::rules::timing_without_wait
