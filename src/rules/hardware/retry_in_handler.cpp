#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::retry_in_handler {

using namespace python;

namespace {

// Does the handler catch that the GPU is full?
bool is_for_memory(const Site &site, const ExceptHandler &handler) {
  if (handler.type == nullptr) {
    return false;
  }
  const std::string_view type = text_of(site, handler.type);
  if (type.find("OutOfMemory") != std::string_view::npos) {
    return true;
  }
  return type.find("RuntimeError") != std::string_view::npos &&
         std::ranges::any_of(handler.body, [&](const Stmt *statement) {
           return has_word(text_of(site, statement), {"out of memory"});
         });
}

void check(Site &site, const Node &node) {
  const auto &statement = static_cast<const Try &>(node);
  if (!site.module->torch || site.module->is_test) {
    return;
  }
  for (const ExceptHandler *handler : statement.handlers) {
    if (!is_for_memory(site, *handler)) {
      continue;
    }
    const Call *again = nullptr;
    any_node(handler->body, [&](const Node *inner) {
      const auto *call = as<Call>(inner);
      const model::FunctionInfo *function = call != nullptr ? called_function(site, *call) : nullptr;
      again = function != nullptr && function->trains && again == nullptr ? call : again;
      return again != nullptr;
    });
    if (again == nullptr) {
      continue;
    }
    Finding &finding = report(
        site, *again,
        "inside the handler the exception still refers to all tensors of the run that failed, so they stay in memory",
        "record the failure in the handler, and train again after it");
    add_note(finding, site, *handler, "the exception is handled here");
    return;
  }
}

} // namespace

extern constinit const Rule kRetryInHandler = {
    .info = {.code = "DP518",
             .name = "retry-in-handler",
             .summary = "training that is started again inside the handler of an out-of-memory error",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Out of Memory, Abnormal GPU Memory Usage",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

An `except` for a full GPU that trains again inside the handler.

## Why it is wrong

While the handler runs, the exception's traceback refers to the frames of the failed run, and these to its activations,
gradients and optimizer state. `torch.cuda.empty_cache()` cannot free them, so the second attempt has less memory than
the first one.

## Bad

```python
import torch


def train(model, loader, optimizer: torch.optim.Optimizer):
    for x in loader:
        optimizer.zero_grad()
        model(x.cuda()).mean().backward()
        optimizer.step()


def run(model, loader, smaller, optimizer: torch.optim.Optimizer):
    try:
        train(model, loader, optimizer)
    except torch.cuda.OutOfMemoryError:
        torch.cuda.empty_cache()
        train(model, smaller, optimizer)
```

## Good

```python
import torch


def train(model, loader, optimizer: torch.optim.Optimizer):
    for x in loader:
        optimizer.zero_grad()
        model(x.cuda()).mean().backward()
        optimizer.step()


def run(model, loader, smaller, optimizer: torch.optim.Optimizer):
    is_full = False
    try:
        train(model, loader, optimizer)
    except torch.cuda.OutOfMemoryError:
        is_full = True
    if is_full:
        torch.cuda.empty_cache()
        train(model, smaller, optimizer)
```

## When it is wrong

Where the failed run keeps nothing on the device.

## References

- PyTorch FAQ: my out of memory exception handler can't allocate memory
)"},
    .nodes = {NodeKind::Try},
    .on_node = check};

} // namespace deepperf::rules::retry_in_handler
