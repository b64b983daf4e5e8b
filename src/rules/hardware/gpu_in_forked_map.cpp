#include "rules/options.h"
#include "rules/reach.h"
#include "rules/tree.h"

namespace deepperf::rules::gpu_in_forked_map {

using namespace python;
using model::Value;

namespace {

void check(Site &site, const Call &call) {
  const Option count = option_of(site, call, "num_proc");
  const Expr *const given = argument(call, 0, "function");
  if (given == nullptr || site.module->is_test || count.as_integer().value_or(1) < 2 ||
      file_has_word(site, {"set_start_method", "get_context", "with_rank"})) {
    return;
  }
  const model::FunctionInfo *function = given->kind == NodeKind::Lambda ? site.project.function_at(given) : nullptr;
  const Value value = function == nullptr ? value_of(site, given) : Value{};
  if (value.is(Value::Tag::Function) || value.is(Value::Tag::Method)) {
    function = value.function;
  }
  if (function == nullptr || function->node == nullptr) {
    return;
  }
  const Node *used = nullptr;
  any_node_inside(function->node, [&](const Node *node) {
    const auto *one = as<Call>(node);
    if (one == nullptr) {
      return false;
    }
    const std::string_view method = called_method(*one);
    const bool is_moved = method == "cuda" || (method == "to" && one->args.size() == 1 &&
                                               string_of(site, one->args[0]).value_or("").starts_with("cuda"));
    used = is_moved ? one : used;
    return used != nullptr;
  });
  if (used == nullptr) {
    return;
  }
  Finding &finding = report_option(
      site, call, count, "forked processes cannot use the GPU: \"Cannot re-initialize CUDA in forked subprocess\"",
      "omit `num_proc`, and let `batched=True` with a `batch_size` keep the GPU busy");
  finding.notes.push_back({function->module->file, used->span(), "the function uses the GPU here"});
}

} // namespace

extern constinit const Rule kGpuInForkedMap = {
    .info = {.code = "DP524",
             .name = "gpu-in-forked-map",
             .summary = "a `Dataset.map` with several processes that runs a model on the GPU",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Program Crash",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`Dataset.map(function, num_proc=n)` of Hugging Face Datasets with more than one process, where the function runs a model or moves tensors to
the GPU.

## Why it is wrong

The processes are forked from one that has used CUDA: "Cannot re-initialize CUDA in forked subprocess". Even where that works, each process
has a copy of the model on the GPU.

## Bad

```python
import torch
from datasets import load_dataset
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased").cuda().eval()


@torch.no_grad()
def embed(rows):
    batch = tokenizer(rows["text"], padding=True, truncation=True, return_tensors="pt").to("cuda")
    return {"embedding": model(**batch).last_hidden_state[:, 0].cpu().numpy()}


data = load_dataset("imdb", split="train").map(embed, batched=True, num_proc=4)
```

## Good

```python
import torch
from datasets import load_dataset
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased").cuda().eval()


@torch.no_grad()
def embed(rows):
    batch = tokenizer(rows["text"], padding=True, truncation=True, return_tensors="pt").to("cuda")
    return {"embedding": model(**batch).last_hidden_state[:, 0].cpu().numpy()}


data = load_dataset("imdb", split="train").map(embed, batched=True, batch_size=64)
```

## When it is wrong

Where processes are spawned; files with `set_start_method` are not reported.

## References

- Hugging Face Datasets: process, multiprocessing and GPUs
)"},
    .calls = "HfDataset.map",
    .on_call = check};

} // namespace deepperf::rules::gpu_in_forked_map
