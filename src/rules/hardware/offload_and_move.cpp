#include "rules/options.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace deepperf::rules::offload_and_move {

using namespace python;
using model::Value;

namespace {

// Where pipelines are moved to a GPU as a whole, by the call that made them.
struct Moved {
  struct Place {
    const model::FunctionInfo *function = nullptr;
    const Call *call = nullptr;
  };
  std::unordered_map<const Call *, Place> places;
};

bool is_gpu(const Site &site, const Call &move) {
  if (called_method(move) == "cuda") {
    return true;
  }
  const auto device = called_method(move) == "to" && !move.args.empty() ? string_of(site, move.args[0]) : std::nullopt;
  return device.has_value() && device->starts_with("cuda");
}

Moved find_moved(const Site &site) {
  Moved found;
  for (const model::FunctionInfo &function : site.project.functions) {
    if (function.module == nullptr || !function.module->torch) {
      continue;
    }
    const FunctionDef *const definition = function.definition();
    if (definition == nullptr && function.node != nullptr) {
      continue;
    }
    any_node(definition != nullptr ? definition->body : function.module->parsed->tree.body, [&](const Node *node) {
      const auto *call = as<Call>(node);
      const Expr *const owner = call != nullptr ? receiver_of(*call) : nullptr;
      if (owner == nullptr || (called_method(*call) != "to" && called_method(*call) != "cuda")) {
        return false;
      }
      const Value callee = site.project.callee_of(call);
      const Value pipeline = callee.is(Value::Tag::ApiMethod) ? callee.receiver() : Value{};
      if (pipeline.is_kind(Kind::HfPipeline) && pipeline.maker() != nullptr && is_gpu(site_of(site, *call), *call)) {
        found.places.try_emplace(pipeline.maker(), Moved::Place{&function, call});
      }
      return false;
    });
  }
  return found;
}

void check(Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  const Value pipeline = callee.is(Value::Tag::ApiMethod) ? callee.receiver() : Value{};
  if (site.module->is_test || pipeline.maker() == nullptr || pipeline.alternatives != nullptr ||
      enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const Moved &moved = site.memory.recall<Moved>(&site.project, [&site] { return find_moved(site); });
  const auto place = moved.places.find(pipeline.maker());
  if (place == moved.places.end()) {
    return;
  }
  const model::FunctionInfo &function = *place->second.function;
  if (&function == site.function) {
    const Site there = site_at(site, function, *place->second.call);
    if (enclosing(there, NodeKind::If) != nullptr) {
      return; // one or the other
    }
  } else {
    return;
  }
  Finding &finding = report(
      site, call,
      fmt::format("`{}()` needs the pipeline on the CPU, and it is moved to the GPU as a whole", called_method(call)),
      "omit `.to(\"cuda\")`, or keep the pipeline on the GPU and omit the offloading");
  finding.notes.push_back({function.module->file, place->second.call->span(), "it is moved here"});
}

} // namespace

extern constinit const Rule kOffloadAndMove = {
    .info = {.code = "DP542",
             .name = "offload-and-move",
             .summary = "a Diffusers pipeline that is offloaded to the CPU and moved to the GPU",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Out of Memory, Slow Execution Time",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`enable_model_cpu_offload()` or `enable_sequential_cpu_offload()` of a pipeline that the same function also moves to the GPU with
`to("cuda")`.

## Why it costs

Offloading keeps the parts of a pipeline on the CPU and copies each to the GPU while it runs. Moved to the GPU as a whole first, the
pipeline needs the memory that offloading was meant to save; moved afterwards, it stays there or Diffusers raises an error. With enough memory,
offloading only costs the copies.

## Bad

```python
import torch
from diffusers import StableDiffusionXLPipeline

pipe = StableDiffusionXLPipeline.from_pretrained("stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16)
pipe.to("cuda")
pipe.enable_model_cpu_offload()
image = pipe("a lighthouse").images[0]
```

## Good

```python
import torch
from diffusers import StableDiffusionXLPipeline

pipe = StableDiffusionXLPipeline.from_pretrained("stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16)
pipe.enable_model_cpu_offload()
image = pipe("a lighthouse").images[0]
```

## When it is wrong

Where only a part of the pipeline is moved on purpose.

## References

- Diffusers: reduce memory usage, CPU offloading
)"},
    .calls = "HfPipeline.enable_model_cpu_offload HfPipeline.enable_sequential_cpu_offload",
    .on_call = check};

} // namespace deepperf::rules::offload_and_move
