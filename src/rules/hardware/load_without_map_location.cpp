#include "model/code_text.h"
#include "rules/assignments.h"
#include "rules/processes.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::load_without_map_location {

using namespace python;

namespace {

// What the checkpoint goes into: `optimizer.load_state_dict(checkpoint["optimizer"])`. An optimizer that is resumed was
// saved by a training run, with its state where the model was.
const Call *resumes_with(const Site &site, const Call &load) {
  if (site.function == nullptr) {
    return nullptr;
  }
  const Call *found = nullptr;
  any_node(body_around(site), [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr || called_method(*call) != "load_state_dict" || call->args.empty() ||
        (call->start < load.end && !contains(call, &load))) {
      return false;
    }
    const Kind kind = model::kind_of(receiver_of(*call));
    const Expr *from = call->args[0];
    while (from->kind == NodeKind::Subscript || from->kind == NodeKind::Attribute) {
      const auto *part = as<Subscript>(from);
      from = part != nullptr ? part->value : static_cast<const Attribute *>(from)->value;
    }
    const bool is_it =
        from == &load || (from->kind == NodeKind::Name &&
                          assigned_before(site, static_cast<const Name *>(from)->id, call->start) == &load);
    if (is_it && (kind == Kind::TorchOptimizer || kind == Kind::TorchModule)) {
      found = call;
    }
    return found != nullptr && kind == Kind::TorchOptimizer;
  });
  return found;
}

// With several processes, each puts the tensors onto the one GPU that they were saved from.
bool is_loaded_by_all(Site &site, const Call &call) {
  constexpr std::string_view kWrappers[] = {"DistributedDataParallel(", "FullyShardedDataParallel(", "DDP(", "FSDP("};
  const bool is_wrapped =
      file_has_word(site, kWrappers) ||
      (site.function != nullptr && std::ranges::any_of(site.function->called_by, [&](const model::CallSite *caller) {
         return has_word(model::code_of(*caller->caller->module), kWrappers);
       }));
  if (!is_wrapped || !project_has_word(site, {"\"nccl\"", "'nccl'", "torch.cuda.set_device(", "device_ids="}) ||
      !project_has_word(site, {"torch.save("}) || first_process_only(site).test != nullptr) {
    return false;
  }
  const Call *const resumes = resumes_with(site, call);
  if (resumes == nullptr || model::kind_of(receiver_of(*resumes)) != Kind::TorchOptimizer) {
    return false;
  }
  Finding &finding =
      report(site, call,
             "every process loads the checkpoint onto the GPU that it was saved from, so that one GPU holds "
             "a copy for each of them",
             "pass `map_location=\"cpu\"`, or the device of this process");
  add_note(finding, site, *resumes, "its tensors are copied from there to each process's own device");
  return true;
}

void check(Site &site, const Call &call) {
  constexpr u32 kMapLocation = 1;
  if (argument(call, kMapLocation, "map_location") != nullptr || has_hidden_arguments(call) || site.module->is_test) {
    return;
  }
  if (is_loaded_by_all(site, call) || !file_has_word(site, {"cuda.is_available", "\"cpu\"", "'cpu'"})) {
    return; // who has no CPU in mind wants the GPU
  }
  Finding &finding =
      report(site, call, "without `map_location`, `torch.load` puts tensors on the device they were saved from",
             "pass `map_location=device`, or `map_location=\"cpu\"` if the model is moved afterwards");
  finding.tier = Tier::Hint;
  finding.severity = Severity::Advice;
}

} // namespace

extern constinit const Rule kLoadWithoutMapLocation = {
    .info = {.code = "DP516",
             .name = "load-without-map-location",
             .summary = "`torch.load` without `map_location` in a program that can run on a CPU",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Program Crash, Abnormal GPU Memory Usage",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.load` without `map_location=`, in a file that checks for a GPU or names the CPU. It is reported by default where every process of a
distributed training resumes its optimizer from the file.

## Why it costs

A checkpoint that was saved on a GPU cannot be loaded on a machine without one. With several GPUs, all processes load it
to the GPU that it was saved from, and a second copy of all weights stays there.

## Bad

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weights = torch.load("model.pt", weights_only=True)
```

## Good

```python
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weights = torch.load("model.pt", map_location=device, weights_only=True)
```

## When it is wrong

For files without tensors, and for tensors that were saved on a CPU.

## References

- `torch.load`: `map_location`
)"},
    .calls = "torch.load",
    .on_call = check};

} // namespace deepperf::rules::load_without_map_location
