#include "rules/reach.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

// `@app.post("/predict")`, `@app.route("/")`: called for each request.
bool is_route(const Expr *decorator) {
  const auto *call = as<Call>(decorator);
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  if (method != "route" && method != "get" && method != "post" && method != "put" && method != "api_route" &&
      method != "websocket") {
    return false;
  }
  return !call->args.empty() && as_string(call->args[0]) != nullptr;
}

bool is_handler(const model::FunctionInfo &function) {
  const FunctionDef *definition = function.definition();
  return definition != nullptr && std::ranges::any_of(definition->decorators, is_route);
}

bool loads_model(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  const ApiInfo *info = find_api(site.project.callee_of(&call).name());
  if (api.empty() || info == nullptr || !info->has(kIo)) {
    return false;
  }
  switch (info->returns) {
  case Kind::HfModel:
  case Kind::HfPipeline:
  case Kind::HfEncoder:
  case Kind::HfTokenizer:
  case Kind::TorchModule:
  case Kind::KerasModel:
    return true;
  default:
    return api == "torch.load";
  }
}

// What is behind a test, or kept by a cache, is loaded once.
bool may_be_kept(const Site &site) {
  const FunctionDef *definition = site.function->definition();
  return enclosing(site, NodeKind::If) != nullptr ||
         std::ranges::any_of(definition->decorators, [](const Expr *decorator) { return !is_route(decorator); }) ||
         has_word(text_of(*site.function), {"global ", "cache", "is None", "not in "});
}

// The handler that the place is in, or whose function of the same file it calls.
const model::FunctionInfo *handler_of(const Site &site) {
  if (is_handler(*site.function)) {
    return site.function;
  }
  for (const Stmt *statement : site.module->parsed->tree.body) {
    const model::FunctionInfo *caller =
        statement->kind == NodeKind::FunctionDef ? site.project.function_at(statement) : nullptr;
    if (caller == nullptr || !is_handler(*caller)) {
      continue;
    }
    for (const model::CallSite &through : caller->calls) {
      if (through.callee == site.function && !through.once && !through.behind_guard) {
        return caller;
      }
    }
  }
  return nullptr;
}

void check(Site &site, const Call &call) {
  if (site.function == nullptr || site.function->definition() == nullptr || !loads_model(site, call)) {
    return;
  }
  const model::FunctionInfo *handler = handler_of(site);
  if (handler == nullptr || may_be_kept(site)) {
    return;
  }
  Finding &finding = report(site, call, "the model is loaded again for every request",
                            "load it once, when the server starts, and use it in the handler");
  if (handler != site.function) {
    add_note(finding, site, *handler->node, "called by this handler");
  }
}

} // namespace

extern constinit const Rule kModelLoadPerRequest = {
    .info = {.code = "DP243",
             .name = "model-load-per-request",
             .summary = "a model or tokenizer that a request handler loads for each request",
             .root_cause = "Model: Inefficient Model Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Prediction",
             .frameworks = "PyTorch, TensorFlow, Keras",
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`from_pretrained`, `pipeline(…)`, `torch.load` and the like in a function that handles requests (`@app.post("/…")`, `@app.route("/…")`), or in a
function that such a handler calls.

## Why it costs

Reading a checkpoint, building the model and copying it to the device takes seconds; answering a request takes milliseconds.

## Bad

```python
from fastapi import FastAPI
from transformers import pipeline

app = FastAPI()


@app.post("/rate")
def rate(text: str):
    rating = pipeline("sentiment-analysis")
    return rating(text)
```

## Good

```python
from fastapi import FastAPI
from transformers import pipeline

app = FastAPI()
rating = pipeline("sentiment-analysis")


@app.post("/rate")
def rate(text: str):
    return rating(text)
```

## When it is wrong

Where the request names the model and there are too many to keep. Behind a test or a cache the rule is silent.

## References

- FastAPI: lifespan events
)"},
    .calls = "*.from_pretrained transformers.pipeline torch.load torch.jit.load torch.hub.load "
             "tensorflow.keras.models.load_model sentence_transformers.SentenceTransformer timm.create_model",
    .on_call = check};

} // namespace deepperf::rules
