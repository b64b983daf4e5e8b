#include "rules/per_step.h"
#include "rules/processes.h"
#include "rules/reach.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::blocking_handler {

using namespace python;

namespace {

bool is_async_handler(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  return definition != nullptr && definition->is_async && is_request_handler(site.project, function);
}

void tell(Site &site, const Call &place, const Site &inner, const Call &call) {
  // Once for each handler.
  struct Told {
    mutable bool value = false;
  };
  const Told &told = site.memory.recall<Told>(site.function, [] { return Told{}; });
  if (told.value) {
    return;
  }
  told.value = true;
  Finding &finding = report(
      site, place, "this handler is `async` and runs the model itself, so all other requests wait until it is done",
      "make the handler a plain `def`, or run the model with `await asyncio.to_thread(…)`");
  if (&place != &call) {
    finding.notes.push_back({inner.module->file, call.span(), "the model runs here"});
  }
}

void check_callers(Site &site, const model::FunctionInfo &function, const Call &call, u32 depth) {
  constexpr u32 kMostDepth = 2;
  const FunctionDef *const definition = function.definition();
  if (definition == nullptr || definition->is_async) {
    return;
  }
  for (const model::CallSite *caller : function.called_by) {
    if (is_async_handler(site, *caller->caller)) {
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
  if (is_async_handler(site, *site.function)) {
    const bool is_awaited = !site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::Await;
    if (!is_awaited) {
      tell(site, call, site, call);
    }
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

An `async def` route of FastAPI, Starlette, Sanic or Quart that calls a model, a pipeline or `generate()`, directly or through functions that
are not `async`.

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
