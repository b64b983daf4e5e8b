#include "base/name_table.h"
#include "model/code_text.h"
#include "model/variance.h"
#include "rules/assignments.h"
#include "rules/made_on_host.h"
#include "rules/optimizer_module.h"
#include "rules/reach.h"
#include "rules/step_order.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <unordered_map>

namespace deepperf::rules::fake_not_detached {

using namespace python;

namespace {

struct Shared {
  const Call *reads = nullptr; // D(fake)
  const Call *makes = nullptr; // fake = G(noise)
  const Name *value = nullptr; // fake
};

// `D(fake)` in what the loss was computed from, where `fake` is what another model gave.
Shared shared_in(const Site &site, const Expr *loss, u32 depth = 0) {
  Shared found;
  any_node(static_cast<const Node *>(loss), [&](const Node *node) {
    if (const auto *name = as<Name>(node); name != nullptr && depth < 3) {
      const Expr *const value = assigned_before(site, name->id, name->start);
      if (value != nullptr) {
        found = shared_in(site, value, depth + 1);
      }
      return found.reads != nullptr;
    }
    const auto *call = as<Call>(node);
    const auto *value = call != nullptr && call->args.size() == 1 ? as<Name>(call->args[0]) : nullptr;
    if (value == nullptr || (call->func->kind != NodeKind::Name && call->func->kind != NodeKind::Attribute)) {
      return false;
    }
    const auto *maker = as<Call>(assigned_before(site, value->id, call->start));
    const Kind reader = model::kind_of(call->func);
    const Kind made_by = maker != nullptr ? model::kind_of(maker->func) : Kind::Unknown;
    const auto may_be_model = [](Kind kind) { return kind == Kind::TorchModule || kind == Kind::Unknown; };
    if (maker == nullptr || site.project.callee_of(maker).is(model::Value::Tag::ApiMethod) || !may_be_model(reader) ||
        !may_be_model(made_by) || !called_api(site, *call).empty() || !called_api(site, *maker).empty() ||
        (maker->func->kind != NodeKind::Name && maker->func->kind != NodeKind::Attribute) ||
        text_of(site, maker->func) == text_of(site, call->func)) {
      return false;
    }
    found = {call, maker, value};
    return true;
  });
  return found;
}

// `loss` of `scaler.scale(loss)`.
const Expr *scaled_loss(const Expr *scaled) {
  const auto *call = as<Call>(scaled);
  return call != nullptr && call->args.size() == 1 ? call->args[0] : nullptr;
}

// Does the optimizer hold the parameters of one model, and not those of the other? Where nobody says, what it is called
// does not matter: a second optimizer steps later.
bool holds_only(const Site &site, const Expr *optimizer, std::string_view model, std::string_view other) {
  const model::Value value = value_of(site, optimizer);
  if (value.maker() == nullptr || !value.is_kind(Kind::TorchOptimizer)) {
    return true;
  }
  const Site there = site_of(site, *value.maker());
  const std::string_view text = text_of(there, value.maker());
  const auto last = [](std::string_view name) { return name.substr(name.rfind('.') + 1); };
  return text.find(std::string(last(model)) + ".") != std::string_view::npos &&
         text.find(std::string(last(other)) + ".") == std::string_view::npos;
}

// What a discriminator reads, followed back to the generator that made it.
struct Made {
  std::optional<HeldBy> by;
  const Call *call = nullptr; // in the function of the step: G(noise), or a helper that returns it
  std::string written;        // G
};

Made made_by_module(const Site &site, const Expr *expr, u32 depth = 0) {
  static const NameTable kSameGraph({"view", "reshape", "float", "clamp", "contiguous", "permute", "to", "cuda",
                                     "squeeze", "unsqueeze", "flatten", "transpose", "half"});
  constexpr u32 kMostDepth = 6;
  if (const auto *name = as<Name>(expr); name != nullptr && depth < kMostDepth) {
    const Expr *const value = assigned_before(site, name->id, name->start);
    return value != nullptr ? made_by_module(site, value, depth + 1) : Made{};
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr || depth >= kMostDepth) {
    return {};
  }
  const auto *method = as<Attribute>(call->func);
  if (method != nullptr && kSameGraph.has(method->attr) && called_api(site, *call).empty()) {
    const Made inner = made_by_module(site, receiver_of(*call), depth + 1);
    if (inner.call != nullptr) {
      return inner;
    }
  }
  if (under_no_grad(site_of_node(site, *call))) {
    return {};
  }
  if (const model::FunctionInfo *const helper = called_function(site, *call);
      helper != nullptr && model::kind_of(call->func) != Kind::TorchModule) {
    const Expr *const returned = returned_at_end(site, *call);
    const bool is_plain = returned != nullptr && helper->definition()->decorators.empty() && !helper->no_grad;
    Made inner = is_plain ? made_by_module(site_inside(site, *helper), returned, depth + 1) : Made{};
    // A module in a name of the helper is another one than a name here.
    if (inner.by.has_value() && inner.by->type == nullptr) {
      return {};
    }
    inner.call = inner.call != nullptr ? call : nullptr;
    return inner;
  }
  const Kind kind = model::kind_of(call->func);
  if ((kind != Kind::TorchModule && kind != Kind::Unknown) || !called_api(site, *call).empty()) {
    return {};
  }
  const std::optional<HeldBy> by = held_module(site, call->func);
  return by.has_value() ? Made{by, call, std::string(text_of(site, call->func))} : Made{};
}

// `D(fake)` in what the loss was computed from, with the module that made `fake`.
struct Read {
  const Call *call = nullptr;
  Made fake;
};

// The same in a function that computes the loss: `self.d_loss(real, fake)`, whose parameter the reader gets as it is.
Read read_in_helper(const Site &site, const Call &call, const HeldBy &reader) {
  const model::FunctionInfo *const helper = called_function(site, call);
  const FunctionDef *const definition = helper != nullptr ? helper->definition() : nullptr;
  const auto known =
      definition != nullptr
          ? std::ranges::find_if(helper->called_by, [&](const model::CallSite *one) { return one->call == &call; })
          : decltype(helper->called_by.begin()){};
  Read found;
  if (definition == nullptr || known == helper->called_by.end() || helper->no_grad) {
    return found;
  }
  const Site inside = site_inside(site, *helper);
  any_node(definition->body, [&](const Node *node) {
    const auto *read = as<Call>(node);
    const std::optional<HeldBy> module = read != nullptr ? held_module(inside, read->func) : std::nullopt;
    if (!module.has_value() || module->type == nullptr || !module->same_as(reader)) {
      return false;
    }
    for (const Expr *arg : read->args) {
      const auto *name = as<Name>(arg);
      for (u32 i = 0; name != nullptr && i < helper->params.size(); ++i) {
        const Expr *const given =
            helper->params[i]->name == name->id && assigned_before(inside, name->id, name->start) == nullptr
                ? model::passed_argument(**known, i)
                : nullptr;
        const Made fake = given != nullptr ? made_by_module(site, given) : Made{};
        if (fake.call != nullptr && fake.by.has_value() && !fake.by->same_as(reader)) {
          found = {&call, fake};
        }
      }
    }
    return found.call != nullptr;
  });
  return found;
}

// `budget`: so many nodes are looked at, since names may stand for expressions with many names.
Read read_in(const Site &site, const Expr *loss, const HeldBy &reader, u32 &budget, u32 depth = 0) {
  Read found;
  any_node(static_cast<const Node *>(loss), [&](const Node *node) {
    if (budget == 0) {
      return true;
    }
    --budget;
    if (const auto *name = as<Name>(node); name != nullptr && depth < 4) {
      const Expr *const value = assigned_before(site, name->id, name->start);
      found = value != nullptr ? read_in(site, value, reader, budget, depth + 1) : Read{};
      return found.call != nullptr;
    }
    const auto *call = as<Call>(node);
    const std::optional<HeldBy> module = call != nullptr ? held_module(site, call->func) : std::nullopt;
    if (!module.has_value() || !module->same_as(reader)) {
      found = call != nullptr ? read_in_helper(site, *call, reader) : Read{};
      return found.call != nullptr;
    }
    for (const Expr *given : call->args) {
      const Made fake = made_by_module(site, given);
      if (fake.call != nullptr && fake.by.has_value() && !fake.by->same_as(reader)) {
        found = {call, fake};
      }
    }
    return found.call != nullptr;
  });
  return found;
}

// The modules whose optimizers take steps, each once, by file.
struct SteppedModules : std::unordered_map<const model::Module *, std::vector<HeldBy>> {};

constexpr std::size_t kMostModules = 200; // of a file; programs have two or three

bool has_own_steps(const Site &site, const HeldBy &module) {
  const SteppedModules &stepped = site.memory.recall<SteppedModules>(&site.project, [&] {
    SteppedModules found;
    for (const model::FunctionInfo &function : site.project.functions) {
      const FunctionDef *const definition = function.definition();
      if (definition == nullptr && function.node != nullptr) {
        continue;
      }
      std::vector<HeldBy> &all = found[function.module];
      const auto add = [&all](const std::optional<HeldBy> &one) {
        if (one.has_value() && std::ranges::none_of(all, [&](const HeldBy &known) { return known.same_as(*one); })) {
          all.push_back(*one);
        }
      };
      Site there = site;
      there.module = function.module;
      there.function = &function;
      there.type = function.type;
      there.ancestors.clear();
      any_node(definition != nullptr ? definition->body : function.module->parsed->tree.body, [&](const Node *node) {
        const auto *call = as<Call>(node);
        if (call != nullptr && called_method(*call) == "step" && all.size() < kMostModules) {
          add(trained_by(there, receiver_of(*call)));
          add(call->args.size() == 1 ? trained_by(there, call->args[0]) : std::nullopt); // scaler.step(optimizer)
        }
        return false;
      });
    }
    return found;
  });
  const auto own = stepped.find(site.module);
  return own != stepped.end() &&
         std::ranges::any_of(own->second, [&](const HeldBy &one) { return one.same_as(module); });
}

// Are the generator's weights kept out of the graph, by requires_grad or by a helper that is called so?
bool is_switched_off(const Site &site, std::string_view module) {
  const std::string_view code = site.type != nullptr             ? text_of(site, site.type->node)
                                : site.function->node != nullptr ? text_of(site, site.function->node)
                                                                 : model::code_of(*site.module);
  const std::string written(module);
  return has_word(code, {written + ".requires_grad_(", "grad(" + written, "grads(" + written, "freeze(" + written,
                         "frozen(" + written, "in " + written + ".parameters()", "toggle(" + written});
}

// loss.backward() and the step of an optimizer that has only the parameters of D, where the loss also depends on what G
// gave, and nobody uses the gradients of G.
void check_unused_gradients(Site &site, const Call &call) {
  using What = StepEvent::What;
  const std::vector<StepEvent> &events = step_events(site);
  std::size_t at = place_of_event(site, call);
  const Expr *const loss = events.size() > at && events[at].what == What::ScaledBackward
                               ? scaled_loss(receiver_of(call))
                               : receiver_of(call);
  if (at >= events.size() || loss == nullptr || site.function == nullptr || site.module->is_test) {
    return;
  }
  std::optional<HeldBy> reader;
  std::vector<std::string_view> cleared;
  const Call *step = nullptr;
  constexpr std::size_t kFurthest = 200; // events; a training step has ten
  const std::size_t end = std::min(events.size(), at + kFurthest);
  for (++at; at < end; ++at) {
    const StepEvent &event = events[at];
    const Expr *owner = receiver_of(*event.call);
    if (event.what == What::ScalerStep && !event.call->args.empty()) {
      owner = event.call->args[0];
    }
    if (event.what == What::ZeroGrad && owner != nullptr) {
      cleared.push_back(text_of(site, owner));
    } else if (event.what == What::Helper || event.what == What::Other) {
      continue;
    } else if (event.what == What::Step || event.what == What::ScalerStep) {
      if (step == nullptr) {
        step = event.call;
        reader = trained_by(site, owner);
      } else if (owner == nullptr || std::ranges::find(cleared, text_of(site, owner)) == cleared.end()) {
        const std::optional<HeldBy> other = trained_by(site, owner);
        if (!other.has_value() || !reader.has_value() || !other->same_as(*reader)) {
          return; // this optimizer may use the gradients
        }
      }
    }
  }
  if (!reader.has_value() || end < events.size()) {
    return; // or too much follows to know who uses the gradients
  }
  u32 budget = 2000;
  const Read read = read_in(site, loss, *reader, budget);
  const std::string_view maker = read.fake.written;
  if (read.call == nullptr || !has_own_steps(site, *read.fake.by) || is_switched_off(site, maker)) {
    return;
  }
  Finding &finding =
      report(site, *read.call,
             fmt::format("this backward pass also goes through `{}`, whose gradients are not used by this step", maker),
             fmt::format("compute the output of `{}` under `torch.no_grad()`, or detach it", maker));
  add_note(finding, site, *read.fake.call, "it is computed here");
  add_note(finding, site, *step, fmt::format("this optimizer has no parameters of `{}`", maker));
}

// The calls of the function around the place, in the order of their places.
const std::vector<const Call *> &calls_around(const Site &site) {
  struct CallsAround {
    std::vector<const Call *> all;
  };
  const Block &body = body_around(site);
  return site.memory
      .recall<CallsAround>(&body,
                           [&body] {
                             CallsAround found;
                             any_node(body, [&found](const Node *node) {
                               if (const auto *call = as<Call>(node)) {
                                 found.all.push_back(call);
                               }
                               return false;
                             });
                             std::ranges::sort(found.all, {}, &Call::start);
                             return found;
                           })
      .all;
}

// loss.backward(retain_graph=True), and then a step of the model that only reads what the other one made.
void check(Site &site, const Call &call) {
  const Keyword *const retains = keyword_argument(call, "retain_graph");
  const Expr *const loss = receiver_of(call);
  if (retains == nullptr) {
    return check_unused_gradients(site, call);
  }
  const auto *statement = site.ancestors.empty() ? nullptr : as<ExprStmt>(site.ancestors.back());
  if (retains == nullptr || bool_of(site, retains->value) != true || loss == nullptr || statement == nullptr ||
      under_no_grad(site)) {
    return;
  }
  const Shared shared = shared_in(site, loss);
  if (shared.reads == nullptr) {
    return check_unused_gradients(site, call);
  }
  // What follows in the same function: step() of this model, then another loss that reads the same tensor.
  const Call *step = nullptr;
  const Call *again = nullptr;
  const Call *second = nullptr;
  constexpr std::size_t kFurthestCalls = 1000;
  const std::vector<const Call *> &calls = calls_around(site);
  const auto later = std::ranges::upper_bound(calls, call.end, {}, &Call::start);
  const std::size_t count = std::min(kFurthestCalls, static_cast<std::size_t>(calls.end() - later));
  for (const Call *other : std::span(later, count)) {
    const std::string_view method = called_method(*other);
    if (method == "step" && step == nullptr && other->args.empty()) {
      step = other;
    } else if (step != nullptr && method == "backward") {
      second = other;
    } else if (step != nullptr && text_of(site, other->func) == text_of(site, shared.reads->func) &&
               other->args.size() == 1 && text_of(site, other->args[0]) == text_of(site, shared.value)) {
      again = other;
    }
  }
  if (step == nullptr || again == nullptr || second == nullptr ||
      !holds_only(site, receiver_of(*step), text_of(site, shared.reads->func), text_of(site, shared.makes->func))) {
    return;
  }
  const std::string_view fake = text_of(site, shared.value);
  Finding &finding =
      report(site, *shared.reads,
             fmt::format("this backward pass also goes through `{}`, whose gradients are not used by this step",
                         text_of(site, shared.makes->func)),
             fmt::format("pass `{}.detach()` here and omit `retain_graph=True`", fake));
  add_note(finding, site, *shared.makes, fmt::format("`{}` is computed here", fake));
  add_note(finding, site, call, "the backward pass");
}

} // namespace

extern constinit const Rule kFakeNotDetached = {
    .info = {.code = "DP228",
             .name = "fake-not-detached",
             .summary = "a discriminator's backward pass that also goes through the generator",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Increasing Memory",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A step of one model (a discriminator or critic) on the output of another one (a generator) that is not detached: with
`backward(retain_graph=True)`, or where the optimizer that steps has only the parameters of the first model and the gradients of the second
one, which has an optimizer of its own, are cleared before they are read.

## Why it costs

The backward pass computes gradients for the generator as well, and nothing uses them: they are cleared before the generator's own step.
`retain_graph=True` is only needed because of that, and keeps all activations in memory. With `fake.detach()` the discriminator's step stops
at its input.

## Bad

```python
import torch


def step(G, D, real, noise, g_optimizer, d_optimizer):
    fake = G(noise)
    d_loss = D(fake).mean() - D(real).mean()
    d_optimizer.zero_grad()
    d_loss.backward(retain_graph=True)
    d_optimizer.step()
    g_loss = -D(fake).mean()
    g_optimizer.zero_grad()
    g_loss.backward()
    g_optimizer.step()
```

## Good

```python
import torch


def step(G, D, real, noise, g_optimizer, d_optimizer):
    fake = G(noise)
    d_loss = D(fake.detach()).mean() - D(real).mean()
    d_optimizer.zero_grad()
    d_loss.backward()
    d_optimizer.step()
    g_loss = -D(fake).mean()
    g_optimizer.zero_grad()
    g_loss.backward()
    g_optimizer.step()
```

## When it is wrong

Where the gradients of both models are meant to be summed.

## References

- PyTorch: DCGAN tutorial, which detaches the generator's output
)"},
    .calls = "*.backward",
    .on_call = check};

} // namespace deepperf::rules::fake_not_detached
