#include "model/definitions.h"
#include "rules/encoding.h"
#include "rules/made_on_host.h"
#include "rules/per_step.h"
#include "rules/processes.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::blocking_handler {

using namespace python;

namespace {

bool is_async_handler(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  return definition != nullptr && definition->is_async && is_request_handler(site.project, function);
}

// ---- Coroutines that a handler awaits -------------------------------------------------------------------------------

// Ray Serve runs such a function on a loop of its own replica.
bool is_replica_of_ray(const model::FunctionInfo &function) {
  return has_word(function.module->parsed->source.text(), {"ray.serve", "from ray import"});
}

// `await request.app.state.engine.answer(text)`: is everything that is ever stored to an attribute of that name,
// `engine`, an object of the class?
bool always_holds(const Site &site, Symbol attribute, const model::ClassInfo &type) {
  const auto &stores = model::definitions_of(site.project).attribute_stores;
  const auto found = stores.find(attribute.id);
  return found != stores.end() && !found->second.empty() &&
         std::ranges::all_of(found->second, [&](const model::AttributeStore &store) {
           const auto *made = as<Call>(store.value);
           const model::Value callee = made != nullptr ? site.project.callee_of(made) : model::Value();
           return callee.is(model::Value::Tag::Class) &&
                  std::ranges::find(callee.type->mro, &type) != callee.type->mro.end();
         });
}

bool awaits_method(const Site &site, const model::FunctionInfo &handler, const model::FunctionInfo &method) {
  return any_node(handler.definition()->body, [&](const Node *node) {
    const auto *awaited = as<Await>(node);
    const auto *call = awaited != nullptr ? as<Call>(awaited->value) : nullptr;
    const auto *callee = call != nullptr ? as<Attribute>(call->func) : nullptr;
    const auto *holder = callee != nullptr ? as<Attribute>(callee->value) : nullptr;
    return holder != nullptr && callee->attr == method.name && site.project.callee_of(call).is_unknown() &&
           always_holds(site, holder->attr, *method.type);
  });
}

// Does a handler wait for what the coroutine returns, directly or through others?
bool is_awaited_by_handler(const Site &site, const model::FunctionInfo &coroutine, u32 depth) {
  constexpr u32 kMostDepth = 3;
  const bool is_called = std::ranges::any_of(coroutine.called_by, [&](const model::CallSite *caller) {
    const FunctionDef *const definition = caller->caller->definition();
    if (definition == nullptr || !definition->is_async || caller->caller == &coroutine) {
      return false;
    }
    const Site there = site_at(site, *caller);
    const bool is_awaited = !there.ancestors.empty() && there.ancestors.back()->kind == NodeKind::Await;
    return is_awaited && (is_async_handler(site, *caller->caller) ||
                          (depth < kMostDepth && is_awaited_by_handler(site, *caller->caller, depth + 1)));
  });
  return is_called || (coroutine.type != nullptr &&
                       std::ranges::any_of(site.project.functions, [&](const model::FunctionInfo &handler) {
                         return is_async_handler(site, handler) && awaits_method(site, handler, coroutine);
                       }));
}

// ---- Where the event loop waits -------------------------------------------------------------------------------------

// The place is in a coroutine, which runs the model there without awaiting it.
void tell(Site &site, const Call &place, const Site &inner, const Call &call) {
  const bool is_handler = is_async_handler(site, *site.function);
  const bool is_awaited = !site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::Await;
  if (is_awaited ||
      (!is_handler && (is_replica_of_ray(*site.function) || !is_awaited_by_handler(site, *site.function, 0)))) {
    return;
  }
  // Once for each coroutine.
  struct Told {
    mutable bool value = false;
  };
  const Told &told = site.memory.recall<Told>(site.function, [] { return Told{}; });
  if (told.value) {
    return;
  }
  told.value = true;
  Finding &finding =
      report(site, place,
             fmt::format("this {} runs the model itself, so all other requests wait until it is done",
                         is_handler ? "handler is `async` and" : "coroutine"),
             is_handler ? "make the handler a plain `def`, or run the model with `await asyncio.to_thread(…)`"
                        : "run the model with `await asyncio.to_thread(…)`");
  if (&place != &call) {
    finding.notes.push_back({inner.module->file, call.span(), "the model runs here"});
  }
}

bool is_async(const model::FunctionInfo &function) {
  return function.definition() != nullptr && function.definition()->is_async;
}

// A call of a generator runs nothing yet.
bool is_generator(const FunctionDef &definition) {
  return any_node(definition.body,
                  [](const Node *node) { return node->kind == NodeKind::Yield || node->kind == NodeKind::YieldFrom; });
}

// `request.app.state.ranker.score(…)`, also as `ranker = request.app.state.ranker`: nothing is known of the object
// before it, but an attribute `ranker` holds nothing else in this project than objects of the method's class.
bool calls_through_attribute(const Site &handler, const Call &call, const model::FunctionInfo &method) {
  const auto *const callee = as<Attribute>(call.func);
  if (callee == nullptr || callee->attr != method.name || !handler.project.callee_of(&call).is_unknown()) {
    return false;
  }
  const auto *const name = as<Name>(callee->value);
  const auto *const holder = as<Attribute>(name != nullptr ? assigned_to(handler, *name) : callee->value);
  return holder != nullptr && always_holds(handler, holder->attr, *method.type);
}

void check_attribute_callers(Site &site, const model::FunctionInfo &method, const Call &call) {
  for (const model::FunctionInfo &handler : site.project.functions) {
    if (!is_async_handler(site, handler) || handler.module->is_test ||
        !has_word(text_of(handler), {method.name.text()})) {
      continue;
    }
    Site there = site_inside(site, handler);
    const Call *place = nullptr;
    any_node(handler.definition()->body, [&](const Node *node) {
      const auto *one = as<Call>(node);
      place = one != nullptr && calls_through_attribute(there, *one, method) ? one : nullptr;
      return place != nullptr;
    });
    if (place != nullptr) {
      tell(there, *place, site, call);
    }
  }
}

void check_callers(Site &site, const model::FunctionInfo &function, const Call &call, u32 depth) {
  constexpr u32 kMostDepth = 2;
  if (function.definition() == nullptr || is_generator(*function.definition())) {
    return;
  }
  if (function.type != nullptr) {
    check_attribute_callers(site, function, call);
  }
  for (const model::CallSite *caller : function.called_by) {
    if (is_async(*caller->caller)) {
      Site there = site_at(site, *caller);
      tell(there, *caller->call, site, call);
    } else if (depth < kMostDepth && caller->caller != &function) {
      check_callers(site, *caller->caller, call, depth + 1);
    }
  }
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || site.function == nullptr || !project_has_word(site, {"async def"})) {
    return;
  }
  if (is_async(*site.function)) {
    tell(site, call, site, call);
    return;
  }
  check_callers(site, *site.function, call, 0);
}

} // namespace

extern constinit const Rule kBlockingHandler = {
    .info = {.code = "DP197",
             .name = "blocking-handler",
             .summary = "an `async` request handler that runs a model itself",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

An `async def` route of FastAPI, Starlette, Sanic or Quart that calls a model, a pipeline or `generate()`, directly, through functions that
are not `async`, or in a coroutine that it awaits.

## Why it costs

Such a handler runs on the event loop. While the model computes, no other request is accepted or answered, not even a health check. FastAPI
runs handlers that are a plain `def` in a thread pool.

## Bad

```python
from fastapi import FastAPI
from transformers import pipeline

app = FastAPI()
classify = pipeline("sentiment-analysis", device=0)


@app.post("/rate")
async def rate(texts: list[str]):
    return classify(texts, batch_size=16)
```

## Good

```python
from fastapi import FastAPI
from transformers import pipeline

app = FastAPI()
classify = pipeline("sentiment-analysis", device=0)


@app.post("/rate")
def rate(texts: list[str]):
    return classify(texts, batch_size=16)
```

## When it is wrong

For a server that answers one client at a time.

## References

- FastAPI: concurrency and async / await
)"},
    .calls = "HfModel.generate HfModel.__call__ HfPipeline.__call__ TorchModule.__call__ HfEncoder.encode",
    .on_call = check};

} // namespace deepperf::rules::blocking_handler
