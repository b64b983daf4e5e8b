#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

// Does the expression choose a GPU: torch.device("cuda"), "cuda" if torch.cuda.is_available() else "cpu"?
bool chooses_gpu(const Site &site, const Expr *expr) {
  return any_node(expr, [&site](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const std::string_view api = called_api(site, *call);
    if (api == "torch.cuda.is_available") {
      return true;
    }
    return api == "torch.device" && text_of(site, call).find("cuda") != std::string_view::npos;
  });
}

// Is there any other way in the file that puts something on a device?
bool mentions_device(std::string_view source) {
  for (const std::string_view word :
       {".cuda(", ".to(", "device=", "set_device", "set_default_tensor_type", "DataParallel", "ccelerat", "Trainer(",
        "Fabric", "deepspeed", "import *", "map_location"}) {
    if (source.find(word) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

bool is_read(const Site &site, Symbol name) {
  for (const Stmt *statement : site.module->parsed->tree.body) {
    if (any_node_inside(statement, [name](const Node *node) {
          const auto *mentioned = as<Name>(node);
          return mentioned != nullptr && mentioned->id == name && mentioned->context == Context::Load;
        })) {
      return true;
    }
  }
  // From another module: module.device, or from module import device.
  return site.project.loads.contains(name.id) ||
         std::ranges::any_of(site.project.modules, [name](const model::Module &module) {
           return std::ranges::any_of(module.parsed->imports,
                                      [name](const model::ImportRef &import) { return import.name == name; });
         });
}

void check(Site &site, const Call & /*call*/) {
  const Assign *holder = nullptr;
  for (const Node *node : site.ancestors) {
    holder = node->kind == NodeKind::Assign ? static_cast<const Assign *>(node) : holder;
  }
  const auto *target = holder != nullptr && holder->targets.size() == 1 ? as<Name>(holder->targets[0]) : nullptr;
  if (target == nullptr || !chooses_gpu(site, holder->value) || mentions_device(site.module->parsed->source.text())) {
    return;
  }
  // The file has to train something itself.
  const bool trains = std::ranges::any_of(site.project.functions, [&site](const model::FunctionInfo &function) {
    return function.module == site.module && function.trains;
  });
  if (!trains || is_read(site, target->id)) {
    return;
  }
  report(site, *holder, fmt::format("{} is never used: the training in this file runs on the CPU", target->id.text()),
         "move the model once and each batch to the device: model.to(device), x.to(device)");
}

} // namespace

extern constinit const Rule kLeftOnCpu = {.info = {.code = "DP502",
                                                   .name = "left-on-cpu",
                                                   .summary = "a GPU that is asked for and never used",
                                                   .root_cause = "Hardware: Hardware and Code Mismatch",
                                                   .symptoms = "Not Using GPU, Slow Execution Time",
                                                   .stage = "Initialization",
                                                   .frameworks = "PyTorch",
                                                   .tier = Tier::On,
                                                   .fix = FixKind::None,
                                                   .documentation = R"(## What it finds

A file that trains, asks for a GPU (`torch.device("cuda")`, `torch.cuda.is_available()`), keeps the answer under a name, and neither
reads that name nor moves anything to a device in another way.

## Why it costs

PyTorch leaves tensors and models where they were made: on the CPU. Choosing a device does nothing by itself, and there is no
warning: the program just runs ten to a hundred times slower than it could.

## Bad

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(1000, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(loader, criterion):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
```

## Good

```python
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(1000, 10).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(loader, criterion):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        with torch.autocast(device.type, dtype=torch.bfloat16):
            loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
```

## When it is wrong

Where the model is too small to gain from a GPU and the line is only left over; then take it out.

## References

- PyTorch documentation: CUDA semantics
)"},
                                          .calls = "torch.device torch.cuda.is_available",
                                          .on_call = check};

} // namespace deepperf::rules
