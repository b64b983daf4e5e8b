#include "model/definitions.h"
#include "rules/encoding.h"
#include "rules/made_on_host.h"
#include "rules/per_step.h"
#include "rules/processes.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules::blocking_handler {

using namespace python;

namespace {

bool is_async(const model::FunctionInfo &function) {
  return function.definition() != nullptr && function.definition()->is_async;
}

bool is_async_handler(const Site &site, const model::FunctionInfo &function) {
  return is_async(function) && is_request_handler(site.project, function);
}

// Ray Serve runs such a function on a loop of its own replica.
bool is_replica_of_ray(const model::FunctionInfo &function) {
  return has_word(function.module->parsed->source.text(), {"ray.serve", "from ray import"});
}

// ---- What handlers call through attributes
// ----------------------------------------------------------------------------

// The class of what an expression that is stored makes: `Engine(…)`, `await asyncio.to_thread(Engine, …)`,
// `await loop.run_in_executor(None, Engine)`; null if it is something else.
const model::ClassInfo *made_class(const Site &site, const model::AttributeStore &store) {
  const auto *awaited = as<Await>(store.value);
  const auto *made = as<Call>(awaited != nullptr ? awaited->value : store.value);
  if (made == nullptr) {
    return nullptr;
  }
  const std::string_view name = called_name(*made);
  const bool is_thread = awaited != nullptr && (name == "to_thread" || name == "run_in_executor" ||
                                                name == "run_sync" || name == "run_in_threadpool");
  const u32 position = name == "run_in_executor" ? 1 : 0;
  if (is_thread && made->args.size() > position) {
    const model::Value run = model::value_of(model::scope_of(site.project, *store.function), made->args[position]);
    return run.is(model::Value::Tag::Class) ? run.type : nullptr;
  }
  const model::Value callee = site.project.callee_of(made);
  return callee.is(model::Value::Tag::Class) ? callee.type : nullptr;
}

// The class of everything that is ever stored to an attribute of that name, and what it derives from.
std::vector<const model::ClassInfo *> always_held(const Site &site, Symbol attribute) {
  const auto &all = model::definitions_of(site.project).attribute_stores;
  const auto stores = all.find(attribute.id);
  std::vector<const model::ClassInfo *> common;
  for (std::size_t i = 0; stores != all.end() && i < stores->second.size(); ++i) {
    if (is_none(stores->second[i].value)) {
      continue; // there is none yet, or no more
    }
    const model::ClassInfo *const made = made_class(site, stores->second[i]);
    if (made == nullptr) {
      return {};
    }
    const auto &mro = made->mro;
    if (common.empty()) {
      common.assign(mro.begin(), mro.end());
    } else if (made != common.front()) {
      std::erase_if(common, [&](const auto *type) { return std::ranges::find(mro, type) == mro.end(); });
    }
    if (common.empty()) {
      return {};
    }
  }
  return common;
}

// A call in a handler of an object that nothing is known of but the attribute that holds it, which holds nothing else
// in this project than objects of one class: `request.app.state.ranker.score(…)`, also as `ranker =
// request.app.state.ranker`.
struct CallThroughAttribute {
  const model::FunctionInfo *handler = nullptr;
  const Call *call = nullptr;
  bool is_direct = false; // the attribute itself, not a name
  bool is_awaited = false;
};

// By class and by the name of its method.
struct CallsThroughAttributes : std::map<std::pair<const model::ClassInfo *, u32>, std::vector<CallThroughAttribute>> {
};

CallsThroughAttributes find_calls(const Site &site) {
  CallsThroughAttributes found;
  std::unordered_map<u32, std::vector<const model::ClassInfo *>> held;
  for (const model::FunctionInfo &handler : site.project.functions) {
    if (!is_async(handler)) {
      continue;
    }
    const Site there = site_inside(site, handler);
    std::unordered_set<const Node *> awaited;
    any_node(handler.definition()->body, [&](const Node *node) {
      if (const auto *wait = as<Await>(node)) {
        awaited.insert(wait->value);
      }
      const auto *call = as<Call>(node);
      const auto *callee = call != nullptr ? as<Attribute>(call->func) : nullptr;
      if (callee == nullptr || !site.project.callee_of(call).is_unknown()) {
        return false;
      }
      const auto *name = as<Name>(callee->value);
      const auto *holder = as<Attribute>(name != nullptr ? assigned_to(there, *name) : callee->value);
      if (holder == nullptr) {
        return false;
      }
      const auto [types, is_new] = held.try_emplace(holder->attr.id);
      if (is_new) {
        types->second = always_held(site, holder->attr);
      }
      for (const model::ClassInfo *type : types->second) {
        found[{type, callee->attr.id}].push_back({&handler, call, name == nullptr, awaited.contains(call)});
      }
      return false;
    });
  }
  return found;
}

const std::vector<CallThroughAttribute> &calls_through_attributes(const Site &site, const model::FunctionInfo &method) {
  static const std::vector<CallThroughAttribute> kNone;
  const auto &all = site.memory.recall<CallsThroughAttributes>(&site.project, [&site] { return find_calls(site); });
  const auto found = all.find({method.type, method.name.id});
  return method.type != nullptr && found != all.end() ? found->second : kNone;
}

// ---- Coroutines that a handler awaits -------------------------------------------------------------------------------

// Does a handler wait for what the coroutine returns, directly or through others?
bool is_awaited_by_handler(const Site &site, const model::FunctionInfo &coroutine, u32 depth) {
  constexpr u32 kMostDepth = 3;
  struct AwaitedByHandler {
    mutable std::array<std::unordered_map<const model::FunctionInfo *, bool>, kMostDepth + 1> known;
  };
  note_read_everything(); // what was found for others is taken
  const AwaitedByHandler &all = site.memory.recall<AwaitedByHandler>(&site.project, [] { return AwaitedByHandler{}; });
  if (const auto known = all.known[depth].find(&coroutine); known != all.known[depth].end()) {
    return known->second;
  }
  const bool is_called = std::ranges::any_of(coroutine.called_by, [&](const model::CallSite *caller) {
    if (!is_async(*caller->caller) || caller->caller == &coroutine) {
      return false;
    }
    const Site there = site_at(site, *caller);
    const bool is_awaited = !there.ancestors.empty() && there.ancestors.back()->kind == NodeKind::Await;
    return is_awaited && (is_async_handler(site, *caller->caller) ||
                          (depth < kMostDepth && is_awaited_by_handler(site, *caller->caller, depth + 1)));
  });
  const bool answer =
      is_called ||
      std::ranges::any_of(calls_through_attributes(site, coroutine), [&site](const CallThroughAttribute &one) {
        return one.is_direct && one.is_awaited && is_async_handler(site, *one.handler);
      });
  all.known[depth][&coroutine] = answer;
  return answer;
}

// ---- Where the event loop waits -------------------------------------------------------------------------------------

// The place is in a coroutine, which runs the model there without awaiting it.
void add_finding(Site &site, const Call &place, const Site &inner, const Call &call) {
  const bool is_handler = is_async_handler(site, *site.function);
  const bool is_awaited = !site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::Await;
  if (is_awaited ||
      (!is_handler && (is_replica_of_ray(*site.function) || !is_awaited_by_handler(site, *site.function, 0)))) {
    return;
  }
  // Once for each coroutine.
  struct Reported {
    mutable bool value = false;
  };
  note_read_everything(); // whoever comes first tells
  const Reported &reported = site.memory.recall<Reported>(site.function, [] { return Reported{}; });
  if (reported.value) {
    return;
  }
  reported.value = true;
  Finding &finding =
      report(site, place,
             fmt::format("this {} runs the model itself, so all other requests wait until it finishes",
                         is_handler ? "handler is `async` and" : "coroutine"),
             is_handler ? "make the handler a plain `def`, or run the model with `await asyncio.to_thread(…)`"
                        : "run the model with `await asyncio.to_thread(…)`");
  if (&place != &call) {
    finding.notes.push_back({inner.module->file, call.span(), "the model runs here"});
  }
}

// A call of a generator runs nothing yet.
bool is_generator(const Site &site, const FunctionDef &definition) {
  struct IsGenerator {
    bool value = false;
  };
  return site.memory
      .recall<IsGenerator>(&definition,
                           [&definition] {
                             return IsGenerator{any_node(definition.body, [](const Node *node) {
                               return node->kind == NodeKind::Yield || node->kind == NodeKind::YieldFrom;
                             })};
                           })
      .value;
}

void check_attribute_callers(Site &site, const model::FunctionInfo &method, const Call &call) {
  const model::FunctionInfo *last = nullptr;
  for (const CallThroughAttribute &one : calls_through_attributes(site, method)) {
    if (one.handler != last && !one.handler->module->is_test) {
      last = one.handler; // the first place in it
      Site there = site_inside(site, *one.handler);
      add_finding(there, *one.call, site, call);
    }
  }
}

void check_callers(Site &site, const model::FunctionInfo &function, const Call &call, u32 depth) {
  constexpr u32 kMostDepth = 2;
  // Each function once, whichever of its calls runs a model: what there is to tell of its callers is told then.
  struct Checked {
    mutable u32 depth = kMostDepth + 1;
  };
  note_read_everything(); // whoever comes first checks
  const Checked &checked = site.memory.recall<Checked>(&function, [] { return Checked{}; });
  if (function.definition() == nullptr || checked.depth <= depth || is_generator(site, *function.definition())) {
    return;
  }
  checked.depth = depth;
  check_attribute_callers(site, function, call);
  for (const model::CallSite *caller : function.called_by) {
    if (is_async(*caller->caller)) {
      Site there = site_at(site, *caller);
      add_finding(there, *caller->call, site, call);
    } else if (depth < kMostDepth && caller->caller != &function) {
      check_callers(site, *caller->caller, call, depth + 1);
    }
  }
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || site.function == nullptr || !project_has_word(site, {"async def"})) {
    return;
  }
  const model::Value callee = site.project.callee_of(&call);
  const std::string_view made_by = callee.name() ? callee.name().text() : std::string_view{};
  if (made_by.starts_with("torchaudio.transforms.") || made_by.starts_with("torchvision.transforms.")) {
    return; // a filter or a resize is no model
  }
  if (is_async(*site.function)) {
    add_finding(site, call, site, call);
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
