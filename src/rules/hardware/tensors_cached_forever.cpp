#include "base/known_names.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::tensors_cached_forever {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

// `functools.cache`, `lru_cache(maxsize=None)`: what they keep has no limit.
bool is_unlimited(const Site &site, const Expr *wrapper) {
  const auto *call = as<Call>(wrapper);
  const Value made = call != nullptr ? site.project.callee_of(call) : value_of(site, wrapper);
  const std::string_view api = made.is(Value::Tag::Api) ? made.name().text() : std::string_view{};
  if (api == "functools.cache") {
    return call == nullptr;
  }
  return api == "functools.lru_cache" && call != nullptr && is_none(argument(*call, 0, "maxsize"));
}

// Does the code that answers requests run in this project?
bool serves_requests(const Site &site) {
  struct Serves {
    bool value = false;
  };
  return site.memory
      .recall<Serves>(&site.project,
                      [&site] {
                        return Serves{
                            std::ranges::any_of(site.project.functions, [&site](const FunctionInfo &function) {
                              return !function.module->is_test && is_request_handler(site.project, function);
                            })};
                      })
      .value;
}

// Is the parameter a text: annotated as one, or given to a tokenizer or encoder?
bool takes_text(const Site &site, const FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  const bool is_annotated = std::ranges::any_of(function.params, [](const Param *param) {
    const auto *annotation = as<Name>(param->annotation);
    return annotation != nullptr && (annotation->id.text() == "str" || annotation->id.text() == "bytes");
  });
  return is_annotated || any_node(definition->body, [&](const Node *node) {
           const auto *call = as<Call>(node);
           const auto *given = call != nullptr && !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
           return given != nullptr && function.has_param(given->id) &&
                  site.project.callee_of(call).is_kind(Kind::HfTokenizer);
         });
}

// Does it run a model, itself or in what it calls?
bool runs_model(const Site &site, const FunctionInfo &function) {
  std::vector<const FunctionInfo *> functions = reached_functions(function, *function.definition());
  functions.push_back(&function);
  constexpr std::size_t kMost = 40;
  return functions.size() <= kMost && std::ranges::any_of(functions, [&](const FunctionInfo *one) {
           return one->definition() != nullptr && any_node(one->definition()->body, [&](const Node *node) {
                    const auto *call = as<Call>(node);
                    const Value callee = call != nullptr ? site.project.callee_of(call) : Value{};
                    return callee.is_kind(Kind::HfModel) || callee.is_kind(Kind::TorchModule) ||
                           (callee.is(Value::Tag::Object) && callee.type->kind == Kind::TorchModule);
                  });
         });
}

// What the function returns is a tensor that may be on a GPU.
bool returns_gpu_tensor(const FunctionInfo &function) {
  const Value &value = function.returns;
  return value.is_kind(Kind::TorchTensor) && !value.container && (value.device & ~model::kOnCpu) != 0;
}

void lint(Site &site, const Node &place, const FunctionInfo &function) {
  if (function.definition() == nullptr || !returns_gpu_tensor(function) || !takes_text(site, function) ||
      !runs_model(site, function) || !project_has_word(site, {"cuda"}) || project_has_word(site, {"cache_clear("})) {
    return;
  }
  Finding &finding = report(
      site, place,
      fmt::format("this cache keeps the tensor that `{}` computes for every text, on the GPU and without a limit",
                  function.name.text()),
      "give it a limit, `lru_cache(maxsize=1024)`, and keep copies in host memory: `.cpu()`");
  if (!serves_requests(site)) {
    finding.tier = Tier::Hint;
  }
}

// `@lru_cache(maxsize=None)`
void check_function(Site &site, const FunctionDef &definition) {
  const FunctionInfo *const function = site.project.function_at(&definition);
  for (const Expr *decorator : definition.decorators) {
    if (function != nullptr && is_unlimited(site, decorator)) {
      lint(site, *decorator, *function);
      return;
    }
  }
}

// `self.embed = lru_cache(maxsize=None)(self._embed)`
void check_call(Site &site, const Call &call) {
  if (call.args.size() != 1 || !call.keywords.empty() || !is_unlimited(site, call.func)) {
    return;
  }
  const Value wrapped = value_of(site, call.args[0]);
  if (wrapped.is(Value::Tag::Function) || wrapped.is(Value::Tag::Method)) {
    lint(site, call, *wrapped.function);
  }
}

void check(Site &site, const Node &node) {
  if (!site.module->torch || site.module->is_test || site.function == nullptr || !file_has_word(site, {"cache"})) {
    return;
  }
  if (const auto *definition = as<FunctionDef>(&node)) {
    check_function(site, *definition);
  } else {
    check_call(site, static_cast<const Call &>(node));
  }
}

} // namespace

extern constinit const Rule kTensorsCachedForever = {
    .info = {.code = "DP528",
             .name = "tensors-cached-forever",
             .summary = "a cache without a limit that keeps a tensor on the GPU for every text",
             .root_cause = "Model: Improper Model Parameter",
             .symptoms = "Out of Memory, Abnormal GPU Memory Usage",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`functools.cache` or `lru_cache(maxsize=None)` around a function that runs a model on a text and returns a tensor on the GPU, in a project that
answers requests. Elsewhere it is a hint.

## Why it costs

The cache keeps one tensor for each different text and never drops any. Users write new texts all the time, so the memory of the GPU fills up until an
allocation fails, and a result of a service that has run for weeks is rarely asked for again.

## Bad

```python
from functools import lru_cache

import torch
from fastapi import FastAPI
from transformers import AutoModel, AutoTokenizer

app = FastAPI()
tokenizer = AutoTokenizer.from_pretrained("intfloat/e5-base-v2")
model = AutoModel.from_pretrained("intfloat/e5-base-v2", torch_dtype=torch.bfloat16).to("cuda").eval()


@lru_cache(maxsize=None)
@torch.inference_mode()
def embed(text: str):
    encoded = tokenizer(text, truncation=True, return_tensors="pt").to("cuda")
    return model(**encoded).last_hidden_state[:, 0]


@app.get("/norm")
def norm(text: str):
    return embed(text).norm().item()
```

## Good

```python
from functools import lru_cache

import torch
from fastapi import FastAPI
from transformers import AutoModel, AutoTokenizer

app = FastAPI()
tokenizer = AutoTokenizer.from_pretrained("intfloat/e5-base-v2")
model = AutoModel.from_pretrained("intfloat/e5-base-v2", torch_dtype=torch.bfloat16).to("cuda").eval()


@lru_cache(maxsize=4096)
@torch.inference_mode()
def embed(text: str):
    encoded = tokenizer(text, truncation=True, return_tensors="pt").to("cuda")
    return model(**encoded).last_hidden_state[:, 0].cpu()


@app.get("/norm")
def norm(text: str):
    return embed(text).norm().item()
```

## When it is wrong

Where the texts come from a small fixed set.

## References

- Python documentation of `functools.lru_cache`
)"},
    .nodes = {NodeKind::FunctionDef, NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::tensors_cached_forever
