#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <unordered_set>

namespace deepperf::rules::left_on_cpu {

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
bool mentions_device(const Site &site) {
  return file_has_word(site, {".cuda(", ".to(", "device=", "set_device", "set_default_tensor_type", "DataParallel",
                              "ccelerat", "Trainer(", "Fabric", "deepspeed", "import *", "map_location"});
}

struct ReadNames {
  std::unordered_set<u32> names;
};
struct ImportedNames {
  std::unordered_set<u32> names;
};
struct Training {
  std::unordered_set<const model::Module *> modules; // that have a training step
};

// All names that the module reads somewhere.
const ReadNames &read_names(const Site &site) {
  return site.memory.recall<ReadNames>(site.module, [&] {
    ReadNames read;
    for (const Stmt *statement : site.module->parsed->tree.body) {
      any_node_inside(statement, [&read](const Node *node) {
        if (const auto *name = as<Name>(node); name != nullptr && name->context == Context::Load) {
          read.names.insert(name->id.id);
        }
        return false;
      });
    }
    return read;
  });
}

// All names that some module imports.
const ImportedNames &imported_names(const Site &site) {
  return site.memory.recall<ImportedNames>(&site.project, [&] {
    ImportedNames imported;
    for (const model::Module &module : site.project.modules) {
      for (const model::ImportRef &import : module.parsed->imports) {
        imported.names.insert(import.name.id);
      }
    }
    return imported;
  });
}

bool trains_itself(const Site &site) {
  const auto &training = site.memory.recall<Training>(&site.project, [&] {
    Training found;
    for (const model::FunctionInfo &function : site.project.functions) {
      if (function.trains) {
        found.modules.insert(function.module);
      }
    }
    return found;
  });
  return training.modules.contains(site.module);
}

bool is_read(const Site &site, Symbol name) {
  // From another module: module.device, or from module import device.
  return read_names(site).names.contains(name.id) || site.project.loads.contains(name.id) ||
         imported_names(site).names.contains(name.id);
}

void check(Site &site, const Call & /*call*/) {
  const Assign *holder = nullptr;
  for (const Node *node : site.ancestors) {
    holder = node->kind == NodeKind::Assign ? static_cast<const Assign *>(node) : holder;
  }
  const auto *target = holder != nullptr && holder->targets.size() == 1 ? as<Name>(holder->targets[0]) : nullptr;
  if (target == nullptr || !chooses_gpu(site, holder->value) || mentions_device(site)) {
    return;
  }
  // The file has to train something itself.
  if (!trains_itself(site) || is_read(site, target->id)) {
    return;
  }
  report(site, *holder, fmt::format("`{}` is never used, so training in this file runs on the CPU", target->id.text()),
         "move the model once and each batch to the device: `model.to(device)`, `x.to(device)`");
}

} // namespace

extern constinit const Rule kLeftOnCpu = {.info = {.code = "DP502",
                                                   .name = "left-on-cpu",
                                                   .summary = "a GPU device that is selected and never used",
                                                   .root_cause = "Hardware: Hardware and Code Mismatch",
                                                   .symptoms = "Not Using GPU, Slow Execution Time",
                                                   .stage = "Initialization",
                                                   .frameworks = "PyTorch",
                                                   .severity = Severity::Warning,
                                                   .tier = Tier::On,
                                                   .fix = FixKind::None,
                                                   .documentation = R"(## What it finds

A file that trains, selects a GPU (`torch.device("cuda")`, `torch.cuda.is_available()`), assigns the result to a
variable, and neither reads that variable nor moves anything to a device in another way.

## Why it costs

PyTorch keeps tensors and models where they were created: on the CPU. Selecting a device does nothing by itself, and
there is no warning; the GPU stays idle while the CPU trains.

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

Where the model is too small to gain from a GPU and the line is left over; then remove it.

## References

- PyTorch documentation: CUDA semantics
)"},
                                          .calls = "torch.device torch.cuda.is_available",
                                          .on_call = check};

} // namespace deepperf::rules::left_on_cpu
